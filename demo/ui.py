"""The page: its two screens, its wiring, and nothing else."""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.blocks import Block
from gradio.components import Component

from .choices import remember
from .compare import Compare
from .desk import Desk
from .doors.api import add_tools
from .doors.gate import Gate
from .drawer import PAGE, Drawer, build_drawer
from .editor import Editor
from .form import Form, build_form
from .handlers import Asked, Handlers
from .options import UiOptions
from .pages.benchmarks import benchmarks_page
from .pages.frame import QUIET
from .pages.insights import insights_page
from .pages.settings import settings_page
from .panels.header import TITLE, chip_panel, footer_panel, header_panel
from .panels.locked import locked_panel
from .player import Player
from .screen import Screen, build_screen
from .slot import panel

STORAGE_KEY = "self-healing-code-agent"
_SHOW_RUN = "(run) => { window.showRun(run); }"
_FORGET_RUN = "() => { window.showRun(''); return ''; }"
_UNLESS_BEGUN = "(found, run, stored) => run ? [run, stored] : found"
"""Whoever is quick has started a run before the page is told what it showed last: theirs stays."""
_CHECKING = '() => \'<p class="hint" role="status">The stored checks run on your edit.</p>\''
_KEPT = "Runs are kept on this server until it is reset; keys never are"
_UPLOADS_KEPT = (3600, 24 * 3600)
"""Seconds between two looks at the uploaded files, and after which they are deleted."""
_LOCAL: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
"""Of events that never leave the page."""


def build_ui(desk: Desk, gate: Gate, options: UiOptions) -> gr.Blocks:
    handlers = Handlers(desk, gate, options)
    with gr.Blocks(title=TITLE, analytics_enabled=False, fill_width=True, delete_cache=_UPLOADS_KEPT) as page:
        # First, so that no event of the page takes their names.
        add_tools(desk, gate)
        # A hidden box and not gr.State: its value lives in the page, so it outlives a restart of the server.
        run_id = gr.Textbox("", visible=False, label="Run")
        stored = gr.BrowserState({}, storage_key=STORAGE_KEY, secret=options.storage_secret)
        with gr.Row(elem_id="top"):
            header = panel("header", str(header_panel()))
            chip = panel("chip", str(chip_panel(*handlers.who(options.provider, ""))))
            if options.sign_in:
                gr.LoginButton("Sign in", size="sm", min_width=60, elem_id="sign-in")
            if options.on_space:
                gr.DuplicateButton("Duplicate", size="sm", min_width=60, elem_id="duplicate")
        if gate.locked:
            panel("locked", str(locked_panel()))
        with gr.Column(elem_id="home"):
            form = build_form(options)
        with gr.Column(elem_id="run-page"):
            screen, editor, player, compare = build_screen()
        with gr.Column(elem_id="drawer"):
            drawer = build_drawer()
        panel("footer", str(footer_panel(kept=_KEPT, source=options.source)))
        wiring = _Wiring(handlers, run_id, stored, screen, form)
        wiring.commands()
        wiring.after(header)
        wiring.edits(editor)
        wiring.replays(player)
        wiring.compares(compare)
        wiring.answers()
        wiring.model(chip)
        wiring.history(header, drawer)
        remember(page, form.choices)
        wiring.page_load(page)
    insights_page(page, desk, gate, (STORAGE_KEY, options.storage_secret))
    benchmarks_page(page, desk, gate)
    settings_page(page, desk, gate, options, STORAGE_KEY)
    page.queue(max_size=options.max_queue, default_concurrency_limit=None)
    return page


_ON_SCREEN = """(...all) => {{
  const asked = all.slice(0, {}), shown = document.querySelector('#pause [data-question]');
  asked[2] = shown ? shown.dataset.question : asked[2];
  return asked;
}}"""
"""An answer is one to the question that is seen: a hidden field may get its value a moment later than the panel."""


