"""How quick the page is for whoever uses it, beside the smallest Gradio page: `python -m tests.benches.page [ROUNDS]`.

Wants a quiet machine: every figure but that of the server's work hangs on what else it does.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from agent.cli.commands import task_of
from agent.events import AgentEvent
from agent.runs import open_runs
from agent.task.order import Order
from demo.screens.run import changed, frame
from demo.view.fold import RunView, fold
from demo.view.shot import Shot
from framework.settings import Settings
from llm.scenarios import get_scenario
from tests.agent.command_line import free_port
from tests.browser.conftest import CHROMIUM, FLAGS, launched, wait_for_answer

EXAMPLE = "roman_numerals"
LONG, EVENTS = "honest_failure", 200
"""The scripted run with the most programs, told again until it has so many events."""
HELLO = """
import gradio as gr
with gr.Blocks(analytics_enabled=False) as page:
    run, shown = gr.Button("Run", elem_id="run"), gr.HTML()
    run.click(lambda: '<p class="line">Hello</p>', None, shown, show_progress="hidden")
page.launch(server_name="127.0.0.1", server_port={port}, quiet=True)
"""
_LOOK = """
window.told = {};
addEventListener('click', event => {
  if (event.target.closest('#run, .example')) told.pressed ??= performance.now();
}, true);
(function look() {
  if (!told.usable && document.querySelector('#run')?.offsetParent) told.usable = performance.now();
  if (told.pressed && !told.line && document.querySelector('.line')) told.line = performance.now() - told.pressed;
  requestAnimationFrame(look);
})();
"""
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
_ONE = 0.02
"""Seconds between two parts of one update, at most."""


@dataclass(frozen=True, slots=True)
class Visit:
    """Milliseconds that a new visitor waits, and (second, bytes) of each update of the run they start."""

    paint: float
    usable: float
    line: float
    updates: Sequence[tuple[float, int]] = ()


def visited(browser: Browser, address: str, press: str, until: str) -> Visit:
    """Opens the page with nothing in its cache, presses, and waits."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = context.new_page()
        streams: set[str] = set()
        parts: list[tuple[float, int]] = []
        wire = context.new_cdp_session(page)
        wire.on("Network.requestWillBeSent", lambda told: _note_stream(streams, told))
        wire.on("Network.dataReceived", lambda told: _note_part(streams, parts, told))
        wire.send("Network.enable")
        page.add_init_script(_LOOK)
        page.goto(address)
        page.wait_for_function("window.told.usable")
        page.click(press)
        page.wait_for_selector(until, state="attached", timeout=120_000)
        told = page.evaluate("window.told")
        return Visit(page.evaluate(_PAINT), told["usable"], told["line"], updates_of(parts))
    finally:
        context.close()


def _note_stream(streams: set[str], told: dict[str, Any]) -> None:
    if "queue/data" in told["request"]["url"]:
        streams.add(told["requestId"])


def _note_part(streams: set[str], parts: list[tuple[float, int]], told: dict[str, Any]) -> None:
    if told["requestId"] in streams:
        parts.append((told["timestamp"], told["dataLength"]))


