"""Reads stored matrices of real programs and real model-written tests once, and keeps them apart from the truth."""

from __future__ import annotations

import json
import lzma
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evaluation.suites import BadSuite

POOLS: dict[str, tuple[str, ...]] = {
    "gpt4": ("gpt-4-turbo-cot", "gpt-4-1106-preview", "gpt-4-turbo-selfplan", "gpt-4-0314b", "gpt-4-turbo-analogical"),
    "gpt35": ("gpt-3.5-turbo-1106", "gpt-3.5-turbo-0613", "chatgpt-cot", "chatgpt-analogical"),
    "open": (
        "llama-3-8b-instruct",
        "mistral-7b-instruct-v0.2",
        "codellama",
        "starcoder",
        "llama-3-8b-base",
        "gemini-cot",
        "gemini-direct",
    ),
}
"""The models of each pool."""
SAME_MODEL = "gpt-3.5-turbo-1106"
"""The model that wrote both the programs and most of the tests."""
SELECTIONS: dict[str, tuple[tuple[str, ...], int, str]] = {
    "gpt35_same5": ((SAME_MODEL,), 5, "gpt35x5"),
    "gpt4_5": (POOLS["gpt4"], 5, "all"),
    "open_7": (POOLS["open"], 7, "gpt35x5"),
}
"""For each selection, its pool, the number of attempts drawn from it, and the suites that judge them."""
ONE_SUITE: dict[str, frozenset[str]] = {f"gpt35#{n}": frozenset({f"{SAME_MODEL}|{n}"}) for n in range(5)}
"""Single suites of the model, as a live run has one. Which one is written is chance."""
GROUPS: dict[str, frozenset[str]] = {
    **ONE_SUITE,
    "gpt35x5": frozenset(f"{SAME_MODEL}|{n}" for n in range(5)),
    "all": frozenset({"gpt-4|0", *(f"{SAME_MODEL}|{n}" for n in range(5))}),
}
"""The suites of each group, by its name."""
SOLVED_ONLY = ("gpt-4-0314a", "text-davinci-003", "gpt-3.5-turbo-0301")
"""Logs that kept only solved programs, which are no first attempts."""


STORED = Path(__file__).parent / "stored"
"""The data that come with the project; see the README there."""
DATA_HELP = "folder with matrix, model_tests and outputs .jsonl (by default what is shipped)"
NO_VALUE = ("E", "T", "X")
"""Stored outputs that are no value: an error, a time-out, or something without a canonical form."""


class DataError(BadSuite):
    """The folder lacks a file or a field that a replay needs. The message says which."""


@dataclass(frozen=True)
class StoredProgram:
    """One stored program: which tests it passes, and its output hash on each call (E error, T time-out, X without
    canonical form)."""

    id: str
    letters: str
    """One letter for each test, as stored: P passed, F failed, E error, T time-out."""
    outputs: tuple[str, ...] | None
    passed: frozenset[int]
    """The tests that pass by the letters as stored, which is what the published references read."""
    refuted: frozenset[int] = frozenset()
    """The tests whose stored T is refuted by the program's own stored output, which equals the expected value: one slow
    test used up the time of those behind it. Reading these as passes corrects the data and is no policy."""

    @property
    def corrected(self) -> str:
        """The letters, with each refuted T read as P."""
        return "".join("P" if i in self.refuted else letter for i, letter in enumerate(self.letters))

    @property
    def model(self) -> str:
        return self.id.split("|")[0]

    def count(self, tests: Sequence[int] | set[int]) -> int:
        return sum(test in self.passed for test in tests)

    def all(self, tests: Sequence[int] | set[int]) -> bool:
        return self.passed.issuperset(tests)


@dataclass(frozen=True)
class StoredTask:
    """One task without its truth: programs, tests by number, and what a policy may know of them."""

    id: str
    number: int
    programs: tuple[StoredProgram, ...]
    examples: tuple[int, ...]
    """The asserts that the task text itself states."""
    suites: Mapping[int, frozenset[str]]
    """The names of the suites that state each test."""
    tests: Mapping[str, tuple[int, ...]]
    """The tests of each group of suites; see GROUPS."""
    calls: tuple[str, ...]
    call_of: Mapping[int, int]
    mutated: tuple[int, ...]
    """The numbers of the calls that were made by mutating known inputs."""

    def pool(self, models: Sequence[str]) -> list[StoredProgram]:
        return [program for program in self.programs if program.model in models]

    def cut(self, examples: int) -> StoredTask:
        """Returns the task with its first `examples` examples only. Its suites do not state the others either."""
        gone = set(self.examples[examples:])
        tests = {name: tuple(test for test in stated if test not in gone) for name, stated in self.tests.items()}
        return replace(self, examples=self.examples[:examples], tests=tests)

    def view(self, group: str, *, with_examples: bool) -> View:
        """Returns the task as a policy sees it, judged by a group of suites."""
        tests = self.tests[group]
        if with_examples:
            return View(self, tests, self.examples, group)
        return View(self, tuple(t for t in tests if t not in set(self.examples)), (), group)


@dataclass(frozen=True)
class View:
    """A task as a policy sees it: some tests, and the examples or none of them."""

    task: StoredTask
    tests: tuple[int, ...]
    examples: tuple[int, ...]
    group: str

    @property
    def probes(self) -> list[int]:
        """The numbers of the calls on which programs are compared: those of the tests, then the mutated ones."""
        return [self.task.call_of[t] for t in self.tests if t in self.task.call_of] + list(self.task.mutated)

    @property
    def suites(self) -> frozenset[str]:
        return GROUPS[self.group]

    def votes(self, test: int) -> int:
        return len(self.task.suites[test])  # this counts all stored suites, as the reference policies do


