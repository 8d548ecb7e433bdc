"""Builds the page: its two screens, and which event runs which handler."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import gradio as gr
from gradio.blocks import Block
from gradio.components import Component
from gradio.events import Dependency

from .desk import Desk
from .doors.api import add_tools
from .doors.gate import Gate
from .look.theme import panel
from .options import UiOptions
from .pages.benchmarks import benchmarks_page
from .pages.frame import QUIET, UNLOCK, browser_name
from .pages.insights import insights_page
from .pages.settings import settings_page
from .panels.header import TITLE, chip_panel, footer_panel, header_panel, locked_panel
from .presses.admission import Admission
from .presses.afterwards import Afterwards
from .presses.choice import ModelChoice
from .presses.commands import Commands, FollowUp
from .presses.replays import Replays
from .presses.turns import Turns
from .presses.viewer import Viewer
from .screens.choices import LOCAL, remember
from .screens.drawer import PAGE, HistoryDrawer
from .screens.form import Form
from .screens.run import Screen

STORAGE_KEY = "self-healing-code-agent"
_WISH = "(...asked) => window.wished(...asked)"
"""The script of events by which a person wants to see something else. It sends the number of the wish along, and the
newest wish gets the page."""
_SHUT = "() => ({__type__: 'update', visible: false})"
_UNLESS_SHOWN = "(run) => { if (!run) window.showRun('', 0); }"
_FORGET_RUN = "() => { window.showRun(''); return ''; }"
_IN_HISTORY = "The run that you started before goes on; it is in the History."
_SEVERAL: dict[str, Any] = {**QUIET, "trigger_mode": "multiple"}
"""The settings of events that last as long as a run does."""
_CHECKING = '() => \'<p class="hint" role="status">The stored checks run on your edit.</p>\''
_KEPT = "Runs are kept on this server until it is reset; keys never are"
_MAX_WAITING_EVENTS = 64
"""How many events of the page may wait for their turn."""
_UPLOADS_KEPT = (3600, 24 * 3600)
"""The seconds between two looks at the uploaded files, and the seconds after which a file is deleted."""


class Handlers:
    """The handlers of the page. All its visitors share them."""

    def __init__(self, desk: Desk, admission: Admission, options: UiOptions) -> None:
        self.turns = Turns(admission)
        self.viewer = Viewer(desk, admission, self.turns)
        self.commands = Commands(desk, admission, options)
        self.afterwards = Afterwards(desk, admission, self.turns)
        self.replays = Replays(desk, admission, self.turns)
        self.choice = ModelChoice(desk, admission, options)


def build_ui(desk: Desk, gate: Gate, options: UiOptions) -> gr.Blocks:
    admission = Admission(desk, gate)
    handlers = Handlers(desk, admission, options)
    with gr.Blocks(title=TITLE, analytics_enabled=False, fill_width=True, delete_cache=_UPLOADS_KEPT) as page:
        # The tools come first, so that no event of the page takes their names.
        add_tools(desk, gate)
        # These are hidden boxes instead of gr.State: their values live in the page, so that they outlive a restart of
        # the server.
        wish = gr.Number(0, visible=False, label="Wish")
        run_id = gr.Textbox("", visible=False, label="Run")
        stored, named = browser_name(page, (STORAGE_KEY, options.storage_secret))
        last = gr.BrowserState({}, storage_key=f"{STORAGE_KEY}-run", secret=options.storage_secret)
        with gr.Row(elem_id="top"):
            header = panel("header", str(header_panel()))
            chip = panel("chip", str(chip_panel(*handlers.choice.who(options.provider, ""))))
            if options.sign_in:
                gr.LoginButton("Sign in", size="sm", min_width=60, elem_id="sign-in")
            if options.on_space:
                gr.DuplicateButton("Duplicate", size="sm", min_width=60, elem_id="duplicate")
        if gate.locked:
            panel("locked", str(locked_panel()))
        with gr.Column(elem_id="home"):
            form = Form(options)
        with gr.Column(elem_id="run-page"):
            screen = Screen()
        with gr.Column(elem_id="drawer"):
            drawer = HistoryDrawer()
        panel("footer", str(footer_panel(kept=_KEPT, source=options.source)))
        wiring = _Wiring(handlers, wish, run_id, (stored, last), screen, form)
        wiring.commands()
        wiring.after(header)
        wiring.edits()
        wiring.replays()
        wiring.compares()
        wiring.answers()
        wiring.model(chip)
        wiring.history(header, drawer)
        remember(page, form.choices)
        wiring.page_load(named)
    insights_page(page, desk, admission, (STORAGE_KEY, options.storage_secret))
    benchmarks_page(page, desk, admission)
    settings_page(page, desk, admission, options, STORAGE_KEY)
    page.queue(max_size=_MAX_WAITING_EVENTS, default_concurrency_limit=None)
    return page


_ON_SCREEN = """(_, run, stored, question, ...more) => {
  const shown = document.querySelector('#pause [data-question]');
  return [window.wish(), run, stored, shown ? shown.dataset.question : question, ...more];
}"""
"""Sends an answer with the question that the person sees. The hidden field may get its value a moment later than the
panel."""


class _Wiring:
    """Connects each event with its handler."""

    def __init__(
        self,
        handlers: Handlers,
        wish: gr.Number,
        run_id: gr.Textbox,
        browser: tuple[gr.BrowserState, gr.BrowserState],
        screen: Screen,
        form: Form,
    ) -> None:
        self._do = handlers
        self._wish = wish
        self._run_id = run_id
        self._stored, self._last = browser
        self._screen = screen
        self._form = form
        self._who = [run_id, self._stored]
        self._looked = [run_id, self._last]

    def commands(self) -> None:
        do, form = self._do, self._form
        self._leads_to_run(
            form.run.click,
            self._of_form(do.commands.run, self._stored),
            {self._wish, *form.order_inputs, self._stored},
            [form.ways],
        )
        for pick in (form.gallery.select, form.ways.select):
            self._leads_to_run(
                pick, do.viewer.goes(do.commands.example, late=_IN_HISTORY), [self._wish, self._stored], [form.ways]
            )
        form.choices.check.click(
            do.choice.check,
            [form.choices.provider, form.choices.model, form.choices.key],
            form.choices.checked,
            **QUIET,
        )

    def after(self, header: gr.HTML) -> None:
        """Connects what can be done with a run that is on the screen."""
        do, screen, form = self._do, self._screen, self._form
        screen.timeline.expand(do.turns.here(do.afterwards.dialogue), self._who, screen.timeline, **QUIET)
        screen.actions.stop(do.commands.stop, self._who, None, **QUIET)
        self._leads_to_run(screen.actions.apply, do.viewer.goes(do.commands.resume), self._asked)
        self._leads_to_run(screen.links.clear, do.viewer.goes(do.commands.end_shares), self._asked)
        self._leads_to_run(screen.actions.retry, do.viewer.goes(do.afterwards.again, late=_IN_HISTORY), self._asked)
        filled = [self._run_id, form.task, form.code, form.tests, form.files, *form.fields[:3]]
        opened = screen.actions.edit(do.turns.here(do.afterwards.edit), self._who, filled, **QUIET)
        opened.success(None, None, None, js=UNLOCK, **LOCAL)
        for new in (screen.title.clear, header.clear):
            new(None, None, self._run_id, js=_FORGET_RUN, **LOCAL)
        self._follow_up()

    def _follow_up(self) -> None:
        do, form, onward = self._do, self._form, self._screen.onward
        go_on = self._of_form(do.commands.go_on, FollowUp(self._run_id, self._stored, onward.words))
        inputs: set[Block] = {*self._asked, *form.order_inputs, onward.words}
        for event in (onward.start.click, onward.words.submit):
            self._leads_to_run(event, go_on, inputs, [onward.words])

    def _of_form(self, act: Any, about: Any) -> Any:
        """Returns the handler of an event that starts a run and takes the whole form as one argument."""
        start = self._do.viewer.goes(act, late=_IN_HISTORY)

        async def started(values: dict[Component, Any], request: gr.Request):
            async with aclosing(start(values.pop(self._wish), values, self._form, about, request)) as frames:
                async for new in frames:
                    yield new

        return started

    def edits(self) -> None:
        """Connects the editor. From the moment it opens, the evidence above it is marked as stale."""
        do, editor = self._do, self._screen.editor
        opened = self._screen.program.edit(
            do.turns.here(do.afterwards.open_editor),
            self._who,
            [editor.box, editor.code, editor.told, editor.attempt],
            **QUIET,
        )
        opened.success(None, None, None, js="() => { window.editing(true); }", **LOCAL)
        editor.check.click(None, None, editor.told, js=_CHECKING, **LOCAL)
        editor.check.click(do.turns.here(do.afterwards.recheck), [*self._who, editor.code], editor.told, **QUIET)
        editor.close.click(None, None, None, js="() => { window.editing(false); }", **LOCAL)
        start = do.viewer.goes(do.afterwards.start_from, late=_IN_HISTORY)
        self._leads_to_run(editor.start.click, start, [*self._asked, editor.attempt, editor.code])

    def replays(self) -> None:
        do, player, outputs = self._do, self._screen.player, self._screen.outputs
        self._screen.actions.play(do.turns.here(do.replays.open_player), self._who, [player.row, player.place], **QUIET)
        places = [*self._asked, player.place]
        player.place.release(do.replays.seek, places, outputs, js=_WISH, trigger_mode="always_last", **QUIET)
        shown = [player.place, *outputs]
        player.play.click(do.replays.play, [*places, player.speed], shown, js=_WISH, **_SEVERAL)
        player.skip.click(do.replays.skip, self._who, shown, **QUIET)
        closed = player.close.click(do.replays.skip, self._who, shown, **QUIET)
        closed.success(None, None, player.row, js=_SHUT, **LOCAL)
        # Over another run, the bar would stand at a place of this run.
        self._run_id.change(None, None, player.row, js=_SHUT, **LOCAL)

    def compares(self) -> None:
        do, compare = self._do, self._screen.compare
        chosen = [compare.left, compare.right]
        self._screen.actions.expand(
            do.turns.here(do.afterwards.open_compare), self._who, [compare.box, *chosen, compare.shown], **QUIET
        )
        picked = [field.input for field in chosen]
        gr.on(
            picked, do.afterwards.compare, [self._stored, *chosen], compare.shown, trigger_mode="always_last", **QUIET
        )
        compare.close.click(None, None, compare.box, js=_SHUT, **LOCAL)

    def answers(self) -> None:
        do, given = self._do, self._screen.answers
        asked, cleared = [*self._asked, given.question], [given.words, given.files]
        for button, act, more in (
            (given.approve, do.commands.approve, [given.ticks]),
            (given.revise, do.commands.revise, [given.words, given.files]),
            (given.take, do.commands.take, [given.code]),
            (given.abort, do.commands.abort, []),
        ):
            self._leads_to_run(button.click, do.viewer.goes(act), [*asked, *more], cleared, js=_ON_SCREEN)

    def model(self, chip: gr.HTML) -> None:
        """Connects the choice of a model. The chip says who would answer now; the chip and the ways out lead to the
        options."""
        form = self._form
        options = form.fields[3]
        for change in (form.choices.provider.change, form.choices.model.blur):
            change(self._do.choice.chip, [form.choices.provider, form.choices.model], [chip, form.ways], **QUIET)
        moments = [form.task.blur, form.choices.provider.change, form.choices.model.blur]
        about = [form.choices.provider, form.choices.model, form.task]
        gr.on(moments, self._do.choice.estimate, about, form.estimate, trigger_mode="always_last", **QUIET)
        for wanted in (chip.edit, form.ways.edit):
            wanted(
                None,
                None,
                options,
                js="() => { window.showRun(''); return {__type__: 'update', visible: true}; }",
                **LOCAL,
            )
        form.ways.undo(
            None,
            None,
            [form.choices.provider, options],
            js="() => ['ollama', {__type__: 'update', visible: true}]",
            **LOCAL,
        )

    def history(self, header: gr.HTML, drawer: HistoryDrawer) -> None:
        do = self._do
        asked, listed = [self._stored, drawer.search, drawer.verdict, drawer.shown], drawer.rows
        # All wishes share one event. Two events would answer in any order, and the list could be that of an earlier
        # wish.
        wishes = [header.expand, drawer.search.change, drawer.verdict.change]
        gr.on(wishes, do.afterwards.history, asked, listed, trigger_mode="always_last", **QUIET)
        grown = drawer.rows.expand(None, drawer.shown, drawer.shown, js=f"(rows) => rows + {PAGE}", **LOCAL)
        grown.success(do.afterwards.history, asked, listed, **QUIET)
        self._leads_to_run(drawer.rows.select, do.viewer.goes(do.afterwards.open), [self._wish, self._stored])
        deleted = drawer.rows.delete(do.afterwards.delete, [*self._who, self._last], self._looked, **QUIET)
        deleted.success(do.afterwards.history, asked, listed, **QUIET)
        deleted.success(None, self._run_id, None, js="(run) => { if (!run) window.showRun(''); }", **LOCAL)

    def page_load(self, named: Dependency) -> None:
        shown = [*self._looked, *self._screen.outputs]
        restored = named.success(self._do.viewer.restore, [self._wish, self._stored, self._last], shown, **QUIET)
        restored.success(None, self._run_id, None, js=_UNLESS_SHOWN, **LOCAL)

    @property
    def _asked(self) -> list[Block]:
        return [self._wish, *self._who]

    def _leads_to_run(self, event: Any, act: Any, inputs: Any, more: Sequence[Block] = (), js: str = _WISH) -> None:
        """Lets one event do the act and show the run to which it leads. Several such events may overlap; the newest one
        wins."""
        event(act, inputs, [*self._looked, *more, *self._screen.outputs], js=js, **_SEVERAL)
