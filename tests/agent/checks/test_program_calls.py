"""Programs are compared by what they print in the harness, and never by an error that is the call's own."""

from __future__ import annotations

from typing import Any, cast

import pytest

from agent.checks.execution import run_calls, run_suite
from agent.checks.program_calls import ProgramCall, plain_run, program_calls_in, read_program_call, unknown_names
from agent.config import AgentConfig
from agent.context import Context
from agent.nodes.settle import answer_suite
from agent.state import Candidate, Task
from sandbox.types import Artifact, CallOutput, Execution, Isolation, Program, Sandbox
from tests.agent.alone import alone

CUT = "import sys\n\nn = int(sys.argv[1])\nfor line in sys.stdin.read().splitlines():\n    print(line[:n{more}])\n"


@pytest.mark.parametrize(
    ("call", "read"),
    [
        ("run_program(['1'], 'ab', {})", ProgramCall(("1",), "ab")),
        ("run_program(stdin='x\\n')", ProgramCall((), "x\n")),
        ("run_program(argv=[2], files={'a.txt': 'b'})", ProgramCall(("2",), "", {"a.txt": b"b"})),
        ("run_program(['1'], 'ab').stdout", None),
        ("run_program(words)", None),
        ("run_program('one word')", None),
        ("run_program([], '', {}, 4)", None),
        ("run_program(cwd='x')", None),
        ("f(1)", None),
        ("not python", None),
    ],
)
def test_a_plain_run_is_read_and_nothing_else(call: str, read: ProgramCall | None) -> None:
    assert read_program_call(call) == read


def test_the_runs_that_a_check_makes_are_found_inside_it() -> None:
    source = (
        "def test_a():\n    ran = run_program(['2'], 'abc')\n    assert ran.stdout == run_program(['2'], text).stdout"
    )
    assert list(program_calls_in(source)) == ["run_program(['2'], 'abc')"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("run_program([], '3\\n').stdout.strip()", "run_program([], '3\\n')"),
        ("run_program(['-v'])", "run_program(['-v'])"),
        ("run_program(argv)", "run_program(argv)"),
        ("f(1)", "f(1)"),
        ("f(", "f("),
    ],
)
def test_an_input_that_looks_into_a_run_is_that_run(said: str, meant: str) -> None:
    assert plain_run(said) == meant


@pytest.mark.parametrize(
    ("call", "code", "unknown"),
    [
        ("f(1)", "def f(x):\n    return y", ()),
        ("g(1)", "def f(x):\n    return y", ("g",)),
        ("f([x for x in range(3)])", "def f(x): ...", ()),
        ("f(math.pi)", "def f(x): ...", ("math",)),
        ("f(math.pi)", "import math\ndef f(x): ...", ()),
        ("f(pi)", "from math import *\ndef f(x): ...", ()),
        ("solution.f(1)", "def f(x): ...", ()),
    ],
)
def test_only_names_that_the_call_alone_uses_are_unknown(call: str, code: str, unknown: tuple[str, ...]) -> None:
    assert unknown_names(call, code) == unknown


@pytest.mark.asyncio(loop_scope="session")
async def test_runs_of_two_programs_differ_by_what_they_print(sandbox: Sandbox) -> None:
    context = alone(sandbox, Task("cut"))
    call = "run_program(['1'], 'ab\\nabc', {})"
    one = await _outputs(context, CUT.format(more=""), call)
    same = await _outputs(context, CUT.format(more="") + "# told in other words\n", call)
    other = await _outputs(context, CUT.format(more=" + 1"), call)
    assert one == same == CallOutput("value", repr({"stdout": "a\na", "exit_code": 0}))
    assert other.comparable
    assert other != one


class Told:
    """A sandbox in which every run ends as it is told, and which keeps what it was to run."""

    def __init__(self, status: Any = "ok", **more: Any) -> None:
        self.execution = Execution(status, Isolation("limits", *["open"] * 6), **more)
        self.programs: list[Program] = []

    async def describe(self) -> Isolation:
        return self.execution.isolation

    async def run(self, program: Program) -> Execution:
        self.programs.append(program)
        return self.execution


