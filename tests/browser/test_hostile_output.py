"""Programs that print whatever they like: the page stays whole, and what they say stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from agent.events import AgentEvent, CandidateWritten, ChecksRan, RunFinished
from agent.task.order import Order
from demo.server import Server
from framework.secret import Secret
from framework.settings import Settings
from tests.demo import story
from tests.demo.player import Player, opener

pytestmark = pytest.mark.browser

MARKUP = "</code></pre></details><script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"
STEERING = "\x1b[8m\x1b]0;owned\x07\u202e"
LINE = "x" * 200_000
PRINTED = f"{MARKUP}\n{STEERING}nuf\n{LINE}\n" + "another line\n" * 64_000
"""A megabyte."""


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    ending = story.ending()
    monkeypatch.setattr(story, "ending", lambda: [_spoilt(event) for event in ending])
    orders: list[Order] = []
    opened: Any = opener(tmp_path, Player(), orders)
    server = Server(Settings.from_env({"STATE_DIR": str(tmp_path)}), Secret("browser secret"), opened)
    yield server.launch("127.0.0.1", None).rstrip("/")
    server.page.close()


def _spoilt(event: AgentEvent) -> AgentEvent:
    """The same event of a program that prints, raises and is written with malice."""
    if isinstance(event, CandidateWritten):
        return replace(event, code=f'"""{MARKUP}"""\n# {STEERING}nuf\nx = "{LINE}"\n{event.code}', note=PRINTED[:4000])
    if isinstance(event, ChecksRan):
        messages = {name: PRINTED for name in event.messages}
        return replace(event, messages=messages, stdout=PRINTED, stderr=PRINTED)
    if isinstance(event, RunFinished):
        evidence = replace(event.conclusion.evidence, script_output=PRINTED)
        return replace(event, conclusion=replace(event.conclusion, evidence=evidence))
    return event


@pytest.mark.parametrize("width", [1280, 390])
def test_whatever_a_program_prints_is_text_in_its_own_box(chromium: Browser, address: str, width: int):
    context = chromium.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    page.click(".all-examples > summary")
    page.locator(".example[data-name=lru_cache]").click()
    expect(page.locator("#strip h2")).to_have_text("Verified")
    for tab in ("Output", "Repair 1", "First try"):
        page.locator("#program label.tab:visible").filter(has_text=tab).first.click()
        _holds(page, width)
    for fold in page.locator("#run-page details > summary").all():
        if fold.is_visible():
            fold.click()
    _holds(page, width)
    page.reload()
    expect(page.locator("#strip h2")).to_have_text("Verified")
    page.locator("#program label.tab:visible").filter(has_text="Output").first.click()
    expect(page.locator("#program .output pre")).to_contain_text("<script>")
    expect(page.locator("#program .output pre")).to_contain_text(r"\x1b[8m")
    assert errors == []
    context.close()


def test_a_program_is_copied_as_it_is_where_the_page_spells_its_signs_out(chromium: Browser, address: str):
    context = chromium.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(address)
    page.click(".all-examples > summary")
    page.locator(".example[data-name=lru_cache]").click()
    expect(page.locator("#strip h2")).to_have_text("Verified")
    page.locator("#program label.tab:visible").filter(has_text="Repair 1").first.click()
    page.click("#program [data-copy]")
    expect(page.locator("#told")).to_have_text("Code copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    written = [event.code for event in story.ending() if isinstance(event, CandidateWritten)]
    assert copied in written
    assert STEERING in copied
    context.close()


def _holds(page: Page, width: int) -> None:
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not re.search("[\x1b\u202e]", page.locator("#run-page").inner_text())
