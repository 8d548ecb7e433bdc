"""Asks a person at a terminal for a task, for what comes next, and for answers to the questions of a run."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from agent.by_output.missing import MISSING_FILE
from agent.session.packages import MISSING_PACKAGES
from agent.task.project import read_source
from agent.task.reply import PersonReply
from agent.task.request import MAX_TASK_CHARS, BadInput, read_bytes
from framework.engine import Pending

T = TypeVar("T")


def read_task(argument: str | None) -> str:
    """Returns the task from the argument, from standard input for "-", or asks for it at a terminal. Raises
    BadInput."""
    if argument is not None and argument != "-":
        return argument
    if argument is None and sys.stdin.isatty():
        return _ask_task()
    if argument is None:
        raise BadInput('no task: give it in words, or "-" to read it from standard input')
    data = sys.stdin.buffer.read(MAX_TASK_CHARS * 4 + 1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput("the task is not text in UTF-8") from None


def _ask_task() -> str:
    return _lines("What should the program do? End with an empty line.")


def ask_more() -> str:
    """Asks for the next task about the program; returns "" when the person wants nothing more."""
    return _lines("What next? An empty line ends the conversation.")


def _lines(question: str) -> str:
    """Returns what is typed up to an empty line or the end of input. Ctrl-C raises KeyboardInterrupt at once, as no run
    is at work here."""
    print(question, file=sys.stderr)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    lines: list[str] = []
    try:
        while line := input("> "):
            lines.append(line)
    except EOFError:
        pass
    finally:
        signal.signal(signal.SIGINT, before)
    return "\n".join(lines)


WORDS = {
    "ambiguous": "approve, abort, or a number: ",
    MISSING_PACKAGES: "approve (install them), or abort: ",
    "clarify": "approve (the first choice), abort, a number, or revise TEXT (your own answer): ",
    "review_repair": "approve, abort, revise TEXT, or edit FILE (your version of the program): ",
}


def _or_told(read: Callable[[str], T], path: str) -> T | None:
    """Returns what is read at the path; None if it cannot be read, which the person is told."""
    try:
        return read(path)
    except BadInput as error:
        print(error, file=sys.stderr)
        return None


def _program_at(path: str) -> str:
    return read_source(path, read_bytes(path))


async def ask_at_terminal(pending: Pending) -> PersonReply | None:
    """Shows an open question and returns the answer: approve, abort, revise, edit, or the option whose number is typed.
    Returns None when the person leaves (end of input)."""
    payload = pending.payload
    options = [str(option) for option in payload.get("options", ())]
    print(_shown(payload), file=sys.stderr)
    for number, option in enumerate(options, 1):
        said = f"{payload['call']} gives {option}" if payload.get("call") else option
        print(f"  {number}) {said}", file=sys.stderr)
    if pending.kind == MISSING_FILE:
        return await _ask_for_file()
    words = WORDS.get(pending.kind, "approve, abort, or revise TEXT: ")
    while True:
        try:
            answer = (await asyncio.to_thread(input, words)).strip()
        except EOFError:
            return None
        word, _, text = answer.partition(" ")
        wished = word == "revise" and text and pending.kind not in ("ambiguous", MISSING_PACKAGES)
        if word in ("approve", "abort") or wished:
            return PersonReply(word, text)
        if word == "edit" and pending.kind == "review_repair" and (edited := _or_told(_program_at, text)) is not None:
            return PersonReply("edit", edited)
        if answer.isdigit() and 1 <= int(answer) <= len(options):
            return PersonReply("tick", options[int(answer) - 1])


def _shown(payload: Mapping[str, Any]) -> str:
    """Returns the question as JSON, with a proposed change as a diff below. The fields of a single proposal stand at
    the top level already and are not repeated."""
    diff, proposals = payload.get("diff", ""), payload.get("proposals", ())
    left_out = {"diff", *(["code"] if diff else []), *(["proposals"] if len(proposals) == 1 else [])}
    shown = {name: value for name, value in payload.items() if name not in left_out}
    return json.dumps(shown, indent=2, ensure_ascii=False) + f"\n{diff}"


async def _ask_for_file() -> PersonReply | None:
    """Asks for the path of a file. "approve" goes on without it, "abort" ends the run. Returns None at the end of
    input."""
    while True:
        try:
            answer = (await asyncio.to_thread(input, "path of the file, approve (go on without), or abort: ")).strip()
        except EOFError:
            return None
        if answer in ("approve", "abort"):
            return PersonReply(answer)
        data = await asyncio.to_thread(_or_told, read_bytes, answer)
        if data is not None:
            return PersonReply("approve", files={Path(answer).name: data})