FILES = (Artifact("b.txt", "text/plain", b"2 \n\n"), Artifact("a.bin", "", b"\xff"))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("ended", "told"),
    [
        (Told(exit_code=0, stdout="a  \nb\n\n"), {"stdout": "a\nb", "exit_code": 0}),
        (Told("error", exit_code=3, stderr="no"), {"stdout": "", "exit_code": 3}),
        (Told(exit_code=0, artifacts=FILES), {"stdout": "", "exit_code": 0, "files": {"a.bin": "\\xff", "b.txt": "2"}}),
        (Told("timeout", exit_code=None), CallOutput("timeout", "")),
        (Told("crash", exit_code=None, signal=11), CallOutput("opaque", "the run ended with crash")),
        (Told(exit_code=0, stdout="a", truncated=True), CallOutput("opaque", "the run ended with ok")),
    ],
)
async def test_a_run_answers_with_what_a_person_sees_of_it_if_that_is_whole(ended: Told, told: Any) -> None:
    output = await _outputs(alone(cast(Any, ended), Task("cut")), CUT, "run_program(['1'], 'ab')")
    assert output == (told if isinstance(told, CallOutput) else CallOutput("value", repr(told)))


@pytest.mark.asyncio
@pytest.mark.parametrize(("code", "times"), [("print(1)", 1), ("import random\nprint(random.random())", 3)])
async def test_what_may_be_left_to_chance_is_tried_three_times(code: str, times: int) -> None:
    sandbox = Told(exit_code=0, stdout="1")
    await _outputs(alone(cast(Any, sandbox), Task("cut")), code, "run_program([])")
    assert len(sandbox.programs) == times


@pytest.mark.asyncio(loop_scope="session")
async def test_an_error_over_the_calls_own_names_is_no_answer(sandbox: Sandbox) -> None:
    context = alone(sandbox, Task("double"))
    code = "def f(x):\n    return undefined_here\n"
    assert (await _outputs(context, code, "f(pytest)")).kind == "opaque"
    assert (await _outputs(context, code, "f(1 2)")).kind == "opaque"
    assert await _outputs(context, code, "f(1)") == CallOutput("exception", "NameError"), "the program's own error"
    raises = "def f(x):\n    raise KeyError(x)\n"
    assert await _outputs(context, raises, "f(1) + pytest") == CallOutput("exception", "KeyError"), "it came first"


async def _outputs(context: Context, code: str, call: str) -> CallOutput:
    candidate = Candidate("c1", code, "first", None, "c1")
    run = await run_calls(context, AgentConfig(), candidate, [call])
    return run.outputs[call]


QUICK = """import random

def least(xs):
    pivot = random.choice(xs)
    below = [x for x in xs if x < pivot]
    return least(below) if below else pivot

def coin(sides):
    return random.random() if sides > 1 else 1

def word(length):
    return "".join(random.choice("abcdefghijklmnop") for _ in range(length))

if __name__ == "__main__":
    print(word(40))
"""


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("call", "kind"),
    [("least([3, 1, 2])", "value"), ("word(40)", "opaque"), ("len(word(40))", "value"), ("run_program([])", "opaque")],
)
async def test_what_another_time_comes_out_otherwise_is_compared_with_nothing(
    sandbox: Sandbox, call: str, kind: str
) -> None:
    assert (await _outputs(alone(sandbox, Task("a word")), QUICK, call)).kind == kind


@pytest.mark.asyncio(loop_scope="session")
async def test_what_hangs_on_chance_for_one_input_does_so_for_all(sandbox: Sandbox) -> None:
    calls = ["coin(1)", "coin(2)", "least([3, 1])", "coin('a')"]
    run = await run_calls(
        alone(sandbox, Task("a coin")), AgentConfig(), Candidate("c1", QUICK, "first", None, "c1"), calls
    )
    assert [run.outputs[call].kind for call in calls] == ["opaque", "opaque", "value", "exception"]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (repr({"stdout": "a\na", "exit_code": 0}), "pass"),
        (repr({"stdout": "a\na  \n"}), "fail"),
        ("'a\\na'", "pass"),
        (repr({"stdout": "b", "exit_code": 0}), "fail"),
        (repr({"exit_code": 2}), "fail"),
        ("raises ValueError", "fail"),
    ],
)
async def test_an_answer_about_a_run_is_a_check_of_what_it_prints(sandbox: Sandbox, answer: str, status: str) -> None:
    suite = answer_suite("answer:1", "answer", "run_program(['1'], 'ab\\nabc', {})", answer, "ticked")
    candidate = Candidate("c1", CUT.format(more=""), "first", None, "c1")
    run = await run_suite(alone(sandbox, Task("cut")), AgentConfig(), candidate, suite)
    assert [outcome.status for outcome in run.outcomes.values()] == [status]
