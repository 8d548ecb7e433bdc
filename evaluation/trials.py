"""Stores trials, each a run on one problem, as one JSON line as soon as it is graded."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar

from filelock import FileLock, Timeout

from .suites import BadSuite

FILE = "trials.jsonl"
RATINGS = "ratings.jsonl"
HEADER = "suite.json"
LOCK = ".lock"
ACCEPTED = ("verified", "partly_verified")
AGREEING_ENTRIES = ("suite", "provider", "model", "arm", "budget_tokens", "seed", "accuracy", "plant")
"""The entries of the header in which a resumed folder must agree."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One run on one problem. It is graded by the hidden tests in a sandbox of their own, never by the agent's own
    word."""

    key: str
    """The problem and the sample, "<problem>#<sample>"."""
    problem: str
    sample: int
    verdict: str
    """The run's verdict; "" if there was no run."""
    first_correct: bool
    """Whether the first program passes the hidden tests."""
    final_correct: bool
    """Whether the program that was returned passes them."""
    any_correct: bool
    """Whether some program of the run passes, which perfect selection would have returned."""
    attempts: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    seconds: float
    run_id: str
    reason: str = ""
    """The reason of the verdict, in the agent's words."""
    quarantined: int = 0
    chance: float | None = None
    """The calibrated chance of being right that the verdict carried, 0.0 to 1.0; None if it carried none."""
    model_seconds: float = 0.0
    """The part of `seconds` that model calls took. Calls at the same time count each."""
    sandbox_seconds: float | None = None
    """The part of `seconds` that programs and their checks took; None if an older version made the trial and did not
    report it."""
    grading_seconds: float | None = None
    """The seconds that the hidden tests took afterwards. They are no part of `seconds`."""
    date: str = ""
    """When the trial ended, ISO 8601 in UTC."""
    made: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """How the trial was made: commit, versions, settings, budget, seed, machine class (see
    evaluation/provenance.py)."""
    error: str = ""
    """Why the trial could not be run or graded; "" if it was. It then counts as neither right nor wrong."""

    @property
    def accepted(self) -> bool:
        return self.verdict in ACCEPTED

    @property
    def words(self) -> str:
        """How the trial ended, in a few words."""
        right = f"error: {self.error}" if self.error else "right" if self.final_correct else "wrong"
        return f"{self.verdict}, {right}" if self.verdict else right


Rubric = Literal["code", "words"]
"""What is rated: a program, or an answer in words."""


@dataclass(frozen=True, slots=True)
class Rating:
    """What a model thinks of an answer. It is an opinion and no part of any trial."""

    key: str
    """The key of the trial, or the id of an answer that was rated by hand."""
    kind: Rubric
    problem: str
    label: int | None
    """The score by hand, 0 to 3; None for what a trial returned."""
    judge: str
    """Who rated: "provider:model, prompt v1"."""
    score: int | None = None
    why: str = ""
    tokens: int = 0
    cost_usd: float | None = 0.0
    date: str = ""
    error: str = ""
    """Why the model gave no usable rating; "" if it gave one."""


StoredRow = TypeVar("StoredRow", Trial, Rating)


class TrialStore:
    """A folder with trials and with how they came about."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = FileLock(folder / LOCK, timeout=0)

    def begin(self, header: Mapping[str, Any], *, resume: bool) -> set[str]:
        """Opens the folder for trials and returns the keys that need not be run again. The folder then belongs to this
        store until `close`. Raises BadSuite for a folder that another run fills, that is not empty, or whose trials
        were made in another way."""
        path = self.folder / HEADER
        if path.exists() and not resume:
            raise BadSuite(f"{self.folder} holds trials already; use --resume, or another --out")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.hold()
            if path.exists():
                self._check_same(header)
            _replace(path, json.dumps(header, indent=1) + "\n")
        except OSError as error:
            raise BadSuite(f"{self.folder} cannot be written: {error.strerror}") from None
        return {trial.key for trial in self.read() if not trial.error}

    def hold(self) -> None:
        """Keeps others from writing into the folder until `close`. Cuts off lines that a crash left half-written, so
        that they do not swallow the next line. Raises BadSuite if another process holds the folder."""
        try:
            self._lock.acquire()
        except Timeout:
            raise BadSuite(f"{self.folder} is being filled by another run") from None
        for path in (self.folder / FILE, self.folder / RATINGS):
            if path.exists() and not (data := path.read_bytes()).endswith(b"\n"):
                os.truncate(path, data.rfind(b"\n") + 1)

    def close(self) -> None:
        """Lets others fill the folder. If the process is killed, the operating system does this."""
        self._lock.release(force=True)

    def _check_same(self, header: Mapping[str, Any]) -> None:
        before = self.header()
        changed = [name for name in AGREEING_ENTRIES if before.get(name) != header.get(name)]
        if changed:
            raise BadSuite(f"{self.folder} was begun with another {', '.join(changed)}")

    def add(self, row: Trial | Rating) -> None:
        """Appends a trial or a rating. Raises BadSuite if the disk takes no more. The next `hold` removes a
        half-written line."""
        name = FILE if isinstance(row, Trial) else RATINGS
        try:
            with (self.folder / name).open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(row)) + "\n")
        except OSError as error:
            kept = "what is finished is kept, go on with --resume"
            raise BadSuite(f"{self.folder} cannot be written: {error.strerror}; {kept}") from None

    def header(self) -> dict[str, Any]:
        """Returns how the trials were made. Raises BadSuite if the folder holds no trials."""
        try:
            told: dict[str, Any] = dict(json.loads((self.folder / HEADER).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            raise BadSuite(f"{self.folder} holds no trials") from None
        if "arm" not in told or told.get("no_repair"):
            raise BadSuite(f"{self.folder} holds trials of an earlier version, which told their arm in another way")
        return told

    def read(self) -> list[Trial]:
        """Returns the latest trial of each key."""
        return list({trial.key: trial for trial in _rows(self.folder / FILE, Trial)}.values())

    def ratings(self) -> list[Rating]:
        """Returns the latest rating of each answer by each judge."""
        found = _rows(self.folder / RATINGS, Rating)
        return list({(rating.judge, rating.key): rating for rating in found}.values())


def _rows(path: Path, kind: type[StoredRow]) -> Iterator[StoredRow]:
    """Yields the rows of a file. A line that a crash cut short is skipped."""
    names = {field.name for field in fields(kind)}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        yield kind(**{name: value for name, value in row.items() if name in names})


def _replace(path: Path, text: str) -> None:
    """Writes a file as a whole or not at all."""
    draft = path.with_suffix(".draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)
