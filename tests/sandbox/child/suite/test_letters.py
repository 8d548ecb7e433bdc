"""What is told to hypothesis about letters is what it would find out itself."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sandbox import Limits, LocalSandbox, Program

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
        "from sandbox.child.suite.run import know_utf8\n"
        "tried, others = charmap.intervals_from_codec('utf-8'), charmap.intervals_from_codec('ascii')\n"
        "know_utf8()\n"
        "assert charmap.intervals_from_codec('utf-8') == tried\n"
        "assert charmap.intervals_from_codec('ascii') == others\n"
    )
    subprocess.run([sys.executable, "-c", asked], check=True)
