"""Labelled texts: what a person reads in each. `python -m tests.agent.examples.labelled` prints what the reader does.

A file holds frames and texts. "@ " begins a frame that stands before the texts after it, "@code " the program that a
report is about, on one line. A text is followed by its labels: "=> f(2) == 4", "=> f(2) raises E",
"=> f(2) prints '4'", "=> f(2) shows '4'" (it is printed, or returned) or, where nothing is promised, "=> nothing".
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from agent.examples import read_brief, read_clauses
from agent.examples.types import Clause, Example, Interval

FOLDER = Path(__file__).parent
WAYS_OF_A_BUG = 6
"""Ways of telling it that each bug is told in by the quick test; the slow one tells each in all of them."""


@dataclass(frozen=True)
class Labelled:
    language: str
    text: str
    code: str | None
    labels: frozenset[str]

    @property
    def is_apart(self) -> bool:
        """One text in three, by its words alone: measured apart from the others."""
        return is_apart(self.text)


def is_apart(text: str) -> bool:
    return int(hashlib.sha256(text.rpartition("\n\n")[2].encode()).hexdigest(), 16) % 3 == 0


@cache
def labelled(name: str) -> tuple[Labelled, ...]:
    """The texts of a folder, or of one file of it, each with its frame in front."""
    paths = sorted((*FOLDER.glob(f"{name}/*.txt"), *FOLDER.glob(f"{name}.txt")))
    return tuple(text for path in paths for text in _read(path))


def _read(path: Path) -> Iterator[Labelled]:
    frame, code, lines, labels = "", None, list[str](), set[str]()
    for line in [*path.read_text(encoding="utf-8").split("\n"), ""]:
        if line.startswith("@code "):
            frame, code = "", line.removeprefix("@code ").replace("\\n", "\n") + "\n"
        elif line.startswith("@ "):
            frame, code = line.removeprefix("@ ") + "\n\n", None
        elif line.startswith("=> "):
            labels.add(line.removeprefix("=> "))
        elif labels and not line.strip():
            text = frame + "\n".join(lines).strip("\n")
            yield Labelled(path.stem, text, code, frozenset(labels - {"nothing"}))
            lines, labels = [], set[str]()
        elif not line.startswith("# ") or lines or frame:
            lines.append(line)


_SEEN = re.compile(r".+ (?:prints|shows) '.*'")


def canonical(label: str) -> str:
    """The same promise in one spelling: what the call raises, or the literal that it gives."""
    if label.startswith("assert ") or _SEEN.fullmatch(label):
        return label
    call, raised, error = label.rpartition(" raises ")
    if raised:
        return f"{ast.unparse(ast.parse(call, mode='eval'))} raises {error}"
    test = ast.parse(label, mode="eval").body
    assert isinstance(test, ast.Compare)
    return f"{ast.unparse(test.left)} == {ast.literal_eval(test.comparators[0])!r}"


def promise_of(example: Example) -> str:
    """An example as a label in its one spelling."""
    if "capsys" in example.source:
        return _seen_of(example.source)
    raised = re.fullmatch(r"with pytest\.raises\((\w+)\):\n    (.+)", example.source)
    if raised:
        return f"{raised[2]} raises {raised[1]}"
    if example.source.startswith(("from ", "import ")):
        return example.source.rpartition("\n")[2]
    return f"{example.call} == {ast.literal_eval(example.expected)!r}" if example.expected else example.source


def _seen_of(source: str) -> str:
    """A check of what a call shows as a label: `f(2) prints '4'`, `f(2) shows '4'`."""
    *done, claim = source.split("\n")
    call = next((line.strip().removeprefix("answer = ") for line in done if "answer = " in line), done[-1].strip())
    lines = next(node for node in ast.walk(ast.parse(claim.strip())) if isinstance(node, ast.List))
    text = "\n".join(ast.literal_eval(lines))
    return f"{call} {'shows' if 'answer' in source else 'prints'} {text!r}"


@cache
def promises(text: str, code: str | None) -> frozenset[str]:
    return frozenset(promise_of(example) for example in read_brief(text, code, ()).examples)


def clause_label(clause: Clause) -> str:
    """A clause as a label: its kind and what was read."""
    match clause.kind:
        case "range" | "size":
            return " ".join(filter(None, [clause.kind, clause.subject, _interval(clause.interval or Interval())]))
        case "complexity":
            return f"complexity {clause.subject} {'below ' if clause.below else ''}{clause.growth}"
        case "time" | "memory":
            amount = clause.seconds if clause.kind == "time" else clause.megabytes
            unit = "s" if clause.kind == "time" else "MB"
            return f"{clause.kind} {_plain(amount or 0)} {unit}" + (f" at {clause.size}" if clause.size else "")
        case "output":
            return f"output {clause.decimals} decimals" if clause.decimals else f"output {' '.join(clause.names)}"
        case "signature" if clause.subject:
            return f"signature {clause.subject}({', '.join(clause.names)})"
        case _:
            return " ".join(filter(None, [clause.kind, clause.subject, ", ".join(clause.names)]))


def _interval(interval: Interval) -> str:
    low = "" if interval.low is None else _plain(interval.low)
    high = "" if interval.high is None else _plain(interval.high)
    closed = bool(high) and interval.high_in
    return f"{'[' if interval.low_in else '('}{low}, {high}{']' if closed else ')'}"


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


@dataclass
class Score:
    """How many labels were found, how many promises were read that no label states, how many labels were missed."""

    texts: int = 0
    found: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, wanted: Iterable[str], read: Iterable[str]) -> None:
        wanted, read = set(wanted), set(read)
        self.texts += 1
        self.found += len(wanted & read)
        self.wrong += len(read - wanted)
        self.missed += len(wanted - read)

    @property
    def precision(self) -> float:
        return self.found / max(1, self.found + self.wrong)

    @property
    def recall(self) -> float:
        return self.found / max(1, self.found + self.missed)


def score_examples(texts: Iterable[Labelled]) -> Score:
    score = Score()
    for text in texts:
        score.add(map(canonical, text.labels), promises(text.text, text.code))
    return score


def score_clauses(texts: Iterable[Labelled]) -> Score:
    score = Score()
    for text in texts:
        score.add(text.labels, map(clause_label, read_clauses(text.text, text.code)))
    return score


@dataclass(frozen=True)
class Report:
    """One bug told in one way."""

    text: str
    code: str
    law: str | None
    """What the report says is right; None for one that only tells of what is wrong."""


def bugs() -> list[dict[str, Any]]:
    return yaml.safe_load((FOLDER / "reports/bugs.yaml").read_text(encoding="utf-8"))


def ways() -> list[tuple[str, str]]:
    """(section, how it is told) of each way; see reports/ways.txt."""
    found: list[tuple[str, str]] = []
    section = ""
    for line in (FOLDER / "reports/ways.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("@ "):
            section = line.removeprefix("@ ")
        elif line and not line.startswith("#"):
            found.append((section, line.replace("\\n", "\n")))
    return found


def reports_of(bug: dict[str, Any]) -> list[Report]:
    """The bug told in every way that suits it."""
    crashes, should_raise = bug["does"].startswith("raises "), bug["right"].startswith("raises ")
    told: list[Report] = []
    for section, way in ways():
        suits = section.startswith("crash") == crashes
        suits &= "symptom" in section or section.endswith("raise") == should_raise
        if suits:
            error = (bug["does"] if crashes else bug["right"]).removeprefix("raises ")
            values = {
                "call": bug["call"],
                "does": bug["does"],
                "right": bug["right"],
                "name": bug["name"],
                "error": error,
            }
            text = re.sub(r"\{(\w+)\}", lambda match, values=values: values[match[1]], way)
            told.append(Report(text, bug["code"], _law(bug) if "tells" in section else None))
    return told


def _law(bug: dict[str, Any]) -> str:
    joint = " " if bug["right"].startswith("raises ") else " == "
    return canonical(f"{bug['call']}{joint}{bug['right']}")


def symptom(bug: dict[str, Any]) -> str:
    joint = " " if bug["does"].startswith("raises ") else " == "
    return canonical(f"{bug['call']}{joint}{bug['does']}")


def score_reports(reports: Iterable[Report]) -> Score:
    score = Score()
    for report in reports:
        score.add({report.law} if report.law else (), promises(report.text, report.code))
    return score


def main() -> None:
    rows: list[tuple[str, Score]] = []
    for folder in ("sentences", "second_look", "typed", "hearsay/examples"):
        texts = labelled(folder)
        for language in sorted({text.language for text in texts}):
            rows.append((f"{folder}: {language}", score_examples(t for t in texts if t.language == language)))
    texts = labelled("sentences")
    rows.append(("sentences: two thirds", score_examples(text for text in texts if not text.is_apart)))
    rows.append(("sentences: the third apart", score_examples(text for text in texts if text.is_apart)))
    rows.append(("whole reports", score_examples(text for text in labelled("reports") if text.language == "free")))
    rows.append(("bugs in all their ways", score_reports(told for bug in bugs() for told in reports_of(bug))))
    texts = labelled("clauses")
    for language in sorted({text.language for text in texts}):
        rows.append((f"clauses: {language}", score_clauses(text for text in texts if text.language == language)))
    print(f"{'':<28} texts  found  wrong  missed  precision  recall")
    for name, score in rows:
        counts = f"{score.texts:>5}  {score.found:>5}  {score.wrong:>5}  {score.missed:>6}"
        print(f"{name:<28} {counts}  {score.precision:>9.1%}  {score.recall:>6.1%}")


if __name__ == "__main__":
    main()
