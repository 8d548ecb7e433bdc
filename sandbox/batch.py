"""`python -m sandbox batch`: runs many programs from JSON lines, several at a time, and prints one record a line, in
order."""

from __future__ import annotations

import argparse
import asyncio
import base64
import binascii
import json
import os
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from .console import UsageError, answer, one_line
from .given import MAX_DATA_BYTES, MAX_TEXT, limits_of, positive, standard_input
from .shown import Record, broken_record, execution_record
from .supervisor import LocalSandbox
from .types import Execution, LevelTooLow, Limits, Mode, Program, SandboxBroken

_AHEAD = 16
"""How many lines are read beyond the number of parallel runs, so that a slow run at the front does not leave workers
idle."""
_BLOCK = 1 << 16
"""Bytes that are read from the input at once."""
_LONGEST_ID = 1000
"""The most characters of an id that is no text. A longer one could be nested deeper than a record can be written."""
_LONGEST_WHOLE = 1000
"""Whole numbers with this many digits or more become infinity; Python would otherwise refuse the whole line."""
_LONGEST_ERROR = 500
"""The most characters of an error message."""
RunProgram = Callable[[Program], Awaitable[Execution]]
"""The type of `Sandbox.run`."""


def open_lines(path: Path) -> int:
    """Opens the file that holds the lines, or stdin for "-"; returns its descriptor. Raises UsageError."""
    if str(path) == "-":
        return standard_input().fileno()
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(0, "Is a directory")
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


async def batch(arguments: argparse.Namespace, descriptor: int) -> int:
    """Prints a record for every line. Returns 0 when all of them could be run, 1 when some could not. If there is no
    sandbox, prints that for every line and then raises LevelTooLow or SandboxBroken."""
    sandbox = LocalSandbox(arguments.workers, arguments.min_level)
    lacking: LevelTooLow | SandboxBroken | None = None
    whole = True
    try:
        try:
            await sandbox.describe()
        except (LevelTooLow, SandboxBroken) as error:
            lacking = error
        run = _refusing(str(lacking)) if lacking else sandbox.run
        ahead = _AHEAD + (arguments.workers or os.cpu_count() or 1)
        async with aclosing(lines_of(descriptor)) as lines, aclosing(run_lines(run, lines, ahead)) as records:
            async for record in records:
                whole = whole and record["status"] != "broken"
                answer(json.dumps(record))
    finally:
        await sandbox.aclose()
    if lacking:
        raise lacking
    return 0 if whole else 1


def _refusing(reason: str) -> RunProgram:
    async def run(_program: Program) -> Execution:
        raise SandboxBroken(reason)

    return run


async def lines_of(descriptor: int) -> AsyncGenerator[bytes]:
    """Yields the lines of an open file, each as soon as it can be read, so that a slow writer delays no run."""
    begun: list[bytes] = []
    while block := await _block(descriptor):
        first, *others = block.split(b"\n")
        begun.append(first)
        for other in others:
            yield b"".join(begun)
            begun = [other]
    yield b"".join(begun)


