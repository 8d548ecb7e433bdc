"""Several tabs of one browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from llm.scenarios import get_scenario

from .conftest import Visit

pytestmark = pytest.mark.browser
ROMAN = get_scenario("roman_numerals").task  # type: ignore[union-attr]


def test_tabs_on_different_runs_keep_their_own_and_end_no_others(visit: Visit):
    left = visit()
    right = visit(beside=left)
    if right.page.locator("#title [data-do=clear]").is_visible():
        right.page.click("#title [data-do=clear]")
    first, second = left.start("honest_failure"), right.start("slugify")
    left.do("stop")
    left.wait("stopped")
    right.wait("finished")
    for tab, run_id in ((left, first), (right, second)):
        assert tab.run_id == run_id
        tab.page.reload()
        expect(tab.page.locator(f"#title [data-run='{run_id}']")).to_be_visible()
    expect(left.page.locator("#strip .status-stopped")).to_be_attached()
    expect(right.page.locator("#strip .status-finished")).to_be_attached()
    for tab in (left, right):
        tab.page.locator("#header [data-drawer]").click()
        for run_id in (first, second):
            expect(tab.page.locator(f'#history a[href="?run={run_id}"]')).to_be_visible()
    assert left.errors == right.errors == []


def test_what_is_answered_in_one_tab_goes_on_in_the_other(visit: Visit):
    left = visit()
    run_id = left.ask(ROMAN, autonomy="Review repairs")
    left.wait("waiting")
    right = visit(beside=left, path=f"/?run={run_id}")
    right.wait("waiting")
    right.page.click("#approve")
    for tab in (right, left):
        tab.wait("finished")
        expect(tab.page.locator("#approve")).to_be_hidden()
        assert tab.run_id == run_id
    assert left.errors == right.errors == []
