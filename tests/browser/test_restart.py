"""A server that dies under its visitors: what was asked is still asked, what ran can go on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen

import pytest
from playwright.sync_api import Browser, expect

from llm.scenarios import get_scenario
from tests.agent.command_line import free_port

from .conftest import App, Visitor, launched

pytestmark = pytest.mark.browser


@pytest.fixture
def page(chromium: Browser) -> Iterator[Visitor]:
    context = chromium.new_context(viewport={"width": 1360, "height": 900})
    yield Visitor(context.new_page(), App("", Path()))
    context.close()


def _die_under(page: Visitor, process: Popen[bytes]) -> None:
    page.page.evaluate("window.before = true")
    process.kill()
    expect(page.page.get_by_text("Connection to the server was lost").first).to_be_visible()


def _come_back(page: Visitor) -> None:
    """Nobody does anything: the page loads itself again when it finds the app at its address."""
    page.page.wait_for_function("!window.before", timeout=60_000)


def test_a_pause_and_a_broken_run_survive_kill_9(page: Visitor, tmp_path: Path):
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with launched(port, tmp_path) as process:
        page.app = App(address, tmp_path)
        page.page.goto(address)
        run_id = page.ask(get_scenario("roman_numerals").task, autonomy="Review repairs")  # type: ignore[union-attr]
        page.wait("waiting")
        _die_under(page, process)
    with launched(port, tmp_path) as process:
        _come_back(page)
        page.wait("waiting")
        assert page.run_id == run_id
        page.page.click("#approve")
        page.wait("running")
        _die_under(page, process)
    with launched(port, tmp_path):
        _come_back(page)
        expect(page.page.locator("#strip .status-stopped, #strip .status-finished")).to_be_attached()
        if page.page.locator("#actions [data-do=apply]").is_visible():
            page.do("apply")
        page.wait("finished")
        events = page.page.request.get(f"{address}/api/runs/{run_id}").json()
        assert events["verdict"] in ("verified", "partly_verified")
        assert [one["id"] for one in events["attempts"]] == ["c1", "c2"]
