"""What the arbiter's answer makes of a check and of the programs."""

from __future__ import annotations

import pytest

from agent.nodes.settle import _fault, _speaks_against, answer_suite  # pyright: ignore[reportPrivateUsage]
from agent.roles import RulingReply
from agent.state import AgentState, Candidate, Check, Decision, Fault, Run, Task
from sandbox.types import CallOutput, Execution, Isolation

CALL = "f(-1)"
CHECK = Check("spec:1.test_a", "test_a", "spec", "def test_a():\n    assert f(-1) == 0", CALL, "0")
ENDED = Execution("ok", Isolation("limits", *["open"] * 6))


@pytest.mark.parametrize(
    ("value", "fault"), [("0", "code"), ("5", "test"), ("raises ValueError", "test"), ("raises KeyError", "task")]
)
def test_the_arbiters_value_may_be_an_exception(value: str, fault: Fault) -> None:
    assert _fault(RulingReply(value, "the sentence"), CHECK, ["5", "raises ValueError", "0"]) == fault


def test_an_exception_that_the_arbiter_gives_becomes_a_check() -> None:
    suite = answer_suite("arbiter:1", "arbiter", CALL, "raises ValueError", "the sentence")
    assert suite.header == "import pytest"
    assert "with pytest.raises(ValueError):\n        f(-1)" in suite.checks[0].source


@pytest.mark.parametrize(("value", "against"), [("5", False), ("5.0", False), ("7", True), ("raises ValueError", True)])
def test_a_value_speaks_against_the_judged_program_only_where_that_gives_another(value: str, against: bool) -> None:
    candidates = [Candidate(name, "x = 1", "first", None, name) for name in ("c1", "c2")]
    given = {"c1": CallOutput("value", "5"), "c2": CallOutput("exception", "ValueError")}
    runs = [Run(name, "probes", ENDED, outputs={CALL: output}) for name, output in given.items()]
    state = AgentState(task=Task("a task"), candidates=candidates, runs=runs)
    assert _speaks_against(state, Decision("arbitrate", "", "c1", CHECK.id), CALL, value) == against
    assert _speaks_against(state, Decision("arbitrate", "", "c2", CHECK.id), CALL, value) == (
        value != "raises ValueError"
    )
