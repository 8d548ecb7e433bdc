"""What happens on a click: short commands, and one viewer per page that replays a run and then follows it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

import gradio as gr
from gradio.components import Component

from agent.outcome.words import sentence
from agent.task.request import BadInput
from framework.errors import StaleAnswer, UnknownRun
from llm.errors import NoScenario
from llm.scenarios import find_scenario

from ..intake import Order, PersonReply, checked_key, read_uploads, task_from
from ..look.markup import tag
from ..options import DEMO
from ..panels.gallery import ways_panel
from ..panels.header import chip_panel
from ..screens.form import Form
from ..screens.run import nothing_new
from .afterwards import Afterwards
from .viewer import Led
from .visits import Looked, Stored, refusal, refuses, warn

_ASK_A_MODEL = (
    "the demo model only plays the prepared examples; press New, choose who writes under Options, and open this run "
    "again from the History"
)


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Where the words of a follow-up stand, and what they are about."""

    run_id: gr.Textbox
    stored: gr.BrowserState
    words: gr.Textbox


class Handlers(Afterwards):
    """What starts, shows and steers a run."""

    async def restore(
        self, number: float | None, stored: Stored | None, last: Looked | None, request: gr.Request
    ) -> AsyncGenerator[list[object]]:
        """The run to show on a fresh page: the one in the address, else the last one of this browser."""
        wish = self._wish(number, request)
        asked = str(cast("Mapping[str, str]", request.query_params).get("run", ""))
        word = asked or (last or {}).get("run", "")
        try:
            if word:
                await self._see(word, stored, request)
        except UnknownRun:
            if asked:
                warn(
                    "Not found",
                    "There is no such run here, or none that this link shows. Runs are kept until the server is reset.",
                )
            word = ""
        if not word:
            self._take_turn(wish, "", request)
            yield ["", gr.update(value={"run": ""}), *nothing_new()]
            return

        async def led(_: gr.Request) -> Led:
            return word, stored

        async with aclosing(self.goes(led)(number, request)) as frames:
            async for new in frames:
                yield new

    @refuses("Not started")
    async def run(self, values: dict[Component, Any], form: Form, stored: gr.BrowserState, request: gr.Request) -> Led:
        """Submits. A task that no model here can write is answered with the ways out, beside the untouched form."""
        try:
            order = form.order(values, self._owner(values[stored], request))
            return await self._start(order, values[stored], request)
        except NoScenario:
            return "", values[stored], str(ways_panel(self._options.local))

    @refuses("Not started")
    async def go_on(self, values: dict[Component, Any], form: Form, asked: FollowUp, request: gr.Request) -> Led:
        """A new run that goes on from the one on the screen, under the options as they are chosen now."""
        stored = values[asked.stored]
        try:
            task = task_from(str(values[asked.words] or ""))
            parent = await self._see(str(values[asked.run_id] or ""), stored, request)
            order = form.chosen(task, values, self._owner(stored, request), parent)
            return await self._start(order, stored, request)
        except NoScenario as error:
            raise refusal("This needs a model", BadInput(_ASK_A_MODEL)) from error

    @refuses("Not started")
    async def example(self, stored: Stored | None, event: gr.EventData, request: gr.Request) -> Led:
        """Runs an example by the demo model; what stands in the form stays there."""
        name = str(event.name)
        found = next((one for one in (await self._desk.workshop()).scenarios() if one.name == name), None)
        if found is None:
            raise BadInput("there is no such example")
        task = task_from(found.task, found.code or "", found.tests or "", found.files)
        owner, options = self._owner(stored, request), {"autonomy": found.card.autonomy}
        return await self._start(Order(task, options, provider=DEMO, owner=owner), stored, request)

    async def _start(self, order: Order, stored: Stored | None, request: gr.Request) -> Led:
        await self._admit(request)
        return await self._desk.submit(order), stored, ""

    @refuses("Not stopped")
    async def stop(self, run_id: str, stored: Stored | None, request: gr.Request) -> None:
        if not await self._desk.stop(await self._steer(run_id, stored, request)):
            warn("Not stopped", "This run is not running.")

    @refuses("Not continued")
    async def resume(self, run_id: str, stored: Stored | None, request: gr.Request) -> Led:
        await self._desk.resume(await self._steer(run_id, stored, request))
        return run_id, stored

    @refuses("Not taken back")
    async def end_shares(self, run_id: str, stored: Stored | None, request: gr.Request) -> Led:
        await self._desk.end_shares(await self._steer(run_id, stored, request))
        gr.Info("Links to this run that were copied before show nothing any more.")
        return run_id, stored

    async def approve(
        self, run_id: str, stored: Stored | None, question: str, offered: str | None, request: gr.Request
    ) -> Led:
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
        """With words, or with the files that the question asks for."""
        words = (text or "").strip("\n") if (text or "").strip() else ""
        if not words and not paths:
            wanted = "Please say in a few words what should be different, or add the file that is asked for."
            raise BadInput(wanted)
        reply = PersonReply("revise", words, read_uploads(paths or []))
        return await self._answer(run_id, stored, question, reply, request)

    async def take(
        self, run_id: str, stored: Stored | None, question: str, code: str | None, request: gr.Request
    ) -> Led:
        """The proposed program as the person changed it."""
        return await self._answer(run_id, stored, question, PersonReply("edit", code or ""), request)

    async def abort(self, run_id: str, stored: Stored | None, question: str, request: gr.Request) -> Led:
        return await self._answer(run_id, stored, question, PersonReply("abort"), request)

    @refuses("Not answered")
    async def _answer(
        self, run_id: str, stored: Stored | None, question: str, answer: PersonReply, request: gr.Request
    ) -> Led:
        try:
            await self._desk.answer(await self._steer(run_id, stored, request), question, answer)
        except StaleAnswer:
            warn("Not answered", "This question was answered already.")
        return run_id, stored, "", None

    async def chip(self, provider: str | None, model: str | None, request: gr.Request) -> tuple[str, str]:
        """Who would answer now; ways out of an earlier refusal no longer stand."""
        self._enter(request)
        return str(chip_panel(*self.who(provider or "", model or ""))), ""

    @refuses("Not estimated")
    async def estimate(self, provider: str | None, model: str | None, text: str | None, request: gr.Request) -> str:
        self._enter(request)
        if not (text or "").strip() or (provider == DEMO and find_scenario(text or "") is None):
            return ""
        told = await (await self._desk.workshop()).estimate(provider or "", model or "", text or "")
        return str(tag("p", sentence(told) + ".", cls="hint estimate")) if told else ""

    def who(self, provider: str, model: str) -> tuple[str, bool]:
        """(words, scripted) for the choice in the form."""
        label = next((words for words, name in self._options.providers if name == provider), provider)
        named = f"{label.partition(':')[0]} · {model.strip()}" if model.strip() else label.partition(":")[0]
        return named, provider == DEMO

    @refuses("Not tested")
    async def check(self, provider: str, model: str, key: str, request: gr.Request) -> str:
        await self._admit(request)
        own = checked_key(key or "", provider or "")
        words = await (await self._desk.workshop()).check(provider, model or "", own)
        return str(tag("pre", words, cls="listing", role="status"))
