"""Where a key is demanded: the one card that a stranger sees."""

from __future__ import annotations

from markupsafe import Markup

from demo.look.markup import div, icon, join, tag


def locked_panel() -> Markup:
    field = tag("input", type="password", id="page-key", name="key", autocomplete="current-password", required=True)
    label = tag("label", "Key of this app", for_="page-key")
    send = tag("button", "Enter", type="submit", cls="enter")
    words = "Its owner asks for a key before it shows or runs anything. The key is checked and not stored."
    form = tag("form", label, div("key-row", field, send), tag("p", role="alert", cls="key-told"), id="key-form")
    return tag(
        "section",
        tag("h1", join((icon("key"), " This page is locked"))),
        tag("p", words, cls="hint"),
        form,
        cls="locked-card",
    )
