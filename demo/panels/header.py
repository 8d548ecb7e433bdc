"""Writes head and foot of the page.

They tell where one is, who would answer now, and what is kept. If a key is demanded, this module writes the card that
asks for it.
"""

from __future__ import annotations

from markupsafe import Markup

from agent.outcome.words import SCRIPTED, SCRIPTED_LONG
from demo.look.markup import button, div, icon, join, span, tag

TITLE = "Self-Healing Code Agent"


PAGES = (("Insights", "insights"), ("Benchmarks", "benchmarks"), ("Settings", "settings"))


def header_panel() -> Markup:
    brand = button("clear", "shield", TITLE, cls="brand", aria_label=f"{TITLE}: new task")
    history = button("expand", "history", "History", data_drawer="toggle")
    skip = tag("a", "Skip to the content", href="#", cls="skip")
    return join((skip, div("header", brand, _nav("", "quiet page-link", history))))


def page_head(name: str) -> Markup:
    """Returns the head of a page beside the first one: the way back, and the title."""
    words = (icon("shield"), span("label", TITLE))
    brand = tag("a", *words, href="./", cls="brand", aria_label=f"{TITLE}: first page")
    return join((div("header page-header", brand, _nav(name, "quiet")), tag("h1", name, cls="page-title")))


def _nav(here: str, cls: str, *more: Markup) -> Markup:
    pages = (
        tag("a", span("label", words), href=address, cls=cls, aria_current="page" if words == here else None)
        for words, address in PAGES
    )
    theme = button(None, "sun", data_theme_toggle="1", aria_label="Light or dark")
    return tag("nav", *pages, *more, theme, aria_label="Pages")


def chip_panel(label: str, scripted: bool) -> Markup:
    """Returns the chip that says who would answer if Run were pressed now."""
    words = SCRIPTED if scripted else label
    title = SCRIPTED_LONG if scripted else f"{label} will write the programs"
    look = "chip model scripted" if scripted else "chip model"
    dot = span("dot", aria_hidden="true")
    return button("edit", "", "", dot, words, cls=look, title=title, aria_label=f"Model: {words}. Change it")


def intro_panel() -> Markup:
    words = (
        "Describe a task. Watch it get written, attacked and repaired, and get a verdict that the sandbox counted, "
        "not one that a model claims."
    )
    return join((tag("h1", "Python that proves itself"), tag("p", words, cls="intro")))


def proof_points() -> Markup:
    told = (
        (
            "Three kinds of checks",
            "Your examples decide. A second, independent source confirms. The model's own never decide alone.",
        ),
        (
            "Walled off",
            "Every program runs without network, without your keys, within limits; each wall is tried, not assumed.",
        ),
        ("Yours to check again", "Download program, tests and journal, with a script that finds one changed byte."),
    )
    return div("points", *(div("point", tag("h3", head), tag("p", words)) for head, words in told))


def footer_panel(*, kept: str, source: str = "") -> Markup:
    links = (
        tag("span", kept),
        tag("a", "MIT licence", href="https://opensource.org/license/mit", rel="noopener"),
        tag("a", "Source", href=source, rel="noopener") if source else None,
        tag("a", "API", href="?view=api"),
        tag("a", "REST", href="docs"),
        tag("span", "MCP at ", tag("code", "gradio_api/mcp/")),
    )
    # These links serve if the head has no room for them; see the style sheet.
    pages = (tag("a", words, href=address) for words, address in PAGES)
    nav = tag("span", join(pages, Markup(" · ")), cls="foot-pages")
    return tag("footer", nav, join(links, Markup(" · ")), tag("span", id="told", role="status", cls="told"))


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
