"""The lines of a batch: one record each, in order, whatever they hold and however they come."""

from __future__ import annotations

import asyncio
import json
import os
from argparse import Namespace
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import Execution, Isolation, Limits, Program, SandboxBroken
from sandbox.batch import batch, lines_of, open_lines, run_lines
from sandbox.console import UsageError
from sandbox.shown import Record

NOWHERE = Isolation(**{axis.name: "-" for axis in fields(Isolation)})  # pyright: ignore[reportArgumentType]
FIELDS = ("id", "solution", "package", "tests", "files", "timeout", "memory_mb", "output_kb", "mode", "argv", "calls")
texts = st.text(st.characters(codec=None, exclude_categories=()), max_size=8)


def listed(items: list[bytes]) -> bytes:
    return b"[" + b",".join(items) + b"]"


def named(items: dict[str, bytes]) -> bytes:
    return b"{" + b",".join(json.dumps(name).encode() + b":" + value for name, value in items.items()) + b"}"


json_values = st.recursive(
    st.one_of(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts).map(
            lambda value: json.dumps(value).encode()
        ),
        st.sampled_from([b"NaN", b"-Infinity", b"1e999", b"9" * 6000, b"-" + b"9" * 6000, b"[" * 9000 + b"]" * 9000]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(listed), st.dictionaries(texts, inner, max_size=3).map(named)
    ),
    max_leaves=8,
)
near_lines = st.dictionaries(st.sampled_from([*FIELDS, "stdin", "odd"]), json_values, max_size=6).map(named)


async def fed(lines: Iterable[bytes]) -> AsyncGenerator[bytes]:
    for line in lines:
        yield line


async def ran(program: Program) -> Execution:
    """Stands for the sandbox: runs nothing, and echoes the source."""
    return Execution("ok", NOWHERE, stdout=program.solution)


async def records_of(lines: Iterable[bytes], run: Any = ran, ahead: int = 4) -> list[Record]:
    return [record async for record in run_lines(run, fed(lines), ahead)]


@pytest.mark.slow
@given(st.lists(st.one_of(json_values, near_lines), max_size=6))
def test_whatever_json_a_line_holds_it_is_one_record(lines: list[bytes]) -> None:
    records = asyncio.run(records_of(lines))
    assert len(records) == len(lines)
    for record in records:
        assert json.loads(json.dumps(record, allow_nan=False))["status"] in ("ok", "broken")


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_whatever_bytes_a_line_holds_it_is_one_record(lines: list[bytes]) -> None:
    assert len(asyncio.run(records_of(lines))) == sum(1 for line in lines if line.strip())


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts))
def test_an_id_comes_back_from_a_good_line_and_from_a_bad_one(name: Any) -> None:
    good, bad = {"id": name, "solution": "x"}, {"id": name, "calls": 5}
    records = asyncio.run(records_of([json.dumps(line).encode() for line in (good, bad)]))
    assert [(record["id"], record["status"]) for record in records] == [(name, "ok"), (name, "broken")]


async def test_an_id_is_echoed_from_beside_values_that_no_json_may_hold() -> None:
    odd = [b"NaN", b"Infinity", b"1e999", b"9" * 6000, b"-" + b"9" * 6000, b'"\\ud800"', b"{}"]
    records = await records_of([b'{"id": 7, "solution": "x", "timeout": ' + value + b"}" for value in odd])
    assert [(record["id"], record["status"]) for record in records] == [(7, "broken")] * len(odd)


async def test_an_id_that_no_record_can_hold_is_none() -> None:
    odd = [b"NaN", b"-Infinity", b"9" * 6000, b"[" * 600 + b"]" * 600, b"[" * 100_000 + b"]" * 100_000]
    records = await records_of([b'{"id": ' + name + b', "solution": "x"}' for name in odd])
    assert [record["id"] for record in records] == [None] * len(odd)
    assert all(json.dumps(record) for record in records)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"[1]", "a line is a JSON object"),
        (b'{"mode": 1}', "mode: Input should be 'auto', 'inprocess' or 'split'"),
        (b'{"files": {"a": 5}}', "files.a: Input should be a valid string"),
        (b'{"timeout": 0}', "timeout: Value error, not a number above 0 and below 1,000,000"),
        (b'{"odd": 1}', "odd: Extra inputs are not permitted"),
        (b'{"files": {"a.PNG": "?"}}', "file a.PNG is not base64: "),
    ],
)
async def test_a_bad_line_is_told_where_and_why(line: bytes, words: str) -> None:
    (record,) = await records_of([line])
    assert record["error"].startswith(f"not a line that can be run: {words}")


