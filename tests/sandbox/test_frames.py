"""A program that finds the worker's descriptors and writes to them ends its own run only."""

from __future__ import annotations

import asyncio
import json
import struct

import pytest

from sandbox import Limits, Mode, Program
from tests.sandbox.conftest import Walled

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
TESTS = "def test_add():\n    assert add(1, 2) == 3\n"
SPRAY = """
import os
def spray(data):
    for number in range(3, 256):
        try:
            os.write(number, data)
        except OSError:
            pass
def add(a, b):
    return a + b
"""


def frame(kind: int, body: bytes) -> str:
    """A frame as the child sends them, with a nonce that is none."""
    return f"spray({struct.pack('<IB16s', len(body), kind, b'x' * 16) + body!r})\n"


ENDLESS_PEAK = json.dumps({"peak_kb": float("inf")}).encode()
ODD_REQUEST = json.dumps({"run_program": {"files": {"a": "x", "a/b": "y", "\0": "z"}}, "program": {}}).encode()
WRITTEN = {
    "an end with an endless peak": frame(2, ENDLESS_PEAK),
    "a request for an odd program": frame(1, ODD_REQUEST) * 8,
    "a check that passed": frame(1, b'{"check":"test_add","status":"pass","message":""}') + frame(2, bytes(8)),
    "a size beyond all measure": "spray(b'\\xff' * 5000)\n",
    "zeros": "spray(bytes(5000))\n",
    "zeros without an end": "while True:\n    spray(bytes(50000))\n",
}


@pytest.mark.parametrize("mode", ["inprocess", "split", "auto"])
@pytest.mark.parametrize("what", WRITTEN)
async def test_what_is_written_to_the_workers_descriptors_is_never_a_pass(
    walled: Walled, what: str, mode: Mode
) -> None:
    program = Program(SPRAY + WRITTEN[what], tests=TESTS, mode=mode, limits=Limits(timeout=1))
    done = await walled.sandbox.run(program)
    assert done.status in ("error", "timeout"), done
    await walled.still_right()


async def test_no_worker_and_no_other_run_is_lost_to_it(walled: Walled) -> None:
    before = set(walled.sandbox.worker_pids())
    killers = [Program(SPRAY + text, tests=TESTS, limits=Limits(timeout=1)) for text in WRITTEN.values()]
    good = Program("def add(a, b):\n    return a + b\n", tests=TESTS)
    ran = await asyncio.gather(*(walled.sandbox.run(one) for one in [good, *killers, good] * 2))
    assert {one.status for one in ran} <= {"pass", "error", "timeout"}, "never broken: the sandbox did not fail"
    assert sum(one.confirmed for one in ran) == 4
    assert before <= set(walled.sandbox.worker_pids())


@pytest.mark.parametrize("request_text", ["{}", "[]", "{", '{"run_program": {"files": {"a/../../b": 7}}}'])
async def test_a_request_that_makes_no_sense_ends_only_the_run_that_made_it(walled: Walled, request_text: str) -> None:
    """The suite itself sends it, over the very descriptor that `run_program` uses."""
    tests = (
        "import struct\n"
        "def test_add():\n"
        "    send = [cell.cell_contents for cell in run_program.__closure__][0].__self__._broker\n"
        f"    text = {request_text.encode()!r}\n"
        "    send.sendall(struct.pack('<I', len(text)) + text)\n"
        "    assert run_program([]).stdout == '3\\n'\n"
    )
    program = Program("print(3)\n", tests=tests, mode="inprocess", limits=Limits(timeout=1))
    done = await walled.sandbox.run(program)
    assert done.status in ("error", "fail"), done
    await walled.still_right()
