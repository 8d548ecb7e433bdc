"""Builds the benchmarks page.

It shows stored results with their intervals, and a benchmark that can be started, watched and stopped.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator

import gradio as gr

from demo.desk import Desk
from demo.look.theme import panel
from demo.panels.benchmarks import benchmarks_panel, progress_panel
from demo.presses.admission import Admission, refuses

from .frame import QUIET, UNLOCK, page_at

MODES = [("With repair", True), ("First program only", False)]
"""The choices of the page, each with whether programs are repaired."""


class _BenchmarkHandlers:
    """The handlers of the page. Each asks the gate first, as the handlers of the first page do."""

    def __init__(self, desk: Desk, admission: Admission) -> None:
        self._desk = desk
        self._admission = admission

    @refuses("Not shown")
    async def fill(self, request: gr.Request) -> str:
        self._admission.enter(request)
        workshop = await self._desk.workshop()
        return str(benchmarks_panel(await workshop.benchmarks.stored()))

    @refuses("Not started")
    async def begin(self, repair: bool, request: gr.Request) -> None:
        await self._admission.admit(request)
        workshop = await self._desk.workshop()
        workshop.benchmarks.start(repair=repair)

    async def watch(self, request: gr.Request) -> AsyncGenerator[str]:
        self._admission.enter(request)
        workshop = await self._desk.workshop()
        async for state in workshop.benchmarks.watch():
            yield str(progress_panel(state))

    @refuses("Not stopped")
    async def end(self, request: gr.Request) -> None:
        self._admission.enter(request)
        workshop = await self._desk.workshop()
        await workshop.benchmarks.stop()


def benchmarks_page(page: gr.Blocks, desk: Desk, admission: Admission) -> None:
    do = _BenchmarkHandlers(desk, admission)
    with page_at(page, admission.gate, "Benchmarks"):
        with gr.Row(elem_id="bench"):
            label = "The demo model's own problems, by the demo model"
            mode = gr.Radio(MODES, value=True, label=label, min_width=300)
            start = gr.Button("Start", variant="primary", scale=0, min_width=120, elem_id="bench-start")
            stop = gr.Button("Stop", scale=0, min_width=120, elem_id="bench-stop")
        progress = panel("progress")
        results = panel("results")
        loaded = page.load(do.fill, None, results, **QUIET)
        loaded.success(None, None, None, js=UNLOCK, api_visibility="private")
        loaded.success(do.watch, None, progress, **QUIET)
        begun = start.click(do.begin, mode, None, **QUIET)
        begun.success(do.watch, None, progress, **QUIET).success(do.fill, None, results, **QUIET)
        stop.click(do.end, None, None, **QUIET).success(do.fill, None, results, **QUIET)
