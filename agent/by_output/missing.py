"""Handles files that the task reads and nobody gave, before any model is asked."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent.examples import read_brief
from agent.examples.outputs import files_of
from agent.examples.types import BY_OUTPUT, Brief
from agent.state import Task
from agent.state.questions import Payload, QuestionKind

MISSING_FILE: QuestionKind = "missing_file"
MAX_PASTED_CHARS = 200_000


def missing_files(brief: Brief) -> tuple[str, ...]:
    """Returns the missing files, only if the words leave no doubt that the task is about them."""
    return brief.demand.missing if brief.kind == "data" and brief.sure else ()


def missing_sentence(task: Task) -> str:
    """Returns why the task cannot be worked on when nobody can be asked; "" when it can."""
    names = missing_files(read_brief(task.text, task.code, task.files))
    if not names:
        return ""
    one = in_words(names)
    return f"the task reads {one}, which was not given: add it to the data files, and submit the task again"


def named_otherwise(task: Task, brief: Brief) -> str:
    """Returns a sentence if the task names a file that was not given, while a file that it does not name was; "" if all
    names fit."""
    if brief.kind not in BY_OUTPUT:
        return ""
    read, made = files_of(task.text, task.files).read, files_of(task.text, task.files).made
    given = {name.rpartition("/")[2].lower(): name for name in task.files}
    named = {name.rpartition("/")[2].lower(): name for name in (*read, *made)}
    absent = [name for name in read if name.rpartition("/")[2].lower() not in given]
    others = [name for short, name in given.items() if short not in named]
    if not absent or not others:
        return ""
    verb = "was" if len(absent) == 1 else "were"
    return f"the task names {' and '.join(absent)}, which {verb} not given; the data come from {' and '.join(others)}"


def in_words(names: tuple[str, ...]) -> str:
    told = [f"a {name.rpartition('.')[2].upper()} file" if name.startswith("*") else name for name in names]
    return " and ".join(told)


def payload_of(names: tuple[str, ...]) -> Payload:
    """Returns what the person is shown."""
    reason = f"The task reads {in_words(names)}, which was not given. Give it, go on without it, or end the run."
    return {"files": list(names), "reason": reason}


def files_from(answer: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, bytes]:
    """Returns the files that the person gave, or the content of the one file typed as text. Raises ValueError for
    invalid base64."""
    given = {str(name): _decoded(str(data)) for name, data in dict(answer.get("files") or {}).items()}
    text = str(answer.get("text", ""))
    if not given and answer.get("action") == "revise" and text.strip():
        first = names[0] if not names[0].startswith("*") else names[0].replace("*", "data")
        given = {first: text.encode()}
    return given


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise ValueError("a file of the answer is not valid base64") from error


def with_files(task: Task, given: Mapping[str, bytes], names: tuple[str, ...]) -> Task:
    """Returns the task with the files that were given; a single file gets the name that the task asks for."""
    if len(names) == len(given) == 1 and not names[0].startswith("*"):
        given = {names[0]: next(iter(given.values()))}
    return replace(task, files={**task.files, **given})