class _Wiring:
    """Which event runs which handler."""

    def __init__(
        self, handlers: Handlers, run_id: gr.Textbox, stored: gr.BrowserState, screen: Screen, form: Form
    ) -> None:
        self._do = handlers
        self._run_id = run_id
        self._stored = stored
        self._screen = screen
        self._form = form
        self._who = [run_id, stored]

    def commands(self) -> None:
        do, form = self._do, self._form

        async def run(values: dict[Component, Any], request: gr.Request):
            return await do.run(values, form, self._stored, request)

        for event in (
            form.run.click(run, {*form.order_inputs, self._stored}, [*self._who, form.ways], **QUIET),
            form.gallery.select(do.example, self._stored, [*self._who, form.ways], **QUIET),
            form.ways.select(do.example, self._stored, [*self._who, form.ways], **QUIET),
        ):
            self._watch(event)
        form.choices.check.click(
            do.check, [form.choices.provider, form.choices.model, form.choices.key], form.choices.checked, **QUIET
        )

    def after(self, header: gr.HTML) -> None:
        """What can be done with a run that is on the screen."""
        do, screen, form = self._do, self._screen, self._form
        screen.timeline.expand(do.here(do.dialogue), self._who, screen.timeline, **QUIET)
        screen.actions.stop(do.stop, self._who, None, **QUIET)
        self._watch(screen.actions.apply(do.resume, self._who, None, **QUIET))
        self._watch(screen.links.clear(do.end_shares, self._who, None, **QUIET))
        self._watch(screen.actions.retry(do.again, self._who, self._who, **QUIET))
        filled = [self._run_id, form.task, form.code, form.tests, form.files, *form.fields[:3]]
        opened = screen.actions.edit(do.here(do.edit), self._who, filled, **QUIET)
        opened.success(None, self._run_id, None, js=_SHOW_RUN, **_LOCAL)
        for new in (screen.title.clear, header.clear):
            new(None, None, self._run_id, js=_FORGET_RUN, **_LOCAL)
        self._follow_up()

    def _follow_up(self) -> None:
        do, form, onward = self._do, self._form, self._screen.onward
        asked = Asked(self._run_id, self._stored, onward.words)

        async def go_on(values: dict[Component, Any], request: gr.Request):
            return await do.go_on(values, form, asked, request)

        inputs: set[Block] = {*form.order_inputs, self._run_id, self._stored, onward.words}
        for event in (onward.start.click, onward.words.submit):
            self._watch(event(go_on, inputs, [*self._who, onward.words], **QUIET))

    def edits(self, editor: Editor) -> None:
        """From the moment the program can be changed, the evidence above it is marked as stale."""
        do, asked = self._do, [*self._who, editor.code]
        opened = self._screen.program.edit(
            do.here(do.open_editor), self._who, [editor.box, editor.code, editor.told, editor.attempt], **QUIET
        )
        opened.success(None, None, None, js="() => { window.editing(true); }", **_LOCAL)
        editor.check.click(None, None, editor.told, js=_CHECKING, **_LOCAL)
        editor.check.click(do.here(do.recheck), asked, editor.told, **QUIET)
        shut = "() => { window.editing(false); return {__type__: 'update', visible: false}; }"
        editor.close.click(None, None, editor.box, js=shut, **_LOCAL)
        started = editor.start.click(do.start_from, [*self._who, editor.attempt, editor.code], self._who, **QUIET)
        started.success(None, None, editor.box, js=shut, **_LOCAL)
        self._watch(started)

    def replays(self, player: Player) -> None:
        do, outputs = self._do, self._screen.outputs
        self._screen.actions.play(do.here(do.open_player), self._who, [player.row, player.place], **QUIET)
        player.place.release(do.seek, [*self._who, player.place], outputs, trigger_mode="always_last", **QUIET)
        asked, shown = [*self._who, player.place, player.speed], [player.place, *outputs]
        player.play.click(do.play, asked, shown, trigger_mode="multiple", **QUIET)
        player.skip.click(do.skip, self._who, shown, **QUIET)
        shut = "() => ({__type__: 'update', visible: false})"
        closed = player.close.click(do.skip, self._who, shown, **QUIET)
        closed.success(None, None, player.row, js=shut, **_LOCAL)
        # Over another run it would stand at a place of this one.
        self._run_id.change(None, None, player.row, js=shut, **_LOCAL)

    def compares(self, compare: Compare) -> None:
        do, chosen = self._do, [compare.left, compare.right]
        self._screen.actions.expand(do.here(do.open_compare), self._who, compare.outputs, **QUIET)
        picked = [field.input for field in chosen]
        gr.on(picked, do.compare, [self._stored, *chosen], compare.shown, trigger_mode="always_last", **QUIET)
        shut = "() => ({__type__: 'update', visible: false})"
        compare.close.click(None, None, compare.box, js=shut, **_LOCAL)

    def answers(self) -> None:
        do, given = self._do, self._screen.answers
        asked, cleared = [*self._who, given.question], [given.words, given.files]
        for button, act, more in (
            (given.approve, do.approve, [given.ticks]),
            (given.revise, do.revise, [given.words, given.files]),
            (given.take, do.take, [given.code]),
            (given.abort, do.abort, []),
        ):
            inputs = [*asked, *more]
            self._watch(button.click(act, inputs, cleared, js=_ON_SCREEN.format(len(inputs)), **QUIET))

    def model(self, chip: gr.HTML) -> None:
        """The chip says who would answer now; it and the ways out lead to the options."""
        form = self._form
        options = form.fields[3]
        for change in (form.choices.provider.change, form.choices.model.blur):
            change(self._do.chip, [form.choices.provider, form.choices.model], [chip, form.ways], **QUIET)
        moments = [form.task.blur, form.choices.provider.change, form.choices.model.blur]
        about = [form.choices.provider, form.choices.model, form.task]
        gr.on(moments, self._do.estimate, about, form.estimate, trigger_mode="always_last", **QUIET)
        for wanted in (chip.edit, form.ways.edit):
            wanted(
                None,
                None,
                options,
                js="() => { window.showRun(''); return {__type__: 'update', visible: true}; }",
                **_LOCAL,
            )
        form.ways.undo(
            None,
            None,
            [form.choices.provider, options],
            js="() => ['ollama', {__type__: 'update', visible: true}]",
            **_LOCAL,
        )

    def history(self, header: gr.HTML, drawer: Drawer) -> None:
        do = self._do
        asked, listed = [self._stored, drawer.search, drawer.verdict, drawer.shown], drawer.rows
        # One event for all: two would answer in any order, and the list would be that of an earlier wish.
        wishes = [header.expand, drawer.search.change, drawer.verdict.change]
        gr.on(wishes, do.history, asked, listed, trigger_mode="always_last", **QUIET)
        grown = drawer.rows.expand(None, drawer.shown, drawer.shown, js=f"(rows) => rows + {PAGE}", **_LOCAL)
        grown.success(do.history, asked, listed, **QUIET)
        self._watch(drawer.rows.select(do.open, self._stored, self._who, **QUIET))
        deleted = drawer.rows.delete(do.delete, self._who, self._who, **QUIET)
        deleted.success(do.history, asked, listed, **QUIET)
        deleted.success(None, self._run_id, None, js=_SHOW_RUN, **_LOCAL)

    def page_load(self, page: gr.Blocks) -> None:
        found = gr.JSON(visible=False, label="Found")
        restored = page.load(self._do.restore, self._stored, found, **QUIET)
        self._watch(restored.success(None, [found, *self._who], self._who, js=_UNLESS_BEGUN, **_LOCAL))

    def _watch(self, event: Any) -> None:
        """Shows the run, then a viewer; several may overlap, the newest one wins."""
        event.success(None, self._run_id, None, js=_SHOW_RUN, **_LOCAL)
        event.success(self._do.view, self._who, self._screen.outputs, trigger_mode="multiple", **QUIET)
