"""What a person hands in through page or API: read, bounded, and refused in one clear line."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agent.source.originals import CODE, TESTS, given_as_text
from agent.state import Task
from agent.task.project import project_in
from agent.task.request import MAX_FILES_BYTES, BadInput
from framework.secret import Secret

MAX_KEY = 400


@dataclass(frozen=True, slots=True)
class Order:
    """A run as the person asked for it. The key stays in this process and is never stored."""

    task: Task
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Fields of AgentConfig; None leaves one at its default."""
    provider: str = ""
    """"" leaves the choice to the settings."""
    model: str = ""
    key: Secret | None = None
    owner: str = ""
    """Whose list of runs it joins."""
    beside: bool = False
    """Asked for on this machine itself, so that what belongs to nobody is this person's."""
    parent: str = ""
    """The run that this one follows on from, or begins with an attempt of."""
    attempt: str = ""
    """Of the parent: then this is a fork, under the parent's options; what the task holds are its edits."""


@dataclass(frozen=True, slots=True)
class PersonReply:
    """An answer to the question of a paused run."""

    action: str
    text: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    def plain(self) -> dict[str, Any]:
        """As the engine takes it, in JSON values."""
        files = {name: base64.b64encode(data).decode("ascii") for name, data in self.files.items()}
        return {"action": self.action, "text": self.text, **({"files": files} if files else {})}


def task_from(text: str, code: str = "", tests: str = "", files: Mapping[str, bytes] | None = None) -> Task:
    """Blank code and tests mean none, and then the code may be a project among the files, as ZIP; whether the rest can
    be worked on is for the engine to say. Raises BadInput."""
    for name, data in (files or {}).items():
        if not code.strip() and (project := project_in(data, name)):
            rest = {**project.files, **{other: data for other, data in (files or {}).items() if other != name}}
            task = task_from(text, project.code, tests if tests.strip() else project.tests or "", rest)
            return replace(task, originals={**project.originals, **task.originals})
    (code, program), (tests, own) = given_as_text(code, CODE), given_as_text(tests, TESTS)
    return Task(text, code if code.strip() else None, tests if tests.strip() else None, files or {}, {**program, **own})


def read_uploads(paths: Sequence[str]) -> dict[str, bytes]:
    """Name -> bytes of uploaded files. Raises BadInput."""
    names = [Path(path).name for path in paths]
    if len(set(names)) < len(names):
        raise BadInput("two data files have the same name")
    if sum(Path(path).stat().st_size for path in paths) > MAX_FILES_BYTES:
        raise BadInput(f"the data files are larger than {MAX_FILES_BYTES // 2**20} MB together")
    return {name: Path(path).read_bytes() for name, path in zip(names, paths, strict=True)}


def checked_key(key: str, provider: str) -> Secret | None:
    """The person's own key, for the provider they named. Raises BadInput."""
    text = key.strip()
    if not text:
        return None
    if len(text) > MAX_KEY or any(character.isspace() for character in text):
        raise BadInput("this does not look like an API key")
    if provider in ("", "auto", "mock"):
        raise BadInput("choose the provider that your key belongs to")
    return Secret(text)
