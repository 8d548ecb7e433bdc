"""One demo finished in chromium on an app that runs elsewhere: python -m tests.browser.space ADDRESS"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import httpx
from playwright.sync_api import expect, sync_playwright

from .conftest import CHROMIUM, FLAGS, App, Visitor


def main(address: str) -> None:
    _wait(address)
    app = App(address, Path())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        visitor = Visitor(browser.new_page(viewport={"width": 1360, "height": 900}), app)
        visitor.page.goto(address)
        expect(visitor.page.locator(".example").first).to_be_visible()
        run_id = visitor.start("roman_numerals")
        visitor.wait("finished", seconds=240)
        outcome = app.outcome(run_id)
        assert outcome["verdict"] == "verified", outcome["verdict_reason"]
        assert outcome["scripted"] == "scripted demo model"
        browser.close()
    print(f"a demo ended {outcome['verdict']} at isolation level {outcome['evidence']['isolation']['level']}")


def _wait(address: str) -> None:
    deadline = time.monotonic() + 90
    while True:
        try:
            httpx.get(address, timeout=30).raise_for_status()
            return
        except httpx.HTTPError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


if __name__ == "__main__":
    main(sys.argv[1])
