"""Holds what the pages beside the first one share."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import gradio as gr
from gradio.events import Dependency

from demo.doors.gate import Gate
from demo.look.theme import panel
from demo.panels.header import locked_panel, page_head
from demo.presses.admission import NAMELESS

QUIET: dict[str, Any] = {"show_progress": "hidden", "concurrency_limit": None, "api_visibility": "private"}
"""The settings of most events. They are private, so that no client, MCP tool or run history sees them. Nothing may
queue behind a viewer, which lasts as long as its run."""


@contextmanager
def page_at(page: gr.Blocks, gate: Gate, name: str) -> Generator[None]:
    """Opens a page with an address of its own and a head that leads back. It is locked if the first page is."""
    with page.route(name, f"/{name.lower()}", show_in_navbar=False):
        panel(f"head-{name.lower()}", str(page_head(name)))
        if gate.locked:
            panel("locked", str(locked_panel()))
        with gr.Column(elem_id="home", elem_classes="wide"):
            yield


def browser_name(page: gr.Blocks, storage: tuple[str, str]) -> tuple[gr.BrowserState, Dependency]:
    """Returns what a page keeps of its visitor, and the event of a page load after which that holds a name."""
    stored = gr.BrowserState(NAMELESS, storage_key=storage[0], secret=storage[1])
    return stored, page.load(None, stored, stored, js=_NAMED, api_visibility="private", show_progress="hidden")


_NAMED = "(stored) => window.named(stored)"


UNLOCK = "() => { window.showRun(''); }"
"""Shows the page, after the first answer from behind the gate."""
