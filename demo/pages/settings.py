"""Builds the settings page.

It shows what runs of this browser start with and remember, the services and their connection, and how this machine
isolates programs.
"""

from __future__ import annotations

import time

import gradio as gr

from agent.session.memory import as_lines
from demo.desk import Desk
from demo.look.theme import panel
from demo.options import UiOptions
from demo.panels.memory import memory_head, memory_panel
from demo.panels.services import choices_head, doctor_panel, ladder_panel, services_panel
from demo.presses.admission import Admission, Stored, refuses
from demo.presses.choice import ModelChoice
from demo.screens.choices import Choices, remember

from .frame import QUIET, UNLOCK, browser_name, page_at

_SAVE = """(lines) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([lines], {type: 'application/x-ndjson'}));
  link.download = 'lessons.jsonl';
  link.click();
  URL.revokeObjectURL(link.href);
}"""
"""Saves the lessons as a file, from the page itself."""
_SURE = "(kept, words, sure) => [kept, words, confirm('Forget what all of your runs learned?')]"


def memory_section(page: gr.Blocks, desk: Desk, admission: Admission, storage: tuple[str, str]) -> None:
    stored, named = browser_name(page, storage)
    panel("memory-head", str(memory_head()))
    words = "Search the lessons"
    search = gr.Textbox(show_label=False, label=words, placeholder=words, max_lines=1, elem_id="memory-search")
    shown = panel("memory")
    lines, sure = gr.Textbox("", visible=False, label="Lessons"), gr.Checkbox(False, visible=False, label="Sure")

    def owner_of(kept: Stored | None, request: gr.Request) -> str:
        """Returns the visitor's owner name; "" if this browser keeps no name, so that nothing belongs to it."""
        admission.enter(request)
        return admission.who(kept, request).owner

    @refuses("Not shown")
    async def show(kept: Stored | None, query: str | None, request: gr.Request) -> str:
        owner, words = owner_of(kept, request), (query or "").strip()
        return str(memory_panel(await desk.memory(owner, words) if owner else [], time.time(), searched=bool(words)))

    @refuses("Not handed out")
    async def export(kept: Stored | None, request: gr.Request) -> str:
        owner = owner_of(kept, request)
        return as_lines(await desk.memory(owner)) if owner else ""

    @refuses("Not forgotten")
    async def forget(kept: Stored | None, query: str | None, event: gr.EventData, request: gr.Request) -> str:
        if (owner := owner_of(kept, request)) and (run_id := str(event.name)):
            await desk.forget(owner, run_id)
        return await show(kept, query, request)

    @refuses("Not forgotten")
    async def forget_all(kept: Stored | None, query: str | None, is_sure: bool, request: gr.Request) -> str:
        if (owner := owner_of(kept, request)) and is_sure:
            await desk.forget(owner)
        return await show(kept, query, request)

    asked = [stored, search]
    named.success(show, asked, shown, **QUIET)
    search.change(show, asked, shown, trigger_mode="always_last", **QUIET)
    shown.delete(forget, asked, shown, **QUIET)
    # "multiple": who says no and clicks again at once is asked again, though the first answer is still on its way.
    shown.clear(forget_all, [*asked, sure], shown, js=_SURE, trigger_mode="multiple", **QUIET)
    saved = shown.download(export, stored, lines, **QUIET)
    saved.success(None, lines, None, js=_SAVE, api_visibility="private", show_progress="hidden")


def settings_page(page: gr.Blocks, desk: Desk, admission: Admission, options: UiOptions, storage_key: str) -> None:
    choice = ModelChoice(desk, admission, options)
    with page_at(page, admission.gate, "Settings"):
        panel("choices-head", str(choices_head()))
        with gr.Column(elem_id="choices"):
            choices = Choices(options)
        memory_section(page, desk, admission, (storage_key, options.storage_secret))
        panel("services", str(services_panel(options.services)))
        ladder = panel("ladder")
        doctor = panel("doctor")

        async def fill(request: gr.Request) -> tuple[str, str]:
            admission.enter(request)
            workshop = await desk.workshop()
            return str(ladder_panel(await workshop.ladder())), str(doctor_panel(await workshop.isolation()))

        choices.check.click(choice.check, [choices.provider, choices.model, choices.key], choices.checked, **QUIET)
        remember(page, choices)
        loaded = page.load(fill, None, [ladder, doctor], **QUIET)
        loaded.success(None, None, None, js=UNLOCK, api_visibility="private")
