"""Writes down what a script put out, in a form in which two authors' scripts can be compared, and compares it."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any

from pydantic import TypeAdapter

from agent.examples.types import Demand
from agent.state import Run
from agent.trust.facts import OUTPUT
from sandbox.types import Artifact, CallOutput, Execution, FileData

from .drawn import RECORD, Curve, Drawing, curves_of, same_curve, shape_of, table_of
from .fate import is_picture
from .figures import Figure, close, figures_in, same_figures, telling_words
from .words import NO_WORDS, WORD, DataWords, same_words

DRAWN = "drawn_points.csv"
"""The name under which another program gets what a script drew."""
_MOST_CHARS = 20_000
"""The most characters that are compared, of the printed text and of each text file."""
_SHOWN_FIGURES = 8
_SUMMARY_TIMES = 4
"""A file with more figures than this many times those printed holds data. Data may equal an answer by chance."""
_SMALL = 3
"""Words up to this many letters stand in any sentence and are not counted."""
_SPEAKING = 2
"""A line with at least this many words of the task answers it; the row of a table has fewer."""
_TABLES = ("text/csv", "text/tab-separated-values")
_HEAD = re.compile(r"^[^\n:]*:|^[^\d\n]*[^\W\d][^\d\n]*\d[^\n]*[^\W\d]\W*$", re.M)
"""A line up to its colon, or a whole line that begins and ends with words."""
_COUNTING = re.compile(r"(?<![\w.,])\d{1,9}(?=[ \t]+[^\W\d_])")
"""A number that counts what the word after it names."""
WordsOf = Callable[[str], DataWords]


@dataclass(frozen=True, slots=True)
class Output:
    printed: str
    tables: tuple[tuple[str, str], ...]
    """(MIME type, text) of each text file, sorted by file name."""
    pictures: tuple[str, ...]
    """MIME types of the other files."""
    drawn: tuple[Any, ...]
    """What was drawn, as far as the plot library tells."""
    curves: tuple[Curve, ...] = ()
    """Every drawn line, with its x values."""
    words: DataWords = NO_WORDS
    """The words of the data in what was printed, and in the files that the task asks for."""
    data: str = ""
    """What was drawn, as a table, without what was printed too."""


def output_of(
    execution: Execution, drawings: Sequence[Drawing], demand: Demand, words_of: WordsOf = lambda _: NO_WORDS
) -> CallOutput:
    """Returns an exception, silence, or everything that was put out as JSON. `words_of` finds the words of a text that
    come from the task's data."""
    if execution.status != "ok":
        return CallOutput("exception", execution.error.split(":")[0] or execution.status)
    made = sorted((one for one in execution.artifacts if one.name != RECORD), key=lambda one: one.name)
    if not execution.stdout.strip() and not made:
        return CallOutput("opaque", "nothing was printed and no file was made")
    drawn = [shape for drawing in drawings for shape in shape_of(drawing, by_chance=demand.by_chance)]
    printed = execution.stdout[:_MOST_CHARS]
    tables = tuple((one.mime, _text(one)) for one in made if _is_text(one))
    output = Output(
        printed=printed,
        tables=tables,
        pictures=tuple(sorted(one.mime for one in made if not _is_text(one))),
        drawn=tuple(sorted(drawn, key=json.dumps)),
        curves=tuple(curve for drawing in drawings for curve in curves_of(drawing)),
        words=words_of("\n".join([printed, *(text for _, text in tables if demand.makes)])),
        data=table_of(drawings, figures_in(printed)),
    )
    return CallOutput("value", json.dumps(asdict(output)))


def _is_text(artifact: Artifact) -> bool:
    return (artifact.mime.startswith("text/") or artifact.mime == "application/json") and not is_picture(artifact)


def _text(artifact: Artifact) -> str:
    return artifact.data.decode("utf-8", "replace")[:_MOST_CHARS]


def read_output(told: CallOutput) -> Output | None:
    """Returns the output; None for an exception, for silence, and for any text that is no output of a script."""
    if told.kind != "value":
        return None
    try:
        return _output.validate_python(json.loads(told.text))
    except ValueError:
        return None


_output: TypeAdapter[Output] = TypeAdapter(Output)


def made_data(run: Run) -> dict[str, FileData]:
    """Returns the data that a script made, as files by name: what it wrote, and what it drew. Returns {} if the script
    prints no figures, or if some file was cut."""
    output = read_output(run.outputs.get(OUTPUT, CallOutput("opaque", "")))
    names = sorted(one.name for one in run.execution.artifacts if _is_text(one))
    if output is None or len(names) != len(output.tables) or not figures_in(output.printed):
        return {}
    if any(len(text) >= _MOST_CHARS for _, text in output.tables):
        return {}
    told = zip(names, output.tables, strict=True)
    written: dict[str, FileData] = {
        name: table[1].encode() for name, table in told if not _tells_answers(table, output.printed)
    }
    return {DRAWN: output.data.encode(), **written} if output.data else written