async def _block(descriptor: int) -> bytes:
    """Returns what can be read now, or waits until something can; b"" at the end of the file."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    try:
        loop.add_reader(descriptor, ready.set)
    except PermissionError:  # an ordinary file: epoll refuses it, because it can always be read
        return os.read(descriptor, _BLOCK)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
    return os.read(descriptor, _BLOCK)


async def run_lines(run: RunProgram, lines: AsyncIterable[bytes], ahead: int = _AHEAD) -> AsyncGenerator[Record]:
    """Yields one record per non-empty line, in order, with the line's `id`. A line that cannot be run gets the status
    `broken` and its error. When cancelled, yields the finished records before it ends."""
    source = aiter(lines)
    runs: deque[asyncio.Task[Record]] = deque()
    coming: asyncio.Task[bytes | None] | None = asyncio.create_task(_next(source))
    try:
        while coming or runs:
            awaited: set[asyncio.Task[Any]] = {coming} if coming and len(runs) < ahead else set()
            await asyncio.wait({*awaited, *([runs[0]] if runs else [])}, return_when=asyncio.FIRST_COMPLETED)
            if coming in awaited and coming.done():
                line = coming.result()
                coming = None if line is None else asyncio.create_task(_next(source))
                if line and line.strip():
                    runs.append(asyncio.create_task(_run_line(run, line)))
            while runs and runs[0].done():
                yield runs.popleft().result()
    except asyncio.CancelledError:
        for finished in [task.result() for task in runs if task.done()]:
            yield finished
        raise
    finally:
        unfinished: list[asyncio.Task[Any]] = [*runs, *([coming] if coming else [])]
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)


async def _next(source: AsyncIterator[bytes]) -> bytes | None:
    return await anext(source, None)


async def _run_line(run: RunProgram, line: bytes) -> Record:
    name: Any = None
    try:
        fields = json.loads(line.decode("utf-8-sig"), parse_int=_whole)
        name = _echoed(fields)
        return {"id": name, **execution_record(await run(program_of(fields)))}
    except (ValueError, RecursionError) as error:
        return {"id": name, **broken_record(one_line(f"not a line that can be run: {error}")[:_LONGEST_ERROR])}
    except SandboxBroken as error:
        return {"id": name, **broken_record(str(error))}


def _whole(digits: str) -> float:
    """Reads a whole number; returns infinity for more digits than Python would read."""
    return int(digits) if len(digits) < _LONGEST_WHOLE else float(digits)


def _echoed(fields: Any) -> Any:
    """Returns the id of a line; None when a JSON record cannot hold it."""
    name: Any = cast(dict[str, Any], fields).get("id") if isinstance(fields, dict) else None
    try:
        text = json.dumps(name, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return name if isinstance(name, str) or len(text) < _LONGEST_ID else None


_BINARY = (
    *(".bin", ".bz2", ".db", ".gif", ".gz", ".jpeg", ".jpg", ".npy", ".npz", ".parquet", ".pdf", ".pkl", ".png"),
    *(".sqlite", ".tar", ".webp", ".xls", ".xlsx", ".zip"),
)
"""Suffixes of binary formats: a text for such a file is read as base64."""
_STRICT = ConfigDict(strict=True, extra="forbid")

Text = Annotated[str, Field(max_length=MAX_TEXT)]
"""Text that can be encoded: with a bound on the length, pydantic also refuses lone surrogates."""
Content = Annotated[str, Field(max_length=2 * MAX_DATA_BYTES)]
Limit = Annotated[float, AfterValidator(positive)]


class Encoded(BaseModel):
    """A data file that is not text."""

    model_config = _STRICT
    base64: Content = Field(validation_alias=AliasChoices("base64", "b64"))


class Line(BaseModel):
    """One line of a batch. A field that is absent or null takes the default of `Program`."""

    model_config = _STRICT
    id: Any = None
    solution: Text = ""
    package: dict[Text, Text] = {}
    tests: Text | None = None
    calls: list[Text] = []
    argv: list[Text] = []
    stdin: Text = ""
    files: dict[Text, Content | Encoded] = {}
    mode: Mode = "auto"
    timeout: Limit = Limits().timeout
    memory_mb: Limit = Limits().memory_mb
    output_kb: Limit = Limits().output_kb


def program_of(fields: Any) -> Program:
    """Returns the program that a line describes. Raises ValueError, in one sentence, for any other line."""
    if not isinstance(fields, dict):
        raise ValueError("a line is a JSON object")
    given = {name: value for name, value in cast(dict[str, Any], fields).items() if value is not None}
    if isinstance(given.get("solution"), dict):
        given["package"] = given.pop("solution")
    try:
        line = Line.model_validate(given)
    except ValidationError as error:
        raise ValueError(_first_of(error)) from error
    files = {name: _bytes_of(name, content) for name, content in line.files.items()}
    return Program(
        solution=line.solution,
        package=line.package,
        tests=line.tests,
        calls=tuple(line.calls),
        files=files,
        argv=tuple(line.argv),
        stdin=line.stdin,
        mode=line.mode,
        limits=limits_of(line.timeout, line.memory_mb, line.output_kb),
    )


def _first_of(error: ValidationError) -> str:
    """Tells place and message of the first error."""
    found = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, found["loc"][:2]))[:100]
    return f"{place}: {found['msg']}" if place else found["msg"]


def _bytes_of(name: str, content: str | Encoded) -> bytes:
    """Returns the bytes of a data file: text, {"base64": ...}, "base64:...", or plain base64 under the name of a binary
    format."""
    if isinstance(content, Encoded):
        return _decoded(name, content.base64)
    if content.startswith("base64:") or name.lower().endswith(_BINARY):
        return _decoded(name, content.removeprefix("base64:"))
    return content.encode("utf-8")


def _decoded(name: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"file {name[:100]} is not base64: {error}") from error
