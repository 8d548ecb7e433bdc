"""The page without a mouse, without motion, with files that are too large, and what only the owner of a run reads."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from llm.scenarios import get_scenario

from .conftest import Visit, Visitor

pytestmark = pytest.mark.browser
SLUGS = get_scenario("slugify").task  # type: ignore[union-attr]


def test_an_example_can_be_run_with_the_keyboard_alone(visit: Visit):
    visitor = visit()
    visitor.page.locator(".example[data-name=roman_numerals]").focus()
    visitor.page.keyboard.press("Enter")
    visitor.wait("finished")
    visitor.page.locator("details[data-key=timeline] > summary").focus()
    visitor.page.keyboard.press("Enter")
    summary = visitor.page.locator(".timeline summary").first
    summary.focus()
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator(".timeline details[open]").first).to_be_visible()
    visitor.page.locator("#tab-c2-code").focus()
    visitor.page.keyboard.press("ArrowRight")
    expect(visitor.page.locator("#program .diff-add").first).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_task_is_typed_run_and_taken_away_without_a_mouse(visit: Visit, theme: str, tmp_path: Path):
    visitor = visit(color_scheme=theme)
    _tab_to(visitor, "#task textarea")
    visitor.page.keyboard.insert_text(SLUGS)
    visitor.page.keyboard.press("Control+Enter")
    visitor.page.wait_for_url("**/?run=*")
    visitor.wait("finished")
    _tab_to(visitor, "#program [data-copy]")
    assert visitor.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    _tab_to(visitor, ".matrix-row > summary")
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator(".matrix-row[open]")).to_be_visible()
    _tab_to(visitor, "#actions [download]")
    with visitor.page.expect_download() as taken:
        visitor.page.keyboard.press("Enter")
    taken.value.save_as(tmp_path / "run.zip")
    assert "verify.py" in {Path(name).name for name in zipfile.ZipFile(tmp_path / "run.zip").namelist()}


def _tab_to(visitor: Visitor, place: str) -> None:
    for _ in range(120):
        visitor.page.keyboard.press("Tab")
        if visitor.page.evaluate("place => document.activeElement.matches(place)", place):
            return
    pytest.fail(f"no tab stop is {place}")


def test_nothing_turns_where_less_motion_is_asked_for(visit: Visit):
    moving = """() => {
      const one = document.querySelector('#intro h1').appendChild(document.createElement('span'));
      one.className = 'spinner';
      const card = getComputedStyle(document.querySelector('.example'));
      return [getComputedStyle(one).animationName, card.transitionDuration];
    }"""
    told = [visit(reduced_motion=wish).page.evaluate(moving) for wish in ("no-preference", "reduce")]
    assert told[0] == ["turn", "0.15s"]
    assert told[1] == ["none", "0s"]


def test_files_that_are_too_large_are_told_and_the_field_stays(visit: Visit, tmp_path: Path):
    visitor = visit()
    visitor.chip("+ Files")
    files = [tmp_path / name for name in ("a.csv", "b.csv")]
    for file in files:
        file.write_bytes(b"1" * (6 << 20))
    visitor.page.set_input_files("#data input[type=file]", files)
    expect(visitor.page.locator("#told")).to_have_text("Not added: together the files are larger than 10 MB.")
    expect(visitor.page.locator("#data")).not_to_contain_text("Error")
    visitor.page.set_input_files("#data input[type=file]", files[0])
    expect(visitor.page.locator("#data")).to_contain_text("a.csv")


def test_what_each_role_was_told_is_there_for_the_owner_after_a_reload_and_for_nobody_else(visit: Visit):
    visitor = visit()
    visitor.start("roman_numerals")
    visitor.wait("finished")
    visitor.page.reload()
    visitor.unfold("timeline")
    visitor.page.get_by_role("button", name="Show what each role was told and answered").click()
    call = visitor.page.locator(".shape-call > details").filter(has_text="Generator answered").first
    call.locator("summary").click()
    expect(call.locator(".listing")).to_contain_text("def to_roman")
    link = visitor.page.locator("#actions [data-copy-link]").get_attribute("data-copy-link")
    stranger = visit(path=f"/{link}")
    stranger.unfold("timeline")
    expect(stranger.page.locator(".timeline .shape-call").first).to_be_visible()
    expect(stranger.page.locator("#timeline [data-do=expand], .shape-call > details")).to_have_count(0)