def _tells_answers(table: tuple[str, str], printed: str) -> bool:
    """Returns whether a file holds little more than most of what was printed. A program that read such a summary would
    recompute nothing."""
    answers, held = figures_in(printed), _told_in(*table)
    if len(held) <= len(answers) and all(any(close(answer, one) for one in held) for answer in answers):
        return True  # the file holds the answers and nothing else, whatever they are called
    telling, there = telling_words(answers), telling_words(held)
    known = sum(any(_is_told(answer, one, telling, there) for one in held) for answer in answers)
    return 2 * known > len(answers) and len(held) <= _SUMMARY_TIMES * len(answers)


def _is_told(answer: Figure, held: Figure, telling: set[str], there: set[str]) -> bool:
    """Returns whether the file holds the answer: the same value, with a telling word of the answer if it has one.
    Without that rule, data that contain their own maximum would count as a summary."""
    names = set(answer.words) & telling
    return close(answer, held) and (not names or bool(names & there & set(held.words)))


def _told_in(mime: str, text: str) -> list[Figure]:
    """Returns the figures of a file. In a table each has the words of its row and of the head of its column."""
    if mime not in _TABLES:
        return figures_in(text)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=";" if ";" in text.partition("\n")[0] else ","))
    heads = list(map(_words_of, rows[0])) if rows and not figures_in(" ".join(rows[0])) else []
    told: list[Figure] = []
    for row in rows:
        beside = _words_of(" ".join(row))
        for cell, head in zip_longest(row, heads[: len(row)], fillvalue=()):
            told += [Figure(one.text, (*beside, *head)) for one in figures_in("".join(cell))]
    return told


def _words_of(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in WORD.findall(text.replace("_", " ")))


def same_again(one: CallOutput, other: CallOutput) -> bool:
    """Returns whether two runs of one script put out the same."""
    first, second = read_output(one), read_output(other)
    if first is None or second is None:
        return one == other
    series = [sorted(line.partition(",")[2] for line in told.data.splitlines()) for told in (first, second)]
    return series[0] == series[1] and agree(first, second, Demand())


def same_printed(one: Output, other: Output, demand: Demand) -> bool:
    """Returns whether the printed figures are the same, whatever else was put out."""
    return _same_text(one.printed, other.printed, demand, drawn=False)


def comparable(output: Output, demand: Demand) -> bool:
    """Returns whether outputs can be compared. Random figures cannot, but what was drawn from them can be counted."""
    return not demand.by_chance or bool(output.drawn)


def counts_named(output: Output, demand: Demand) -> bool:
    """Returns whether the number of things drawn is a number that the task names. Otherwise each author chose it, and
    another number is no fault."""
    return any(count in demand.numbers for shape in _counted(output, demand) for count in shape[1:])


def _counted(output: Output, demand: Demand) -> list[list[Any]]:
    """Returns counts of what was drawn at random. A path of as many steps as the task names has one point more."""
    named = demand.numbers
    shapes = [shape for axes in output.drawn for shape in axes]
    return [
        [kind, *(n - 1 if kind == "lines" and n not in named and n - 1 in named else n for n in counts)]
        for kind, *counts in shapes
    ]


def agree(one: Output, other: Output, demand: Demand) -> bool:
    """Returns whether two outputs agree: the same figures, the same words of the data, the same text files by figures
    or words, and the same drawn data. If both drew the same, text that only one prints beside the picture does not
    matter."""
    if bool(one.pictures) != bool(other.pictures):
        return False
    drawn = bool(one.drawn) and (one.drawn == other.drawn or _same_curves(one, other))
    if demand.by_chance:
        return bool(one.drawn) and _counted(one, demand) == _counted(other, demand)
    if one.drawn and other.drawn and not drawn:
        return False
    if not _same_tables(one, other, demand) or not same_words(one.words, other.words, drawn=bool(one.pictures)):
        return False
    return _same_text(one.printed, other.printed, demand, drawn=bool(one.pictures))


def tells_nothing(output: Output) -> bool:
    """Returns whether the output has no word of the data, no figure but 0, and nothing drawn or written."""
    bare = not (output.words.answers or output.pictures or output.tables)
    return bare and all(figure.value == 0 for figure in figures_in(output.printed))


