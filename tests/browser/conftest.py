"""The app as a person starts it, with the scripted demo model, and a chromium to look at it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.agent.command_line import free_port

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
PATIENCE = 90.0

BRIEF = ("#strip .status-running", ".stepper [aria-current=step]", "#program .writing-text")
"""What is on the screen for seconds only: on a busy machine it is gone before a test looks."""
_NOTE_THEM = """
window.seen = new Set();
new MutationObserver(() => BRIEF.filter(one => document.querySelector(one)).forEach(one => window.seen.add(one)))
  .observe(document, {childList: true, subtree: true, attributeFilter: ['class', 'aria-current']});
""".replace("BRIEF", str([*BRIEF]))

_PAINTED = """
dark => document.body.classList.contains('dark') === dark
  && !document.getAnimations().some(one => one instanceof CSSTransition && one.playState === 'running')
"""

expect.set_options(timeout=30_000)


@dataclass(frozen=True, slots=True)
class App:
    address: str
    state_dir: Path

    def outcome(self, run_id: str) -> dict[str, Any]:
        return httpx.get(f"{self.address}/api/runs/{run_id}", timeout=60).json()


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("app")
    port = free_port()
    with launched(port, folder):
        yield App(f"http://127.0.0.1:{port}", folder / "state")


@contextmanager
def launched(port: int, folder: Path, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """The app as a process that answers; its state and its log are in the folder. `variables`: its environment."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(folder),
        "STATE_DIR": str(folder / "state"),
        "ENV_FILE": "/dev/null",
        "LLM_PROVIDER": "mock",
        "PYTHONUNBUFFERED": "1",
        **variables,
    }
    command = [sys.executable, "app.py", "--port", str(port)]
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_for_answer(f"http://127.0.0.1:{port}", process, folder / "log")
            yield process
        finally:
            process.terminate()
            process.wait(60)


def wait_for_answer(address: str, process: subprocess.Popen[bytes], log: Path, path: str = "/api/scenarios") -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{address}{path}", timeout=30).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    pytest.fail(f"the app did not start:\n{log.read_text()}")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("needs chromium (Debian: apt install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


Visit = Callable[..., "Visitor"]


@pytest.fixture
def visit(app: App, chromium: Browser) -> Iterator[Visit]:
    """Opens the page as a new visitor; `beside` opens another tab of one who is there already."""
    contexts: list[BrowserContext] = []

    def opened(beside: Visitor | None = None, path: str = "/", **context: Any) -> Visitor:
        if beside is None:
            contexts.append(chromium.new_context(**{"viewport": {"width": 1360, "height": 900}, **context}))
        page = (beside.page.context if beside else contexts[-1]).new_page()
        visitor = Visitor(page, app)
        page.goto(app.address + path)
        expect(page.locator("#run, #strip, .page-title").locator("visible=true").first).to_be_visible()
        return visitor

    yield opened
    for context in contexts:
        context.close()


class Visitor:
    """What a person does on the page."""

    def __init__(self, page: Page, app: App) -> None:
        self.page = page
        self.app = app
        self.foreign: list[str] = []
        self.errors: list[str] = []
        page.add_init_script(_NOTE_THEM)
        page.on("request", self._note)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _note(self, request: Any) -> None:
        if not request.url.startswith((self.app.address, "data:", "blob:")):
            self.foreign.append(request.url)

    def start(self, example: str) -> str:
        """One click on a card; returns the run's id once the run is on the screen."""
        card = self.page.locator(f".example[data-name={example}]")
        if not card.is_visible():
            self.page.click(".all-examples > summary")
        self._forget()
        card.click()
        self.page.wait_for_url("**/?run=*")
        expect(self.page.locator("#title h1")).not_to_have_text("Your run")
        return self.run_id

    def ask(self, task: str, autonomy: str = "") -> str:
        """Types a task that the demo model knows, and presses Run."""
        self.page.fill("#task textarea", task)
        if autonomy:
            self.chip("Options")
            self.page.locator("#autonomy").get_by_text(autonomy).click()
        self._forget()
        self.page.click("#run")
        self.page.wait_for_url("**/?run=*")
        return self.run_id

    def chip(self, words: str) -> None:
        self.page.locator("#card-foot").get_by_role("button", name=words, exact=True).click()

    @property
    def run_id(self) -> str:
        return self.page.url.partition("run=")[2]

    @property
    def lines(self) -> Any:
        return self.page.locator(".timeline .line")

    @property
    def headline(self) -> Any:
        return self.page.locator("#strip h2")

    def wait(self, state: str, seconds: float = 60) -> None:
        """running (now, or since the last wait), waiting, finished, failed or stopped."""
        if state == "running":
            self.see(BRIEF[0])
        else:
            expect(self.page.locator(f"#strip .status-{state}")).to_be_attached(timeout=seconds * 1000)
            self._forget()

    def see(self, brief: str) -> None:
        """One of those that do not stay: on the screen now, or at any time since the last wait for what stays."""
        now_or_then = "one => window.seen.has(one) || document.querySelector(one)"
        self.page.wait_for_function(now_or_then, arg=brief, timeout=60_000)

    def _forget(self) -> None:
        self.page.evaluate("window.seen.clear()")

    def do(self, event: str) -> None:
        """Presses one of the buttons over the run: stop, retry, edit, apply."""
        self._forget()
        self.page.click(f"#actions [data-do={event}]")

    def tab(self, name: str) -> None:
        """The tab of an attempt, or of one of its views."""
        self.page.locator("#program label.tab:visible").filter(has_text=name).first.click()

    def unfold(self, key: str) -> None:
        self.page.click(f"details[data-key={key}] > summary")

    def paint(self, scheme: str) -> None:
        """The person's system turns light or dark; returns once the page has followed and all its colours have."""
        self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        self.page.wait_for_function(_PAINTED, arg=scheme == "dark")
