"""Reads stories of one object in the task's text: `s = Stack(); s.push(1); s.pop() -> 1`, on one line or on several."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from agent.examples.grammar.calls import TextCall, call_at
from agent.examples.grammar.page import Page
from agent.examples.grammar.shown import text_of
from agent.examples.grammar.statements import Statement, example_of
from agent.examples.grammar.typed import names_used
from agent.examples.types import Example
from agent.examples.vocabulary import Phrase
from agent.source.parsing import module_of

from .only_call import stated_apart
from .prose import binds, stated_behind

_MADE = re.compile(r"(?<![\w.=])(?P<name>[a-z_]\w*)\s*=\s*(?P<made>[A-Za-z_]\w*)\(")
_PARTED = Phrase(
    r"[ \t`]*(?:[;,:][ \t]*\n?|[.]?[ \t]*\n|\s(?={and_word}\s|{then}\s))[ \t`>*-]*(?:(?:{and_word}|{then})[ \t]+`?)*"
)
"""What may stand between two statements of one story."""
_SETS = re.compile(r"\s*[-+*/%]?=(?![=>])")
_APPLIED = r"(?:next|len|list|tuple|set|dict|sorted|sum|min|max|str|repr|bool)\({name}\)|{name}\[[^\[\]\n]{{1,40}}\]"
"""Forms of what else than its methods may be asked of an object: `next(it)`, `row[0]`."""
_MOST = 20
"""The most stories, and the most statements of each, that are read."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One thing that a story does with its object, after all that it did `before`."""

    before: tuple[str, ...]
    asked: str
    call: TextCall
    said: Statement | None

    def examples(self, page: Page, found: Statement, start: int) -> Iterator[Example]:
        """Yields what is found as an example of the step; nothing where a text is told that the step does not print."""
        plain = example_of(page, self.asked, replace(found.outcome, seen=""), start, found.end)
        if self.call.printed and not found.outcome.is_error:
            text = text_of(found.outcome.text)
            plain = replace(plain, source=f"assert str({self.asked}) == {text!r}")
            if text is None:
                return
        elif found.outcome.seen:
            return
        yield replace(plain, source="\n".join([*self.before, plain.source]), call=None, expected=None)


def story_examples(page: Page) -> Iterator[Example]:
    """Yields what is promised of an object after everything that the story did with it. From the first unreadable
    statement on, a story promises nothing. Of a report, only what should be is read; there a session is a story,
    too."""
    stories: list[list[_Step]] = []
    for match in islice(_MADE.finditer(page.reading.masked), _MOST):
        line = page.text[page.text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if match["made"] in page.names.known and (page.reporting or ">>>" not in line):
            stories.append(list(_steps(page, match)))
    for steps in stories:
        yield from _righted(page, steps, alone=len(stories) == 1) if page.reporting else _promised(page, steps)


def _promised(page: Page, steps: Sequence[_Step]) -> Iterator[Example]:
    for step in steps:
        if step.said is not None:
            if not binds(page, step.call, step.said, step.call.start):
                return
            yield from step.examples(page, step.said, step.call.start)


def _righted(page: Page, steps: Sequence[_Step], *, alone: bool) -> Iterator[Example]:
    """Yields what a report says should come of a step; of the last one also in a sentence of its own, if the report has
    no other story."""
    found = [step for step in steps if step.said and (step.said.strength == "must" or _is_new(page, step))]
    for step in found:
        if step.said and (_is_new(page, step) or binds(page, step.call, step.said, step.call.start)):
            yield from step.examples(page, step.said, step.call.start)
    last = steps[-1] if steps and alone and not found else None
    name = last.asked.partition(".")[0] if last is not None else ""
    if last is None or re.search(rf"(?<!\w){name}\.", page.text[last.call.end :]):
        return
    apart = stated_apart(page, last.call)
    if apart is not None:
        yield from last.examples(page, apart[1], apart[0])


def _is_new(page: Page, step: _Step) -> bool:
    """Returns whether the step uses what the given class has not, so that nobody can report what it gives; an error is
    what it gives now."""
    name, said = re.split(r"\W", step.call.source)[0], step.said
    plain = said is not None and said.strength != "was" and not said.outcome.is_error
    return plain and page.has_code and re.search(rf"(?<!\w){name}(?!\w)", page.code) is None


def _steps(page: Page, match: re.Match[str]) -> Iterator[_Step]:
    """Yields what is done with the object that is made there, one step after the other."""
    name, made = match["name"], call_at(page.text, match.start("made"), match.end() - 1)
    if made is None:
        return
    done, place = [f"{name} = {made.source}"], made.end
    for _ in range(_MOST):
        call = _next(page, name, place)
        if call is None:
            return
        found, place = _said(page, call, name), call.end
        if found is None and not call.source.endswith(")"):
            return
        asked = call.source if name in names_used(module_of(call.source)) else f"{name}.{call.source}"
        yield _Step(tuple(done), asked, call, found)
        if found is not None:
            place = found.end
            if found.outcome.is_error:
                return
        done.append(asked)


def _next(page: Page, name: str, place: int) -> TextCall | None:
    """Returns what is asked of the object right after `place`; None when anything else stands there."""
    parted = _PARTED.match(page.text, place)
    begun = re.compile(r"print\(" if page.reporting else "").match(page.text, parted.end()) if parted else None
    begin, prints = (begun.end(), bool(begun.group())) if begun else (parted.end() if parted else place, False)
    applied = re.compile(_APPLIED.format(name=name)).match(page.text, begin) if parted else None
    if applied is not None:
        return TextCall(applied.group(), applied.start(), applied.end() + prints, prints)
    call = re.compile(rf"{name}\.([^\W\d]\w*(\()?)").match(page.text, begin) if parted else None
    if call and call[2] is None:
        if _SETS.match(page.text, call.end()):
            return None
        return TextCall(call[1], call.start(1), call.end() + prints, prints)
    found = call_at(page.text, call.start(1), call.end() - 1) if call else None
    return replace(found, end=found.end + prints, printed=prints) if found else None


def _said(page: Page, call: TextCall, name: str) -> Statement | None:
    """Returns what is said of this call and not of the next one."""
    found = stated_behind(page, call, call.start)
    own = found is not None and not re.search(rf"[;\n]|(?<!\w){name}\.", page.text[call.end : found.outcome.start])
    return found if own else None
