"""Whole runs of a program whose task fixes no wording: each author words it in another way."""

from __future__ import annotations

import pytest

from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from tests.agent.conftest import Played, follow
from tests.agent.model_server import ModelServer, fenced

pytestmark = pytest.mark.asyncio(loop_scope="session")
TASK = "Write a CLI program that adds a task to tasks.txt with `add` and says so; any other command is refused."
BEGINS = "import sys\n\nwords = sys.argv[1:]\nif {refused}:\n    print({why!r}, file=sys.stderr)\n    sys.exit(1)\n"
KEEPS = "with open('tasks.txt', 'a') as file:\n    file.write(' '.join(words[1:]) + '\\n')\nprint({said}, *words[1:])\n"
FIRST = (BEGINS + KEEPS).format(refused="words[:1] != ['add'] or len(words) < 2", why="what?", said="'Added:'")
OTHER = (BEGINS + KEEPS).format(refused="len(words) < 2 or words[0] != 'add'", why="usage: add TASK", said="'ok,'")
LAX = (BEGINS + KEEPS).format(refused="words[:1] != ['add']", why="usage: add TASK", said="'ok,'")
TESTS = """
def test_it_is_kept():
    assert b"milk" in run_program(["add", "milk"]).files["tasks.txt"]

def test_it_is_said():
    assert "milk" in run_program(["add", "milk"]).stdout

def test_others_are_refused():
    assert run_program(["remove", "milk"]).exit_code != 0

def test_two_words():
    assert b"buy milk" in run_program(["add", "buy milk"]).files["tasks.txt"]

def test_a_long_one():
    assert "pay the rent" in run_program(["add", "pay the rent"]).stdout
"""


async def played(live_runs: AgentRuns, server: ModelServer, second: str) -> Played:
    def answer(role: str, times: int) -> str:
        if role == "generator":
            return fenced(FIRST if times == 0 else second)
        if role in ("spec tester", "adversarial tester"):
            return fenced(TESTS)
        return "{}"

    server.answer = answer
    options = {"valid_inputs": False, "mutation_seconds": 0}
    submitted = await live_runs.begin(Order(Task(TASK), options))
    return await follow(live_runs, submitted)


async def test_other_words_are_no_difference(live_runs: AgentRuns, model_server: ModelServer) -> None:
    run = await played(live_runs, model_server, OTHER)
    assert run.outcome["verdict"] == "partly_verified", run.outcome["verdict_reason"]
    assert "worded otherwise, which is left to the author" in run.outcome["verdict_reason"]


async def test_what_only_one_refuses_is(live_runs: AgentRuns, model_server: ModelServer) -> None:
    run = await played(live_runs, model_server, LAX)
    assert run.outcome["verdict"] == "unverified", run.outcome["verdict_reason"]
    assert "programs differ, for instance on run_program(['add'])" in run.outcome["verdict_reason"]
