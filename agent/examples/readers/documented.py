"""Reads what sessions in the documentation of given code promise. Where the person's text says something else of a
call, the text is newer than the documentation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from agent.examples.grammar.links import ARROW
from agent.examples.grammar.page import Page
from agent.examples.grammar.values import promise, value_at
from agent.examples.types import Example
from agent.source.inputs import arguments_of, literal

from .doctests import doctest_examples


def documented_examples(page: Page, code: str, told: Sequence[Example], rivals: Sequence[Example]) -> Iterator[Example]:
    """Yields the promises of `code`, wherever they stand in it, except of calls of which the text itself promises
    something (`told`) or shows another result (`rivals`)."""
    newer = {promised_of(example) for example in (*told, *rivals)}
    documented = doctest_examples(page, code, lambda _start, _end: True)
    yield from (example for example in documented if promised_of(example) not in newer)


def rivals_of_documentation(page: Page, loosely: Callable[[], Sequence[Example]]) -> Sequence[Example]:
    """Returns results that the text shows of calls of which the documentation shows others, each with that other one
    behind it: `"a-b" -> "AB"` may tell what is given or what should be given, which running the code decides. `loosely`
    reads what the text would promise if there were no code."""
    documented = {promised_of(one): one for one in doctest_examples(page, page.code, lambda _start, _end: True)}
    if not documented:
        return ()
    shown = {promised_of(one): one for one in (*_behind_arrows(page, documented), *loosely())}
    pairs = ((one, documented[asked]) for asked, one in shown.items() if asked in documented)
    return [one for new, old in pairs if promise_of(new) != promise_of(old) for one in (new, old)]


def _behind_arrows(page: Page, calls: Iterable[str]) -> Iterator[Example]:
    """Yields the value that stands behind the only argument of a call and an arrow."""
    for call in calls:
        given = arguments_of(call)
        for spelled in {repr(given[0]), f'"{given[0]}"'} if given and len(given) == 1 else ():
            found = re.search(rf"{re.escape(spelled)}[ \t`]*(?:{ARROW})[ \t`]*", page.text)
            value = value_at(page.text, found.end()) if found else None
            if found and value:
                yield promise(call, value[0], page.reading.quote(found.start(), value[1]))


def promised_of(example: Example) -> str:
    """Returns the call that is promised something, or all steps before the result, or the whole source."""
    done, equal, _ = example.source.rpartition(" == ")
    if example.call is None and equal and "\n" in done:
        return done
    if "capsys" in example.source:
        return example.source.rpartition("\n")[0]
    raised = re.fullmatch(r"with pytest\.raises\(\w+\):\n    (.+)", example.source)
    return example.call or (raised.group(1) if raised else example.source)


def promise_of(example: Example) -> str:
    """Returns the promised result in one spelling."""
    value = literal(example.expected) if example.expected is not None else None
    if value is not None and isinstance(value[0], float) and value[0].is_integer():
        return repr(int(value[0]))
    return repr(value[0]) if value is not None else example.source
