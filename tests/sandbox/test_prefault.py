"""Children begin with copies of the memory that they will write to."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sandbox import LocalSandbox, Program
from sandbox.worker import child, prefault, walls

ROOT = Path(__file__).resolve().parents[2]
TRY = """
import ctypes, mmap, os, resource, signal, sys
from sandbox.worker.libc import aside, syscall
from sandbox.worker.prefault import Prefault, written_by

PAGE = mmap.PAGESIZE
area = mmap.mmap(-1, 40 * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
area[:] = b"w" * len(area)
start = ctypes.addressof(ctypes.c_char.from_buffer(area))

def write(page):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    area[page * PAGE] = 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def forked(act):
    ready, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        act()
        os.write(told, b"1")
        signal.pause()
    os.read(ready, 1)
    return pid

waiting = forked(lambda: None)
wrote = forked(lambda: [write(page) for page in (3, 4, 9)])
found = [((at - start) // PAGE, size // PAGE) for at, size in written_by(wrote) if start <= at < start + len(area)]
for pid in (waiting, wrote):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)

def fault_free():
    Prefault([(start + page * PAGE, count * PAGE) for page, count in found]).copy()
    write(20), write(21)
    return [write(page) for page in (3, 4, 9, 22)] == [0, 0, 0, 1]

def able():
    return syscall(440, -10000, Prefault([(start, PAGE)])._where, 1, 23) == PAGE

try:
    copies = aside(able)
except OSError:
    copies = False
print(found, aside(fault_free) if copies else "unable")
"""
BY_FORK = (
    TRY.partition("def able")[0]
    + """
from sandbox.worker.prefault import _ring

kept = Prefault([(start + page * PAGE, count * PAGE) for page, count in found])

def forked_with_copies():
    write(20), write(21)
    return [write(page) for page in (3, 4, 9, 22)] == [0, 0, 0, 1]

def copied(*, within):
    if not within:
        return aside(forked_with_copies)
    with kept:
        return aside(forked_with_copies)

print([copied(within=within) for within in (True, False)] if _ring() is not None else "unable")
"""
)
AWAY = """
from sandbox.worker.prefault import Prefault, written_by
Prefault([(1 << 12, 1 << 12)]).copy()
print(written_by(1 << 30))
"""
OWN_KB = 1200
"""More than a child writes to before it waits for its job, and less than it does until it ends."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux's own files")


def _printed(source: str) -> str:
    done = subprocess.run([sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_pages_that_a_child_has_written_to_are_known_and_copied_at_once_for_the_next() -> None:
    told = _printed(TRY)
    if told.endswith("unable"):
        pytest.skip("this kernel copies nothing beforehand")
    assert told == "[(3, 2), (9, 1)] True"


def test_a_fork_copies_these_pages_itself_where_the_kernel_keeps_them_in_place() -> None:
    told = _printed(BY_FORK)
    if told == "unable":
        pytest.skip("this kernel keeps nothing in place for us")
    assert told == "[True, False]"


def test_where_nothing_can_be_kept_in_place_children_copy_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefault, "_ring", lambda: None)
    asked: list[int] = []

    def syscall(number: int, *_: int) -> None:
        asked.append(number)

    monkeypatch.setattr(prefault, "syscall", syscall)
    written = prefault.Prefault([(1 << 12, 1 << 12)])
    with written:
        written.copy()
    assert asked == [440]


def test_what_is_not_there_is_neither_told_nor_copied() -> None:
    assert _printed(AWAY) == "[]"


@pytest.mark.asyncio(loop_scope="session")
async def test_a_child_that_waits_has_copies_of_what_a_run_writes_to(sandbox: LocalSandbox) -> None:
    if _printed(TRY).endswith("unable"):
        pytest.skip("this kernel copies nothing beforehand")
    assert (await sandbox.run(Program("x = 1\n"))).status == "ok"
    deadline = time.monotonic() + 20
    while not any(min(map(_own_kb, batch)) > OWN_KB for batch in _batches(sandbox.worker_pids())):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_search_for_garbage_sees_nothing_of_the_worker(sandbox: LocalSandbox) -> None:
    found = "import gc\nprint({type(o).__name__ for o in gc.get_objects()} & {'Prefault', '_Unborn'})"
    assert (await sandbox.run(Program(found))).stdout == "set()\n"


ONCE = (child.enter, walls.limit, *(vars(child)[name] for name in ("_prepare", "_finish")))


@pytest.mark.parametrize("function", ONCE)
def test_what_each_child_runs_once_looks_nothing_up_in_modules(function: Callable[..., Any]) -> None:
    names = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    assert [name for name, value in names.items() if isinstance(value, ModuleType)] == []


def _batches(above: list[int]) -> list[list[int]]:
    """Children that were forked at a time, anywhere below these processes."""
    found: list[list[int]] = []
    for pid in above:
        below = [int(word) for path in Path(f"/proc/{pid}/task").glob("*/children") for word in _read(path).split()]
        found += [below] if len(below) > 1 else _batches(below)
    return found


def _own_kb(pid: int) -> int:
    lines = _read(Path(f"/proc/{pid}/smaps_rollup")).splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty:"))


def _read(path: Path) -> str:
    """What a file of /proc says; nothing where its process has ended."""
    try:
        return path.read_text()
    except OSError:
        return ""
