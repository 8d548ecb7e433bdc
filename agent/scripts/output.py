"""What a script put out, in a form in which two authors' scripts can be compared; and their comparison."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from itertools import zip_longest
from typing import Any

from agent.examples.types import Demand
from agent.state import Run
from agent.trust.facts import OUTPUT
from sandbox.types import Artifact, CallOutput, Execution, FileData

from .drawn import RECORD, Curve, Drawing, curves_of, same_curve, shape_of, table_of
from .fate import is_picture
from .figures import Figure, close, figures_in, same_figures, telling_words
from .words import NO_WORDS, WORD, DataWords, same_words

DRAWN = "drawn_points.csv"
"""What a script drew, as another program gets it."""
_MOST_CHARS = 20_000
"""Characters of what was printed, and of each text file, that are compared."""
_SHOWN_FIGURES = 8
_SUMMARY_TIMES = 4
"""A file with more figures than so many times those printed holds data, which may equal an answer by chance."""
_SMALL = 3
"""Letters of words that stand in any sentence."""
_SPEAKING = 2
"""Words of the task from which a line answers it, as the row of a table does not."""
_TABLES = ("text/csv", "text/tab-separated-values")
_HEAD = re.compile(r"^[^\n:]*:|^[^\d\n]*[^\W\d][^\d\n]*\d[^\n]*[^\W\d]\W*$", re.M)
"""A line up to its colon, or all of one that begins and ends with words."""
_COUNTING = re.compile(r"(?<![\w.,])\d{1,9}(?=[ \t]+[^\W\d_])")
"""A number that counts what the word behind it names."""
WordsOf = Callable[[str], DataWords]


@dataclass(frozen=True, slots=True)
class Output:
    printed: str
    tables: tuple[tuple[str, str], ...]
    """Type and text of each file of text, by name."""
    pictures: tuple[str, ...]
    """Types of the others."""
    drawn: tuple[Any, ...]
    """What was drawn, as far as the plot library tells."""
    curves: tuple[Curve, ...] = ()
    """Every line of it with its places on the x axis."""
    words: DataWords = NO_WORDS
    """Of what was printed, and of the files that the task asks for."""
    data: str = ""
    """What was drawn, as a table, less what was printed as well."""


def output_of(
    execution: Execution, drawings: Sequence[Drawing], demand: Demand, words_of: WordsOf = lambda _: NO_WORDS
) -> CallOutput:
    """An exception, silence, or everything that was put out, written down. `words_of`: which words of a text come from
    the task's data."""
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
    """None for an exception, for silence, and for what is no output of a script."""
    if told.kind != "value":
        return None
    try:
        parts = json.loads(told.text)
        tables = tuple((str(mime), str(text)) for mime, text in parts["tables"])
        words = DataWords(tuple(parts["words"]["answers"]), tuple(parts["words"]["labels"]))
        curves = tuple((xs, ys) for xs, ys in parts["curves"])
        pictures, drawn = tuple(parts["pictures"]), tuple(parts["drawn"])
        return Output(parts["printed"], tables, pictures, drawn, curves, words, parts.get("data", ""))
    except (ValueError, TypeError, KeyError):
        return None


def made_data(run: Run) -> dict[str, FileData]:
    """The data that a script made, as files by name, where it prints figures and every file is known to its end: what
    it wrote, and what it drew."""
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
    """Whether a file holds little besides most of what was printed: whoever reads such a summary recomputes nothing."""
    answers, held = figures_in(printed), _told_in(*table)
    if len(held) <= len(answers) and all(any(close(answer, one) for one in held) for answer in answers):
        return True  # the answers and nothing else, whatever they are called
    telling, there = telling_words(answers), telling_words(held)
    known = sum(any(_is_told(answer, one, telling, there) for one in held) for answer in answers)
    return 2 * known > len(answers) and len(held) <= _SUMMARY_TIMES * len(answers)


