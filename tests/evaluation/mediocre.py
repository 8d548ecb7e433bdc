"""A model of graded quality on loopback, for what needs a live one: python -m tests.evaluation.mediocre [--quality 0.5]

It knows right and wrong programs of each problem, and the hidden tests. How often it is right is its quality, in every
role; the same question gives the same answer the same number of times. A figure made with it says nothing of any model.
"""

from __future__ import annotations

import ast
import json
import random
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.console import show
from evaluation.recorded.recordings import open_recordings
from evaluation.suites import SUITES, Problem
from framework.command_line import CommandParser
from tests.agent.model_server import ROLES, fenced
from tests.benches.tokens import Service

_CHECKS, _INPUTS = 6, 8
"""Of a suite, and of an attack, at most."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the model knows of a problem."""

    task: str
    right: Sequence[str]
    wrong: Sequence[str]
    checks: Sequence[str]
    """Sources of right test functions."""
    helpers: str = ""
    """What test functions need besides the program."""


def of_problems(problems: Sequence[Problem]) -> list[Known]:
    """From a suite whose problems bring right and wrong programs."""
    return [
        Known(
            problem.task,
            problem.right,
            [wrong.code for wrong in problem.wrong],
            list(_tests(problem.hidden)),
            _helpers(problem.hidden),
        )
        for problem in problems
    ]


def of_recordings(folder: str) -> list[Known]:
    """From stored programs and tests of real models."""
    found: list[Known] = []
    for recording in open_recordings(folder).tasks:
        programs = [program for each in recording.programs.values() for program in each if program.right is not None]
        right, wrong = ([p.code for p in programs if p.right is truth] for truth in (True, False))
        claims = [claim.source for claim in recording.claims if claim.valid]
        checks = [f"def test_{number}():\n    {source}" for number, source in enumerate(claims)]
        if right and checks:
            found.append(Known(recording.prompt, right, wrong or right, checks))
    return found


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test_")


def _helpers(hidden: str) -> str:
    """What stands beside the test functions."""
    return "\n\n".join(ast.unparse(node) for node in ast.parse(hidden).body if not _is_test(node))


def _tests(hidden: str) -> Iterator[str]:
    """The test functions that need no fixture."""
    for node in ast.parse(hidden).body:
        if isinstance(node, ast.FunctionDef) and _is_test(node) and not (node.args.args or node.decorator_list):
            yield ast.unparse(node)


class Mediocre:
    """Answers a question by its words alone."""

    def __init__(self, known: Sequence[Known], quality: float, seed: int = 0) -> None:
        """`quality`: how often an answer is right, 0.0 to 1.0."""
        self._known, self._quality, self._seed = known, quality, seed
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, messages: str) -> str:
        words = "\n".join(str(message["content"]) for message in json.loads(messages))
        with self._lock:
            self._asked[words] += 1
            draw = random.Random(f"{self._seed}/{self._asked[words]}/{words}")
        if "You are the model judge" in words:
            return json.dumps({"why": "It is as long as it is.", "score": draw.randrange(4)})
        role = next((role for role in ROLES if f"You are the {role}" in words), "")
        known = max((k for k in self._known if k.task.strip() in words), key=lambda k: len(k.task), default=None)
        if known is None or role not in _ANSWERS:
            return "I do not know."
        return _ANSWERS[role](known, draw, draw.random() < self._quality, words)


def _program(known: Known, draw: random.Random, good: bool, _: str) -> str:
    return fenced(draw.choice(known.right if good else known.wrong))


def _suite(known: Known, draw: random.Random, good: bool, _: str) -> str:
    """Some of the right checks; a bad suite has one that states another value."""
    chosen = draw.sample(known.checks, min(_CHECKS, len(known.checks)))
    if not good:
        chosen = [_falsified(chosen[0]), *chosen[1:]] if chosen else []
    return fenced("\n\n\n".join([known.helpers, *chosen])) if chosen else "I know no test."


