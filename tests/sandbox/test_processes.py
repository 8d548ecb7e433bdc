"""A program starts no process, harms none, and leaves none behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox import Limits, LocalSandbox, Program, SandboxBroken, launch
from sandbox.backends import load
from sandbox.launch import Place
from sandbox.link import Link
from sandbox.types import Linked
from tests.sandbox.conftest import Walled, until
from tests.sandbox.corpus import corpus

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

STARTS = corpus("starts")


@pytest.mark.parametrize("way", STARTS)
async def test_no_process_is_started(walled: Walled, way: str) -> None:
    done = await walled.script(STARTS[way])
    assert done.status in ("blocked", "error"), done
    assert "OPEN" not in done.stdout
    await walled.still_right()


KILLS = corpus("kills")


@pytest.mark.parametrize("way", KILLS)
async def test_no_other_process_is_harmed(walled: Walled, way: str) -> None:
    limits, priority = os.sched_getaffinity(0), os.getpriority(os.PRIO_PROCESS, 0)
    act = KILLS[way].replace("{app}", str(os.getpid()))
    done = await walled.script(
        f"import ctypes, fcntl, os, resource\ntry:\n    {act}\nexcept OSError:\n    pass\nprint('alive')\n"
    )
    assert (done.status, done.stdout) == ("ok", "alive\n"), done
    assert (os.sched_getaffinity(0), os.getpriority(os.PRIO_PROCESS, 0)) == (limits, priority)
    await walled.still_right()


async def test_a_program_may_end_itself_by_a_signal(walled: Walled) -> None:
    done = await walled.script("import os\nos.kill(os.getpid(), 15)\n")
    assert (done.status, done.signal) == ("crash", 15)


def descendants(roots: list[int]) -> set[int]:
    """Processes that these, or their children, started; of one that ends meanwhile, what was seen of it by then."""
    found, pending = set[int](), list(roots)
    while pending:
        with suppress(OSError):
            for task in Path(f"/proc/{pending.pop()}/task").glob("*/children"):
                children = [int(word) for word in task.read_text().split()]
                found.update(children)
                pending += children
    return found


async def test_stop_ends_a_program_that_ignores_every_signal(walled: Walled) -> None:
    ignoring = (
        "import signal\nfor n in range(1, 32):\n    try:\n        signal.signal(n, signal.SIG_IGN)\n"
        "    except OSError:\n        pass\nwhile True:\n    pass\n"
    )
    await walled.still_right()
    # Its own limit is far beyond the patience of this test.
    task = asyncio.create_task(walled.sandbox.run(Program(solution=ignoring, limits=Limits(timeout=3000))))
    await until(lambda: bool(_deaf(walled.sandbox)))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not _deaf(walled.sandbox))
    await walled.still_right()


def _deaf(sandbox: LocalSandbox) -> list[int]:
    """Processes that ignore SIGTERM, as no worker does."""
    found: list[int] = []
    for pid in descendants(sandbox.worker_pids()):
        with suppress(OSError):
            told = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
            found += [pid] if int(told["SigIgn"], 16) >> (signal.SIGTERM - 1) & 1 else []
    return found


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


async def test_a_closed_sandbox_leaves_no_process_and_no_folder() -> None:
    sandbox = LocalSandbox(2)
    await sandbox.run(Program(solution="open('f', 'w').write('x')"))
    home, mine = sandbox.home, descendants(sandbox.worker_pids())
    assert home is not None
    assert mine
    await sandbox.aclose()
    for _ in range(100):
        if not any(map(_alive, mine)):
            break
        await asyncio.sleep(0.01)
    assert [pid for pid in mine if _alive(pid)] == []
    assert not Path(home).exists()  # noqa: ASYNC240


RUNS_UNTIL_TOLD = (
    "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "while not open('go.txt').read():\n    time.sleep(0.01)\nprint(2)"
)


@pytest.mark.parametrize("moment", ["between runs", "during a run"])
async def test_a_worker_that_dies_is_replaced_and_the_run_repeated(moment: str, tmp_path: Path) -> None:
    go = tmp_path / "go.txt"
    go.touch()
    sandbox = LocalSandbox(1)
    try:
        assert (await sandbox.run(Program(solution="print(1)"))).status == "ok"
        program = Program(solution=RUNS_UNTIL_TOLD, files={"go.txt": Linked(str(go), 0, "")})
        waiting = asyncio.ensure_future(sandbox.run(program))
        if moment == "during a run":
            await until(lambda: bool(_deaf(sandbox)))
        for pid in sandbox.worker_pids():
            os.kill(pid, 9)
        # Only a run that is repeated, or had not begun, can see this: no other ends.
        go.write_text("go")
        assert (await waiting).stdout == "2\n"
    finally:
        await sandbox.aclose()


async def test_a_sandbox_whose_workers_cannot_live_says_broken() -> None:
    sandbox = LocalSandbox(1)
    try:
        assert (await sandbox.run(Program(solution="print(1)"))).status == "ok"
        waiting = asyncio.ensure_future(
            sandbox.run(Program(solution="import time\ntime.sleep(30)", limits=Limits(timeout=40)))
        )
        while not waiting.done():
            await asyncio.sleep(0.05)
            for pid in sandbox.worker_pids():
                os.kill(pid, 9)
        assert (await waiting).status == "broken"
    finally:
        await sandbox.aclose()


async def test_a_worker_keeps_no_descriptor_of_a_run_that_is_over() -> None:
    sandbox = LocalSandbox(1, backends=("walled",))
    script, suite = Program("print(1)"), Program("def f(): return 1", tests="def test_a():\n    assert f() == 1\n")

    async def least_held() -> int:
        """The fewest descriptors of a worker after a run. While it forks it holds more."""
        held: list[int] = []
        for _ in range(20):
            assert [(await sandbox.run(program)).status for program in (script, suite)] == ["ok", "pass"]
            held += [len(os.listdir(f"/proc/{pid}/fd")) for pid in sandbox.worker_pids()]
        return min(held)

    try:
        await least_held()  # until children of each kind are waiting
        early, late = await least_held(), await least_held()
        assert late < early + 8
    finally:
        await sandbox.aclose()


async def test_a_worker_that_does_not_come_up_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = compile("raise ImportError('no coverage here')", "measure.py", "exec")
    sent = {**launch._modules(), "@child.measure": lacking}
    monkeypatch.setattr(launch, "_modules", lambda: sent)
    sandbox = LocalSandbox(1)
    done = await sandbox.run(Program(solution="x = 1\n", tests="import pytest\ndef test_x():\n    assert x == 1\n"))
    await sandbox.aclose()
    assert done.status == "broken", done
    assert "ImportError: no coverage here" in done.error


async def test_folders_of_a_killed_app_are_swept_by_the_next() -> None:
    stale = Path(tempfile.mkdtemp(prefix="sandbox-4194999-"))
    (stale / "w0").mkdir()
    alive = Path(tempfile.mkdtemp(prefix=f"sandbox-{os.getpid()}-"))
    sandbox = LocalSandbox(1)
    await sandbox.run(Program(solution="print(1)"))
    await sandbox.aclose()
    assert (os.path.isdir(stale), os.path.isdir(alive)) == (False, True)  # noqa: ASYNC240
    os.rmdir(alive)


def marked(folder: Path) -> list[int]:
    """Processes that were started for a worker of this folder."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes()
            with contextlib.suppress(PermissionError):
                words += (entry / "environ").read_bytes()
            if str(folder).encode() in words and _alive(int(entry.name)):
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize("way", ["killed", "cancelled"])
@pytest.mark.parametrize("name", ["bubblewrap", "walled"])
async def test_nothing_is_stranded_when_a_worker_ends_at_any_moment_of_its_start(
    name: str, way: str, tmp_path: Path
) -> None:
    backend, moments = load(name), random.Random(11)
    if backend.missing():
        pytest.skip(backend.missing())
    before = len(os.listdir("/proc/self/fd"))
    for number in range(60):
        place = Place(str(tmp_path / f"w{number}"), str(tmp_path / "cache"))
        starting = asyncio.ensure_future(Link.start(backend, place, "bare", backend.WALLS))
        await asyncio.sleep(moments.random() * 0.015)
        if way == "cancelled":
            starting.cancel()
        for pid in descendants([os.getpid()]) if way == "killed" else ():
            if f"{place.root}\0".encode() in b"".join(_words(pid)) and _parent(pid) == os.getpid():
                os.kill(pid, 9)
        with contextlib.suppress(SandboxBroken, asyncio.CancelledError):
            await (await starting).stop()
    for _ in range(300):
        if not marked(tmp_path):
            break
        await asyncio.sleep(0.01)
    assert marked(tmp_path) == []
    # Fewer is no leak: what an earlier test left behind may be collected meanwhile.
    assert len(os.listdir("/proc/self/fd")) <= before


def _words(pid: int) -> list[bytes]:
    try:
        return [Path(f"/proc/{pid}/{name}").read_bytes() for name in ("cmdline", "environ")]
    except OSError:
        return []


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0
