"""Builds HTML so that every text is escaped unless this module made it.

Nothing that a model writes can become markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from markupsafe import Markup, escape

Child = object
_STEERING = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that begin escape sequences or turn the direction of writing. Code that shows them reads as something
other than it is."""
_VOID = frozenset({"img", "br", "hr", "input", "meta", "link"})


def tag(_name: str, /, *children: Child, **attributes: object) -> Markup:
    """Returns an element. `cls` becomes class, and `data_key` becomes data-key. True gives a bare attribute; None and
    False give none."""
    told = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    return Markup(f"<{_name}{told}>" if _name in _VOID else f"<{_name}{told}>{join(children)}</{_name}>")


def join(children: Iterable[Child], between: str = "") -> Markup:
    """Returns the children side by side, each escaped unless it is markup already. None and "" are left out."""
    told = (_escaped(one) for one in children if one is not None and one != "")
    return Markup(str.join(escape(between), told))


def _escaped(text: object) -> Markup:
    # A page has thousands of these a second, so text that is markup already is not searched again.
    return text if type(text) is Markup else escape(plain(text))


def plain(text: object) -> str:
    """Returns the text with the characters of _STEERING spelt out."""
    return _STEERING.sub(lambda found: ascii(found[0])[1:-1], str(text))


def _attribute(key: str, value: object) -> str:
    if value is False:
        return ""
    return f" {_name_of(key)}" if value is True else f' {_name_of(key)}="{_escaped(value)}"'


@cache
def _name_of(key: str) -> str:
    return "class" if key == "cls" else key.rstrip("_").replace("_", "-")


def div(cls: str, *children: Child, **attributes: object) -> Markup:
    return tag("div", *children, cls=cls, **attributes)


def span(cls: str, *children: Child, **attributes: object) -> Markup:
    return tag("span", *children, cls=cls, **attributes)


def hidden_text(words: str) -> Markup:
    return span("sr", words)


def with_code(words: str) -> Markup:
    """Returns the words with what stands between backticks set as code."""
    parts = words.split("`")
    return join(tag("code", part) if at % 2 and at < len(parts) - 1 else part for at, part in enumerate(parts))


def code_block(text: str, label: str = "") -> Markup:
    """Returns preformatted text that scrolls sideways and that the keyboard can reach."""
    return tag("pre", tag("code", text), cls="listing", tabindex="0", role="region", aria_label=label or "text")


def button(
    event: str | None, sign: str, words: str = "", *more: Child, cls: str = "quiet", **attributes: object
) -> Markup:
    """Returns a button that sends its event to the page, by `panel.js`. A phone shows only its icon."""
    shown = (icon(sign) if sign else None, span("label", words) if words else None)
    return tag("button", *shown, *more, type="button", cls=cls, data_do=event, **attributes)


def table(label: str, heads: Iterable[Child], rows: Iterable[Markup]) -> Markup:
    """Returns a table that scrolls sideways by itself and that the keyboard can reach."""
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in heads)))
    return div(
        "scroll", tag("table", head, tag("tbody", *rows), cls="plain"), tabindex="0", role="region", aria_label=label
    )


def table_row(name: Child, *values: Child, cls: str | None = None) -> Markup:
    return tag("tr", tag("th", name, scope="row"), *(tag("td", value) for value in values), cls=cls)


def figures(rows: Iterable[tuple[str, Child]], *, cls: str = "figures") -> Markup:
    """Returns each figure with its name; figures that are None are left out."""
    return tag(
        "dl", *(div("figure", tag("dt", name), tag("dd", one)) for name, one in rows if one is not None), cls=cls
    )


def section_fold(key: str, title: str, count: str, *children: Child) -> Markup:
    """Returns a closed section with its heading and its figure. With `key` the page remembers that the person opened
    it."""
    head = tag("summary", tag("h2", title), span("dim", count))
    return tag("details", head, div("fold-body", *children), cls="fold", data_key=key)


def fold_away(key: str, summary: Child, *children: Child) -> Markup:
    """Returns a closed part inside a section."""
    return tag("details", tag("summary", summary), *children, cls="more", data_key=key)


