"""Head and foot of the page: where one is, who would answer now, and what is kept."""

from __future__ import annotations

from markupsafe import Markup

from agent.outcome.words import SCRIPTED, SCRIPTED_LONG
from demo.look.markup import div, icon, join, span, tag

TITLE = "Self-Healing Code Agent"


def header_panel() -> Markup:
    brand = tag(
        "button",
        icon("shield"),
        span("label", TITLE),
        type="button",
        cls="brand",
        data_do="clear",
        aria_label=f"{TITLE}: new task",
    )
    history = tag(
        "button",
        icon("history"),
        span("label", "History"),
        type="button",
        cls="quiet",
        data_drawer="toggle",
        data_do="expand",
    )
    theme = tag("button", icon("sun"), type="button", cls="quiet", data_theme_toggle="1", aria_label="Light or dark")
    pages = [tag("a", span("label", words), href=address, cls="quiet page-link") for words, address in PAGES]
    skip = tag("a", "Skip to the content", href="#", cls="skip")
    return join((skip, div("header", brand, tag("nav", *pages, history, theme, aria_label="Pages"))))


def page_head(name: str) -> Markup:
    """The head of a page beside the first one: the way back, and its title."""
    brand = tag("a", icon("shield"), span("label", TITLE), href="./", cls="brand", aria_label=f"{TITLE}: first page")
    pages = [
        tag("a", span("label", words), href=address, cls="quiet", aria_current="page" if words == name else None)
        for words, address in PAGES
    ]
    theme = tag("button", icon("sun"), type="button", cls="quiet", data_theme_toggle="1", aria_label="Light or dark")
    return join(
        (
            div("header page-header", brand, tag("nav", *pages, theme, aria_label="Pages")),
            tag("h1", name, cls="page-title"),
        )
    )


PAGES = (("Insights", "insights"), ("Benchmarks", "benchmarks"), ("Settings", "settings"))


def chip_panel(label: str, scripted: bool) -> Markup:
    """Who would answer if Run were pressed now."""
    words = SCRIPTED if scripted else label
    title = SCRIPTED_LONG if scripted else f"{label} will write the programs"
    look = "chip model scripted" if scripted else "chip model"
    return tag(
        "button",
        span("dot", aria_hidden="true"),
        words,
        type="button",
        cls=look,
        data_do="edit",
        title=title,
        aria_label=f"Model: {words}. Change it",
    )


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
    # Where the head has no room for them, see the style sheet.
    pages = (tag("a", words, href=address) for words, address in PAGES)
    nav = tag("span", join(pages, Markup(" · ")), cls="foot-pages")
    return tag("footer", nav, join(links, Markup(" · ")), tag("span", id="told", role="status", cls="told"))
