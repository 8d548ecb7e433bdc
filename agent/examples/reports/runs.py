"""Reads what a report tells of runs of the given program: what was typed, what came out, and what should come out. The
given program is run on what was typed, so a run that was read wrongly shows nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from agent.examples.grammar.calls import TextCall
from agent.examples.grammar.links import PromisedValue, outcomes_in
from agent.examples.grammar.page import Page
from agent.examples.grammar.shown import text_of
from agent.examples.readers.blocks import ANY_LABEL, LABELS, Labelled, blocks_in
from agent.examples.readers.only_call import demanded_of
from agent.examples.runs.commands import INPUT, commands_in, prints, typed
from agent.examples.types import Example, SymptomReport
from agent.examples.vocabulary import Phrase

from .rivals import rivals_of

_MOST = 60
"""The most labels, and the most runs, that are looked at."""
_BODY = re.compile(
    r"(?:[ \t]*\n)*(?:[ \t>]*```\w*\n(?P<fenced>.*?)\n?[ \t>]*```|(?P<lines>(?:[^\n]*\S[^\n]*(?:\n|\Z))+))", re.S
)
_LABEL = Phrase(
    rf"^[ \t>*#-]{{0,12}}(?:(?:the|with the|for the|die|der|la|el|le) )?(?:{ANY_LABEL})\*{{0,2}}(?:[ ]*#?\d+)?[ ]*"
    r"(?:[:\uff1a]\**|\**[ \t]*$)",
    re.M | re.I,
)
"""A label that begins its line, with a colon, or alone on its line."""
_QUOTED = r"(?:\"[^\"\n]{1,80}\"|`[^`\n]{1,80}`|'[^'\n]{1,80}')"
_QUOTED_INPUT = re.compile(
    rf"(?<!\w){INPUT}[ \t]*:?[ \t]+(?P<behind>{_QUOTED})|(?P<before>{_QUOTED})\s+(?:as|als|comme|como)\s+{INPUT}", re.I
)
_NUMBER = r"-?\d+(?:\.\d+)?"
_TYPED_NUMBERS = Phrase(
    rf"(?<!\w)(?:typ(?:e|ed|ing)|enter(?:ed|ing)?)\s+(?P<row>{_NUMBER}(?:(?:\s*,\s*|\s+|\s+{{and_word}}\s+){_NUMBER})*)(?![\w.]*\w)"
)
"""Numbers that somebody types, each on its line or all on one."""


@dataclass(frozen=True, slots=True)
class ToldRun:
    """One run of the given program."""

    call: str
    """The run as a call of `run_program`."""
    sentence: str
    gave: tuple[str, ...]
    """Texts of which one is what came out; () if none is told."""
    wanted: str | None
    """The text that should come out; None if none is told."""
    labelled: bool
    """Whether labels say what each text is."""


def told_runs(page: Page) -> tuple[ToldRun, ...]:
    """Returns the runs that the text tells of, in labelled blocks or in sentences."""
    return tuple(islice((*_in_blocks(page), *_in_sentences(page)), _MOST))


def reports_of_runs(runs: Sequence[ToldRun]) -> Iterator[SymptomReport]:
    """Yields what is told to come out of each run. What no label calls so is believed if the program puts it out."""
    for run in runs:
        if run.gave or not run.labelled:
            stated, fault = tuple(map(repr, run.gave)), run.wanted is not None
            yield SymptomReport(run.call, run.sentence, stated, fault, written=run.labelled)


def wishes_of_runs(runs: Iterable[ToldRun]) -> Iterator[Example]:
    for run in runs:
        if run.wanted is not None:
            yield Example(prints(run.call, run.wanted), run.sentence, run.call, repr(run.wanted))


def _in_blocks(page: Page) -> Iterator[ToldRun]:
    """Reads "Input: ... Expected: ... Actual: ...", each on its line or above its lines. Of two outputs, "my output" is
    what came out."""
    for labels in blocks_in(page.text, _LABEL):
        told = ((one.label, _body(page.text, one)) for one in reversed(labels))
        block = {label: body for label, body in told if body is not None}
        given, wanted, gave, other = (block.get(label) for label in LABELS)
        wanted, gave = (other, gave) if wanted is None and gave is not None else (wanted, gave or other)
        if given is not None and (wanted or gave):
            sentence = page.reading.quote(labels[0].start, labels[-1].end)
            yield ToldRun(_line_typed(given), sentence, (gave,) if gave else (), wanted, labelled=True)


def _body(text: str, label: Labelled) -> str | None:
    """Returns what stands behind the label, on its line or below it; None for nothing."""
    line = text[label.end : (text + "\n").index("\n", label.end)].strip()
    if line:
        return line.strip("`") if line.count("`") in (0, 2) else None
    found = _BODY.match(text, label.end, label.stop)
    if found is None:
        return None
    return "\n".join(each.rstrip() for each in (found["fenced"] or found["lines"] or "").strip("\n").split("\n"))


def _line_typed(given: str) -> str:
    return typed(given.rstrip("\n") + "\n")


def _in_sentences(page: Page) -> Iterator[ToldRun]:
    """Reads commands and quoted input with what is said behind them."""
    calls = sorted((*_commands(page), *_quoted_inputs(page)), key=lambda call: call.start)
    rivals = [*rivals_of(page, calls)]
    for call in calls:
        stop = next((other.start for other in calls if other.start > call.start), len(page.text))
        told = demanded_of(page, call)
        wanted = _shown(told.outcome) if told and told.end <= stop else None
        gave = tuple(dict.fromkeys(_outputs(page, call, stop)))
        either = [_shown(one) for source, one in rivals if source == call.source]
        for each in [wanted] if wanted is not None else (either or [None]):
            if each is not None or gave:
                sentence = page.reading.quote(*page.reading.sentence(call.start, call.end))
                others = tuple(text for text in gave if text != each)
                yield ToldRun(call.source, sentence, others, each, labelled=False)


def _shown(outcome: PromisedValue) -> str | None:
    """Returns the text that a run shows if it prints the value; a decimal number as it is written, because the run will
    show whether that was its text."""
    if outcome.is_error:
        return None
    return outcome.text if re.fullmatch(_NUMBER, outcome.text) else text_of(outcome.text)


def _commands(page: Page) -> Iterator[TextCall]:
    for source, start, end in commands_in(page.text):
        yield TextCall(source, start, end, printed=True)


def _quoted_inputs(page: Page) -> Iterator[TextCall]:
    """Yields what is typed between quotes or backticks beside a word for input: `Input "a b"`, `"a b" as input`."""
    for match in islice(_QUOTED_INPUT.finditer(page.text), _MOST):
        given = next(text for text in (match["behind"], match["before"]) if text)
        yield TextCall(_line_typed(given[1:-1].replace("\\n", "\n")), match.start(), match.end(), printed=True)
    for match in islice(_TYPED_NUMBERS.finditer(page.text), _MOST):
        numbers = re.findall(_NUMBER, match["row"])
        for given in dict.fromkeys(("\n".join(numbers), " ".join(numbers))):
            yield TextCall(_line_typed(given), match.start(), match.end(), printed=True)


def _outputs(page: Page, call: TextCall, stop: int) -> Iterator[str]:
    """Yields the texts that stand near behind the run: values in its sentences, and the lines right below a command."""
    below = re.compile(r"`*[ \t]*\n(?P<lines>(?:[^\n]*\S[^\n]*(?:\n|\Z)){1,20})").match(page.text, call.end)
    if below is not None and below.end() <= stop:
        yield below["lines"].strip("\n")
    for outcome in islice(outcomes_in(page.text, call.end, stop), _MOST):
        text = _shown(outcome)
        if text is not None:
            yield text
