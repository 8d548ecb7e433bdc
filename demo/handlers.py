"""What happens on a click: short commands, and one viewer per page that replays a run and then follows it.

Each asks the gate first: its address is no secret, and whoever posts to the queue by hand reaches it too.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import gradio as gr
from gradio.components import Component
from markupsafe import escape

from agent.request import BadInput
from framework.errors import StaleAnswer
from llm.errors import NoScenario
from sandbox.types import LevelTooLow

from .api import address_of, headers_of
from .desk import Desk
from .form import Form
from .gate import REFUSALS, Denied, Gate, one_line
from .intake import Order, checked_key, task_from
from .markup import tag
from .options import DEMO, UiOptions
from .panels.header import chip_panel
from .panels.history import history_panel
from .panels.program import shown_code
from .panels.recheck import recheck_panel
from .panels.ways import ways_panel
from .screen import changed, frame
from .shot import Shot

_HEARTBEAT = 5.0
Stored = dict[str, str]
"""What the page keeps in the browser: "owner", who this browser is, and "run", the last run it looked at."""


class Handlers:
    """State per page is keyed by its session, and never read by another."""

    def __init__(self, desk: Desk, gate: Gate, options: UiOptions) -> None:
        self._desk = desk
        self._gate = gate
        self._options = options
        self._viewers: dict[str, object] = {}

    async def restore(self, stored: Stored | None, request: gr.Request) -> tuple[str, Stored]:
        """The run to show on a fresh page: the one in the address, else the last one of this browser."""
        self._enter(request)
        kept = dict(stored or {})
        kept.setdefault("owner", uuid.uuid4().hex)
        asked = str(cast("Mapping[str, str]", request.query_params).get("run", ""))
        run_id = asked or kept.get("run", "")
        if run_id and not await self._desk.knows(run_id):
            if asked:
                warn("There is no such run here. Runs are kept until the server is reset.")
            run_id = ""
        return run_id, {**kept, "run": run_id}

    async def run(
        self, values: dict[Component, Any], form: Form, stored: gr.BrowserState, request: gr.Request
    ) -> tuple[str, Stored, str]:
        """Submits. A task that no model here can write is answered with the ways out, beside the untouched form."""
        kept: Stored = {"owner": uuid.uuid4().hex, **(values[stored] or {})}
        try:
            order = form.order(values, kept["owner"])
            return await self._start(order, kept, request)
        except NoScenario:
            return "", kept, str(ways_panel(self._options.local))
        except REFUSALS as error:
            raise refusal("Not started", error) from error

    async def example(self, stored: Stored | None, event: gr.EventData, request: gr.Request) -> tuple[str, Stored, str]:
        """Runs an example by the demo model; what stands in the form stays there."""
        kept: Stored = {"owner": uuid.uuid4().hex, **(stored or {})}
        try:
            name = str(event.name)
            found = next((one for one in (await self._desk.workshop()).scenarios() if one.name == name), None)
            if found is None:
                raise BadInput("there is no such example")
            task = task_from(found.task, found.code or "", found.tests or "", found.files)
            return await self._start(Order(task, provider=DEMO, owner=kept["owner"]), kept, request)
        except REFUSALS as error:
            raise refusal("Not started", error) from error

    async def again(self, run_id: str, stored: Stored | None, request: gr.Request) -> tuple[str, Stored]:
        """The same order once more, as a run of whoever asks for it."""
        kept: Stored = {"owner": uuid.uuid4().hex, **(stored or {})}
        try:
            self._admit(request)
            new = await (await self._desk.workshop()).again(run_id, kept["owner"])
        except REFUSALS as error:
            raise refusal("Not started", error) from error
        return new, {**kept, "run": new}

    async def _start(self, order: Order, kept: Stored, request: gr.Request) -> tuple[str, Stored, str]:
        self._admit(request)
        run_id = await self._desk.submit(order)
        return run_id, {**kept, "run": run_id}, ""

    async def edit(self, run_id: str, request: gr.Request) -> list[object]:
        """Back to the form, with what the run was asked; the fields that hold something are open."""
        self._enter(request)
        try:
            task = await (await self._desk.workshop()).task_of(run_id)
        except REFUSALS as error:
            raise refusal("Not found", error) from error
        files = await asyncio.to_thread(_written, task.files)
        given = (task.code or "", task.tests or "", files)
        return ["", task.text, *given, *(gr.update(visible=bool(one)) for one in given)]

    async def open_editor(self, run_id: str, request: gr.Request) -> tuple[object, str, str]:
        """The program that is handed back, in a field of its own."""
        self._enter(request)
        code = shown_code((await self._desk.shot(run_id)).view) if run_id else ""
        return gr.update(visible=True), code, ""

    async def recheck(self, run_id: str, code: str | None, request: gr.Request) -> str:
        """Whoever may see the run may try an edit of theirs; it changes nothing that is stored."""
        try:
            self._admit(request)
            return str(recheck_panel(await (await self._desk.workshop()).recheck(run_id, code or "")))
        except (*REFUSALS, LevelTooLow) as error:
            raise refusal("Not checked", error) from error

    async def start_from(
        self, run_id: str, stored: Stored | None, code: str | None, request: gr.Request
    ) -> tuple[str, Stored]:
        """A new run of the same task that begins with this program."""
        kept: Stored = {"owner": uuid.uuid4().hex, **(stored or {})}
        try:
            self._admit(request)
            new = await (await self._desk.workshop()).again(run_id, kept["owner"], code or "")
        except REFUSALS as error:
            raise refusal("Not started", error) from error
        return new, {**kept, "run": new}

    async def view(self, run_id: str, stored: Stored | None, request: gr.Request) -> AsyncGenerator[list[object]]:
        """Writes the whole screen; the newest viewer of a page is the only one."""
        self._enter(request)
        session, token = request.session_hash or "", object()
        self._viewers[session] = token
        if not run_id:
            yield frame(Shot())
            return
        mine = await self._desk.may_steer(run_id, (stored or {}).get("owner", ""))
        last: list[object] | None = None
        told = 0.0
        try:
            async with aclosing(self._desk.watch(run_id)) as shots:
                async for shot in shots:
                    if self._viewers.get(session) is not token:
                        return
                    new = frame(replace(shot, mine=mine))
                    # Only at a yield does Gradio notice that the page is gone.
                    if new != last or time.monotonic() - told > _HEARTBEAT:
                        yield changed(last, new)
                        told = time.monotonic()
                    last = new
        finally:
            if self._viewers.get(session) is token:
                del self._viewers[session]

    async def stop(self, run_id: str, stored: Stored | None, request: gr.Request) -> None:
        try:
            await self._steer(run_id, stored, request)
            if run_id and not await self._desk.stop(run_id):
                warn("This run is not running.")
        except REFUSALS as error:
            raise refusal("Not stopped", error) from error

    async def resume(self, run_id: str, stored: Stored | None, request: gr.Request) -> None:
        try:
            await self._steer(run_id, stored, request)
            await self._desk.resume(run_id)
        except REFUSALS as error:
            raise refusal("Not continued", error) from error

    async def approve(
        self, run_id: str, stored: Stored | None, question: str, offered: str | None, text: str, request: gr.Request
    ) -> str:
        action, words = ("tick", offered) if offered else ("approve", text or "")
        return await self._answer(run_id, stored, (question, action, words), request)

    async def revise(self, run_id: str, stored: Stored | None, question: str, text: str, request: gr.Request) -> str:
        if not (text or "").strip():
            raise refusal("Not sent", BadInput("Please say in a few words what should be different."))
        return await self._answer(run_id, stored, (question, "revise", text.strip()), request)

    async def abort(self, run_id: str, stored: Stored | None, question: str, request: gr.Request) -> str:
        return await self._answer(run_id, stored, (question, "abort", ""), request)

    async def _answer(
        self, run_id: str, stored: Stored | None, answer: tuple[str, str, str], request: gr.Request
    ) -> str:
        try:
            await self._steer(run_id, stored, request)
            await self._desk.answer(run_id, *answer)
        except StaleAnswer:
            warn("This question was answered already.")
        except REFUSALS as error:
            raise refusal("Not answered", error) from error
        return ""

    async def history(
        self, stored: Stored | None, query: str | None, verdict: str | None, limit: float | None, request: gr.Request
    ) -> str:
        """The list of this browser's runs, one more than is shown telling that there are older ones."""
        self._enter(request)
        count, owner = int(limit or 0) or 1, (stored or {}).get("owner", "")
        rows = await self._desk.history(owner, (query or "").strip(), verdict or "", count + 1)
        searched = bool(query or verdict)
        return str(history_panel(rows[:count], time.time(), more=len(rows) > count, searched=searched))

    async def open(self, stored: Stored | None, event: gr.EventData, request: gr.Request) -> tuple[str, Stored]:
        """Shows a run of the list."""
        self._enter(request)
        run_id = str(event.name)
        if not await self._desk.knows(run_id):
            raise refusal("Not found", BadInput("this run was deleted"))
        return run_id, {**(stored or {}), "run": run_id}

    async def delete(
        self, run_id: str, stored: Stored | None, event: gr.EventData, request: gr.Request
    ) -> tuple[str, Stored]:
        """Deletes a run of the list; what is on the screen stays there unless it is that one."""
        gone, kept = str(event.name), stored or {}
        try:
            await self._steer(gone, stored, request)
            await self._desk.delete(gone)
        except REFUSALS as error:
            raise refusal("Not deleted", error) from error
        return ("" if run_id == gone else run_id), {
            **kept,
            "run": "" if kept.get("run") == gone else kept.get("run", ""),
        }

    async def chip(self, provider: str | None, model: str | None, request: gr.Request) -> tuple[str, str]:
        """Who would answer now; ways out of an earlier refusal no longer stand."""
        self._enter(request)
        return str(chip_panel(*self.who(provider or "", model or ""))), ""

    def who(self, provider: str, model: str) -> tuple[str, bool]:
        """(words, scripted) for the choice in the form."""
        label = next((words for words, name in self._options.providers if name == provider), provider)
        named = f"{label.partition(':')[0]} · {model.strip()}" if model.strip() else label.partition(":")[0]
        return named, provider == DEMO

    async def check(self, provider: str, model: str, key: str, request: gr.Request) -> str:
        try:
            self._admit(request)
            own = checked_key(key or "", provider or "")
            words = await (await self._desk.workshop()).check(provider, model or "", own)
        except REFUSALS as error:
            raise refusal("Not tested", error) from error
        return str(tag("pre", words, cls="listing", role="status"))

    def _enter(self, request: gr.Request) -> None:
        """Raises gr.Error where a key is demanded that this visitor has not shown."""
        try:
            self._gate.enter(headers_of(request))
        except Denied as error:
            raise refusal("Locked", error) from error

    def _admit(self, request: gr.Request) -> None:
        """What costs something: the key, and the rate. Raises Denied, TooOften."""
        self._gate.enter(headers_of(request))
        self._gate.count(headers_of(request), address_of(request))

    async def _steer(self, run_id: str, stored: Stored | None, request: gr.Request) -> None:
        """Raises Denied for a run of somebody else."""
        self._gate.enter(headers_of(request))
        if run_id and not await self._desk.may_steer(run_id, (stored or {}).get("owner", "")):
            raise Denied("this run belongs to somebody else; you can look at it, or run it yourself")


def warn(line: str) -> None:
    """A toast; its text is shown as it stands, never as markup."""
    gr.Warning(str(escape(line)))


def refusal(title: str, error: Exception) -> gr.Error:
    return gr.Error(str(escape(one_line(error))), title=title, print_exception=False)


def _written(files: Mapping[str, bytes]) -> list[str]:
    """Paths of the files, for Gradio to copy into its own cache."""
    if not files:
        return []
    folder = Path(tempfile.mkdtemp(prefix="task-"))
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return [str(folder / name) for name in files]
