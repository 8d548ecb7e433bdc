"""A person in front of the page: live runs, reloads, tabs, pauses, stops, phones and the dark."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from agent.outcome.words import verdict_words
from llm.scenarios import get_scenario

from .conftest import BRIEF, App, Visit, Visitor

pytestmark = pytest.mark.browser

HEALED = "roman_numerals"
"""A scenario whose first program fails and is repaired."""


def test_a_run_is_seen_live_and_ends_with_the_counted_verdict(visit: Visit, app: App):
    visitor = visit()
    run_id = visitor.start(HEALED)
    for brief in BRIEF:
        visitor.see(brief)
    visitor.wait("finished")
    outcome = app.outcome(run_id)
    assert visitor.headline.inner_text() == verdict_words(outcome["verdict"])
    assert len(outcome["attempts"]) > 1
    expect(visitor.page.locator("#meters .scripted")).to_have_text("Demo model")
    expect(visitor.page.locator("#proof .story")).to_contain_text("Cause:")
    expect(visitor.page.locator("#program label.tab")).to_contain_text(["First try", "Repair 1", "Code", "Diff"])
    expect(visitor.page.locator("#program .numbered:visible")).to_contain_text("def ")
    visitor.tab("Diff")
    expect(visitor.page.locator("#program .diff-add").first).to_be_visible()
    assert visitor.foreign == []
    assert visitor.errors == []


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_program_verdict_and_proof_stand_in_the_first_window_at_the_end(visit: Visit, width: int, height: int):
    visitor = visit(viewport={"width": width, "height": height})
    _finished(visitor)
    assert visitor.page.evaluate("window.scrollY") == 0
    proof = (".matrix-group >> nth=-1", "#onward-start") if width > 1099 else ()
    if proof:
        assert visitor.page.locator(".matrix-row:visible").count() >= 3, "what decides can be read"
    for place in ("#strip h2", "#program .numbered:visible .row >> nth=4", *proof):
        box = visitor.page.locator(place).bounding_box()
        assert box is not None, place
        assert box["y"] + box["height"] < height, place


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_jumps_while_a_run_works(visit: Visit, width: int):
    visitor = visit(viewport={"width": width, "height": 844})
    visitor.page.evaluate(SHIFTS)
    _finished(visitor)
    assert visitor.page.evaluate("window.shifted") <= 0.1


def test_what_a_model_writes_is_seen_while_it_writes(visit: Visit):
    visitor = visit()
    visitor.start(HEALED)
    visitor.see("#program .writing-text")
    visitor.wait("finished")
    expect(visitor.page.locator("#program .writing-text")).to_have_count(0)


def test_a_picked_attempt_stays_picked(visit: Visit, app: App):
    visitor = visit()
    first = app.outcome(_finished(visitor))["attempts"][0]["code"]
    visitor.tab("First try")
    line = next(one for one in reversed(first.splitlines()) if one.strip())
    expect(visitor.page.locator("#program .numbered:visible")).to_contain_text(line.strip())


def test_a_row_of_the_matrix_opens_to_what_was_expected(visit: Visit):
    visitor = visit()
    _finished(visitor)
    rows = visitor.page.locator(".matrix-row:visible")
    expect(rows).to_have_count(3)
    row = rows.filter(has=visitor.page.locator(".cell-fail")).first
    row.locator("summary").click()
    expect(row.locator(".actual").first).to_contain_text("expected")


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
    visitor.wait("finished")
    second.wait("finished")
    assert second.headline.inner_text() == visitor.headline.inner_text()


def test_the_link_of_a_run_shows_it_to_another_visitor_who_cannot_steer_it(visit: Visit):
    visitor = visit()
    run_id = visitor.start("honest_failure")
    expect(visitor.page.locator("#actions [data-do=stop]")).to_be_visible()
    shared = visitor.page.locator("[data-copy-link]").get_attribute("data-copy-link")
    other = visit(path=f"/{shared}")
    expect(other.page.locator("#title h1")).to_have_text(visitor.page.locator("#title h1").inner_text())
    expect(other.page.locator("#actions [data-do=stop]")).to_have_count(0)
    visitor.wait("finished")
    other.wait("finished")
    expect(other.page.locator("#links button, #timeline button")).to_have_count(0)
    assert other.headline.inner_text() == visitor.headline.inner_text()
    visitor.page.click("#links [data-do=clear]")
    expect(visitor.page.locator(f'[data-copy-link="{shared}"]')).to_have_count(0)
    late = visit(path=f"/{shared}")
    expect(late.page.locator(".toast-body").first).to_contain_text("no such run")
    stranger = visit(path=f"/?run={run_id}")
    expect(stranger.page.locator(".toast-body").first).to_contain_text("no such run")


def test_stop_ends_the_run_at_once_and_it_can_be_continued(visit: Visit):
    visitor = visit()
    visitor.start("honest_failure")
    visitor.do("stop")
    visitor.wait("stopped")
    expect(visitor.headline).to_have_text("Unverified")
    visitor.do("apply")
    visitor.wait("finished")
    assert visitor.headline.inner_text() == "Failed"


def test_a_run_can_be_run_again_edited_and_left_for_a_new_one(visit: Visit):
    visitor = visit()
    first = _finished(visitor, "fix_this_code")
    visitor.do("retry")
    visitor.page.wait_for_url(lambda url: first not in url)
    visitor.wait("running")
    visitor.wait("finished")
    visitor.page.click("#program [data-do=edit]")
    expect(visitor.page.locator("#editor-code .cm-content")).to_contain_text("def ")
    visitor.page.click("#editor-check")
    expect(visitor.page.locator("#recheck")).to_contain_text("stored checks pass")
    visitor.page.click("#editor-close")
    visitor.do("play")
    visitor.page.click("#player-play")
    visitor.wait("running")
    visitor.page.click("#player-close")
    visitor.wait("finished")
    visitor.do("edit")
    expect(visitor.page.locator("#task textarea")).to_have_value(_task("fix_this_code"))
    expect(visitor.page.locator("#code-in .cm-content")).to_contain_text("def ")
    expect(visitor.page).not_to_have_url(re.compile("run="))
    visitor.page.locator("#header [data-drawer]").click()
    visitor.page.locator(f'#history a[href="?run={first}"]').click()
    visitor.wait("finished")
    visitor.page.click("#title [data-do=clear]")
    expect(visitor.page.locator("#run")).to_be_visible()
    expect(visitor.page).not_to_have_url(re.compile("run="))


def test_a_run_goes_on_from_another_and_begins_with_an_edit_of_its_program(visit: Visit, app: App):
    visitor = visit()
    first = _finished(visitor, "slugify")
    visitor.page.fill("#onward-words textarea", _task("slug_separator"))
    visitor.page.click("#onward-start")
    visitor.page.wait_for_url(lambda url: first not in url)
    visitor.wait("running")
    visitor.wait("finished")
    followed = app.outcome(visitor.run_id)
    assert followed["comes_from"]["run"] == first
    assert "separator" in followed["code"]
    visitor.page.click("#program [data-do=edit]")
    visitor.page.locator("#editor-code .cm-content").click()
    visitor.page.keyboard.press("Control+End")
    visitor.page.keyboard.type("# mine")
    visitor.page.click("#editor-start")
    visitor.page.wait_for_url(lambda url: followed["run_id"] not in url)
    visitor.wait("running")
    visitor.wait("finished")
    forked = app.outcome(visitor.run_id)
    assert forked["comes_from"]["run"] == followed["run_id"]
    assert any("# mine" in attempt["code"] for attempt in forked["attempts"])


def test_two_visitors_never_see_each_others_runs(visit: Visit):
    one, other = visit(), visit()
    ids = one.start(HEALED), other.start("lru_cache")
    one.wait("finished")
    other.wait("finished")
    assert ids[0] != ids[1]
    for visitor, own, foreign in ((one, ids[0], ids[1]), (other, ids[1], ids[0])):
        visitor.page.locator("#header [data-drawer]").click()
        expect(visitor.page.locator(f'#history a[href="?run={own}"]')).to_be_visible()
        assert foreign not in visitor.page.content()


def test_an_own_key_is_kept_nowhere_and_a_failure_names_its_cause(visit: Visit, app: App):
    canary = "sk-canary-7f3a91"
    visitor = visit()
    visitor.page.fill("#task textarea", _task(HEALED))
    visitor.chip("Options")
    visitor.page.locator("#provider input").click()
    visitor.page.get_by_role("option", name="llama.cpp").click()
    expect(visitor.page.locator("#chip")).to_contain_text("llama.cpp")
    visitor.page.fill("#key input", canary)
    visitor.page.click("#run")
    visitor.page.wait_for_url("**/?run=*")
    visitor.wait("failed")
    expect(visitor.page.locator("#meters")).not_to_contain_text("demo")
    kept = json.dumps(visitor.page.evaluate("[Object.entries(localStorage), Object.entries(sessionStorage)]"))
    assert canary not in kept
    assert canary not in visitor.page.url
    assert not [path for path in app.state_dir.rglob("*") if path.is_file() and canary.encode() in path.read_bytes()]


def test_a_task_that_no_model_can_write_gets_ways_out_and_loses_nothing(visit: Visit):
    visitor = visit()
    visitor.page.click("#run")
    expect(visitor.page.locator(".toast-body").first).to_contain_text("The task is empty")
    words = "Sum two numbers <img src=x onerror=alert(1)>"
    visitor.page.fill("#task textarea", words)
    visitor.page.locator("#task textarea").press("Control+Enter")
    card = visitor.page.locator(".ways-card")
    expect(card).to_be_visible()
    expect(visitor.page.locator("#task textarea")).to_have_value(words)
    expect(visitor.page).not_to_have_url(re.compile("run="))
    card.get_by_text("Use my API key").click()
    expect(visitor.page.locator("#key input")).to_be_visible()
    card.get_by_text("Show me an example").click()
    visitor.wait("finished")
    visitor.page.click("#title [data-do=clear]")
    expect(visitor.page.locator("#task textarea")).to_have_value(words)


def test_an_unknown_link_is_told_in_words(visit: Visit):
    visitor = visit(path="/?run=doesnotexist")
    expect(visitor.page.locator(".toast-body").first).to_contain_text("no such run")
    expect(visitor.page.locator("#run")).to_be_visible()


def test_picture_and_printout_stand_first_and_everything_can_be_taken_away(visit: Visit, tmp_path: Path):
    visitor = visit()
    _finished(visitor, "csv_to_plot")
    picture = visitor.page.locator("#program .output img")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    box = picture.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 900
    with visitor.page.expect_download() as download:
        visitor.page.click("#actions a[download]")
    archive = zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes()))
    assert {"solution.py", "evidence.json", "journal.jsonl", "replay.html"} <= set(archive.namelist())
    replay = tmp_path / "replay.html"
    replay.write_bytes(archive.read("replay.html"))
    visitor.page.goto(replay.as_uri())
    expect(visitor.page.locator(".chip.scripted").first).to_be_visible()


def test_a_phone_scrolls_in_one_direction_only(visit: Visit):
    visitor = visit(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    assert _fits(visitor)
    visitor.page.locator("#footer").get_by_role("link", name="Insights").click()
    for name in ("Benchmarks", "Settings"):
        expect(visitor.page.locator(".page-title")).to_be_visible()
        assert _fits(visitor), name
        visitor.page.locator("nav").get_by_role("link", name=name).click()
    visitor.page.locator("a.brand").click()
    _finished(visitor)
    assert _fits(visitor)
    for key in ("timeline", "why", "suites", "figures", "isolation"):
        visitor.unfold(key)
        assert _fits(visitor), key
    visitor.page.click("#timeline [data-do=expand]")
    call = visitor.page.locator(".timeline .shape-call").filter(has_text="Generator answered").first
    call.locator("summary").click()
    expect(call).to_contain_text(_task(HEALED).splitlines()[0])
    expect(call).to_contain_text("--- reply")
    assert _fits(visitor)


def test_on_a_phone_a_run_is_stopped_from_wherever_one_reads(visit: Visit):
    visitor = visit(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    visitor.start("honest_failure")
    visitor.wait("running")
    visitor.page.locator("#footer").scroll_into_view_if_needed()
    expect(visitor.page.locator("#actions [data-do=stop]")).to_be_in_viewport()
    visitor.do("stop")
    visitor.wait("stopped")


def _task(example: str) -> str:
    found = get_scenario(example)
    assert found
    return found.task


def _finished(visitor: Visitor, example: str = HEALED) -> str:
    run_id = visitor.start(example)
    visitor.wait("finished")
    return run_id


def _fits(visitor: Visitor) -> bool:
    """In both themes."""
    return all(_fits_in(visitor, scheme) for scheme in ("light", "dark"))


def _fits_in(visitor: Visitor, scheme: str) -> bool:
    visitor.paint(scheme)
    return visitor.page.evaluate(
        "document.documentElement.scrollWidth <= window.innerWidth && window.innerWidth <= 390"
    )


SHIFTS = """
() => {
  window.shifted = 0;
  new PerformanceObserver(list => list.getEntries().forEach(one => {
    if (!one.hadRecentInput) window.shifted += one.value;
  })).observe({type: 'layout-shift'});
}
"""