def updates_of(parts: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """A large update arrives in several parts, one right behind the other."""
    found: list[tuple[float, int]] = []
    last = float("-inf")
    for at, size in sorted(parts):
        if at - last < _ONE:
            found[-1] = (found[-1][0], found[-1][1] + size)
        else:
            found.append((at, size))
        last = at
    return found


def busiest(updates: Sequence[tuple[float, int]], steps: int = 10) -> float:
    """Updates a second where they come quickest; over a few, for one alone may be late and the next on time."""
    times = [at for at, _ in updates]
    steps = min(steps, len(times) - 1)
    if steps < 1:
        return 0.0
    return max(steps / (late - early) for early, late in zip(times, times[steps:], strict=False))


async def long_run(folder: Path) -> list[AgentEvent]:
    """The events of a whole scripted run, again and again."""
    settings = Settings.from_env({"STATE_DIR": str(folder), "LLM_PROVIDER": "mock"})
    scenario = get_scenario(LONG)
    assert scenario is not None
    runs = await open_runs(settings)
    try:
        run_id = await runs.begin(Order(task_of(scenario)))
        await runs.ended(run_id)
        told = [one.event for one in await runs.events(run_id)]
    finally:
        await runs.aclose()
    return [*(told * (EVENTS // len(told) + 1))[: EVENTS - 1], told[-1]]


def work(events: Sequence[AgentEvent]) -> list[float]:
    """Milliseconds of the server's processor for each update, were every event one: folded, drawn, compared, written
    down."""
    spent: list[float] = []
    view, last = RunView(), None
    for number, event in enumerate(events):
        began = time.thread_time()
        view = fold(view, event, number * 0.2)
        new = frame(Shot("r", replace(view), "running"))
        json.dumps(changed(last, new), default=str)
        spent.append(1000 * (time.thread_time() - began))
        last = new
    return spent


@contextmanager
def bare(port: int, folder: Path) -> Generator[None]:
    script, log = folder / "hello.py", folder / "hello.log"
    script.write_text(HELLO.format(port=port), encoding="utf-8")
    with log.open("w") as told:
        process = subprocess.Popen([sys.executable, str(script)], stdout=told, stderr=told)
        try:
            wait_for_answer(f"http://127.0.0.1:{port}", process, log, "/")
            yield
        finally:
            process.kill()
            process.wait()


def measure(rounds: int) -> tuple[list[Visit], list[Visit]]:
    """Visits of the app and of the bare page, in turns; the first of each warms its server up and is not counted."""
    app: list[Visit] = []
    hello: list[Visit] = []
    ports = free_port(), free_port()
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = Path(place)
        with launched(ports[0], folder), bare(ports[1], folder):
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for _ in range(rounds + 1):
                hello.append(visited(browser, f"http://127.0.0.1:{ports[1]}", "#run", ".line"))
                card = f".example[data-name={EXAMPLE}]"
                app.append(visited(browser, f"http://127.0.0.1:{ports[0]}", card, "#strip .status-finished"))
            browser.close()
    return app[1:], hello[1:]


def bars(app: Sequence[Visit], hello: Sequence[Visit], spent: Sequence[float]) -> list[str]:
    """One line each: what, the bar, the figure, and that of the bare page."""
    lines = [
        _bar(words, at_most, [getattr(one, name) for one in app], "ms", [getattr(one, name) for one in hello])
        for name, words, at_most in (
            ("paint", "first contentful paint", 1000.0),
            ("usable", "Run can be pressed", 2500.0),
            ("line", "press to first line", 150.0),
        )
    ]
    sizes = [size for visit in app for _, size in visit.updates]
    return [
        *lines,
        _bar("updates a second", 5.0, [busiest(one.updates) for one in app], ""),
        _bar(f"work for an update, {EVENTS} events", 100.0, [max(spent)], "ms"),
        f"  an update: median {statistics.median(spent):.1f} ms of work, {statistics.median(sizes) / 1000:.1f} kB, "
        f"at most {max(sizes) / 1000:.1f} kB; {statistics.mean(len(one.updates) for one in app):.0f} in a run",
    ]


def _bar(words: str, at_most: float, values: Sequence[float], unit: str, beside: Sequence[float] = ()) -> str:
    value = statistics.median(values)
    told = f"{'pass' if value <= at_most else 'MISSED':<7}{words:<36}{value:8.1f} {unit:<3} bar {at_most:g}"
    return told + (
        f"; bare page {statistics.median(beside):.0f} {unit}, {value / statistics.median(beside):.2f}x"
        if beside
        else ""
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        spent = work(asyncio.run(long_run(Path(folder))))
    found = bars(*measure(int(sys.argv[1]) if len(sys.argv) > 1 else 3), spent)
    sys.stdout.write("\n".join(found) + "\n")
    sys.exit(any(one.startswith("MISSED") for one in found))


if __name__ == "__main__":
    main()
