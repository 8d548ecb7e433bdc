"""What a program brings about itself never explains why it fails apart from the tests."""

# ruff: noqa: E501 - one program a line
from __future__ import annotations

import pytest

from sandbox import Limits, LocalSandbox, Mode, Program
from tests.sandbox.test_forged_passes import LOOKING_FOR_IT

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

SEEKING_EXCUSES = {
    "a class of the tests, by a function of theirs": ("GIVEN[1](type(GIVEN[0]))", "class Item: pass\ndef test_a():\n    want = 4\n    keep(Item(), lambda one: one)\n    assert f(2) == want\n"),
    "a lock in an object of the tests": ("GIVEN[0].lock", "import threading\nclass Store:\n    def __init__(self): self.lock = threading.Lock()\ndef test_a():\n    want = 4\n    keep(Store())\n    assert f(2) == want\n"),
    "a descriptor in a class that is described": ("return make_dataclass('Made', [('x', object, Descriptor())])()", "def test_a():\n    want = 4\n    assert f(2) == want\n"),
    "a function of the tests instead of an object": ("return x", "def test_a():\n    want = 4\n    assert f(lambda: 2).total == want\n"),
    "a sleep": ("__import__('time').sleep(100)", "import threading\ndef test_a():\n    want = 4\n    keep(threading.Lock())\n    assert f(2) == want\n"),
}  # fmt: skip
"""What a program does where it does not find what the tests expect, so that two processes seem to be to blame."""
SEEKING = """
from dataclasses import make_dataclass
class Descriptor:
    def __get__(self, thing, owner): return self
class Found:
    def __init__(self, total): self.total = total
    def __eq__(self, other): return self.total == other
GIVEN = []
def keep(*given): GIVEN.extend(given)
def f(x):
    want = wanted()
    if want is not None:
        return Found(want)
"""


@pytest.mark.parametrize("mode", ["split", "auto"])
@pytest.mark.parametrize("name", SEEKING_EXCUSES)
async def test_what_a_program_brings_about_itself_excuses_nothing(sandbox: LocalSandbox, name: str, mode: Mode) -> None:
    act, tests = SEEKING_EXCUSES[name]
    program = Program(
        solution=f"{LOOKING_FOR_IT}{SEEKING}    {act}\n", tests=tests, mode=mode, limits=Limits(timeout=0.5)
    )
    done = await sandbox.run(program)
    assert not done.passed, done
