"""Reads recorded programs and tests of real models once, for the replay provider."""

from __future__ import annotations

import ast
import functools
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from llm.errors import NoProvider

FILES = ("humaneval.jsonl", "first_attempts.jsonl", "model_tests.jsonl")
"""The files of a folder of recordings."""
SAMPLED, STRONGER = tuple(f"gpt-3.5-turbo-1106|{number}" for number in range(5)), "gpt-4|0"
"""The names of the stored suites: five samples of one model, and one of a stronger model."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One program as a model wrote it."""

    id: str
    code: str
    right: bool | None
    """Whether the program is right by the official tests; None if the recording does not say."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One assert of a model-written suite."""

    source: str
    suites: tuple[str, ...]
    call: str | None
    expected: str | None
    """The call and the expected value, if the assert is `call == literal`."""
    valid: bool | None
    """Whether the reference solution passes the assert; None if the recording does not say."""
    stated: bool = False
    """Whether the assert repeats an example of the task text."""

    def falsified(self) -> Claim | None:
        """Returns the same call with a value that the reference solution does not give; None if the claim is not such
        an assert, or is not known to be valid."""
        if not self.valid or self.call is None or self.expected is None:
            return None
        wrong = _other_value(self.expected)
        return replace(self, source=f"assert {self.call} == {wrong}", expected=wrong, valid=False) if wrong else None


@dataclass(frozen=True, slots=True)
class Recording:
    """Everything that is recorded about one task."""

    task_id: str
    prompt: str
    programs: Mapping[str, Sequence[Recorded]] = field(default_factory=dict[str, list[Recorded]])
    """The programs of each model, in the order of its samples."""
    claims: Sequence[Claim] = ()

    def order(self, model: str, seed: int) -> list[Recorded]:
        """Returns the model's programs in the order of one seed. Programs that do not parse are left out, because the
        reply reader would refuse such a reply before it becomes an attempt."""
        programs = list(self.programs.get(model, ()))
        number = int((re.findall(r"\d+", self.task_id) or ["0"])[-1])
        random.Random(seed * 7919 + number).shuffle(programs)
        return [program for program in programs if _parses(program.code)]

    def suites(self, seed: int, first: str | None = None) -> dict[str, list[Claim]]:
        """Returns the stored suites by name: the spec tester's (`first`, or one that the seed chooses), the
        adversary's, then the others. Suites that are missing for this task are left out."""
        chosen = [first] if first else []
        names = [*chosen, *SAMPLED[seed % 5 :], *SAMPLED[: seed % 5], STRONGER]
        found = {name: [claim for claim in self.claims if name in claim.suites] for name in names}
        return {name: claims for name, claims in found.items() if claims}


@dataclass(frozen=True, slots=True)
class Recordings:
    tasks: tuple[Recording, ...]

    def find(self, task: str) -> Recording | None:
        """Returns the recording with the longest prompt that stands in the task text; None if there is none."""
        found = [recording for recording in self.tasks if recording.prompt.strip() in task]
        return max(found, key=lambda recording: len(recording.prompt), default=None)

    def knows(self, task: str, model: str) -> bool:
        """Returns whether programs of the model are recorded for the task."""
        recording = self.find(task)
        return recording is not None and bool(recording.order(model, 0))


def open_recordings(folder: str) -> Recordings:
    """Reads a folder with the three FILES. Raises NoProvider."""
    if not folder:
        raise NoProvider(f"The provider 'replay' needs a folder with {', '.join(FILES)} (--data DIR).")
    return _read(Path(folder).absolute())


@functools.lru_cache(maxsize=2)
def _read(folder: Path) -> Recordings:
    try:
        prompts = {row["task_id"]: row["prompt"] for row in _rows(folder / FILES[0])}
        programs = _programs(folder / FILES[1])
        claims = {row["task_id"]: [_claim(test) for test in row["tests"]] for row in _rows(folder / FILES[2])}
    except OSError as error:
        raise NoProvider(f"The provider 'replay' cannot read {error.filename}: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError) as error:
        raise NoProvider(f"The recordings in {folder} are not as they should be: {error!r}.") from None
    tasks = [Recording(name, prompts[name], by_model, claims.get(name, ())) for name, by_model in programs.items()]
    return Recordings(tuple(tasks))


def _programs(path: Path) -> dict[str, dict[str, list[Recorded]]]:
    """Returns the samples by task and model. Logs that kept only solved programs are left out, because these are no
    first attempts."""
    found: dict[str, dict[str, list[Recorded]]] = defaultdict(lambda: defaultdict(list))
    for row in sorted(_rows(path), key=lambda row: _sample(row["id"])):
        if not row.get("solved_only_log"):
            found[row["task_id"]][row["model"]].append(Recorded(row["id"], row["code"], row.get("passed_base")))
    return found


def _sample(identity: str) -> int:
    last = identity.rsplit("|", 1)[-1]
    return int(last) if last.isdigit() else 0


def _claim(row: Mapping[str, Any]) -> Claim:
    call, expected = _split(row["a"])
    return Claim(row["a"], tuple(row["suites"]), call, expected, row.get("valid"), bool(row.get("docstring")))


def _split(source: str) -> tuple[str | None, str | None]:
    try:
        match ast.parse(source).body:
            case [ast.Assert(ast.Compare(ast.Call() as call, [ast.Eq()], [expected]))]:
                return ast.unparse(call), ast.unparse(expected)
            case _:
                return None, None
    except (SyntaxError, ValueError):
        return None, None


def _other_value(literal: str) -> str | None:
    """Returns a literal of the same type with another value; None if there is no simple one."""
    try:
        value = ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        return None
    match value:
        case bool():
            return repr(not value)
        case int() | float():
            return repr(value + 1)
        case str():
            return repr(value + "?")
        case list():
            return repr([*cast("list[Any]", value), 0])
        case _:
            return None


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError):
        return False
    return True


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())
