"""A wrong solution that wants to pass does not, in split and auto; each attack returns `a - b` for `a + b`."""

from __future__ import annotations

import pytest

from sandbox import Execution, Limits, LocalSandbox, Mode, Program
from tests.sandbox.corpus import corpus

pytestmark = pytest.mark.asyncio(loop_scope="session")

PLAIN = (
    "def test_a():\n    assert add(2, 3) == 5\ndef test_b():\n    assert add(-1, 1) == 0\n    assert add(10, 5) == 15\n"
)
WITH_PYTEST = (
    "import pytest\nfrom solution import add\n@pytest.mark.parametrize('a, b, c', [(2, 3, 5), (1, 1, 2)])\n"
    "def test_add(a, b, c):\n    assert add(a, b) == c\n"
    "def test_raises():\n    with pytest.raises(TypeError):\n        add(None, 1)\n"
)
WRONG = "\ndef add(a, b):\n    return a - b\n"

FORGERIES = corpus("forgeries")


async def judged(sandbox: LocalSandbox, solution: str, tests: str, mode: Mode) -> Execution:
    return await sandbox.run(Program(solution=solution, tests=tests, mode=mode, limits=Limits(timeout=3)))


@pytest.mark.parametrize(
    ("tests", "mode"),
    [(PLAIN, "split"), (PLAIN, "auto"), (WITH_PYTEST, "auto")],
    ids=["plain in two", "plain", "with pytest"],
)
@pytest.mark.parametrize("name", FORGERIES)
async def test_a_forged_pass_is_no_pass(sandbox: LocalSandbox, name: str, tests: str, mode: Mode) -> None:
    done = await judged(sandbox, FORGERIES[name], tests, mode)
    assert done.status not in ("pass", "broken", "ok"), done
    assert not done.confirmed


EMPTY = corpus("unchecked")


@pytest.mark.parametrize("mode", ["inprocess", "split", "auto"])
@pytest.mark.parametrize("name", EMPTY)
async def test_what_was_not_checked_does_not_pass(sandbox: LocalSandbox, name: str, mode: Mode) -> None:
    done = await judged(sandbox, "def add(a, b):\n    return a + b\n", EMPTY[name], mode)
    assert done.status in ("error", "fail"), done
    assert done.error


@pytest.mark.parametrize(
    "name",
    [
        "exit at import",
        "os._exit at import",
        "exit in a call",
        "a printed marker",
        "an excepthook",
        "exit at exit",
        "skipping",
    ],
)
async def test_accidents_do_not_pass_even_in_one_process(sandbox: LocalSandbox, name: str) -> None:
    done = await judged(sandbox, FORGERIES[name], PLAIN, "inprocess")
    assert done.status not in ("pass", "broken", "ok"), done


async def test_the_control_passes_with_the_same_tests(sandbox: LocalSandbox) -> None:
    for tests in (PLAIN, WITH_PYTEST):
        done = await judged(sandbox, "def add(a, b):\n    return a + b\n", tests, "auto")
        assert (done.status, done.confirmed) == ("pass", True), done
