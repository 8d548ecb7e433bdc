"""Starts and steers runs from the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.components import Component

from agent.task.order import Order
from agent.task.reply import PersonReply
from agent.task.request import BadInput
from framework.errors import StaleAnswer
from llm.errors import NoScenario
from llm.scenarios import list_scenarios

from ..desk import Desk
from ..options import DEMO, UiOptions
from ..panels.gallery import ways_panel
from ..screens.form import Form
from ..submission import read_uploads, task_from
from .admission import Admission, Stored, refusal, refuses, warn
from .viewer import Led

_ASK_A_MODEL = (
    "the demo model only plays the prepared examples; press New, choose who writes under Options, and open this run "
    "again from the History"
)


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The fields of a follow-up: the run it is about, the visitor, and the words."""

    run_id: gr.Textbox
    stored: gr.BrowserState
    words: gr.Textbox


class Commands:
    """The handlers that start, stop and continue runs, and that answer their questions."""

    def __init__(self, desk: Desk, admission: Admission, options: UiOptions) -> None:
        self._desk = desk
        self._admission = admission
        self._options = options

    @refuses("Not started")
    async def run(self, values: dict[Component, Any], form: Form, stored: gr.BrowserState, request: gr.Request) -> Led:
        """Starts a run from the form. If no model here can write the task, it returns the ways out and leaves the form
        as it is."""
        try:
            order = form.order(values, self._admission.owner(values[stored], request))
            return await self._start(order, values[stored], request)
        except NoScenario:
            return "", values[stored], str(ways_panel(self._options.local))

    @refuses("Not started")
    async def go_on(self, values: dict[Component, Any], form: Form, asked: FollowUp, request: gr.Request) -> Led:
        """Starts a run that follows on from the one on the screen, under the options as they are chosen now."""
        stored = values[asked.stored]
        try:
            task = task_from(str(values[asked.words] or ""))
            parent = await self._admission.see(str(values[asked.run_id] or ""), stored, request)
            order = form.chosen(task, values, self._admission.owner(stored, request), parent)
            return await self._start(order, stored, request)
        except NoScenario as error:
            raise refusal("This needs a model", BadInput(_ASK_A_MODEL)) from error

    @refuses("Not started")
    async def example(self, stored: Stored | None, event: gr.EventData, request: gr.Request) -> Led:
        """Runs an example with the demo model. The form stays as it is."""
        name = str(event.name)
        found = next((one for one in list_scenarios() if one.name == name), None)
        if found is None:
            raise BadInput("there is no such example")
        task = task_from(found.task, found.code or "", found.tests or "", found.files)
        owner, options = self._admission.owner(stored, request), {"autonomy": found.card.autonomy}
        return await self._start(Order(task, options, provider=DEMO, owner=owner), stored, request)

    async def _start(self, order: Order, stored: Stored | None, request: gr.Request) -> Led:
        """Counts the start and submits the order. Returns the run's id, the visitor, and "" for the field that the
        press clears."""
        await self._admission.admit(request)
        runs = await self._desk.runs()
        return await runs.begin(order), stored, ""

    @refuses("Not stopped")
    async def stop(self, run_id: str, stored: Stored | None, request: gr.Request) -> None:
        steered = await self._admission.steer(run_id, stored, request)
        runs = await self._desk.runs()
        if not await runs.stop(steered):
            warn("Not stopped", "This run is not running.")

    @refuses("Not continued")
    async def resume(self, run_id: str, stored: Stored | None, request: gr.Request) -> Led:
        steered = await self._admission.steer(run_id, stored, request)
        runs = await self._desk.runs()
        await runs.resume(steered)
        return run_id, stored

    @refuses("Not taken back")
    async def end_shares(self, run_id: str, stored: Stored | None, request: gr.Request) -> Led:
        await self._desk.end_shares(await self._admission.steer(run_id, stored, request))
        gr.Info("Links to this run that were copied before show nothing any more.")
        return run_id, stored

    async def approve(
        self, run_id: str, stored: Stored | None, question: str, offered: str | None, request: gr.Request
    ) -> Led:
        """Approves what the run proposes, or ticks the chosen output."""
        answer = PersonReply("tick", offered) if offered else PersonReply("approve")
        return await self._answer(run_id, stored, question, answer, request)

    @refuses("Not sent")
    async def revise(
        self,
        run_id: str,
        stored: Stored | None,
        question: str,
        text: str | None,
        paths: list[str] | None,
        request: gr.Request,
    ) -> Led:
        words = (text or "").strip("\n") if (text or "").strip() else ""
        if not words and not paths:
            wanted = "Please say in a few words what should be different, or add the file that is asked for."
            raise BadInput(wanted)
        reply = PersonReply("revise", words, read_uploads(paths or []))
        return await self._answer(run_id, stored, question, reply, request)

    async def take(
        self, run_id: str, stored: Stored | None, question: str, code: str | None, request: gr.Request
    ) -> Led:
        return await self._answer(run_id, stored, question, PersonReply("edit", code or ""), request)

    async def abort(self, run_id: str, stored: Stored | None, question: str, request: gr.Request) -> Led:
        return await self._answer(run_id, stored, question, PersonReply("abort"), request)

    @refuses("Not answered")
    async def _answer(
        self, run_id: str, stored: Stored | None, question: str, answer: PersonReply, request: gr.Request
    ) -> Led:
        """Sends the answer to the run. A question that was answered already gives a warning."""
        try:
            steered = await self._admission.steer(run_id, stored, request)
            runs = await self._desk.runs()
            await runs.reply(steered, question, answer)
        except StaleAnswer:
            warn("Not answered", "This question was answered already.")
        return run_id, stored, "", None