def conclude_alike(one: Output, other: Output, task: str, demand: Demand) -> bool:
    """Returns whether the longer output tells all that the shorter one tells and contradicts none of it. Lines that
    name something of the data must hold nothing else, or, if one thing is the answer, lines in words of the task. So a
    table before the answer, or a sum below it, is no contradiction."""
    short, long = sorted((one, other), key=lambda output: len(figures_in(output.printed)))
    if any(output.pictures or output.tables for output in (short, long)):
        return False
    answers, figures = set(short.words.answers), figures_in(short.printed)
    asked = {word for word in _words_of(task) if len(word) > _SMALL}
    lines = [line for line in long.printed.splitlines() if len(asked.intersection(_words_of(line))) >= _SPEAKING]
    concluded = figures_in("\n".join(lines))
    names = set(long.words.answers).intersection(_words_of("\n".join(lines)))
    if not answers <= set(long.words.answers) or not _all_in(figures, figures_in(long.printed)):
        return False
    named = _naming(long, asked)
    alike = same_figures(figures, named, ordered=demand.ordered)
    if answers and figures and answers == set(long.words.answers) and alike:
        return True
    told = not figures or (len(concluded) <= 1 and _all_in(concluded, figures)) or same_figures(concluded, figures)
    return len(answers) == 1 and names == answers and told


def _naming(output: Output, asked: Collection[str]) -> list[Figure]:
    """Returns the figures of the lines that name something of the data or of the task; a sum below the table is not
    among them."""
    words = {*output.words.answers, *asked}
    lines = output.printed.splitlines()
    return figures_in("\n".join(line for line in lines if words.intersection(_words_of(line))))


def _all_in(some: Sequence[Figure], others: Sequence[Figure]) -> bool:
    return all(any(close(one, other) for other in others) for one in some)


def _same_curves(one: Output, other: Output) -> bool:
    """Returns whether only curves of functions are drawn, and each has its equal in the other output."""
    kinds = {kind for axes in (*one.drawn, *other.drawn) for kind, *_ in axes}
    left = list(other.curves)
    for curve in one.curves:
        place = next((i for i, each in enumerate(left) if same_curve(curve, each)), None)
        if place is None:
            return False
        left.pop(place)
    return kinds == {"lines"} and not left


def _same_tables(one: Output, other: Output, demand: Demand) -> bool:
    if not demand.makes:
        return len(one.tables) != len(other.tables) or _all_same(one, other, demand)
    return len(one.tables) == len(other.tables) and _all_same(one, other, demand)


def _all_same(one: Output, other: Output, demand: Demand) -> bool:
    pairs = zip(sorted(one.tables), sorted(other.tables), strict=True)
    return all(_same_text(_cells(*mine), _cells(*theirs), demand, drawn=False) for mine, theirs in pairs)


def _cells(mime: str, text: str) -> str:
    """Returns a table with blanks between its cells, so that no comma joins their numbers."""
    if mime not in _TABLES:
        return text
    head = text.partition("\n")[0]
    return text.replace(";" if ";" in head else ",", " | ").replace('"', " ")


def _same_text(one: str, other: str, demand: Demand, *, drawn: bool) -> bool:
    mine, theirs = figures_in(one), figures_in(other)
    if len(mine) > len(theirs):
        mine = figures_in(_without_heads(one, demand))
    elif len(mine) < len(theirs):
        theirs = figures_in(_without_heads(other, demand))
    if mine and theirs:
        return same_figures(mine, theirs, ordered=demand.ordered)
    if drawn:
        return True
    if one.split() == other.split():
        return not (mine or theirs)
    return not (mine or theirs) and WORD.findall(one.casefold()) == WORD.findall(other.casefold()) != []


def _without_heads(text: str, demand: Demand) -> str:
    """Returns the text without the numbers of the task that its headings repeat: "The first 10 prime numbers: 2, 3,
    5"."""

    def bare(number: re.Match[str]) -> str:
        return "" if int(number.group()) in demand.numbers else number.group()

    return _HEAD.sub(lambda head: _COUNTING.sub(bare, head.group()), text)


def in_short(output: Output) -> str:
    """Returns a few words about the output, for use in a sentence."""
    figures = [figure.text for figure in figures_in(output.printed)]
    shown = ", ".join(figures[:_SHOWN_FIGURES]) + (", ..." if len(figures) > _SHOWN_FIGURES else "")
    words = shown or " ".join(output.printed.split())[:80]
    words += f" ({', '.join(output.words.answers[:_SHOWN_FIGURES])})" if shown and output.words.answers else ""
    made = [*(mime for mime, _ in output.tables), *("a picture" for _ in output.pictures)]
    return "; ".join(filter(None, [words, ", ".join(made)])) or "nothing"