async def test_a_line_is_a_program_with_every_part_of_it() -> None:
    given: list[Program] = []

    async def run(program: Program) -> Execution:
        given.append(program)
        return await ran(program)

    line: dict[str, Any] = {
        "solution": {"shop/a.py": "x = 1"}, "tests": "def test_a(): ...", "argv": ["-v"], "stdin": "in",
        "mode": "split", "timeout": 2.5, "memory_mb": 300.9, "output_kb": 0.5, "calls": ["f()"], "id": None,
        "files": {"a.txt": "é", "b.PNG": "iVBO", "c": "base64:iVBO", "d": {"base64": "iVBO"}, "e": {"b64": "iVBO"}},
    }  # fmt: skip
    await records_of([b"\xef\xbb\xbf" + json.dumps(line).encode(), b'{"solution": "x"}'], run)
    png = b"\x89PN"
    assert given[0] == Program(
        package={"shop/a.py": "x = 1"}, tests="def test_a(): ...", argv=("-v",), stdin="in", mode="split",
        limits=Limits(2.5, 300, 1), calls=("f()",),
        files={"a.txt": "é".encode(), "b.PNG": png, "c": png, "d": png, "e": png},
    )  # fmt: skip
    assert given[1] == Program("x")


@pytest.mark.parametrize(("broken", "whole"), [("", True), ("bad", False)])
async def test_a_batch_is_whole_where_every_line_could_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], broken: str, whole: bool
) -> None:
    class Sandbox:
        closed = 0

        def __init__(self, workers: int | None, level: str | None) -> None:
            assert (workers, level) == (3, "walled")

        async def describe(self) -> Isolation:
            return NOWHERE

        async def run(self, program: Program) -> Execution:
            return replace(await ran(program), status="broken" if program.solution == broken else "ok")

        async def aclose(self) -> None:
            Sandbox.closed += 1

    monkeypatch.setattr("sandbox.batch.LocalSandbox", Sandbox)
    (tmp_path / "lines").write_text('{"solution": "bad"}\n\n{"solution": "good"}')
    descriptor = open_lines(tmp_path / "lines")
    try:
        code = await batch(Namespace(workers=3, min_level="walled"), descriptor)
    finally:
        os.close(descriptor)
    assert (code, Sandbox.closed) == (int(not whole), 1)
    assert [json.loads(line)["stdout"] for line in capsys.readouterr().out.splitlines()] == ["bad", "good"]


@pytest.mark.parametrize(("name", "why"), [("", "Is a directory"), ("none", "No such file or directory")])
def test_lines_that_cannot_be_opened_are_told(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(UsageError, match=f"cannot read .*: {why}"):
        open_lines(tmp_path / name)


async def test_what_is_said_of_a_bad_line_is_one_short_line() -> None:
    lines: list[Any] = [{"x" * 10_000: 1}, {"files": {"\n" * 1000: 5}}, {"files": {"a.png": "no base64"}}, {"mode": 1}]
    for record in await records_of([json.dumps(line).encode() for line in lines]):
        assert 0 < len(record["error"]) <= 500
        assert "\n" not in record["error"]


async def test_a_sandbox_that_breaks_costs_the_line_and_not_the_batch() -> None:
    async def breaks(program: Program) -> Execution:
        if program.solution == "bad":
            raise SandboxBroken("no more workers")
        return await ran(program)

    lines = [json.dumps({"id": name, "solution": name}).encode() for name in ("good", "bad", "last")]
    records = await records_of(lines, breaks)
    assert [(record["id"], record["status"]) for record in records] == [
        ("good", "ok"), ("bad", "broken"), ("last", "ok"),
    ]  # fmt: skip


async def test_records_keep_the_order_of_the_lines_when_later_ones_end_first() -> None:
    gates = [asyncio.Event() for _ in range(4)]

    async def run(program: Program) -> Execution:
        number = int(program.solution)
        if number:
            gates[number - 1].set()
        if number < 3:
            await gates[number].wait()
        return await ran(program)

    records = await records_of([json.dumps({"id": n, "solution": str(n)}).encode() for n in range(4)], run)
    assert [record["id"] for record in records] == [0, 1, 2, 3]


async def test_a_record_is_out_while_the_next_line_is_still_being_written() -> None:
    reading, writing = os.pipe()
    try:
        records = run_lines(ran, lines_of(reading))
        for number in range(3):
            os.write(writing, json.dumps({"id": number, "solution": "x"}).encode() + b'\n{"id":')
            assert (await anext(records))["id"] == number
            os.write(writing, b' "later", "solution": "x"}\n')
            assert (await anext(records))["id"] == "later"
        os.write(writing, b'{"id": "last", "solution": "x"}')
        os.close(writing)
        assert [record["id"] async for record in records] == ["last"]
    finally:
        os.close(reading)


async def test_a_batch_that_is_stopped_gives_what_has_finished() -> None:
    begun = asyncio.Event()
    ended: list[str] = []

    async def run(program: Program) -> Execution:
        if program.solution == "endless":
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(program.solution)
        if program.solution == "last":
            begun.set()
        return await ran(program)

    given: list[Any] = []

    async def follow() -> None:
        async for record in run_lines(run, unended(("first", "endless", "last"))):
            given.append(record["id"])

    task = asyncio.create_task(follow())
    await begun.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()
    assert given == ["first", "last"]
    assert ended == ["endless"]


async def unended(names: Iterable[str]) -> AsyncIterator[bytes]:
    """Lines whose writer has not closed the pipe."""
    for name in names:
        yield json.dumps({"id": name, "solution": name}).encode()
    await asyncio.Event().wait()
