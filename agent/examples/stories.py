"""Reads stories of one object in the task's text: `s = Stack(); s.push(1); s.pop() -> 1`, on one line or on several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from .calls import TextCall
from .page import Page
from .prose import binds, stated_behind
from .statements import Statement, example_of
from .types import Example
from .values import balanced, literal_call

_MADE = re.compile(r"(?<![\w.=])(?P<name>[a-z_]\w*)\s*=\s*(?P<made>[A-Za-z_]\w*)\(")
_PARTED = re.compile(r"[ \t`]*(?:[;,][ \t]*\n?|[.]?[ \t]*\n)[ \t`>*-]*")
"""What may stand between two statements of one story."""
_SETS = re.compile(r"\s*[-+*/%]?=(?![=>])")
_MOST = 20
"""The most stories, and the most statements of each, that are read."""


def story_examples(page: Page) -> Iterator[Example]:
    """Yields what is promised of an object after everything that the story did with it. From the first unreadable
    statement on, a story promises nothing. Reports and sessions are not read here."""
    if page.reporting:
        return
    for match in islice(_MADE.finditer(page.reading.masked), _MOST):
        line = page.text[page.text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if match["made"] in page.names.known and ">>>" not in line:
            yield from _told(page, match)


def _told(page: Page, match: re.Match[str]) -> Iterator[Example]:
    name, place = match["name"], balanced(page.text, match.end() - 1)
    made = literal_call(page.text[match.start("made") : place]) if place is not None else None
    if made is None or place is None:
        return
    done = [f"{name} = {made}"]
    for _ in range(_MOST):
        call = _next(page, name, place)
        if call is None:
            return
        found, place = _said(page, call, name), call.end
        if found is None and not call.source.endswith(")"):
            return
        asked = f"{name}.{call.source}"
        if found is not None:
            if not binds(page, call, found, call.start):
                return
            plain = example_of(page, asked, found.outcome, call.start, found.end)
            yield replace(plain, source="\n".join([*done, plain.source]), call=None, expected=None)
            place = found.end
            if found.outcome.is_error:
                return
        done.append(asked)


def _next(page: Page, name: str, place: int) -> TextCall | None:
    """Returns the method call or attribute of the object right after `place`; None when anything else stands there."""
    parted = _PARTED.match(page.text, place)
    call = re.compile(rf"{name}\.([^\W\d]\w*(\()?)").match(page.text, parted.end()) if parted else None
    if call and call[2] is None:
        if _SETS.match(page.text, call.end()):
            return None
        return TextCall(call[1], call.start(1), call.end())
    end = balanced(page.text, call.end() - 1) if call else None
    source = literal_call(page.text[call.start(1) : end]) if call and end is not None else None
    return TextCall(source, call.start(1), end) if call and source is not None and end is not None else None


def _said(page: Page, call: TextCall, name: str) -> Statement | None:
    """Returns what is said of this call and not of the next one."""
    found = stated_behind(page, call, call.start)
    own = found is not None and not re.search(rf"[;\n]|(?<!\w){name}\.", page.text[call.end : found.outcome.start])
    return found if own else None
