"""What happens on a click: short commands, and one viewer per page that replays a run and then follows it."""

from __future__ import annotations

import asyncio
import tempfile
import time
import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import gradio as gr
from gradio.components import Component
from markupsafe import escape

from agent.request import BadInput
from framework.errors import StaleAnswer

from .api import address_of, headers_of
from .desk import Desk
from .form import Form, gallery_html
from .gate import REFUSALS, Gate, one_line
from .intake import checked_key
from .markup import tag
from .options import DEMO
from .panels.code import BEST, diff_panel, shown_code
from .panels.history import history_panel
from .screen import changed, frame
from .shot import Shot

_HEARTBEAT = 5.0
Stored = dict[str, str]
"""What the page keeps in the browser: "owner", who this browser is, and "run", the last run it looked at."""


class Handlers:
    """State per page is keyed by its session, and never read by another."""

    def __init__(self, desk: Desk, gate: Gate) -> None:
        self._desk = desk
        self._gate = gate
        self._viewers: dict[str, object] = {}
        self._picks: dict[str, str] = {}
        self._example_files: dict[str, list[str]] = {}

    async def restore(self, stored: Stored | None, request: gr.Request) -> tuple[str, Stored]:
        """The run to show on a fresh page: the one in the address, else the last one of this browser."""
        kept = dict(stored or {})
        kept.setdefault("owner", uuid.uuid4().hex)
        asked = str(cast("Mapping[str, str]", request.query_params).get("run", ""))
        run_id = asked or kept.get("run", "")
        if run_id and not await self._desk.knows(run_id):
            if asked:
                warn("There is no such run here. Runs are kept until the server is reset.")
            run_id = ""
        return run_id, {**kept, "run": run_id}

    async def gallery(self) -> str:
        return gallery_html((await self._desk.workshop()).scenarios())

    async def run(
        self, values: dict[Component, Any], form: Form, stored: gr.BrowserState, request: gr.Request
    ) -> tuple[str, Stored]:
        """Submits. A refusal is a toast and leaves the form as it is."""
        kept: Stored = {"owner": uuid.uuid4().hex, **(values[stored] or {})}
        try:
            self._gate.count(headers_of(request), address_of(request))
            order = form.order(values, kept["owner"])
            run_id = await self._desk.submit(order)
        except REFUSALS as error:
            raise refusal("Not started", error) from error
        return run_id, {**kept, "run": run_id}

    async def view(self, run_id: str, request: gr.Request) -> AsyncGenerator[list[object]]:
        """Writes the whole screen; the newest viewer of a page is the only one."""
        session, token = request.session_hash or "", object()
        self._viewers[session] = token
        self._picks.pop(session, None)
        if not run_id:
            yield frame(Shot())
            return
        last: list[object] | None = None
        told = 0.0
        try:
            async with aclosing(self._desk.watch(run_id)) as shots:
                async for shot in shots:
                    if self._viewers.get(session) is not token:
                        return
                    new = frame(shot, self._picks.get(session, BEST))
                    # Only at a yield does Gradio notice that the page is gone.
                    if new != last or time.monotonic() - told > _HEARTBEAT:
                        yield changed(last, new)
                        told = time.monotonic()
                    last = new
        finally:
            if self._viewers.get(session) is token:
                del self._viewers[session]

    async def stop(self, run_id: str) -> None:
        try:
            if run_id and not await self._desk.stop(run_id):
                warn("This run is not running.")
        except REFUSALS as error:
            raise refusal("Not stopped", error) from error

    async def resume(self, run_id: str) -> None:
        try:
            await self._desk.resume(run_id)
        except REFUSALS as error:
            raise refusal("Not continued", error) from error

    async def approve(self, run_id: str, question: str, offered: str | None, text: str) -> str:
        if offered:
            return await self._answer(run_id, question, "tick", offered)
        return await self._answer(run_id, question, "approve", text or "")

    async def revise(self, run_id: str, question: str, text: str) -> str:
        if not (text or "").strip():
            raise refusal("Not sent", BadInput("Please say in a few words what should be different."))
        return await self._answer(run_id, question, "revise", text.strip())

    async def abort(self, run_id: str, question: str) -> str:
        return await self._answer(run_id, question, "abort", "")

    async def _answer(self, run_id: str, question: str, action: str, text: str) -> str:
        try:
            await self._desk.answer(run_id, question, action, text)
        except StaleAnswer:
            warn("This question was answered already.")
        except REFUSALS as error:
            raise refusal("Not answered", error) from error
        return ""

    async def pick_version(self, run_id: str, picked: str | None, request: gr.Request) -> tuple[str, str]:
        self._picks[request.session_hash or ""] = picked or BEST
        if not run_id:
            return "", ""
        view = (await self._desk.shot(run_id)).view
        return shown_code(view, picked or BEST), str(diff_panel(view, picked or BEST))

    async def pick_example(self, event: gr.EventData) -> tuple[str, str, str, list[str], str]:
        """Fills the form from a card, with the demo model that plays it; the person still presses Run."""
        name = str(event.name)
        found = next((one for one in (await self._desk.workshop()).scenarios() if one.name == name), None)
        if found is None:
            raise refusal("Not found", BadInput("there is no such example"))
        if name not in self._example_files:
            self._example_files[name] = await asyncio.to_thread(_written, found.files or {})
        files = self._example_files[name]
        return found.task, found.code or "", found.tests or "", files, DEMO

    async def history(self, stored: Stored | None) -> str:
        return str(history_panel(await self._desk.history((stored or {}).get("owner", ""))))

    async def check(self, provider: str, model: str, key: str, request: gr.Request) -> str:
        try:
            self._gate.count(headers_of(request), address_of(request))
            own = checked_key(key or "", provider or "")
            words = await (await self._desk.workshop()).check(provider, model or "", own)
        except REFUSALS as error:
            raise refusal("Not tested", error) from error
        return str(tag("pre", words, cls="listing", role="status"))


def warn(line: str) -> None:
    """A toast; its text is shown as it stands, never as markup."""
    gr.Warning(str(escape(line)))


def refusal(title: str, error: Exception) -> gr.Error:
    return gr.Error(str(escape(one_line(error))), title=title, print_exception=False)


def _written(files: Mapping[str, bytes]) -> list[str]:
    """Paths of the files, for Gradio to copy into its own cache."""
    folder = Path(tempfile.mkdtemp(prefix="example-"))
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return [str(folder / name) for name in files]
