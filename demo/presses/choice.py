"""Tells which model would answer, what that would take, and whether it can be reached."""

from __future__ import annotations

import gradio as gr

from agent.outcome.words import sentence
from llm.scenarios import find_scenario

from ..desk import Desk
from ..look.markup import tag
from ..options import DEMO, UiOptions
from ..panels.header import chip_panel
from ..submission import checked_key
from .admission import Admission, refuses


class ModelChoice:
    """The handlers of the fields in which a model is chosen."""

    def __init__(self, desk: Desk, admission: Admission, options: UiOptions) -> None:
        self._desk = desk
        self._admission = admission
        self._options = options

    async def chip(self, provider: str | None, model: str | None, request: gr.Request) -> tuple[str, str]:
        """Returns the chip with who would answer now, and removes the ways out of an earlier refusal."""
        self._admission.enter(request)
        return str(chip_panel(*self.who(provider or "", model or ""))), ""

    @refuses("Not estimated")
    async def estimate(self, provider: str | None, model: str | None, text: str | None, request: gr.Request) -> str:
        """Returns what a run of this task would take; "" if that is not known."""
        self._admission.enter(request)
        if not (text or "").strip() or (provider == DEMO and find_scenario(text or "") is None):
            return ""
        workshop = await self._desk.workshop()
        told = await workshop.estimate(provider or "", model or "", text or "")
        return str(tag("p", sentence(told) + ".", cls="hint estimate")) if told else ""

    def who(self, provider: str, model: str) -> tuple[str, bool]:
        """Returns (words, whether the demo model answers) for the choice in the form."""
        label = next((words for words, name in self._options.providers if name == provider), provider)
        named = f"{label.partition(':')[0]} · {model.strip()}" if model.strip() else label.partition(":")[0]
        return named, provider == DEMO

    @refuses("Not tested")
    async def check(self, provider: str, model: str, key: str, request: gr.Request) -> str:
        """Asks the chosen model a few small things and returns what it can do."""
        await self._admission.admit(request)
        own = checked_key(key or "", provider or "")
        workshop = await self._desk.workshop()
        words = await workshop.check(provider, model or "", own)
        return str(tag("pre", words, cls="listing", role="status"))
