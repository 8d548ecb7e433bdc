"""Probing tells the truth about each wall, also where there is none, and a weak machine can be refused."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from sandbox import LevelTooLow, LocalSandbox, Program
from sandbox.backends import BACKENDS, load
from sandbox.worker.probes import ACTS, LONG_ACTS
from tests.sandbox.conftest import Walled

pytestmark = pytest.mark.asyncio(loop_scope="session")
AXES = ("network", "files", "memory", "disk", "processes", "environment")


@pytest.mark.slow
async def test_every_axis_of_a_walled_machine_is_held(walled: Walled) -> None:
    found = await walled.sandbox.examine()
    assert found.isolation.level in ("namespaces", "walled")
    words = [getattr(found.isolation, axis) for axis in AXES]
    assert not any("open" in text for text in words), found.isolation
    for act, finding in found.tried.probes.items():
        assert finding.startswith(("refused", "no effect")) or "see that" in act, (act, finding)
    assert set(found.tried.probes) == set(ACTS) | set(LONG_ACTS)
    assert (await walled.sandbox.describe()).disk == found.isolation.disk
    seen = found.tried.probes["files: see that a file outside exists"] == "open"
    assert seen == (found.isolation.level == "walled")
    assert ("can be seen" in found.isolation.files) == seen


@pytest.mark.slow
async def test_a_backend_that_does_not_work_is_named_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    refuses = SimpleNamespace(
        LEVEL="namespaces", UNTRIED=False, WALLS=("landlock", "seccomp"), missing=lambda: "",
        command=lambda place: ["sh", "-c", "echo no namespace for you >&2; exit 1"],
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "sandbox.backends.bubblewrap", refuses)
    sandbox = LocalSandbox(1, backends=("docker", "bubblewrap", "bare"))
    strict = LocalSandbox(1, "namespaces", backends=("bubblewrap", "bare"))
    try:
        reasons = (await sandbox.examine()).reasons
        with pytest.raises(LevelTooLow, match="no namespace for you"):
            await strict.describe()
    finally:
        await sandbox.aclose()
    assert "no namespace for you" in reasons["bubblewrap"]
    assert reasons["bare"] == ""
    assert reasons["docker"]


@pytest.mark.parametrize(
    ("walls", "level", "open_axes"),
    [
        (("seccomp",), "filtered", {"files", "disk"}),
        (("landlock",), "limits", {"network", "files", "memory", "disk", "processes"}),
        ((), "limits", {"network", "files", "memory", "disk", "processes"}),
    ],
)
async def test_a_missing_wall_is_told_by_its_axis(walls: tuple[str, ...], level: str, open_axes: set[str]) -> None:
    sandbox = LocalSandbox(1, backends=("walled",), walls=walls)
    try:
        isolation = await sandbox.describe()
        done = await sandbox.run(Program(solution="print(1)"))
    finally:
        await sandbox.aclose()
    assert isolation.level == level
    assert {axis for axis in AXES if "open" in getattr(isolation, axis)} == open_axes
    assert done.isolation == isolation, "every run carries it"


async def test_walls_lift_no_backend_above_the_level_that_it_promises() -> None:
    sandbox = LocalSandbox(1, backends=("bare",), walls=("seccomp",))
    try:
        assert (await sandbox.describe()).level == "limits"
    finally:
        await sandbox.aclose()


@pytest.mark.slow
async def test_the_acts_succeed_where_no_wall_stands() -> None:
    sandbox = LocalSandbox(1, backends=("walled",), walls=())
    try:
        probes = (await sandbox.examine()).tried.probes
    finally:
        await sandbox.aclose()
    succeeded = {act for act, finding in probes.items() if finding.startswith("open")}
    assert succeeded >= {
        "network: send to the path of a socket", "files: read a file outside", "files: empty a file outside",
        "files: watch a folder outside", "files: see that a file outside exists", "disk: take room without writing",
        "disk: keep files that are only mapped", "disk: keep files without a name", "processes: fork",
        "processes: outlive the worker", "processes: signal the parent",
    }  # fmt: skip


async def test_a_level_that_cannot_be_reached_is_refused() -> None:
    sandbox = LocalSandbox(1, "walled", backends=("bare",))
    with pytest.raises(LevelTooLow, match=r"walled was asked for.*limits"):
        await sandbox.run(Program(solution="print(1)"))
    await sandbox.aclose()


async def test_without_walls_nothing_survives_a_run_either() -> None:
    sandbox = LocalSandbox(1, backends=("bare",))
    daemon = (
        "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(60)\n"
        "    os._exit(0)\nprint('parent')\n"
    )
    try:
        assert (await sandbox.run(Program(solution=daemon))).stdout == "parent\n"
        left = await sandbox.run(
            Program(
                solution="import os\nfound = open(f'/proc/{os.getppid()}/task/{os.getppid()}/children')\n"
                "names = [open(f'/proc/{pid}/wchan').read() for pid in found.read().split()]\n"
                "print([name for name in names if 'sleep' in name])\n"
            )
        )
        assert "'" not in left.stdout, left
    finally:
        await sandbox.aclose()


@pytest.mark.slow
async def test_a_test_can_run_the_program_without_walls_too() -> None:
    sandbox = LocalSandbox(1, backends=("bare",))
    tests = "def test_it():\n    assert run_program(['a'], 'in\\n').stdout == 'in\\n'\n"
    try:
        done = await sandbox.run(Program(solution="print(input())\n", tests=tests, mode="inprocess"))
    finally:
        await sandbox.aclose()
    assert done.status == "pass", done


async def test_every_backend_says_what_it_needs() -> None:
    for name in BACKENDS:
        assert isinstance(load(name).missing(), str)
    with pytest.raises(KeyError, match="bubblewrap"):
        load("nowhere")
