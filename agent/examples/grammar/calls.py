"""Finds the calls that a text makes of the names it mentions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from agent.source.parsing import expression_of

from .page import Page
from .typed import names_used
from .values import balanced, literal_call

_MOST = 300
"""How many places of a name are looked at; the call at each of them is parsed."""
_CHAIN = re.compile(r"\.[A-Za-z_]\w*(?=\()")
_ITEM = re.compile(r"\[(?:-?\d+|'[^'\n]{0,40}'|\"[^\"\n]{0,40}\")\](?![\[(])")
"""Matches one item that is taken out of what the call gives."""
_ATTRIBUTE = re.compile(r"\.[a-z_]\w*(?![\w(])")
"""An attribute that is read from the object at the end."""
_WRAPPED = re.compile(
    r"(?<![\w.])(?:(?P<prints>print|(?:console|Console|System\.out|fmt|std)\.\w+|print(?:ln|f)!?|puts|echo)"
    r"|(?P<makes>list|tuple|sorted|set|dict|next)|(?P<takes>len|sum|min|max|abs|any|all|str|repr))\(\Z"
)
"""What may stand around a call; other languages print with other names."""
_LONGEST_WRAPPER = 24
"""Characters before a call that are searched for a wrapper."""
_CODE_LINE = re.compile(
    r"[ \t`*>-]*(?:>>>|E {2,}|\.\.\.|def |class |return |(?:if|elif|while|for)\b[^\n]*:[ \t]*$|@|import "
    r"|from \w+ import|\w+ = (?!\w+\())",
    re.M,
)


_OPERAND = re.compile(r"[ \t]*(?:[-+*/%<>=!&|]|(?:in|is|and|or|not)(?!\w))")
_PROMPT = re.compile(r"[ \t>]*(?:>>>|In ?\[\d+\]:)")


@dataclass(frozen=True, slots=True)
class TextCall:
    source: str
    """The text of the call in canonical spelling."""
    start: int
    end: int
    printed: bool = False
    """Whether `print(...)` stands around it, so that what is told of it is a text."""


def calls_in(page: Page) -> list[TextCall]:
    """Returns the calls with concrete arguments, in order of the text, without those inside string literals."""
    return sorted(_calls(page), key=lambda call: call.start)


def _calls(page: Page) -> Iterator[TextCall]:
    for name in sorted(page.names.known):
        places = re.finditer(rf"(?<![\w.]){re.escape(name)}\(", page.reading.masked)
        for match in islice(places, _MOST):
            call = _call(page, match.start(), match.end() - 1)
            if call is not None:
                yield call


def _call(page: Page, start: int, bracket: int) -> TextCall | None:
    """Returns the call whose arguments open at `bracket`, with methods called on its result and what is done with
    it."""
    text = page.text
    end = balanced(text, bracket)
    while end is not None and (chain := _CHAIN.match(text, end)):
        end = balanced(text, chain.end())
    if end is not None and page.has_code and (item := _ITEM.match(text, end)):
        end = item.end()
    source = literal_call(text[start:end], page.names.known) if end is not None else None
    if source is None or end is None:
        return None
    line = text.rfind("\n", 0, start) + 1
    if _PROMPT.match(text, line) and _OPERAND.match(text, end):
        return _computed(page, start)
    attribute = _ATTRIBUTE.match(text, end) if text[start].isupper() else None
    if attribute is not None:
        return TextCall(source + attribute.group(), start, attribute.end())
    return _wrapped(text, TextCall(source, start, end), asks_more=page.has_code)


def _wrapped(text: str, call: TextCall, *, asks_more: bool) -> TextCall:
    """Returns the call with what stands around it and shows its value: `print(f(2))`, `list(f(2))`, `[*f(2)]`, and, if
    `asks_more`, `len(f(2))`."""
    source, start, end = call.source, call.start, call.end
    if text[start - 2 : start] == "[*" and text[end : end + 1] == "]":
        return TextCall(f"list({source})", start - 2, end + 1)
    inside = _WRAPPED.search(text, max(0, start - _LONGEST_WRAPPER), start) if text[end : end + 1] == ")" else None
    if inside is None or (inside["takes"] and not asks_more):
        return call
    if inside["prints"]:
        end += text.startswith(");", end)  # the stop of a statement ends no sentence
        return TextCall(source, inside.start(), end + 1, printed=True)
    return TextCall(f"{inside['makes'] or inside['takes']}({source})", inside.start(), end + 1)


def _computed(page: Page, start: int) -> TextCall | None:
    """Returns what a session computes from the call at `start`, up to the end of the line; the value that it shows is
    not the call's own."""
    end = (page.text + "\n").index("\n", start)
    whole = expression_of(page.text[start:end])
    used = names_used(whole) if whole is not None else set[str]()
    return TextCall(f"({ast.unparse(whole)})", start, end) if whole is not None and used <= page.names.known else None


def call_at(text: str, start: int, bracket: int) -> TextCall | None:
    """Returns the call that begins at `start` and whose arguments open at `bracket`; None unless they are literals."""
    end = balanced(text, bracket)
    source = literal_call(text[start:end]) if end is not None else None
    return TextCall(source, start, end) if source is not None and end is not None else None


def on_code_line(page: Page, place: int) -> bool:
    """Returns whether `place` stands in a line of code, of a session or of a test report. Such lines are read
    elsewhere, or are no promise."""
    return _CODE_LINE.match(page.text, page.text.rfind("\n", 0, place) + 1) is not None