def _falsified(check: str) -> str:
    tree = ast.parse(check)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.comparators[-1], ast.Constant):
            value = node.comparators[-1].value
            other = not value if isinstance(value, bool) else value + 1 if isinstance(value, (int, float)) else "other"
            node.comparators[-1] = ast.Constant(other)
            return ast.unparse(tree)
    return check


def _calls(known: Known) -> dict[str, str]:
    """Call -> the value that a right check states for it."""
    found: dict[str, str] = {}
    for check in known.checks:
        for node in ast.walk(ast.parse(check)):
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Call) and isinstance(node.ops[0], ast.Eq):
                found[ast.unparse(node.left)] = ast.unparse(node.comparators[0])
    return found


def _attack(known: Known, draw: random.Random, good: bool, _: str) -> str:
    calls, checks = list(_calls(known)), known.checks if good else ()
    properties = [re.sub(r"^def test_", "def test_property_", each) for each in checks[:2]]
    inputs = draw.sample(calls, min(_INPUTS, len(calls)))
    return (
        json.dumps({"inputs": inputs})
        + "\n"
        + (fenced("\n\n\n".join([known.helpers, *properties])) if properties else "")
    )


def _inputs(known: Known, _: random.Random, good: bool, __: str) -> str:
    tuples = [f"({', '.join(map(ast.unparse, call.args))},)" for call in map(_parsed, _calls(known)) if call.args]
    body = f"GIVEN = [{', '.join(tuples)}]\n\n\ndef allowed(*args):\n    return ''\n\n\n"
    body += "def inputs(draw, size):\n    while True:\n        yield draw.choice(GIVEN)\n"
    return fenced(body) if good and tuples else "I know no input."


def _parsed(call: str) -> ast.Call:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    return node


def _ruling(known: Known, _: random.Random, good: bool, words: str) -> str:
    told = next((value for call, value in _calls(known).items() if call in words), "")
    return json.dumps({"expected": told if good else "", "quote": "", "ambiguous": not (good and told)})


def _finding(_: Known, __: random.Random, good: bool, ___: str) -> str:
    found = {"fault": "code" if good else "test", "category": "assertion", "confidence": 0.7}
    return json.dumps({**found, "explanation": "a check fails", "repair_hint": "read the task again"})


def _objection(known: Known, draw: random.Random, good: bool, _: str) -> str:
    call, value = draw.choice(list(_calls(known).items()) or [("", "")])
    told = (call, value) if good else ("", "")
    return json.dumps({"objection": "look at this" * bool(told[0]), "input": told[0], "expected": told[1]})


_ANSWERS: Mapping[str, Callable[[Known, random.Random, bool, str], str]] = {
    "generator": _program,
    "reference writer": _program,
    "spec tester": _suite,
    "adversarial tester": _attack,
    "input writer": _inputs,
    "arbiter": _ruling,
    "debugger": _finding,
    "critic": _objection,
    "planner": lambda *_: json.dumps({"plan": "Do what the task says.", "outline": []}),
    "reviewer": lambda *_: json.dumps({"findings": []}),
    "explainer": lambda *_: "It does what its name says.",
    "memory summariser": lambda *_: json.dumps({"lessons": ["mind the limits"]}),
}


class MediocreService(Service):
    def _known(self, words: str) -> int:
        return 0


def main(argv: Sequence[str]) -> int:
    parser = CommandParser(prog="python -m tests.evaluation.mediocre", description=__doc__)
    parser.add_argument("--data", metavar="DIR", help="stored programs of real models; without it the bundled problems")
    parser.add_argument("--quality", type=float, default=0.5, metavar="Q", help="how often an answer is right")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--address", type=Path, metavar="FILE", help="also write the service's address there")
    told = parser.parse_args(argv)
    known = of_recordings(told.data) if told.data else of_problems(SUITES["bundled"].load(None))
    with MediocreService(Mediocre(known, told.quality, told.seed)) as service:
        if told.address:
            told.address.write_text(service.url)
        show(f"LLM_PROVIDER=openai LLM_MODEL=mediocre OPENAI_API_KEY=none OPENAI_BASE_URL={service.url}")
        sys.stdout.flush()
        threading.Event().wait()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
