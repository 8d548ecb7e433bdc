"""Reads two results that a report tells of one call without a word that says which is right: "f(2) is 3 and not 4",
"f(2) gives 3 => 4", "f(2) == 3" beside "f(2) == 4". Running the given program decides: what it gives is the fault."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agent.examples.grammar.calls import TextCall
from agent.examples.grammar.endings import NOT, stands_free
from agent.examples.grammar.links import ARROW, PromisedValue, follow, outcome_at, skip_markup
from agent.examples.grammar.page import Page
from agent.examples.grammar.values import promise, raises
from agent.examples.types import Example

_LEADS_ON = re.compile(rf"[^.;!?\n()]{{0,80}}?(?:{ARROW})")
_ENDED = re.compile(r"[\s`*]*(?:[.!;,)#]|\Z|\n|//)")


def rival_results(page: Page, calls: Sequence[TextCall]) -> Iterator[Example]:
    """Yields each of the results, if a call has exactly two that differ."""
    told: dict[str, list[tuple[PromisedValue, str]]] = {}
    for place, call in enumerate(calls):
        behind = calls[place + 1].start if place + 1 < len(calls) else len(page.text)
        begin, end = page.reading.sentence(call.start, call.end)
        if stands_free(page.text, begin, call.start):
            found = told.setdefault(call.source, [])
            found += [(each, page.reading.quote(begin, end)) for each in _told(page.text, call, behind)]
    for source, found in told.items():
        if len({each.text for each, _ in found}) == 2:
            for each, sentence in found:
                yield (raises if each.is_error else promise)(source, each.text, sentence)


def _told(text: str, call: TextCall, behind: int) -> Iterator[PromisedValue]:
    """Yields the value behind the call, and the one that is set against it."""
    first = follow(text, call.end)
    if first is None or first[1].end > behind:
        return
    way, value = first
    yield value
    against = NOT.match(text, value.end) or _LEADS_ON.match(text, value.end, behind)
    other = outcome_at(text, skip_markup(text, against.end())) if against else None
    if way and other is not None and other.end <= behind and _ENDED.match(text, other.end):
        yield other
