"""Writes the document's head: style and script of the page, its icon, and what a pasted link shows.

The head is part of the HTML that is served. Gradio's own `head` argument would be put in by a script, too late for the
first paint, and services that show a pasted link would never see it.
"""

from __future__ import annotations

import re
from typing import cast
from urllib.parse import quote

import gradio.routes as pages
from jinja2 import BaseLoader, FunctionLoader
from markupsafe import Markup

from ..panels.header import intro_panel
from .assets import ICON, PAGE_JS
from .markup import join, tag
from .theme import CSS

_ABOUT = "Describe a task. Get a Python program, its tests, and a verdict that the sandbox counted."
_GRADIOS = cast(BaseLoader, pages.templates.env.loader)
"""Where Gradio keeps its pages."""
_SOCIAL = re.compile(r'<meta\s+(?:property="og:|name="twitter:)[^>]*>')
"""Gradio's own tags for a pasted link."""
_ROOT = Markup("{{ config['root'] }}")
"""A placeholder that is filled in for each request: the address at which the visitor, or a proxy before us, has reached
the page."""

_EARLY = str(
    join(
        (
            Markup("{% if not config['current_page'] %}"),
            tag("div", tag("div", intro_panel(), cls="early-home"), id="early", cls="sha", aria_hidden="true"),
            Markup("{% endif %}"),
        )
    )
)
"""The words of the first screen, where Gradio will put them later. A visitor can read them while Gradio's scripts
load."""


def serve_head(title: str) -> None:
    """Gives every page that this process serves our head instead of Gradio's tags."""
    words = head(title)

    def served(name: str) -> str:
        page = _GRADIOS.get_source(pages.templates.env, name)[0]
        return (
            _SOCIAL.sub("", page)
            .replace("</head>", f"{words}</head>", 1)
            .replace("<gradio-app", f"{_EARLY}<gradio-app", 1)
        )

    pages.templates.env.loader = FunctionLoader(served)
    pages.templates.env.cache = {}


def head(title: str) -> str:
    """Returns the head as a part of a Jinja template. All its texts come from our own files; it holds nothing that a
    person typed."""
    picture = _ROOT + "/card.png"
    told = (
        ("og:title", title), ("og:description", _ABOUT), ("og:type", "website"), ("og:url", _ROOT),
        ("og:image", picture), ("og:image:width", "1280"), ("og:image:height", "844"),
    )  # fmt: skip
    beside = (("twitter:card", "summary_large_image"), ("twitter:title", title), ("twitter:description", _ABOUT))
    return str(
        join(
            (
                tag("title", title),
                tag("meta", name="description", content=_ABOUT),
                *(tag("meta", property=name, content=words) for name, words in told),
                *(tag("meta", name=name, content=words) for name, words in (*beside, ("twitter:image", picture))),
                tag("link", rel="icon", type="image/svg+xml", href=f"data:image/svg+xml,{quote(ICON)}"),
                # Ours comes after Gradio's sheet, so that it has the last word.
                tag("style", _literal(CSS)),
                tag("script", _literal(PAGE_JS)),
            )
        )
    )


def _literal(text: str) -> Markup:
    """Marks a text so that Jinja does not read it as a template."""
    return Markup("{% raw %}" + text + "{% endraw %}")
