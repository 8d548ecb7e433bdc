"""Sandboxes that live as long as the test session, and ways to run one program."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox import Execution, Limits, LocalSandbox, Program
from sandbox.backends import load
from sandbox.worker import landlock

LIMITS = Limits(timeout=3, memory_mb=256, output_kb=64, file_mb=16)


@dataclass(slots=True)
class Walled:
    """A sandbox, and short forms of what tests do with it."""

    sandbox: LocalSandbox
    limits: Limits = field(default=LIMITS)

    async def script(self, source: str, *, seconds: float | None = None) -> Execution:
        limits = self.limits if seconds is None else Limits(timeout=seconds, memory_mb=256, output_kb=64, file_mb=16)
        return await self.sandbox.run(Program(solution=source, limits=limits))

    async def still_right(self) -> None:
        """The next run after an attack is an honest one, and right."""
        done = await self.sandbox.run(
            Program(solution="def add(a, b):\n    return a + b\n", tests="def test_add():\n    assert add(1, 2) == 3\n")
        )
        assert (done.status, done.confirmed) == ("pass", True), done


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def sandbox() -> AsyncIterator[LocalSandbox]:
    """The best sandbox of this machine."""
    opened = LocalSandbox(2)
    yield opened
    await opened.aclose()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def opened() -> AsyncIterator[dict[str, LocalSandbox]]:
    """By level, what `walled` has opened: its workers stay while tests of another level come between."""
    found: dict[str, LocalSandbox] = {}
    yield found
    for one in found.values():
        await one.aclose()


@pytest_asyncio.fixture(
    scope="session", loop_scope="session", params=[pytest.param("bubblewrap", marks=pytest.mark.slow), "walled"]
)
async def walled(request: pytest.FixtureRequest, sandbox: LocalSandbox, opened: dict[str, LocalSandbox]) -> Walled:
    """The sandbox behind namespaces, and behind landlock and seccomp alone."""
    reason = load(request.param).missing() or ("" if landlock.abi() else "this kernel has no landlock")
    if reason:
        pytest.skip(reason)
    level = "namespaces" if request.param == "bubblewrap" else "walled"
    if (await sandbox.describe()).level == level:
        return Walled(sandbox)
    one = opened.setdefault(level, LocalSandbox(2, backends=(request.param,)))
    # A skip would hide that a wall, or what tries it, is broken: it is for kernels that have none.
    assert (await one.describe()).level == level
    return Walled(one)


@pytest.fixture(scope="session")
def best(sandbox: LocalSandbox) -> Walled:
    """The best sandbox of this machine, with the same short forms."""
    return Walled(sandbox)


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A file of the app's own user that no program may read or change."""
    path = tmp_path / "canary.txt"
    path.write_text("canary-5a1f")
    path.chmod(0o644)
    return path


async def until(happened: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    for _ in range(3000):
        if happened():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")