def load_tasks(folder: Path) -> list[StoredTask]:
    """Returns the tasks in the order of their numbers. Raises DataError, which names a missing file or field."""
    tests = {row["task_id"]: row for row in rows(folder, "model_tests.jsonl")}
    outputs = {row["task_id"]: row for row in rows(folder, "outputs.jsonl")}
    try:
        tasks = [_task(row, tests[row["task_id"]], outputs[row["task_id"]]) for row in rows(folder, "matrix.jsonl")]
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{folder}: a row lacks or garbles {error}") from error
    if not tasks:
        raise DataError(f"{folder}/matrix.jsonl holds no task")
    return sorted(tasks, key=lambda task: task.number)


def load_truth(folder: Path) -> dict[str, dict[str, bool]] | None:
    """Returns whether each program is right by the official tests, by task id and program id; None if the data were
    stripped of the truth."""
    truth: dict[str, dict[str, bool]] = {}
    for row in rows(folder, "matrix.jsonl"):
        if "base" not in row:
            return None
        truth[row["task_id"]] = row["base"]
    return truth


def known_truth(folder: Path) -> dict[str, dict[str, bool]]:
    """Returns what `load_truth` does. Raises DataError if the data were stripped of the truth."""
    if (truth := load_truth(folder)) is None:
        raise DataError(f"{folder} tells of no program whether it is right")
    return truth


def rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yields the objects of a .jsonl file, or of the same file packed (.jsonl.xz). Raises DataError."""
    path = folder / name
    packed = path.with_name(f"{name}.xz")
    try:
        text = (lzma.decompress(packed.read_bytes()) if packed.exists() else path.read_bytes()).decode()
        yield from (json.loads(line) for line in text.splitlines() if line.strip())
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, lzma.LZMAError, EOFError) as error:
        raise DataError(f"{path} is not JSON lines: {error}") from error


def _task(matrix: dict[str, Any], tests: dict[str, Any], outputs: dict[str, Any]) -> StoredTask:
    suites = {test["i"]: frozenset(test["suites"]) for test in tests["tests"]}
    members: dict[str, list[int]] = defaultdict(list)
    for test, names in suites.items():
        for name in names:
            members[name].append(test)
    gpt35 = sorted({t for name, listed in members.items() if name.startswith(SAME_MODEL) for t in listed})
    return StoredTask(
        id=matrix["task_id"],
        number=int(matrix["task_id"].split("/")[1]),
        programs=tuple(
            _program(name, letters, outputs["rows"].get(name), outputs["test_to_call_and_expected"])
            for name, letters in matrix["rows"].items()
            if name.split("|")[0] not in SOLVED_ONLY
        ),
        examples=tuple(test["i"] for test in tests["tests"] if test["docstring"]),
        suites=suites,
        tests={
            **{name: tuple(members[suite]) for name, (suite,) in ONE_SUITE.items()},
            "gpt35x5": tuple(gpt35),
            "all": tuple(sorted({*gpt35, *members["gpt-4|0"]})),
        },
        calls=tuple(outputs["calls"]),
        call_of={int(test): pair[0] for test, pair in outputs["test_to_call_and_expected"].items()},
        mutated=tuple(outputs["mutated_call_ids"]),
    )


def _program(
    name: str, letters: str, outputs: str | None, compared: Mapping[str, tuple[int, int | None]]
) -> StoredProgram:
    """Returns a stored program. `compared` holds, for each test, the numbers of its call and of its expected value."""
    passed = frozenset(i for i, letter in enumerate(letters) if letter == "P")
    if outputs is None:
        return StoredProgram(name, letters, None, passed)
    told = tuple(outputs.split(","))
    equal = {int(test) for test, (call, expected) in compared.items() if _same_value(told, call, expected)}
    return StoredProgram(name, letters, told, passed, frozenset(i for i in equal if letters[i] == "T"))


def _same_value(told: Sequence[str], call: int, expected: int | None) -> bool:
    return expected is not None and told[call] not in NO_VALUE and told[call] == told[expected]


def selection_draw(task: StoredTask, selection: str, seed: int) -> list[StoredProgram]:
    """Returns the attempts of one seed, in order; empty if the pool has none."""
    models, size, _ = SELECTIONS[selection]
    pool = [program for program in task.pool(models) if program.outputs]
    return random.Random(f"{task.number}/{seed}").sample(pool, min(size, len(pool)))


def loop_order(task: StoredTask, seed: int) -> list[StoredProgram]:
    """Returns the samples of one model in the order of one seed."""
    attempts = sorted(task.pool([SAME_MODEL]), key=lambda program: int(program.id.rsplit("|", 1)[1]))
    random.Random(seed * 7919 + task.number).shuffle(attempts)
    return attempts


def pool_order(task: StoredTask, pool: str, seed: int) -> list[StoredProgram]:
    """Returns the programs of several models, shuffled by one seed; empty if the pool has none."""
    attempts = [program for program in task.pool(POOLS[pool]) if program.outputs]
    random.Random(f"{task.number}/{pool}/{seed}").shuffle(attempts)
    return attempts
