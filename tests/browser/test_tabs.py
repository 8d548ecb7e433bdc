"""Several tabs of one browser, and answers that come in another order than they were asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Route, expect

from llm.scenarios import get_scenario

from .conftest import Visit, Visitor

pytestmark = pytest.mark.browser
PRESS = """one => {
  if (one.type !== 'range') { one.click(); return; }
  one.value = 2;
  for (const name of ['input', 'pointerup']) one.dispatchEvent(new Event(name, {bubbles: true}));
}"""
"""What lies under the drawer, too."""
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


@contextmanager
def _held(visitor: Visitor, run_id: str) -> Iterator[None]:
    """What is pressed first about the run reaches the server only once all else within has been answered."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        if not held and run_id in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    visitor.page.route("**/queue/join*", hold)
    yield
    [late] = held
    with visitor.page.expect_response("**/queue/join*") as answer:
        late.continue_()
    assert answer.value.ok
    visitor.page.unroute("**/queue/join*")


def test_a_press_in_the_history_that_is_answered_late_leaves_the_run_that_was_opened_after_it(visit: Visit):
    visitor, first, second = _two_runs(visit)
    visitor.page.locator("#header [data-drawer]").click()
    expect(visitor.page.locator(f'#history a[href="?run={second}"]')).to_be_visible()
    with _held(visitor, first):
        visitor.page.click(f'#history a[href="?run={first}"]')
        visitor.page.click(f'#history a[href="?run={second}"]')
        expect(visitor.page.locator(f"#title [data-run='{second}']")).to_be_visible()
        visitor.wait("finished")
    _stays(visitor, second)


@pytest.mark.parametrize("press", ["#player-place input[type=range]", "#player-skip", "#player-play"])
def test_a_replay_that_answers_late_leaves_the_run_that_was_opened_meanwhile(visit: Visit, press: str):
    visitor, first, second = _two_runs(visit)
    visitor.do("play")
    expect(visitor.page.locator("#player-close")).to_be_visible()
    visitor.page.locator("#header [data-drawer]").click()
    expect(visitor.page.locator(f'#history a[href="?run={first}"]')).to_be_visible()
    with _held(visitor, second):
        visitor.page.locator(press).evaluate(PRESS)
        visitor.page.evaluate("document.documentElement.dataset.drawer = 'open'")
        visitor.page.click(f'#history a[href="?run={first}"]')
        expect(visitor.page.locator(f"#title [data-run='{first}']")).to_be_visible()
        visitor.wait("finished")
    _stays(visitor, first)
    expect(visitor.page.locator("#player")).to_be_hidden()
    assert second != first


def _two_runs(visit: Visit) -> tuple[Visitor, str, str]:
    visitor = visit()
    first = visitor.start("slugify")
    visitor.wait("finished")
    visitor.page.click("#title [data-do=clear]")
    second = visitor.start("fix_this_code")
    visitor.wait("finished")
    return visitor, first, second


def _stays(visitor: Visitor, run_id: str) -> None:
    """What is asked after the late press is answered after it, too: by then it has written what it would."""
    visitor.page.locator("#header [data-drawer]").click()
    visitor.page.fill("#history-search input, #history-search textarea", "nothing like it")
    expect(visitor.page.locator("#history a")).to_have_count(0)
    assert visitor.run_id == run_id
    expect(visitor.page.locator(f"#title [data-run='{run_id}']")).to_be_attached()
    expect(visitor.page.locator("#strip .status-finished")).to_be_attached()
    expect(visitor.page.locator(".toast-body")).to_have_count(0)
    assert visitor.errors == []


def test_the_history_stays_open_while_it_is_searched_and_pruned(visit: Visit):
    visitor, first, second = _two_runs(visit)
    page = visitor.page
    page.locator("#header [data-drawer]").click()
    page.locator("#history-search input, #history-search textarea").click()
    page.keyboard.type("slug")
    expect(page.locator("#history a")).to_have_count(1)
    page.click(f"#history [data-do=delete][data-name='{first}']")
    expect(page.locator("#history a")).to_have_count(0)
    expect(page.locator("#drawer")).to_be_visible()
    page.locator("#strip h2").click()
    expect(page.locator("#drawer")).to_be_hidden()
    assert visitor.run_id == second
