"""The page: its columns, its wiring, and nothing else."""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.components import Component

from .api import add_tools
from .desk import Desk
from .form import Form, build_form
from .gate import Gate
from .handlers import Handlers
from .markup import div, icon, join, span, tag
from .options import DEMO, UiOptions
from .screen import Screen, build_screen
from .words import SCRIPTED, SCRIPTED_LONG

TITLE = "Self-Healing Code Agent"
STORAGE_KEY = "self-healing-code-agent"
_SHOW_RUN = """
(run) => document.getElementById('status')?.scrollIntoView({behavior: 'smooth', block: 'nearest'})
"""
_SET_ADDRESS = """
(run) => {
  const address = new URL(window.location);
  if (run) address.searchParams.set('run', run); else address.searchParams.delete('run');
  window.history.replaceState(window.history.state, '', address);
}
"""
_UPLOADS_KEPT = (3600, 24 * 3600)
"""Seconds between two looks at the uploaded files, and after which they are deleted."""
# Private: no client, MCP tool or run history sees these events. Viewers are long, so nothing may queue behind them.
_QUIET: dict[str, Any] = {"show_progress": "hidden", "concurrency_limit": None, "api_visibility": "private"}


def build_ui(desk: Desk, gate: Gate, options: UiOptions) -> gr.Blocks:
    handlers = Handlers(desk, gate)
    with gr.Blocks(title=TITLE, analytics_enabled=False, fill_width=True, delete_cache=_UPLOADS_KEPT) as page:
        # First, so that no event of the page takes their names.
        add_tools(desk, gate)
        # A hidden box and not gr.State: its value lives in the page, so it outlives a restart of the server.
        run_id = gr.Textbox("", visible=False, label="Run")
        stored = gr.BrowserState({}, storage_key=STORAGE_KEY, secret=options.storage_secret)
        gr.HTML(_masthead(options), elem_id="masthead", elem_classes="sha", apply_default_css=False)
        with gr.Row(elem_id="columns", equal_height=False):
            with gr.Column(scale=4, min_width=320, elem_id="left"):
                form = build_form(options)
            with gr.Column(scale=7, min_width=320, elem_id="right"):
                screen, abort = build_screen(form.run, form.stop)
                with gr.Accordion("Earlier runs of this browser", open=False, elem_id="earlier") as earlier:
                    past = gr.HTML("", elem_id="history", elem_classes="sha", apply_default_css=False)
        wiring = _Wiring(handlers, run_id, stored, screen)
        wiring.commands(form)
        wiring.answers(abort)
        wiring.page_load(page, form)
        earlier.expand(handlers.history, stored, past, **_QUIET)
    page.queue(max_size=options.max_queue, default_concurrency_limit=None)
    return page


class _Wiring:
    """Which event runs which handler."""

    def __init__(self, handlers: Handlers, run_id: gr.Textbox, stored: gr.BrowserState, screen: Screen) -> None:
        self._handlers = handlers
        self._run_id = run_id
        self._stored = stored
        self._screen = screen

    def commands(self, form: Form) -> None:
        do, screen = self._handlers, self._screen

        async def run(values: dict[Component, Any], request: gr.Request):
            return await do.run(values, form, self._stored, request)

        started = form.run.click(run, {*form.order_inputs, self._stored}, [self._run_id, self._stored], **_QUIET)
        started.success(None, self._run_id, None, js=_SHOW_RUN, api_visibility="private")
        self._watch(started, address=True)
        form.stop.click(do.stop, self._run_id, None, **_QUIET)
        self._watch(screen.resume.click(do.resume, self._run_id, None, **_QUIET))
        screen.picker.input(do.pick_version, [self._run_id, screen.picker], [screen.code, screen.diff], **_QUIET)
        form.gallery.click(
            do.pick_example, None, [form.task, form.code, form.tests, form.files, form.provider], **_QUIET
        )
        form.check.click(
            do.check,
            [form.provider, form.model, form.key],
            form.checked,
            **_QUIET,
        )

    def answers(self, abort: gr.Button) -> None:
        do, screen = self._handlers, self._screen
        asked = [self._run_id, screen.question]
        for event in (
            screen.approve.click(do.approve, [*asked, screen.ticks, screen.words], screen.words, **_QUIET),
            screen.revise.click(do.revise, [*asked, screen.words], screen.words, **_QUIET),
            abort.click(do.abort, asked, screen.words, **_QUIET),
        ):
            self._watch(event)

    def page_load(self, page: gr.Blocks, form: Form) -> None:
        loaded = page.load(self._handlers.restore, self._stored, [self._run_id, self._stored], **_QUIET)
        self._watch(loaded, address=True)
        page.load(self._handlers.gallery, None, form.gallery, **_QUIET)

    def _watch(self, event: Any, *, address: bool = False) -> None:
        """A viewer after the event; several may overlap, the newest one wins."""
        if address:
            event.success(None, self._run_id, None, js=_SET_ADDRESS, api_visibility="private")
        event.success(self._handlers.view, self._run_id, self._screen.outputs, trigger_mode="multiple", **_QUIET)


def _masthead(options: UiOptions) -> str:
    badge = span("badge scripted", SCRIPTED, title=SCRIPTED_LONG) if options.provider == DEMO else None
    head = div("brand", icon("shield"), tag("h1", TITLE), badge)
    tagline = tag("p", "Describe a task. Get code, tests, and a verdict that was counted, not claimed.", cls="tagline")
    return join((head, tagline, tag("p", options.notice, cls="notice", role="note") if options.notice else None))
