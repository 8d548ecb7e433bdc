"""The pages beside the first one, and what a browser remembers between them."""

from __future__ import annotations

import json
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, Route, expect

from llm.scenarios import get_scenario

from .conftest import Visit

pytestmark = pytest.mark.browser


def test_insights_count_the_runs_of_this_browser(visit: Visit):
    visitor = visit()
    visitor.start("roman_numerals")
    visitor.wait("finished")
    visitor.page.goto(f"{visitor.app.address}/insights")
    expect(visitor.page.locator("#insights")).to_contain_text("1, each with a verdict")
    expect(visitor.page.locator("#insights")).to_contain_text("1 of 1 whose first program failed")
    expect(visitor.page.locator(".vega-embed, canvas, svg.marks").first).to_be_visible()
    stranger = visit(path="/insights")
    expect(stranger.page.locator("#insights")).to_contain_text("Nothing to count yet")
    expect(stranger.page.locator(".vega-embed, canvas, svg.marks")).to_have_count(0)
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


@pytest.mark.parametrize("path", ["insights", "benchmarks", "settings"])
def test_a_page_begins_at_the_top_and_what_it_shows_below_its_title(visit: Visit, path: str):
    page = visit(path=f"/{path}").page
    boxes = [page.locator(what).first.bounding_box() for what in (".page-header", ".page-title", "#home > :visible")]
    head, title, first = filter(None, boxes)
    assert head["y"] == 0
    assert first["y"] - (title["y"] + title["height"]) < 90


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


def test_what_the_page_restores_late_does_not_undo_a_run_that_was_started(visit: Visit):
    visitor = visit()
    held: list[Route] = []
    visitor.page.goto("about:blank")
    visitor.page.route("**/queue/join*", lambda route: held.append(route), times=1)
    visitor.page.goto(visitor.app.address)
    run_id = visitor.start("slugify")
    [restoring] = held
    with visitor.page.expect_response("**/queue/join*"):
        restoring.continue_()
    visitor.wait("finished")
    assert visitor.run_id == run_id
    visitor.page.reload()
    visitor.wait("finished")
    assert visitor.run_id == run_id


def click_and_answer(page: Page, button: str, answer: Literal["accept", "dismiss"]) -> None:
    """Clicks, and returns once the question that comes was answered: on a busy machine it comes after the click, and a
    second one must not be answered with the first."""
    with page.expect_event("dialog"):
        page.once("dialog", lambda dialog: getattr(dialog, answer)())
        page.click(button)


def test_what_runs_remember_is_seen_taken_away_and_forgotten_by_this_browser_alone(visit: Visit):
    scenario = get_scenario("csv_row_normalising")
    assert scenario is not None
    visitor = visit()
    visitor.chip("Options")
    visitor.page.locator("#remember input").check()
    visitor.ask(scenario.task)
    visitor.wait("finished")
    settings = f"{visitor.app.address}/settings"
    visitor.page.goto(settings)
    lesson = "test for None before calling a text method"
    expect(visitor.page.locator("#memory")).to_contain_text(lesson)
    with visitor.page.expect_download() as download:
        visitor.page.click("#memory [data-do=download]")
    [kept] = [json.loads(line) for line in Path(download.value.path()).read_text().splitlines()]
    assert lesson in kept["lessons"][0]
    visitor.page.fill("#memory-search input, #memory-search textarea", "histogram")
    expect(visitor.page.locator("#memory")).to_contain_text("Nothing is remembered with these words")

    visitor.page.goto(visitor.app.address)
    visitor.page.click("#title [data-do=clear]")
    visitor.chip("Options")
    expect(visitor.page.locator("#remember input")).to_be_checked()
    second = visitor.ask(scenario.task)
    visitor.wait("running")
    visitor.wait("finished")
    [told] = visitor.app.outcome(second)["evidence"]["memory"]
    assert told["run"] == kept["run_id"]
    visitor.unfold("lessons")
    expect(visitor.page.locator("details[data-key=lessons]")).to_contain_text("Brought along from earlier runs")

    stranger = visit(path="/settings")
    expect(stranger.page.locator("#memory")).to_contain_text("Nothing is remembered yet")
    visitor.page.goto(settings)
    expect(visitor.page.locator("#memory li p")).to_have_count(4)
    visitor.page.click(f"#memory [data-do=delete][data-name='{second}']")
    expect(visitor.page.locator("#memory li p")).to_have_count(2)
    click_and_answer(visitor.page, "#memory [data-do=clear]", "dismiss")
    expect(visitor.page.locator("#memory li p")).to_have_count(2)
    click_and_answer(visitor.page, "#memory [data-do=clear]", "accept")
    expect(visitor.page.locator("#memory")).to_contain_text("Nothing is remembered yet")
    assert visitor.errors == stranger.errors == []


