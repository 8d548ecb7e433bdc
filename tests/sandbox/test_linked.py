"""Data files that stay where they lie: read there, never written, and nothing beside them is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox import LocalSandbox, Program, SandboxBroken
from sandbox.jobs import with_room
from sandbox.types import Linked

pytestmark = pytest.mark.asyncio(loop_scope="session")

ACTS = """
import os
print(open("data/big.csv").read())
for act in (
    lambda: open("data/big.csv", "a"),
    lambda: os.truncate(os.readlink("data/big.csv"), 0),
    lambda: open(os.path.join(os.path.dirname(os.readlink("data/big.csv")), "secret.txt")),
):
    try:
        act()
        print("OPEN")
    except OSError:
        print("refused")
"""


@pytest.mark.parametrize("backend", ["bubblewrap", "walled"])
async def test_a_linked_file_is_read_only_and_its_neighbours_are_out_of_reach(backend: str, tmp_path: Path) -> None:
    (tmp_path / "big.csv").write_text("a,b")
    (tmp_path / "secret.txt").write_text("secret")
    given = Linked(str(tmp_path / "big.csv"), 3, "")
    sandbox = LocalSandbox(1, backends=(backend,))
    try:
        done = await sandbox.run(Program(solution=ACTS, files={"data/big.csv": given, "small.csv": b"x"}))
    except SandboxBroken as error:
        pytest.skip(str(error))
    finally:
        await sandbox.aclose()
    assert done.stdout == "a,b\nrefused\nrefused\nrefused\n", done
    assert (tmp_path / "big.csv").read_text() == "a,b"
    assert done.artifacts == ()


async def test_tests_of_both_processes_see_the_linked_file(sandbox: LocalSandbox, tmp_path: Path) -> None:
    (tmp_path / "big.csv").write_text("a,b")
    program = Program(
        solution="def f():\n    return open('big.csv').read()",
        tests="def test_f():\n    assert f() == open('big.csv').read() == 'a,b'",
        files={"big.csv": Linked(str(tmp_path / "big.csv"), 3, "")},
    )
    done = await sandbox.run(program)
    assert (done.status, done.confirmed) == ("pass", True), done


async def test_a_large_file_widens_the_limits_and_a_small_one_does_not() -> None:
    small, large = (
        with_room(Program("pass", files={"a": Linked("/a", size, "")})).limits for size in (1 << 10, 200 << 20)
    )
    assert small == Program("pass").limits
    assert large.memory_mb >= 1500
    assert large.timeout >= 30
