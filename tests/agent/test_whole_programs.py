"""Whole runs of programs that read what somebody types, played with a person's replies: verdict against truth."""

from __future__ import annotations

import json

import pytest

from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from tests.agent.conftest import Played, follow
from tests.agent.model_server import ModelServer, fenced

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]

CELSIUS = (
    "Write a program that asks the user for a temperature in Celsius and prints it in Fahrenheit with one decimal."
    " When the input is 100, it prints 212.0."
)
ASKING = """
def main():
    celsius = float(input("Temperature in Celsius: "))
    print(f"{celsius * 9 / 5 + 32:.1f}")


if __name__ == "__main__":
    main()
"""
OTHERWISE = ASKING.replace('float(input("Temperature in Celsius: "))', "float(input())").replace("9 / 5", "1.8")
ASKED_BEFORE = OTHERWISE.replace("    celsius =", '    print("Temperature?")\n    celsius =')
TYPED = """
def allowed(argv=(), stdin="", files=None):
    return ""


def inputs(draw, size):
    while True:
        yield [], f"{draw.randint(-99, 999)}\\n", {}
"""
TESTS = 'def test_zero():\n    assert "32.0" in run_program([], "0\\n", {}).stdout\n'
WORDS = (
    "Write a program that reads words from standard input and prints each with its count, most frequent first. On ties"
    ' the alphabetically first word comes first. On empty input print nothing. For the input "a b" the output is:\n'
    "a 1\nb 1\n"
)
COUNTING = """
import sys
from collections import Counter


def main():
    for word, count in Counter(sys.stdin.read().split()).most_common():
        print(word, count)


if __name__ == "__main__":
    main()
"""
COUNTING_ANEW = """
import sys

if __name__ == "__main__":
    words = sys.stdin.read().split()
    for word in sorted(dict.fromkeys(words), key=lambda word: -words.count(word)):
        print(word, words.count(word))
"""
COUNTED = """
def test_most():
    \"\"\"prints each with its count, most frequent first\"\"\"
    assert run_program([], "b a b\\\\n", {}).stdout == "b 2\\\\na 1\\\\n"


def test_empty():
    \"\"\"On empty input print nothing\"\"\"
    assert run_program([], "", {}).stdout == ""
""".replace("\\\\n", "\\n")
SEVERAL_WORDS = TYPED.replace('f"{draw.randint(-99, 999)}\\n"', '" ".join(draw.choice("abc") for _ in range(size))')


async def run(server: ModelServer, runs: AgentRuns, task: str, **lines: str) -> Played:
    """The run of a task in which each role replies with one program; the adversary gives two inputs."""
    said = {name.replace("_", " "): fenced(code) for name, code in lines.items()}
    said["adversarial tester"] = json.dumps({"inputs": ["run_program([], '7\\n', {})", "run_program([], '9\\n', {})"]})
    said["arbiter"] = json.dumps({"expected": "", "quote": "", "ambiguous": True})
    second = said.pop("second")
    server.answer = lambda role, times: second if role == "generator" and times > 1 else said[role]
    order = Order(Task(task), {"mutation_seconds": 0})
    return await follow(runs, await runs.begin(order))


@pytest.mark.parametrize("second", [OTHERWISE, ASKED_BEFORE], ids=["silent", "asks on a line of its own"])
async def test_a_right_program_that_asks_for_its_input_is_not_failed(
    model_server: ModelServer, live_runs: AgentRuns, second: str
) -> None:
    played = await run(
        model_server, live_runs, CELSIUS, generator=ASKING, second=second, spec_tester=TESTS, input_writer=TYPED
    )
    reasons = played.outcome["verdict_reason"]
    assert played.outcome["verdict"] in ("verified", "partly_verified"), reasons
    assert "1 of 1 checks of the task itself pass" in reasons
    assert "apart from how they ask" in reasons


async def test_a_rule_for_ties_that_no_input_tries_is_told_and_rules_out_verified(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    played = await run(
        model_server,
        live_runs,
        WORDS,
        generator=COUNTING,
        second=COUNTING_ANEW,
        spec_tester=COUNTED,
        input_writer=SEVERAL_WORDS,
    )
    reasons = played.outcome["verdict_reason"]
    assert played.outcome["verdict"] == "partly_verified", reasons
    assert "not checked: 'On ties the alphabetically first word comes first'" in reasons
    assert "print nothing" not in reasons, "a passed check sees it"