def test_a_browser_that_kept_no_name_gets_one_on_every_page(visit: Visit):
    for path in ("/", "/settings", "/insights"):
        visitor = visit(path="/settings")
        config = visitor.page.evaluate("window.gradio_config.components.find(one => one.type === 'browserstate').props")
        visitor.page.goto("about:blank")
        nameless = _kept("{}", config["secret"])
        visitor.page.add_init_script(
            f"if (!sessionStorage.seeded) localStorage['{config['storage_key']}'] = '{nameless}';"
            "sessionStorage.seeded = 'yes';"
        )
        visitor.page.goto(visitor.app.address + path)
        with_a_name = "([key, size]) => localStorage[key].length >= size"
        name = json.dumps({"owner": "0" * 32})
        visitor.page.wait_for_function(with_a_name, arg=[config["storage_key"], len(_kept(name, config["secret"]))])
        visitor.page.goto(visitor.app.address)
        run_id = visitor.start("slugify")
        visitor.wait("finished")
        visitor.page.reload()
        visitor.wait("finished")
        visitor.page.locator("#header [data-drawer]").click()
        expect(visitor.page.locator(f'#history a[href="?run={run_id}"]')).to_be_visible()
        assert visitor.errors == []


def test_a_press_brings_a_name_where_the_page_has_yet_to_give_the_browser_one(visit: Visit):
    visitor = visit(path="/settings")
    config = visitor.page.evaluate("window.gradio_config.components.find(one => one.type === 'browserstate').props")
    nameless = _kept("{}", config["secret"])
    visitor.page.evaluate("([key, value]) => { localStorage[key] = value; }", [config["storage_key"], nameless])
    # The page's own answer to that never comes.
    visitor.page.add_init_script("Object.defineProperty(window, 'named', {get: () => kept => kept, set() {}});")
    visitor.page.goto(visitor.app.address)
    visitor.start("slugify")
    visitor.wait("finished")
    visitor.do("retry")
    expect(visitor.headline).not_to_have_text("Verified")
    visitor.wait("finished")
    stranger = visit(path=f"/?run={visitor.run_id}")
    expect(stranger.page.locator(".toast-body").first).to_contain_text("There is no such run")


def _kept(value: str, secret: str) -> str:
    """A value as Gradio keeps it in a browser: OpenSSL's format, behind a salt that nothing reads."""
    words = f"pass:{sha256(secret.encode()).hexdigest()}"
    command = ["openssl", "enc", "-aes-256-cbc", "-md", "md5", "-base64", "-A", "-pass", words]
    return "AAAA:" + subprocess.run(command, input=value.encode(), capture_output=True, check=True).stdout.decode()


def test_a_browser_that_refuses_its_storage_shows_the_page_and_keeps_its_name_while_that_is_open(visit: Visit):
    visitor = visit()
    visitor.page.context.add_init_script(
        "Object.defineProperty(window, 'localStorage', {configurable: true, get() { throw new Error('refused'); }});"
    )
    visitor.page.goto("about:blank")
    visitor.page.goto(visitor.app.address)
    expect(visitor.page.locator("#task textarea")).to_be_visible()
    run_id = visitor.start("slugify")
    visitor.wait("finished")
    visitor.page.locator("#header [data-drawer]").click()
    expect(visitor.page.locator(f'#history a[href="?run={run_id}"]')).to_be_visible()
    assert visitor.errors == []
