"""What stands in the document's head: the look and script of the page, its icon, and what a pasted link shows.

It is part of the HTML that is served. What Gradio itself takes as `head` is put in by a script, too late for the first
paint, and never seen by whoever shows a pasted link.
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
"""Gradio's own words for a pasted link."""
_ROOT = Markup("{{ config['root'] }}")
"""Filled in for each request: the address under which the visitor, or a proxy before us, has reached the page."""

_EARLY = str(
    join(
        (
            Markup("{% if not config['current_page'] %}"),
            tag("div", tag("div", intro_panel(), cls="early-home"), id="early", cls="sha", aria_hidden="true"),
            Markup("{% endif %}"),
        )
    )
)
"""The words of the first screen where Gradio will put them: read while its scripts are still on their way."""


def serve_head(title: str) -> None:
    """Every page that this process serves gets our head instead of Gradio's words."""
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
    """A part of a jinja2 template. The texts are ours, from files of ours: nothing that anybody typed stands here."""
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
                # Behind Gradio's own sheet, so that ours has the last word.
                tag("style", _literal(CSS)),
                tag("script", _literal(PAGE_JS)),
            )
        )
    )


def _literal(text: str) -> Markup:
    """Not to be read as a template."""
    return Markup("{% raw %}" + text + "{% endraw %}")
