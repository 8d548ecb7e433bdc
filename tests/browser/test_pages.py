"""The pages beside the first one, and what a browser remembers between them."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from .conftest import Visit

pytestmark = pytest.mark.browser


def test_insights_count_the_runs_of_this_browser(visit: Visit):
    visitor = visit()
    visitor.start("roman_numerals")
    visitor.wait("finished")
    visitor.page.goto(f"{visitor.app.address}/insights")
    expect(visitor.page.locator("#insights")).to_contain_text("1, of which 1 run reached a verdict")
    expect(visitor.page.locator("#insights")).to_contain_text("1 of 1 whose first program failed")
    expect(visitor.page.locator(".vega-embed, canvas, svg.marks").first).to_be_visible()
    stranger = visit(path="/insights")
    expect(stranger.page.locator("#insights")).to_contain_text("Nothing to count yet")
    assert visitor.foreign == stranger.foreign == []
    assert visitor.errors == []


def test_a_benchmark_is_started_watched_from_two_pages_and_stopped(visit: Visit):
    visitor = visit(path="/benchmarks")
    expect(visitor.page.locator("#results table").first).to_contain_text("95 % interval")
    visitor.page.click("#bench-start")
    expect(visitor.page.locator("#progress")).to_contain_text("Running:")
    second = visit(beside=visitor, path="/benchmarks")
    expect(second.page.locator("#progress")).to_contain_text("Running:")
    second.page.click("#bench-stop")
    for page in (visitor.page, second.page):
        expect(page.locator("#progress")).to_contain_text("Ended:")
    assert visitor.errors == []


def test_settings_show_services_who_is_asked_and_the_walls(visit: Visit):
    visitor = visit(path="/settings")
    expect(visitor.page.locator("#services table")).to_contain_text("ANTHROPIC_API_KEY")
    expect(visitor.page.locator("#ladder")).to_contain_text("mock:scripted-demo")
    expect(visitor.page.locator("#doctor h2")).to_contain_text("Sandbox of this machine")
    visitor.page.click("#check")
    expect(visitor.page.locator("#checked pre")).to_contain_text("scripted-demo")
    assert visitor.errors == []


def test_choices_stay_in_the_browser_and_a_key_nowhere(visit: Visit):
    canary = "sk-canary-51c2"
    visitor = visit(path="/settings")
    visitor.page.locator("#autonomy").get_by_text("Review repairs").click()
    visitor.page.locator("#budget-calls input").fill("17")
    visitor.page.locator("#budget-calls input").blur()
    visitor.page.fill("#key input", canary)
    visitor.page.locator("#key input").blur()
    visitor.page.wait_for_function("(localStorage['self-healing-code-agent-choices'] || '').includes('17')")
    visitor.page.goto(visitor.app.address)
    visitor.chip("Options")
    expect(visitor.page.locator("#autonomy input:checked")).to_have_value("review_repairs")
    expect(visitor.page.locator("#budget-calls input")).to_have_value("17")
    expect(visitor.page.locator("#key input")).to_have_value("")
    assert canary not in json.dumps(visitor.page.evaluate("[Object.entries(localStorage), document.cookie]"))
    stranger = visit()
    stranger.chip("Options")
    expect(stranger.page.locator("#autonomy input:checked")).to_have_value("full_auto")
