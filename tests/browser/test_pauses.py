"""A person who is asked: pauses answered, revised and ended in the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from llm.scenarios import get_scenario

from .conftest import App, Visit

pytestmark = pytest.mark.browser


def test_a_pause_survives_a_reload_and_is_answered_once(visit: Visit):
    visitor = visit()
    visitor.ask(_task(), autonomy="Review all")
    visitor.wait("waiting")
    expect(visitor.page.locator("#pause")).to_contain_text("May it be written like this?")
    visitor.page.reload()
    visitor.wait("waiting")
    second = visit(beside=visitor)
    second.wait("waiting")
    visitor.page.click("#approve")
    expect(visitor.page.locator("#pause")).to_contain_text("May it be repaired like this?")
    expect(second.page.locator("#pause")).to_contain_text("May it be repaired like this?")
    expect(second.page.locator("#pause")).to_contain_text("Cause:")
    second.page.click("#approve")
    visitor.wait("finished")
    expect(visitor.page.locator("#answers")).to_be_hidden()


def test_revising_needs_words_and_they_reach_the_run(visit: Visit, app: App):
    visitor = visit()
    run_id = visitor.ask(_task(), autonomy="Review repairs")
    visitor.wait("waiting")
    question = visitor.page.locator("#pause [data-question]")
    first = question.get_attribute("data-question") or ""
    visitor.page.click("#revise")
    expect(visitor.page.locator(".toast-body").first).to_contain_text("what should be different")
    visitor.page.fill("#answer-text textarea", "Keep it <b>short</b>.")
    visitor.page.click("#revise")
    expect(visitor.page.locator("#timeline")).to_contain_text("You answered: revise")
    expect(visitor.page.locator("#timeline")).to_contain_text("Keep it <b>short</b>.")
    expect(question).not_to_have_attribute("data-question", first)
    expect(visitor.page.locator("#pause")).to_contain_text("The proposed change")
    visitor.page.click("#approve")
    visitor.wait("finished")
    assert app.outcome(run_id)["verdict"]


def test_ending_a_paused_run_concludes_it(visit: Visit, app: App):
    visitor = visit()
    run_id = visitor.ask(_task(), autonomy="Review all")
    visitor.wait("waiting")
    visitor.page.click("#abort")
    visitor.wait("finished")
    assert app.outcome(run_id)["verdict"] in ("unverified", "failed")


def test_the_example_that_asks_does_ask(visit: Visit):
    visitor = visit()
    visitor.start("ambiguous_task")
    visitor.wait("waiting")
    expect(visitor.page.locator("#pause")).to_contain_text("Which answer do you expect?")


def _task() -> str:
    """One whose first program fails and is repaired."""
    found = get_scenario("roman_numerals")
    assert found
    return found.task
