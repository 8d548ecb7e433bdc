"""Probing tells the truth about each wall, also where there is none, and a weak machine can be refused."""

from __future__ import annotations

import pytest

from sandbox import LevelTooLow, LocalSandbox, Program
from sandbox.backends import BACKENDS, load
from tests.sandbox.conftest import Walled

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_every_axis_of_a_walled_machine_is_held(walled: Walled) -> None:
    isolation, probes = await walled.sandbox.describe(), await walled.sandbox.probes()
    assert isolation.level in ("namespaces", "walled")
    words = (isolation.network, isolation.files, isolation.memory, isolation.processes, isolation.environment)
    assert not any("open" in text for text in words), isolation
    for act, found in probes.items():
        assert found != "open" or "see that" in act, (act, found)


@pytest.mark.parametrize(
    ("walls", "level", "open_axes"),
    [
        (("seccomp",), "filtered", {"files"}),
        (("landlock",), "limits", {"network", "processes"}),
        ((), "limits", {"network", "files", "processes"}),
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
    assert {axis for axis in ("network", "files", "processes") if "open" in getattr(isolation, axis)} >= open_axes
    assert done.isolation == isolation, "every run carries it"


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


async def test_every_backend_says_what_it_needs() -> None:
    for name in BACKENDS:
        assert isinstance(load(name).missing(), str)
    with pytest.raises(KeyError, match="bubblewrap"):
        load("nowhere")
