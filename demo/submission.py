"""Reads what a person hands in through page or API, limits its size, and refuses it in one clear line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from agent.source.originals import CODE, TESTS, given_as_text
from agent.state import Task
from agent.task.project import project_in
from agent.task.request import MAX_FILES_BYTES, BadInput
from framework.secret import Secret

MAX_KEY = 400
"""The most characters of an API key."""


def task_from(text: str, code: str = "", tests: str = "", files: Mapping[str, bytes] | None = None) -> Task:
    """Returns the task of a person's input. Blank code and tests mean none; without code, a ZIP among the files may be
    a project. The engine decides whether the task can be worked on. Raises BadInput."""
    for name, data in (files or {}).items():
        if not code.strip() and (project := project_in(data, name)):
            rest = {**project.files, **{other: data for other, data in (files or {}).items() if other != name}}
            task = task_from(text, project.code, tests if tests.strip() else project.tests or "", rest)
            return replace(task, originals={**project.originals, **task.originals})
    (code, program), (tests, own) = given_as_text(code, CODE), given_as_text(tests, TESTS)
    return Task(text, code if code.strip() else None, tests if tests.strip() else None, files or {}, {**program, **own})


def read_uploads(paths: Sequence[str]) -> dict[str, bytes]:
    """Returns the bytes of uploaded files by name. Raises BadInput."""
    names = [Path(path).name for path in paths]
    if len(set(names)) < len(names):
        raise BadInput("two data files have the same name")
    if sum(Path(path).stat().st_size for path in paths) > MAX_FILES_BYTES:
        raise BadInput(f"the data files are larger than {MAX_FILES_BYTES // 2**20} MB together")
    return {name: Path(path).read_bytes() for name, path in zip(names, paths, strict=True)}


def checked_key(key: str, provider: str) -> Secret | None:
    """Returns the person's own key for the provider they named; None if they gave none. Raises BadInput."""
    text = key.strip()
    if not text:
        return None
    if len(text) > MAX_KEY or any(character.isspace() for character in text):
        raise BadInput("this does not look like an API key")
    if provider in ("", "auto", "mock"):
        raise BadInput("choose the provider that your key belongs to")
    return Secret(text)
