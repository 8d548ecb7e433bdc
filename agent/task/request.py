"""Checks whether what a person submits can be worked on. Each refusal is one clear line."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from pydantic import ValidationError

from agent.config import AUTONOMY, AgentConfig
from agent.events import codec
from agent.source.parsing import UNREADABLE
from agent.state import Task
from sandbox.types import FileData, Linked

from .lone_word import command_meant

MAX_TASK_CHARS = 50_000
MAX_SOURCE_CHARS = 200_000
MAX_FILES_BYTES = 10 * 2**20
MAX_LINKED_BYTES = 200 * 2**20
"""The most bytes of a file that is given by its path and stays there."""
MAX_FILES = 50


class BadInput(ValueError):
    """What was submitted cannot be worked on; the message is one line for the person."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 422


class Wanting(BadInput):
    """The task needs more before it can begin. The message names no flag or button, since it serves the command line,
    the app and the API alike."""

    def __init__(self, message: str, option: str = "") -> None:
        super().__init__(message)
        self.option = option
        """What would supply the need: "files" of the task, or a field of AgentConfig."""


def check_task(task: Task) -> None:
    """Raises BadInput for a task that is empty, too long, binary or just a command's name, for tests or code that are
    no text, and for files out of bounds."""
    if not task.text.strip():
        raise BadInput("the task is empty: say in plain words what the program should do")
    if not (task.code or task.tests or task.files or task.fork) and command_meant(task.text):
        raise BadInput(f"{task.text.strip()!r} alone is no task: say in plain words what the program should do")
    _check_text("the task", task.text, MAX_TASK_CHARS)
    if task.code is not None:
        if not task.code.strip():
            raise BadInput("the code is empty: give the program that is meant, or none at all")
        _check_text("the code", task.code, MAX_SOURCE_CHARS)
    if task.tests is not None:
        _check_text("the tests", task.tests, MAX_SOURCE_CHARS)
    check_files(task.files)
    if task.files and not any(task.files.values()):
        raise BadInput(f"{' and '.join(task.files)} {'is' if len(task.files) == 1 else 'are'} empty: there is no data")


def check_edited(code: str) -> None:
    """Raises BadInput when a program that a person edited does not parse or is no text."""
    _check_text("the edited program", code, MAX_SOURCE_CHARS)
    try:
        ast.parse(code)
    except UNREADABLE as error:
        raise BadInput(f"the edited program does not parse: {error}") from None


def _check_text(what: str, text: str, limit: int) -> None:
    if len(text) > limit:
        raise BadInput(f"{what} has {len(text):,} characters; the limit is {limit:,}")
    if any(ord(letter) < 32 and letter not in "\n\r\t\f" for letter in text) or "\ufffd" in text:
        raise BadInput(f"{what} is not text: it holds control characters or bytes that are no UTF-8")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadInput(f"{what} holds characters that are no valid Unicode") from None


def read_bytes(name: str) -> bytes:
    """Reads a file that a person names on the command line. Raises BadInput if it cannot be read, or is a device, which
    may have no end."""
    try:
        if not (stat.S_ISREG(mode := os.stat(name).st_mode) or stat.S_ISFIFO(mode)):
            raise BadInput(f"{name} is {'a folder' if stat.S_ISDIR(mode) else 'a device'}, not a file")
        return Path(name).read_bytes()
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {error.strerror}") from None


def read_data(name: str) -> FileData:
    """Returns a data file: its bytes, or a `Linked` record when it is larger than MAX_FILES_BYTES. Raises BadInput."""
    try:
        status = os.stat(name)
        if stat.S_ISFIFO(status.st_mode):
            raise BadInput(f"{name} is a pipe: data is read more than once, so save it to a file first")
        if not stat.S_ISREG(status.st_mode) or status.st_size <= MAX_FILES_BYTES:
            return read_bytes(name)
        if status.st_size > MAX_LINKED_BYTES:
            raise BadInput(f"{name} has {status.st_size:,} bytes; the limit is {MAX_LINKED_BYTES:,}")
        with open(name, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BadInput(f"{name} cannot be read: {error.strerror}") from None
    return Linked(os.path.realpath(name), status.st_size, digest)


def check_unchanged(files: Mapping[str, FileData]) -> None:
    """Raises BadInput when a `Linked` file has changed since the run was submitted."""
    for name, data in files.items():
        if isinstance(data, Linked) and read_data(data.path) != data:
            raise BadInput(f"{name} ({data.path}) has changed since the run was submitted; submit the task again")


def check_files(files: Mapping[str, FileData]) -> None:
    """Raises BadInput for too many, too large, or oddly named files."""
    if len(files) > MAX_FILES:
        raise BadInput(f"{len(files)} data files are too many; the limit is {MAX_FILES}")
    if (total := sum(len(data) for data in files.values() if isinstance(data, bytes))) > MAX_FILES_BYTES:
        raise BadInput(f"the data files have {total:,} bytes together; the limit is {MAX_FILES_BYTES:,}")
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts or "\\" in name or not name.isprintable():
            raise BadInput(f"the data file name {name!r} is not a plain relative path")
        if path.parts[0] in ("solution.py", "program.py"):
            raise BadInput(f"a data file may not be called {name!r}")


def check_config(config: AgentConfig) -> None:
    """Raises BadInput for an option out of its range."""
    if config.autonomy not in AUTONOMY:
        raise BadInput(f"unknown autonomy {config.autonomy!r}; it is one of: {', '.join(AUTONOMY)}")
    bounds = {
        "strategies": (1, 3), "max_repairs": (0, 20), "max_rewrites": (0, 5), "independent_attempts": (0, 5),
        "held_out": (0, 0.5), "mutation_seconds": (0, 60), "timeout": (1, 86_400), "execution_timeout": (0.1, 300),
        "memory_mb": (64, 65_536),
    }  # fmt: skip
    for name, (low, high) in bounds.items():
        if not low <= getattr(config, name) <= high:
            raise BadInput(f"{name.replace('_', ' ')} is {getattr(config, name)}; it must be from {low} to {high}")
    for name in ("budget_usd", "budget_calls", "budget_tokens"):
        value = getattr(config, name)
        if value is not None and not 0 <= value <= 1_000_000:
            raise BadInput(f"{name.replace('_', ' ')} is {value}; it must not be negative")


def config_from(values: Mapping[str, Any]) -> AgentConfig:
    """Builds a config from plain values; missing ones and None take the default. Raises BadInput."""
    known = {entry.name for entry in dataclasses.fields(AgentConfig)}
    unknown = set(values) - known
    if unknown:
        raise BadInput(f"unknown option: {', '.join(sorted(unknown))}")
    given = {name: value for name, value in values.items() if value is not None}
    try:
        config = codec.configs.decode(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{first['loc'][0]}: {first['msg']}, not {first['input']!r}") from None
    check_config(config)
    return config
