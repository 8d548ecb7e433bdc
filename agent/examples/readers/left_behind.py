"""Reads what an argument is after a call: "a = [3, 1]; f(a); a == [1, 3]", "with a = [3, 1], after f(a), a is [1,
3]"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from agent.examples.grammar.endings import ends
from agent.examples.grammar.page import Page
from agent.examples.grammar.values import balanced
from agent.examples.types import Example
from agent.examples.vocabulary import Phrase
from agent.source.inputs import literal
from agent.source.parsing import expression_of

_SET = re.compile(r"(?<![\w.=])(?P<name>[A-Za-z_]\w*)\s*=\s*(?=[\[{(])")
_APART = r"[\s;,:.`*]*"
"""What may stand between two parts. Signs of a session are excluded, since sessions are read elsewhere."""
_SAYS_NOT = re.compile(r"[\s`#/=>→:\-]*(?i:false)\b")
_CALLED = Phrase(
    rf"{_APART}(?:(?:{{and_word}}|{{then}}|ist|is)\s+)?(?:{{after}}\s+)?"
    r"(?:(?:a call of|the call|calling|running|call|run|executing|dem aufruf(?: von)?)\s+)?`*(?P<call>[A-Za-z_]\w*\()"
)
_IS = (
    r"(?:==|(?:is|are|ist|est|es|è|é|equals|becomes|holds)(?:\s+(?:now|then|equal to|jetzt|dann))?"
    r"|{must}\s+(?:be|equal))"
)
_TURNED = r"(?:(?:danach|dann|jetzt|then|now)\s+)?(?:is|ist|est|es)\s+"
"""The verb before the name: "danach ist a [1, 3]"."""
_MOST, _LONGEST = 20, 400
"""The most assignments, and the most characters up to what is said of the name, so that hostile texts stay cheap."""


def changed_examples(page: Page) -> Iterator[Example]:
    """Yields what the text says an argument is after a call of a known function. Not used for reports on given code."""
    if page.has_code or page.reporting:
        return
    for match in islice(_SET.finditer(page.text), _MOST):
        stop = balanced(page.text, match.end())
        told = _told(page, match["name"], match.start(), stop) if stop is not None else None
        if told is not None:
            yield told


def _told(page: Page, name: str, start: int, stop: int) -> Example | None:
    text = page.text
    called = _CALLED.match(text, stop)
    end = balanced(text, called.end() - 1) if called else None
    call = _call(text[called.start("call") : end], name) if called and end is not None else None
    if call is None or end is None or call.partition("(")[0] not in page.names.known:
        return None
    said = _said_of(name).match(text, end)
    over = balanced(text, said.end()) if said else None
    if said is None or over is None or over - start > _LONGEST or _is_unsure(page, start, over):
        return None
    before, after = text[start:stop].partition("=")[2].strip(), text[said.end() : over]
    if literal(before) is None or literal(after) is None or not ends(text, over, after) or _SAYS_NOT.match(text, over):
        return None
    if after == "{}" and not before.startswith("{}") and ":" not in before:
        return None  # people also write {} for an empty set
    source = f"{name} = {before}\n{call}\nassert {name} == {after}"
    return Example(source, page.reading.quote(page.reading.sentence(start, stop)[0], over))


def _said_of(name: str) -> Phrase:
    thing = rf"`*{re.escape(name)}`*\s*"
    lead = rf"{_APART}(?:#\s*|->\s*)?(?:(?:{{and_word}}|{{then}}|assert|now|jetzt)\s+)*"
    return Phrase(rf"{lead}(?:{thing}{_IS}|{_TURNED}{thing})\s*`*(?=[\[{{(])")


def _call(text: str, name: str) -> str | None:
    """Returns the call in plain Python, if the name is exactly one of its arguments and the others are literals; None
    otherwise."""
    node = expression_of(text)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    named = [isinstance(one, ast.Name) and one.id == name for one in given]
    plain = all(is_name or literal(ast.unparse(one)) is not None for one, is_name in zip(given, named, strict=True))
    return ast.unparse(node) if sum(named) == 1 and plain else None


def _is_unsure(page: Page, start: int, end: int) -> bool:
    begin, over = page.reading.sentence(start, start)[0], page.reading.sentence(end - 1, end)[1]
    return page.doubts.unsure(begin, over, "denied", "supposed", "imagined", "reported", "about")
