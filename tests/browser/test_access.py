"""axe-core finds nothing serious, in every state of the page and in both themes."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from llm.scenarios import get_scenario

from .conftest import Visit, Visitor

pytestmark = pytest.mark.browser
axe = pytest.importorskip("axe_playwright_python.sync_playwright")
BAD = ("serious", "critical")
TASK = get_scenario("roman_numerals").task  # type: ignore[union-attr]


def test_the_first_screen_is_accessible(visit: Visit):
    visitor = visit()
    expect(visitor.page.locator(".example").first).to_be_visible()
    assert found(visitor) == []
    for chip in ("+ Code", "+ Tests", "+ Files", "Options"):
        visitor.chip(chip)
    expect(visitor.page.locator("#key input")).to_be_visible()
    assert found(visitor) == []
    visitor.page.fill("#task textarea", "Something new")
    visitor.page.click("#run")
    expect(visitor.page.locator(".ways-card")).to_be_visible()
    visitor.page.locator("#header [data-drawer]").click()
    assert found(visitor) == []


def test_the_run_screen_is_accessible(visit: Visit):
    visitor = visit()
    visitor.start("roman_numerals")
    visitor.wait("running")
    assert found(visitor) == []
    visitor.wait("finished")
    assert found(visitor) == []
    visitor.tab("Diff")
    for key in ("timeline", "why", "unchecked", "suites", "lessons", "figures", "isolation"):
        visitor.unfold(key)
    visitor.page.locator(".matrix-group > summary").last.click()
    visitor.page.locator(".matrix-row > summary").first.click()
    assert found(visitor) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_done_with_a_run_that_ended_is_accessible(visit: Visit, width: int):
    visitor = visit(viewport={"width": width, "height": 844})
    visitor.start("explain_code")
    visitor.wait("finished")
    assert found(visitor) == []
    visitor.do("play")
    expect(visitor.page.locator("#player-place")).to_be_visible()
    visitor.do("expand")
    expect(visitor.page.locator(".compared")).to_be_visible()
    visitor.page.click("#program [data-do=edit]")
    expect(visitor.page.locator("#editor-code .cm-content")).to_contain_text("def ")
    visitor.page.click("#editor-check")
    expect(visitor.page.locator("#recheck")).to_contain_text("stored check")
    assert found(visitor) == []


@pytest.mark.parametrize("opened_in", ["light", "dark"])
def test_code_in_a_field_has_its_colours_and_all_can_be_read(visit: Visit, opened_in: str):
    visitor = visit(color_scheme=opened_in)
    visitor.chip("+ Code")
    visitor.page.click("#code-in .cm-content")
    visitor.page.keyboard.insert_text('def run(one):  # why\n    return one + 12 + "text"\n')
    colour = "one => getComputedStyle(one).color"
    told = ["def", "run", "one", "# why", "12", '"text"']
    spans = [visitor.page.locator("#code-in .cm-line span").get_by_text(text, exact=True).first for text in told]
    assert len({one.evaluate(colour) for one in spans}) >= 4
    assert found(visitor) == []


def test_a_run_that_failed_is_accessible(visit: Visit):
    visitor = visit(viewport={"width": 390, "height": 844})
    visitor.start("honest_failure")
    visitor.do("stop")
    visitor.wait("stopped")
    assert found(visitor) == []
    visitor.do("apply")
    visitor.wait("finished")
    assert found(visitor) == []


@pytest.mark.parametrize("asks", ["Review all", "Review repairs", ""])
def test_a_pause_is_accessible_to_its_owner_and_to_who_looks_on(visit: Visit, asks: str):
    visitor = visit()
    if asks:
        visitor.ask(TASK, autonomy=asks)
    else:
        visitor.start("ambiguous_task")
    visitor.wait("waiting")
    assert found(visitor) == []
    link = visitor.page.locator("#actions [data-copy-link]").get_attribute("data-copy-link")
    other = visit(path=f"/{link}")
    expect(other.headline).to_have_text("Waiting for its owner")
    assert found(other) == []


def test_an_output_and_a_run_that_could_not_go_on_are_accessible(visit: Visit):
    visitor = visit()
    visitor.start("csv_to_plot")
    visitor.wait("finished")
    expect(visitor.page.locator(".output img")).to_be_visible()
    visitor.page.locator("#header [data-drawer]").click()
    expect(visitor.page.locator("#history a").first).to_be_visible()
    assert found(visitor) == []
    visitor.page.keyboard.press("Escape")
    visitor.page.locator("#title [data-do=clear]").click()
    visitor.chip("Options")
    visitor.page.locator("#provider input").click()
    visitor.page.get_by_role("option", name="llama.cpp").click()
    visitor.page.fill("#task textarea", TASK)
    visitor.page.click("#run")
    visitor.wait("failed", seconds=120)
    assert found(visitor) == []


@pytest.mark.parametrize(("path", "shown"), [("insights", "dl"), ("benchmarks", "table"), ("settings", "#doctor dl")])
def test_the_other_pages_are_accessible(visit: Visit, path: str, shown: str):
    visitor = visit()
    if path == "insights":
        visitor.start("slugify")
        visitor.wait("finished")
    visitor.page.goto(f"{visitor.app.address}/{path}")
    expect(visitor.page.locator(shown).first).to_be_visible()
    assert found(visitor) == []


def found(visitor: Visitor) -> list[str]:
    """What a person could not read or reach in one of the two themes, one line each."""
    return [f"{scheme}: {line}" for scheme in ("light", "dark") for line in _found_in(visitor, scheme)]


def _found_in(visitor: Visitor, scheme: str) -> list[str]:
    visitor.paint(scheme)
    answer: dict[str, Any] = axe.Axe().run(visitor.page).response
    return [
        f"{rule['id']} {node['target']}: {node['failureSummary'][:200]}"
        for rule in answer["violations"]
        if rule["impact"] in BAD
        for node in rule["nodes"]
    ]