def _is_told(answer: Figure, held: Figure, telling: set[str], there: set[str]) -> bool:
    """The same value, and by a word that tells it apart where the answer has one: that a maximum is one of the data is
    no summary."""
    names = set(answer.words) & telling
    return close(answer, held) and (not names or bool(names & there & set(held.words)))


def _told_in(mime: str, text: str) -> list[Figure]:
    """The figures of a file, in a table with the words of their row and of the head of their column."""
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
    """Whether two runs of one script put out the same."""
    first, second = read_output(one), read_output(other)
    if first is None or second is None:
        return one == other
    series = [sorted(line.partition(",")[2] for line in told.data.splitlines()) for told in (first, second)]
    return series[0] == series[1] and agree(first, second, Demand())


def same_printed(one: Output, other: Output, demand: Demand) -> bool:
    """The same figures, whatever else they put out."""
    return _same_text(one.printed, other.printed, demand, drawn=False)


def comparable(output: Output, demand: Demand) -> bool:
    """Figures of chance say nothing; what was drawn of them can be counted."""
    return not demand.by_chance or bool(output.drawn)


def counts_named(output: Output, demand: Demand) -> bool:
    """Whether how many things are drawn is a number that the task names: else each author chose it, and another number
    is no fault."""
    return any(count in demand.numbers for shape in _counted(output, demand) for count in shape[1:])


def _counted(output: Output, demand: Demand) -> list[list[Any]]:
    """What is drawn of chance, by counts. A path of as many steps as the task names has one point more."""
    named = demand.numbers
    shapes = [shape for axes in output.drawn for shape in axes]
    return [
        [kind, *(n - 1 if kind == "lines" and n not in named and n - 1 in named else n for n in counts)]
        for kind, *counts in shapes
    ]


def agree(one: Output, other: Output, demand: Demand) -> bool:
    """The same figures, the same words out of the data, the same files of text by their figures or words, and the same
    data drawn. Where both drew the same, what only one of them prints beside the picture does not part them."""
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
    """No word of the data, no figure but 0, and nothing drawn or written."""
    bare = not (output.words.answers or output.pictures or output.tables)
    return bare and all(figure.value == 0 for figure in figures_in(output.printed))


def conclude_alike(one: Output, other: Output, task: str, demand: Demand) -> bool:
    """Whether the longer tells all that the shorter tells, and nothing else on the lines that name something of the
    data, or, where one thing is the answer, on those that speak in words of the task: who shows the table before the
    answer, or a sum under it, contradicts nobody."""
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
    """The figures of the lines that name something of the data or of the task: a sum under the table does not."""
    words = {*output.words.answers, *asked}
    lines = output.printed.splitlines()
    return figures_in("\n".join(line for line in lines if words.intersection(_words_of(line))))


def _all_in(some: Sequence[Figure], others: Sequence[Figure]) -> bool:
    return all(any(close(one, other) for other in others) for one in some)


def _same_curves(one: Output, other: Output) -> bool:
    """Nothing but curves of functions is drawn, and each has its like in the other."""
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
    """A table with blanks between its cells, so that no comma joins their numbers."""
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
    """The text without the numbers of the task that its headings repeat: "The first 10 prime numbers: 2, 3, 5"."""

    def bare(number: re.Match[str]) -> str:
        return "" if int(number.group()) in demand.numbers else number.group()

    return _HEAD.sub(lambda head: _COUNTING.sub(bare, head.group()), text)


def in_short(output: Output) -> str:
    """A few words on it, for a sentence."""
    figures = [figure.text for figure in figures_in(output.printed)]
    shown = ", ".join(figures[:_SHOWN_FIGURES]) + (", ..." if len(figures) > _SHOWN_FIGURES else "")
    words = shown or " ".join(output.printed.split())[:80]
    words += f" ({', '.join(output.words.answers[:_SHOWN_FIGURES])})" if shown and output.words.answers else ""
    made = [*(mime for mime, _ in output.tables), *("a picture" for _ in output.pictures)]
    return "; ".join(filter(None, [words, ", ".join(made)])) or "nothing"
