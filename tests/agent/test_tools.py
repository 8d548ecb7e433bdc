"""What the debugger's tools show, and what they keep to themselves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from agent.state import AgentState, Candidate, Check, Ruling, Suite, Task
from agent.tools import TOOLS, ToolError
from sandbox.types import Sandbox

pytestmark = pytest.mark.asyncio(loop_scope="session")

WRONG = Candidate("c1", "def double(n):\n    return n + 2\n", "first", None, "c1")
CHECKS = (
    Check("spec:1.test_two", "test_two", "spec", "def test_two():\n    assert double(2) == 4"),
    Check("spec:1.test_three", "test_three", "spec", "def test_three():\n    assert double(3) == 6"),
    Check("spec:1.test_four", "test_four", "spec", "def test_four():\n    assert double(4) == 8", held_out=True),
    Check("spec:1.test_five", "test_five", "spec", "def test_five():\n    assert double(5) == 5"),
)


async def use(sandbox: Sandbox, name: str, arguments: dict[str, Any], **files: bytes) -> str:
    task = Task("Write double(n).", files=files)
    state = AgentState(
        task=task,
        suites=[Suite("spec:1", "spec", "", CHECKS), Suite("spec:2", "spec", "", ())],
        candidates=[WRONG],
        rulings=[Ruling("spec:1.test_five", "test", "agreement", "programs agree")],
    )
    bench: Any = SimpleNamespace(
        state=state, context=SimpleNamespace(execute=sandbox.run, task=task, session=None), candidate=WRONG
    )
    return await TOOLS[name].use(bench, arguments)


async def test_checks_are_run_by_name_or_id_and_each_says_how_it_ended(sandbox: Sandbox) -> None:
    told = await use(sandbox, "run_checks", {"names": ["test_two", "spec:1.test_three"]})
    two, three = told.splitlines()[0], told[told.index("spec:1.test_three") :]
    assert two == "spec:1.test_two: pass"
    assert three.startswith("spec:1.test_three: fail")
    assert "5" in three, "what the program gave is shown"
    assert "test_four" not in told
    assert "test_five" not in told


@pytest.mark.parametrize("name", ["test_four", "spec:1.test_four", "test_five", "test_six"])
async def test_what_is_held_out_or_set_aside_is_as_unknown_as_what_does_not_exist(sandbox: Sandbox, name: str) -> None:
    with pytest.raises(ToolError) as refused:
        await use(sandbox, "run_checks", {"names": [name]})
    assert str(refused.value) == "no check of that name; there are: spec:1.test_two, spec:1.test_three"


async def test_a_file_is_read_as_text_or_described(sandbox: Sandbox) -> None:
    assert await use(sandbox, "read_file", {"path": "a"}, a=b"x,y\n") == "x,y\n"
    assert (
        await use(sandbox, "read_file", {"path": "a"}, a=b"\xff\x00") == "a is binary, 2 bytes, and begins with ff 00"
    )
    with pytest.raises(ToolError, match="there is no file 'b'; the task has: a"):
        await use(sandbox, "read_file", {"path": "b"}, a=b"")
