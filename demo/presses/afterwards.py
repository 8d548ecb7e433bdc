"""Handles what can be done with a run that exists: edit it, run it again, compare, find or delete it."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import gradio as gr

from agent.events.transcript import SAID
from agent.state import Task
from agent.task.order import Order
from agent.task.request import BadInput
from sandbox.types import FileData

from ..desk import Desk
from ..panels.compare import compare_panel
from ..panels.dialogue import with_dialogue
from ..panels.history import history_panel
from ..panels.recheck import recheck_panel
from ..panels.timeline import timeline_panel
from ..screens.compare import offered, run_of, side_of
from ..view.facts import handed_back
from ..view.names import attempt_names
from .admission import Admission, Looked, Stored, refuses
from .turns import Turns
from .viewer import Led

COMPARED = 30
"""How many other runs a run can be compared with, newest first."""


class Afterwards:
    """The handlers of the buttons over a run, the editor, the comparison and the history."""

    def __init__(self, desk: Desk, admission: Admission, turns: Turns) -> None:
        self._desk = desk
        self._admission = admission
        self._turns = turns

    @refuses("Not found")
    async def edit(self, run_id: str, stored: Stored | None, request: gr.Request) -> list[object]:
        """Fills the form with what the run was asked, and opens the fields that hold something."""
        seen = await self._admission.see(run_id, stored, request)
        runs = await self._desk.runs()
        task = (await runs.spec(seen)).task
        files = await asyncio.to_thread(_written, task.files)
        given = (task.code or "", task.tests or "", files)
        return ["", task.text, *given, *(gr.update(visible=bool(one)) for one in given)]

    @refuses("Not opened")
    async def open_editor(
        self, run_id: str, stored: Stored | None, event: gr.EventData, request: gr.Request
    ) -> tuple[object, object, str, str]:
        """Opens the editor with the attempt that the person is looking at."""
        view = (await self._admission.shot(run_id, stored, request)).view
        attempt = view.candidate(str(event.name)) or view.candidate(handed_back(view))
        if attempt is None:
            raise BadInput("no program was written")
        label = f"Your edit of “{attempt_names(view)[attempt.candidate]}”"
        return gr.update(visible=True), gr.update(value=attempt.code, label=label), "", attempt.candidate

    @refuses("Not shown")
    async def dialogue(self, run_id: str, stored: Stored | None, request: gr.Request) -> str:
        """Returns the timeline, with the prompts and replies in its calls."""
        own, store = await self._admission.steer(run_id, stored, request), (await self._desk.runs()).store
        rows = await store.do(store.memo.listed, own, SAID)
        return str(timeline_panel(with_dialogue((await self._admission.shot(run_id, stored, request)).view, rows)))

    @refuses("Not checked")
    async def recheck(self, run_id: str, stored: Stored | None, code: str | None, request: gr.Request) -> str:
        """Returns how an edited program does on the run's stored checks. Whoever may see the run may try this; it
        changes nothing that is stored."""
        await self._admission.admit(request)
        seen = await self._admission.see(run_id, stored, request)
        workshop = await self._desk.workshop()
        return str(recheck_panel(await workshop.recheck(seen, code or "")))

    @refuses("Not started")
    async def start_from(
        self, run_id: str, stored: Stored | None, attempt: str | None, code: str | None, request: gr.Request
    ) -> Led:
        """Starts a fork: a new run of the same task that begins with this edit of an attempt and keeps the run's
        checks."""
        edits = Task(text="", code=code or "")
        await self._admission.admit(request)
        parent, owner = await self._admission.see(run_id, stored, request), self._admission.owner(stored, request)
        order = Order(edits, parent=parent, attempt=attempt or "", owner=owner)
        runs = await self._desk.runs()
        return await runs.begin(order), stored

    @refuses("Not started")
    async def again(self, run_id: str, stored: Stored | None, request: gr.Request) -> Led:
        """Starts the same order once more, as a run of the person who asks."""
        await self._admission.admit(request)
        seen, owner = await self._admission.see(run_id, stored, request), self._admission.owner(stored, request)
        runs = await self._desk.runs()
        return await runs.again(seen, owner), stored

    @refuses("Not compared")
    async def open_compare(self, run_id: str, stored: Stored | None, request: gr.Request) -> tuple[object, ...]:
        """Opens the comparison, with the program that is handed back beside the one from which it was made."""
        shot = await self._admission.shot(run_id, stored, request)
        others = await self._desk.history(self._admission.who(stored, request).owner, limit=COMPARED)
        choices, left, right = offered(shot, others)
        fields = (gr.update(choices=choices, value=value) for value in (left, right))
        return gr.update(visible=True), *fields, await self.compare(stored, left, right, request)

    @refuses("Not compared")
    async def compare(self, stored: Stored | None, left: str | None, right: str | None, request: gr.Request) -> str:
        self._admission.enter(request)
        if not left or not right:
            return ""
        sides = [side_of(value, await self._admission.shot(run_of(value), stored, request)) for value in (left, right)]
        return str(compare_panel(*sides))

    @refuses("Not listed")
    async def history(
        self, stored: Stored | None, query: str | None, verdict: str | None, limit: float | None, request: gr.Request
    ) -> str:
        """Returns the list of this browser's runs. It reads one run more than it shows, to know whether there are older
        ones."""
        self._admission.enter(request)
        count, owner = int(limit or 0) or 1, self._admission.who(stored, request).owner
        rows = await self._desk.history(owner, (query or "").strip(), verdict or "", count + 1)
        searched = bool(query or verdict)
        return str(history_panel(rows[:count], time.time(), more=len(rows) > count, searched=searched))

    async def open(self, stored: Stored | None, event: gr.EventData, _request: gr.Request) -> Led:
        return str(event.name), stored

    @refuses("Not deleted")
    async def delete(
        self, run_id: str, stored: Stored | None, last: Looked | None, event: gr.EventData, request: gr.Request
    ) -> list[object]:
        """Deletes a run of the list. The screen stays as it is unless it shows that run."""
        gone = str(event.name)
        await self._desk.delete(await self._admission.steer(gone, stored, request))
        # Another run may be on the screen by now, and what this page sent is old. That run stays on the screen.
        if gone not in (run_id, (last or {}).get("run")) or self._turns.turn(request).ref not in ("", gone):
            return [gr.skip(), gr.skip()]
        return ["" if run_id == gone else gr.skip(), {"run": ""}]


def _written(files: Mapping[str, FileData]) -> list[str]:
    """Writes the files of a task to a new folder, for Gradio to copy into its own cache, and returns their paths. Files
    that stay where they lie are left out."""
    copied = {name: data for name, data in files.items() if isinstance(data, bytes)}
    if not copied:
        return []
    folder = Path(tempfile.mkdtemp(prefix="task-"))
    for name, data in copied.items():
        (folder / name).write_bytes(data)
    return [str(folder / name) for name in copied]
