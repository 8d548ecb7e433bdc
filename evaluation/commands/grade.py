"""`python -m evaluation grade`: grades programs by a suite's hidden tests, without any model."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from framework.command_line import CommandParser
from framework.settings import Settings
from sandbox import open_sandbox

from ..cheats import cheats, stub
from ..console import show, whole
from ..grading import Grade, ProgramToGrade, grades
from ..metrics import pass_at_k, wilson
from ..suites import SUITES, BadSuite, Problem, chosen

KNOWN: dict[str, tuple[Callable[[Problem], Iterable[ProgramToGrade]], bool | None]] = {
    "canonical": (lambda p: [ProgramToGrade(p, f"right {n}", code) for n, code in enumerate(p.right, 1)], True),
    "wrong": (lambda p: [ProgramToGrade(p, each.slip, each.code) for each in p.wrong], False),
    "unchanged": (lambda p: [ProgramToGrade(p, "unchanged", p.code)] if p.code else [], False),
    "stub": (lambda p: [stub(p)], False),
    "cheats": (cheats, False),
}
"""For each word of --programs, which programs it means for a problem, and whether they must be right (None:
unknown)."""
SHOWN = 20
"""The most programs and errors that are named."""


def main(argv: Sequence[str]) -> int:
    """Grades the programs and prints the figures. Returns the exit code: 0, or 1 if a program is not what it must be or
    could not be graded.

    Raises one of REFUSALS.
    """
    arguments = _parse(argv)
    problems = chosen(SUITES[arguments.suite].load(arguments.data), arguments.task_ids, arguments.limit)
    answers, expected = answers_of(arguments.programs, problems)
    Settings.from_env()
    graded = asyncio.run(_grade(answers, arguments.workers))
    told = summary(arguments.suite, arguments.programs, graded, expected)
    show(json.dumps(told) if arguments.json else in_words(told))
    return 1 if told["errors"] or told["unexpected"] else 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = CommandParser(prog="python -m evaluation grade", description="Grade programs by a suite's hidden tests.")
    parser.add_argument("--suite", required=True, choices=sorted(SUITES), help="see `python -m evaluation suites`")
    parser.add_argument("--data", type=Path, metavar="PATH", help="the suite's data file, or the folder that holds it")
    parser.add_argument(
        "--programs", default="canonical", metavar="WHAT",
        help=f"{', '.join(KNOWN)}, or a file of JSON lines with task_id and solution (or completion)",
    )  # fmt: skip
    parser.add_argument("--task-ids", metavar="A,B", help="only the problems of these ids")
    parser.add_argument("--limit", type=whole, metavar="N", help="only the first N problems")
    parser.add_argument("--workers", type=whole, default=2, metavar="N", help="programs at the same time")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    return parser.parse_args(argv)


def answers_of(programs: str, problems: Sequence[Problem]) -> tuple[list[ProgramToGrade], bool | None]:
    """Returns the programs that were asked for, and whether they must be right; None if that is unknown. Raises
    BadSuite."""
    if programs in KNOWN:
        of, expected = KNOWN[programs]
        answers = [answer for problem in problems for answer in of(problem)]
        if not answers:
            raise BadSuite(f"no problem of this suite has {programs} programs")
        return answers, expected
    return list(_samples(Path(programs), {problem.id: problem for problem in problems})), None


def _samples(path: Path, problems: dict[str, Problem]) -> Iterator[ProgramToGrade]:
    """Yields the programs of a file's lines {task_id, solution}. A {task_id, completion} is put behind the task's own
    text. Raises BadSuite."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        for place, row in enumerate(rows, 1):
            if (problem := problems.get(str(row["task_id"]))) is not None:
                code = row["solution"] if "solution" in row else problem.task + row["completion"]
                yield ProgramToGrade(problem, f"line {place}", str(code))
    except OSError as error:
        raise BadSuite(f"{path} cannot be read: {error.strerror}; --programs knows: {', '.join(KNOWN)}") from None
    except (ValueError, TypeError, KeyError) as error:
        raise BadSuite(f"{path} does not hold JSON lines with task_id and solution: {error!r}") from None


async def _grade(answers: Sequence[ProgramToGrade], workers: int) -> list[Grade]:
    async with aclosing(open_sandbox(workers)) as grader:
        return [grade async for grade in grades(grader, answers, workers)]


def summary(suite: str, programs: str, graded: Sequence[Grade], expected: bool | None) -> dict[str, Any]:
    """Returns the figures of a grading. Shares are in percent, with Wilson's 95 % interval over problems."""
    told = [grade for grade in graded if not grade.error]
    groups: dict[str, list[bool]] = defaultdict(list)
    for grade in told:
        groups[grade.answer.problem.id].append(grade.right)
    shares = [pass_at_k(len(group), sum(group), 1) for group in groups.values()]
    low, high = wilson(sum(shares), len(shares))
    return {
        "suite": suite,
        "programs": programs,
        "problems": len(groups),
        "graded": len(told),
        "right": sum(grade.right for grade in told),
        "pass_at_1": round(100 * sum(shares) / len(shares), 2) if shares else None,
        "pass_at_1_ci": [round(100 * low, 2), round(100 * high, 2)],
        "errors": [f"{g.answer.problem.id}: {g.error}" for g in graded if g.error],
        "unexpected": [] if expected is None else [_named(g) for g in told if g.right is not expected],
    }


def _named(grade: Grade) -> str:
    return f"{grade.answer.problem.id}: {grade.answer.label}"


def in_words(told: dict[str, Any]) -> str:
    low, high = told["pass_at_1_ci"]
    share = "-" if told["pass_at_1"] is None else f"{told['pass_at_1']:.1f} % [{low:.1f}, {high:.1f}]"
    lines = [
        f"{told['suite']}, {told['programs']}: {told['right']} of {told['graded']} programs pass, "
        f"{told['problems']} problems, {share}"
    ]
    if told["unexpected"]:
        lines.append(f"{len(told['unexpected'])} are not what they have to be:")
        lines += [f"* {name}" for name in told["unexpected"][:SHOWN]]
    lines += [f"could not be graded: {line}" for line in told["errors"][:SHOWN]]
    return "\n".join(lines)
