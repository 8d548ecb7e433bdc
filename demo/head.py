"""What stands in the document's head: the script of the page, its icon, and what a pasted link shows."""

from __future__ import annotations

from urllib.parse import quote

from markupsafe import Markup

from .assets import ICON, PAGE_JS
from .markup import join, tag
from .theme import CSS

_ABOUT = "Describe a task. Get a Python program, its tests, and a verdict that the sandbox counted."


def head(title: str, *, locked: bool) -> str:
    icon = f"data:image/svg+xml,{quote(ICON)}"
    told = (("og:title", title), ("og:description", _ABOUT), ("og:type", "website"), ("og:image", "card.png"))
    # The texts are ours, from a file of ours: nothing that anybody typed stands here.
    return str(
        join(
            (
                tag("meta", name="description", content=_ABOUT),
                *(tag("meta", property=name, content=words) for name, words in told),
                tag("link", rel="icon", type="image/svg+xml", href=icon),
                tag("meta", name="locked", content="yes") if locked else None,
                # Here and not among the settings of Gradio, which would rewrite the selectors and paint first.
                tag("style", Markup(CSS)),
                tag("script", Markup(PAGE_JS)),
            )
        )
    )
