"""What is told to hypothesis about letters and constants is what it would find out itself."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sandbox import Limits, LocalSandbox, Mode, Program

PROPERTY = """
from hypothesis import given, strategies as st

@given(st.text(max_size=5))
def test_text(text):
    assert text.encode().decode() == same(text)
"""


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_texts_are_drawn_in_little_memory(sandbox: LocalSandbox) -> None:
    limits = Limits(timeout=20)
    done = await sandbox.run(Program(solution="def same(x):\n    return x\n", tests=PROPERTY, limits=limits))
    assert done.passed, (done.error, done.checks)
    assert done.peak_mb < 150


@pytest.mark.slow
def test_the_known_letters_are_the_ones_that_trying_finds() -> None:
    asked = (
        "from hypothesis.internal import charmap\n"
        "from sandbox.child.suite.properties import know_utf8\n"
        "tried, others = charmap.intervals_from_codec('utf-8'), charmap.intervals_from_codec('ascii')\n"
        "know_utf8()\n"
        "assert charmap.intervals_from_codec('utf-8') == tried\n"
        "assert charmap.intervals_from_codec('ascii') == others\n"
    )
    subprocess.run([sys.executable, "-c", asked], check=True)


ONE_VALUE = """
def same(x):
    return x if x not in (471147, "abrakadabra", b"xyzzy") else None
"""
PROPERTIES = """
from hypothesis import given, strategies as st

@given(st.integers())
def test_numbers(x):
    assert same(x) == x

@given(st.text())
def test_texts(x):
    assert same(x) == x

@given(st.binary())
def test_bytes(x):
    assert same(x) == x
"""


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("mode", ["inprocess", "split"])
async def test_constants_of_the_program_are_drawn(sandbox: LocalSandbox, mode: Mode) -> None:
    program = Program(solution=ONE_VALUE, tests=PROPERTIES, mode=mode, limits=Limits(timeout=20))
    done = await sandbox.run(program)
    assert {check.status for check in done.checks} == {"fail"}, done
