"""What a program or its tests put in the place of functions of the standard library is for them alone."""

from __future__ import annotations

import pytest

from sandbox import Limits, LocalSandbox, Mode, Program

LIMITS = Limits(timeout=5)
PATCHED_WORDS = """
os.read os.write os.getcwd os.eventfd_read os.eventfd_write os.path.basename json.JSONEncoder.encode
json.JSONEncoder.iterencode json.JSONDecoder.decode json.encoder.c_make_encoder json.encoder.encode_basestring_ascii
importlib.import_module linecache.getline tempfile.gettempdir signal.pause resource.getrusage time.perf_counter
"""
PROGRAM = """
import importlib
import json
import sys

def refused_to_the_sandbox(real):
    def called(*args, **kwargs):
        if sys._getframe(1).f_code.co_filename.startswith("<sandbox>"):
            raise RuntimeError("the sandbox's own code came here")
        return real(*args, **kwargs)
    return called

for name in {names!r}:
    module, *path, last = name.split(".")
    owner = importlib.import_module(module)
    for part in path:
        owner = getattr(owner, part)
    setattr(owner, last, refused_to_the_sandbox(getattr(owner, last)))
json.JSONEncoder.default = lambda self, value: str(value)

class Box:
    def __init__(self, held):
        if not held:
            raise ValueError("empty")
        self.held = held

def letters(count):
    for number in range(count):
        yield chr(ord("a") + number)
"""
TESTS = """
import pytest

def test_values():
    assert Box({"é": [1, 2.5, None]}).held == {"é": [1, 2.5, None]}
    assert list(letters(3)) == ["a", "b", "c"]

def test_exceptions():
    with pytest.raises(ValueError, match="empty"):
        Box(())

def test_a_folder_of_its_own(monkeypatch):
    monkeypatch.setattr("os.getcwd", lambda: "/nowhere")
    assert Box("path").held == "path"
"""


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("mode", ["inprocess", "split"])
async def test_the_sandbox_calls_nothing_that_a_program_has_patched(sandbox: LocalSandbox, mode: Mode) -> None:
    solution = PROGRAM.format(names=PATCHED_WORDS.split())
    done = await sandbox.run(Program(solution=solution, tests=TESTS, mode=mode, limits=LIMITS))
    assert (done.status, done.confirmed) == ("pass", mode == "split"), (done.error, done.checks)


WARNING = """
import warnings

def old():
    warnings.warn("use new", DeprecationWarning)
    return 1
"""
WARNED = """
import pytest

def test_old():
    with pytest.warns(DeprecationWarning, match="use new"):
        assert old() == 1
"""


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("mode", ["inprocess", "split"])
async def test_what_a_program_warns_of_reaches_its_tests(sandbox: LocalSandbox, mode: Mode) -> None:
    done = await sandbox.run(Program(solution=WARNING, tests=WARNED, mode=mode, limits=LIMITS))
    assert done.status == "pass", done.checks