def listed(title: str, items: Iterable[Child], kind: str = "ul") -> Markup | None:
    """Returns the items as a list under their heading; None if there are none."""
    lines = [tag("li", item) for item in items]
    return join((tag("h3", title), tag(kind, *lines))) if lines else None


@cache
def icon(name: str) -> Markup:
    """Returns a drawn icon. Emoji are not used, because many machines have no font for them."""
    return Markup(
        f'<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d="{_PATHS[name]}"/></svg>'
    )


_PATHS = {
    "pass": "M3 8.5l3.2 3.2L13 4.8",
    "fail": "M4 4l8 8M12 4l-8 8",
    "error": "M8 3v6.5M8 12v.8",
    "timeout": "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3.2l2.2 1.6",
    "skipped": "M4 8h8",
    "shield": "M8 1.8l5 1.9v3.9c0 3.2-2.1 5.4-5 6.6c-2.9-1.2-5-3.4-5-6.6V3.7zM5.6 8l1.8 1.8l3.2-3.4",
    "question": "M5.8 6a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6M8 12.2v.6",
    "pause": "M5.5 3.5v9M10.5 3.5v9",
    "stop": "M4 4h8v8H4z",
    "code": "M6 4L2 8l4 4M10 4l4 4l-4 4",
    "tests": "M3 4.5l1.2 1.2L6.5 3.4M3 11l1.2 1.2l2.3-2.3M8.5 4.8H14M8.5 11.2H14",
    "run": "M5 3.2v9.6l7.5-4.8z",
    "tool": "M10.5 2.5a3.2 3.2 0 0 0-2.9 4.6L2.8 11.9l1.5 1.5l4.8-4.8a3.2 3.2 0 0 0 4.3-3.9L11.3 6.6L9.6 4.9l1.9-2z",
    "ruling": "M8 2.5v11M5 13.5h6M3 4.5h10M3 4.5l-1.5 4h3zM13 4.5l-1.5 4h3z",
    "call": "M2.5 3.5h11v7.5H7l-3 2.5V11H2.5z",
    "text": "M3 4.5h10M3 8h10M3 11.5h6",
    "node": "M8 5.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5",
    "judge": "M3 8h9M8.5 4.5L12 8l-3.5 3.5",
    "start": "M5 3.2v9.6l7.5-4.8z",
    "end": "M4 13.5v-11h8l-1.8 3l1.8 3H4",
    "back": "M10 3.5L5.5 8l4.5 4.5",
    "again": "M13 8a5 5 0 1 1-1.6-3.7M13.2 2.2v2.6h-2.6",
    "edit": "M10.8 2.8l2.4 2.4L6 12.4l-3 .6l.6-3zM9.4 4.2l2.4 2.4",
    "link": "M6.5 9.5l3-3M7 4.8l1.3-1.3a2.7 2.7 0 0 1 3.9 3.8L10.8 8.7M9 11.2l-1.3 1.3a2.7 2.7 0 0 1-3.9-3.8L5.2 7.3",
    "unlink": "M7 4.8l1.3-1.3a2.7 2.7 0 0 1 3.9 3.8L10.8 8.7M9 11.2l-1.3 1.3a2.7 2.7 0 0 1-3.9-3.8L5.2 7.3M3 3l10 10",
    "compare": "M5.5 2.5v11M10.5 2.5v11M1.8 5.5h7.4M6.8 10.5h7.4",
    "copy": "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
    "history": "M3 8a5 5 0 1 1 1.6 3.7M2.8 13.8v-2.6h2.6M8 5.2V8l2 1.4",
    "search": "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3l3.2 3.2",
    "sun": "M8 5.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4",
    "key": "M5.2 6.4a2.7 2.7 0 1 0 0 5.4a2.7 2.7 0 1 0 0-5.4M7.4 7.4l5.4-5M10.6 4.4l1.8 1.8",
    "trash": "M3 4.5h10M6.2 4.3V2.6h3.6v1.7M4.3 4.5l.6 9h6.2l.6-9",
    "down": "M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10",
}
