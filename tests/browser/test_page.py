"""A person in front of the page: live runs, reloads, tabs, pauses, stops, phones and the dark."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from demo.words import verdict_words

from .conftest import App, Visit, Visitor

pytestmark = pytest.mark.browser

HEALED = "roman_numerals"
"""A scenario whose first program fails and is repaired."""


def test_a_run_is_seen_live_and_ends_with_the_counted_verdict(visit: Visit, app: App):
    visitor = visit()
    run_id = visitor.start(HEALED)
    expect(visitor.headline).to_have_text("Running")
    visitor.wait("finished")
    outcome = app.outcome(run_id)
    assert visitor.headline.inner_text() == verdict_words(outcome["verdict"])
    assert len(outcome["attempts"]) > 1
    expect(visitor.page.locator("#evidence .badge.scripted")).to_have_text("Scripted demo model")
    expect(visitor.page.locator("#timeline")).to_contain_text("at fault is the code")
    visitor.tab("Matrix")
    expect(visitor.page.locator(".matrix thead th")).to_have_count(1 + len(outcome["attempts"]))
    expect(visitor.page.locator("td.cell-fail, td.cell-error").first).to_be_visible()
    visitor.tab("Code")
    expect(visitor.page.locator("#code-out .cm-content")).to_contain_text("def ")
    expect(visitor.page.locator("#diff .diff-add").first).to_be_visible()
    assert visitor.foreign == []
    assert visitor.errors == []


def test_what_a_model_writes_is_seen_while_it_writes(visit: Visit):
    visitor = visit()
    visitor.start(HEALED)
    expect(visitor.page.locator(".writing-text").first).to_be_attached()
    visitor.wait("finished")
    expect(visitor.page.locator(".writing-text")).to_have_count(0)


def test_a_version_can_be_picked_and_stays_picked(visit: Visit, app: App):
    visitor = visit()
    first = app.outcome(_finished(visitor))["attempts"][0]["code"]
    visitor.tab("Code")
    visitor.page.locator("#picker input").click()
    visitor.page.get_by_role("option", name="c1:").click()
    line = next(one for one in reversed(first.splitlines()) if one.strip())
    expect(visitor.page.locator("#code-out .cm-content")).to_contain_text(line.strip())
    expect(visitor.page.locator("#diff")).to_contain_text("No earlier program")


def test_a_reload_in_the_middle_shows_the_run_again(visit: Visit):
    visitor = visit()
    run_id = visitor.start(HEALED)
    expect(visitor.lines.nth(4)).to_be_attached()
    visitor.page.reload()
    expect(visitor.lines.nth(4)).to_be_attached()
    visitor.wait("finished")
    assert visitor.run_id == run_id


def test_a_second_tab_shows_the_running_run(visit: Visit):
    visitor = visit()
    run_id = visitor.start(HEALED)
    second = visit(beside=visitor)
    expect(second.lines.nth(1)).to_be_attached()
    second.page.wait_for_url(f"**/?run={run_id}")
    second.wait("finished")
    assert second.headline.inner_text() == visitor.headline.inner_text()


def test_the_link_of_a_run_opens_it_for_another_visitor(visit: Visit):
    visitor = visit()
    run_id = _finished(visitor)
    other = visit(path=f"/?run={run_id}")
    other.wait("finished")
    assert other.headline.inner_text() == visitor.headline.inner_text()


def test_a_pause_survives_a_reload_and_is_answered_once(visit: Visit):
    visitor = visit()
    visitor.start(HEALED, autonomy="Review all")
    visitor.wait("waiting")
    expect(visitor.page.locator("#pause")).to_contain_text("Review before anything is written")
    visitor.page.reload()
    visitor.wait("waiting")
    second = visit(beside=visitor)
    second.wait("waiting")
    visitor.page.click("#approve")
    expect(visitor.page.locator("#pause")).to_contain_text("Review before the repair")
    expect(second.page.locator("#pause")).to_contain_text("Review before the repair")
    expect(second.page.locator("#pause")).to_contain_text("Diagnosis")
    second.page.click("#approve")
    visitor.wait("finished")
    expect(visitor.page.locator("#answers")).to_be_hidden()


def test_revising_needs_words_and_they_reach_the_run(visit: Visit, app: App):
    visitor = visit()
    run_id = visitor.start(HEALED, autonomy="Review repairs")
    visitor.wait("waiting")
    visitor.page.click("#revise")
    expect(visitor.page.locator(".toast-body").first).to_contain_text("what should be different")
    visitor.page.fill("#answer-text textarea", "Keep it <b>short</b>.")
    visitor.page.click("#revise")
    expect(visitor.page.locator("#timeline")).to_contain_text("You answered: revise")
    expect(visitor.page.locator("#timeline")).to_contain_text("Keep it <b>short</b>.")
    visitor.wait("finished")
    assert app.outcome(run_id)["verdict"]


def test_ending_a_paused_run_concludes_it(visit: Visit, app: App):
    visitor = visit()
    run_id = visitor.start(HEALED, autonomy="Review all")
    visitor.wait("waiting")
    visitor.page.click("#abort")
    visitor.wait("finished")
    assert app.outcome(run_id)["verdict"] in ("unverified", "failed")


def test_stop_ends_the_run_at_once_and_it_can_be_continued(visit: Visit):
    visitor = visit()
    visitor.start("honest_failure")
    visitor.page.click("#stop")
    expect(visitor.page.locator("#status .status-stopped")).to_be_visible(timeout=3000)
    expect(visitor.headline).to_have_text("Stopped")
    visitor.page.click("#resume")
    visitor.wait("finished")
    assert visitor.headline.inner_text() == "Failed"


def test_two_visitors_never_see_each_others_runs(visit: Visit):
    one, other = visit(), visit()
    ids = one.start(HEALED), other.start("lru_cache")
    one.wait("finished")
    other.wait("finished")
    assert ids[0] != ids[1]
    for visitor, own, foreign in ((one, ids[0], ids[1]), (other, ids[1], ids[0])):
        visitor.open("earlier")
        expect(visitor.page.locator(f'#history a[href="?run={own}"]')).to_be_visible()
        assert foreign not in visitor.page.content()


def test_an_own_key_is_kept_nowhere(visit: Visit, app: App):
    canary = "sk-canary-7f3a91"
    visitor = visit()
    visitor.pick(HEALED)
    visitor.open("model")
    visitor.page.locator("#provider input").click()
    visitor.page.get_by_role("option", name="llama.cpp").click()
    visitor.page.fill("#key input", canary)
    visitor.page.click("#run")
    visitor.page.wait_for_url("**/?run=*")
    visitor.wait("failed")
    kept = json.dumps(visitor.page.evaluate("[Object.entries(localStorage), Object.entries(sessionStorage)]"))
    assert canary not in kept
    assert canary not in visitor.page.url
    assert not [path for path in app.state_dir.rglob("*") if path.is_file() and canary.encode() in path.read_bytes()]


def test_a_task_without_a_scenario_is_refused_and_nothing_is_lost(visit: Visit):
    visitor = visit()
    visitor.page.click("#run")
    expect(visitor.page.locator(".toast-body").first).to_contain_text("The task is empty")
    words = "Sum two numbers <img src=x onerror=alert(1)>"
    visitor.page.fill("#task textarea", words)
    visitor.page.click("#run")
    expect(visitor.page.locator(".toast-body").filter(has_text="has none for this task")).to_be_visible()
    expect(visitor.page.locator("#task textarea")).to_have_value(words)
    assert "run=" not in visitor.page.url


def test_an_unknown_link_is_told_in_words(visit: Visit):
    visitor = visit(path="/?run=doesnotexist")
    expect(visitor.page.locator(".toast-body").first).to_contain_text("no such run")
    expect(visitor.headline).to_have_text("No run yet")


def test_everything_can_be_taken_away_in_one_file(visit: Visit, tmp_path: Path):
    visitor = visit()
    _finished(visitor, "csv_to_plot")
    visitor.tab("Files")
    picture = visitor.page.locator("#files img")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") > 100
    with visitor.page.expect_download() as download:
        visitor.page.click("#downloads a")
    archive = zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes()))
    assert {"solution.py", "evidence.json", "journal.jsonl", "replay.html"} <= set(archive.namelist())
    replay = tmp_path / "replay.html"
    replay.write_bytes(archive.read("replay.html"))
    visitor.page.goto(replay.as_uri())
    expect(visitor.page.locator(".badge.scripted").first).to_be_visible()
    visitor.page.click("#play")
    expect(visitor.page.locator(".timeline > li").last).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_in_one_direction_only(visit: Visit, scheme: str):
    visitor = visit(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True, color_scheme=scheme)
    assert _fits(visitor)
    _finished(visitor)
    for name in ("Timeline", "Code", "Matrix", "Tests", "Learning", "Files"):
        visitor.tab(name)
        assert _fits(visitor), name


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_are_readable(visit: Visit, scheme: str):
    visitor = visit(color_scheme=scheme)
    _finished(visitor)
    texts = ["#evidence h2", ".verdict-reason", ".figure dt", ".line-note", ".card-shows", ".badge.scripted"]
    ratios = visitor.page.evaluate(CONTRAST, texts)
    assert all(ratio >= 4.5 for ratio in ratios.values()), ratios
    dark = visitor.page.evaluate("document.body.classList.contains('dark')")
    assert dark == (scheme == "dark")


def test_an_example_can_be_run_with_the_keyboard_alone(visit: Visit):
    visitor = visit()
    visitor.page.locator(f".example[data-name={HEALED}]").focus()
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator("#task textarea")).not_to_have_value("")
    visitor.page.locator("#run").focus()
    visitor.page.keyboard.press("Enter")
    visitor.wait("finished")
    summary = visitor.page.locator(".timeline summary").first
    summary.focus()
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator(".timeline details[open]").first).to_be_visible()
    assert visitor.page.locator(".timeline").get_attribute("aria-live") == "polite"


def _finished(visitor: Visitor, example: str = HEALED) -> str:
    run_id = visitor.start(example)
    visitor.wait("finished")
    return run_id


def _fits(visitor: Visitor) -> bool:
    return visitor.page.evaluate(
        "document.documentElement.scrollWidth <= window.innerWidth && window.innerWidth <= 390"
    )


CONTRAST = """
selectors => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const luminance = color => {
    const [r, g, b] = color.slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backdrop = element => {
    for (let one = element; one; one = one.parentElement) {
      const color = rgb(getComputedStyle(one).backgroundColor);
      if (color.length < 4 || color[3] > 0.9) return color;
    }
    return [255, 255, 255];
  };
  return Object.fromEntries(selectors.map(selector => {
    const element = document.querySelector(selector);
    const [a, b] = [rgb(getComputedStyle(element).color), backdrop(element)].map(luminance);
    return [selector, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  }));
}
"""
