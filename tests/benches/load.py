"""`python -m tests.benches.load`: whether a busy machine changes what is said of a program.

Every scenario of the demo is run as often as asked, alone and beside busy loops. Each loop has a session of its own,
for in one session the kernel's scheduler takes them for one neighbour. Verdict, counts of the checks and the mutation
figure must be the same each time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from evaluation.console import say, show, whole
from framework.command_line import CommandParser
from llm.scenarios import list_scenarios

_BUSY = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): sum(range(100_000))"
"""It ends with the process that started it, however that one ends: nobody's machine stays busy."""
Facts = tuple[str, str, str]
"""Verdict, outcomes of the checks, killed mutants of all."""


def main(argv: Sequence[str]) -> int:
    """Returns the exit code: 0; 1 where two runs of a scenario differ; 2 for a name that is no scenario."""
    known = [scenario.name for scenario in list_scenarios()]
    parser = CommandParser(prog="python -m tests.benches.load", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios; all where none is named")
    parser.add_argument("--runs", type=whole, default=10, metavar="N", help="of each scenario, in each circumstance")
    parser.add_argument("--loops", type=int, default=10, metavar="N", help="busy loops per core; 0: only alone")
    arguments = parser.parse_args(argv)
    unknown = [name for name in arguments.names if name not in known]
    if unknown:
        parser.error(f"no such scenario: {', '.join(unknown)}")
    names = arguments.names or known
    seen: dict[str, list[Counter[Facts]]] = {name: [] for name in names}
    for loops in sorted({0, max(0, arguments.loops)}):
        with busy(loops * (os.cpu_count() or 1)):
            for name in names:
                seen[name].append(Counter(facts(name) for _ in range(arguments.runs)))
                say(f"{name}, {loops} loops per core: {dict(seen[name][-1])}")
    for line in table(seen):
        show(line)
    return int(any(len(different(found)) > 1 for found in seen.values()))


@contextmanager
def busy(count: int) -> Generator[None]:
    """So many processes that do nothing but compute, while the block lasts."""
    loops = [
        subprocess.Popen([sys.executable, "-c", _BUSY, str(os.getpid())], start_new_session=True) for _ in range(count)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def facts(name: str) -> Facts:
    """Runs a scenario once and returns what its verdict rests on."""
    command = [sys.executable, "-m", "agent", "demo", name, "--json"]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    try:
        return read_facts(json.loads(ran.stdout))
    except ValueError:
        return f"exit code {ran.returncode}", "", ""


def read_facts(told: dict[str, Any]) -> Facts:
    """The facts of a run as `--json` tells it."""
    evidence: dict[str, Any] = told.get("evidence") or {}
    checks: list[dict[str, Any]] = evidence.get("checks") or []
    mutation: dict[str, int] | None = evidence.get("mutation")
    outcomes = Counter(str(check["outcome"]) for check in checks)
    killed = f"{mutation['killed']} of {mutation['total']}" if mutation else ""
    return str(told["verdict"]), ", ".join(f"{count} {how}" for how, count in sorted(outcomes.items())), killed


def different(found: Sequence[Counter[Facts]]) -> Counter[Facts]:
    """Counts how often each answer of a scenario came."""
    return sum(found, Counter[Facts]())


def table(seen: dict[str, list[Counter[Facts]]]) -> Iterator[str]:
    """A line for each answer; a scenario that gave more than one is marked."""
    for name, found in seen.items():
        answers = different(found)
        for answer, count in answers.most_common():
            mark = "" if len(answers) == 1 else "  DIFFERS"
            yield f"{name:<24} {count:>3} x  {' | '.join(part or '-' for part in answer)}{mark}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
