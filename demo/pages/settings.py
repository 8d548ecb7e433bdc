"""Settings: what runs of this browser start with and remember, services and their connection, and how this machine
walls programs off."""

from __future__ import annotations

import gradio as gr

from demo.desk import Desk
from demo.doors.gate import Gate
from demo.look.slot import panel
from demo.options import UiOptions
from demo.panels.services import choices_head, doctor_panel, ladder_panel, services_panel
from demo.presses.handlers import Handlers
from demo.presses.visits import enter
from demo.screens.choices import Choices, remember

from .frame import QUIET, UNLOCK, page_at
from .memory import memory_section


def settings_page(page: gr.Blocks, desk: Desk, gate: Gate, options: UiOptions, storage_key: str) -> None:
    do = Handlers(desk, gate, options)
    with page_at(page, gate, "Settings"):
        panel("choices-head", str(choices_head()))
        with gr.Column(elem_id="choices"):
            choices = Choices(options)
        memory_section(page, desk, gate, (storage_key, options.storage_secret))
        panel("services", str(services_panel(options.services)))
        ladder = panel("ladder")
        doctor = panel("doctor")

        async def fill(request: gr.Request) -> tuple[str, str]:
            enter(gate, request)
            workshop = await desk.workshop()
            return str(ladder_panel(await workshop.ladder())), str(doctor_panel(await workshop.isolation()))

        choices.check.click(do.check, [choices.provider, choices.model, choices.key], choices.checked, **QUIET)
        remember(page, choices)
        loaded = page.load(fill, None, [ladder, doctor], **QUIET)
        loaded.success(None, None, None, js=UNLOCK, api_visibility="private")
