"""Settings: services and their connection, who is asked for what, and how this machine walls programs off."""

from __future__ import annotations

import gradio as gr

from demo.api import address_of, headers_of
from demo.desk import Desk
from demo.gate import REFUSALS, Gate, one_line
from demo.intake import checked_key
from demo.markup import tag
from demo.options import UiOptions
from demo.panels.services import doctor_panel, ladder_panel, services_panel
from demo.slot import panel

from .frame import QUIET, UNLOCK, enter, page_at


def settings_page(page: gr.Blocks, desk: Desk, gate: Gate, options: UiOptions) -> None:
    with page_at(page, gate, "Settings"):
        panel("services", str(services_panel(options.services)))
        with gr.Row():
            provider = gr.Dropdown(list(options.providers), value=options.provider, label="Service to test")
            model = gr.Textbox(label="Model", placeholder="the service's default", max_lines=1)
            key = gr.Textbox(label="Your API key", type="password", placeholder="for this test only", max_length=400)
        test = gr.Button("Test connection", elem_id="test")
        told = panel("tested")
        ladder = panel("ladder")
        doctor = panel("doctor")

        async def check(name: str, wanted: str, shown: str, request: gr.Request) -> str:
            enter(gate, request)
            try:
                gate.count(headers_of(request), address_of(request))
                words = await (await desk.workshop()).check(name, wanted or "", checked_key(shown or "", name or ""))
            except REFUSALS as error:
                words = one_line(error)
            return str(tag("pre", words, cls="listing", role="status"))

        async def fill(request: gr.Request) -> tuple[str, str]:
            enter(gate, request)
            workshop = await desk.workshop()
            return str(ladder_panel(await workshop.ladder())), str(doctor_panel(await workshop.isolation()))

        test.click(check, [provider, model, key], told, **QUIET)
        loaded = page.load(fill, None, [ladder, doctor], **QUIET)
        loaded.success(None, None, None, js=UNLOCK, api_visibility="private")
