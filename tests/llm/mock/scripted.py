"""Reads the demo model's lines as replies, and runs its programs with its checks in plain processes."""

from __future__ import annotations

import ast
import atexit
import functools
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from llm.scenarios import Scenario, list_scenarios, script

RUNNER = Path(__file__).with_name("runner.py")
EXAMPLE = re.compile(r"^\s*(?:Example: )?(?P<call>\w+\(.*\)) -> (?P<value>.+?)\s*$", re.MULTILINE)
FENCE = re.compile(r"^```python\n(?P<code>.*?)^```\n*\Z", re.MULTILINE | re.DOTALL)
OF_OTHER_FORM = {"explain", "project", "reread", "tests"}
"""Kinds whose stories are not about one program and its tests; they are played in tests/agent alone."""
NAMES = [scenario.name for scenario in list_scenarios() if scenario.kind not in OF_OTHER_FORM]


@dataclass(frozen=True, slots=True)
class Line:
    role: str
    step: str
    header: Mapping[str, Any]
    code: str | None


def split(text: str) -> tuple[dict[str, Any], str | None]:
    """Header and code of a reply that has nothing besides them."""
    block = FENCE.search(text)
    before = text[: block.start()] if block else text
    return (json.loads(before) if before.strip() else {}), (block["code"] if block else None)


def lines(name: str) -> list[Line]:
    """All lines that are replies, tool calls left out."""
    return [
        Line(role, step, *split(text))
        for role, steps in script(name).items()
        for step, text in steps.items()
        if isinstance(text, str)
    ]


def tool_calls(name: str) -> list[tuple[str, str, Mapping[str, Any]]]:
    """(step, tool, arguments) of each scripted tool call."""
    return [
        (step, line["tool"], line["arguments"])
        for step, line in script(name).get("debugger", {}).items()
        if not isinstance(line, str)
    ]


def programs(name: str) -> dict[str, str]:
    return {line.step: line.code or "" for line in lines(name) if line.role == "generator"}


def final(name: str) -> str:
    """Source of the program that the run is expected to return."""
    written = programs(name)
    repairs = sorted(step for step in written if re.fullmatch(r"repair:\d+", step))
    return written[repairs[-1] if repairs else "first"]


def suite(name: str, step: str) -> str:
    return next((line.code or "" for line in lines(name) if line.step == step), "")


def examples(scenario: Scenario) -> str:
    """Tests for what the task text promises: `call -> value` lines and interpreter sessions; and the person's tests."""
    found = [
        f"def test_example_{number}():\n    assert {match['call']} == {match['value']}\n"
        for number, match in enumerate(EXAMPLE.finditer(scenario.task))
    ]
    if ">>>" in scenario.task:
        found.append(
            "import doctest\n\ndef test_session():\n"
            f"    session = doctest.DocTestParser().get_doctest({scenario.task!r}, dict(globals()), 'task', None, 0)\n"
            "    runner = doctest.DocTestRunner(verbose=False)\n    runner.run(session)\n"
            "    assert runner.failures == 0\n"
        )
    sample = re.search(r"Sample input:\n```\n(.*?)```\nSample output:\n```\n(.*?)```", scenario.task, re.DOTALL)
    if sample:
        found.append(f"def test_sample():\n    assert run_program(stdin={sample[1]!r}).stdout == {sample[2]!r}\n")
    return "\n".join([scenario.tests or "", *found])


def check_names(source: str) -> list[str]:
    return [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and "test_" in node.name]


@functools.cache
def run(program: str, tests: str = "", calls: Sequence[str] = ()) -> dict[str, Any]:
    """{"tests": {name: "" or what was wrong}, "calls": [output, ...], "error": why the program did not load}."""
    runner = _runner()
    assert runner.stdin is not None
    assert runner.stdout is not None
    runner.stdin.write(json.dumps({"program": program, "tests": tests, "calls": calls}) + "\n")
    runner.stdin.flush()
    return json.loads(runner.stdout.readline())


@functools.cache
def _runner() -> subprocess.Popen[str]:
    """One process that forks for each job, ended with this one."""
    runner = subprocess.Popen(
        [sys.executable, "-I", str(RUNNER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    atexit.register(runner.communicate)
    return runner


def failing(program: str, tests: str) -> set[str]:
    """Names of the tests that do not pass."""
    outcome = run(program, tests)
    assert not outcome["error"], outcome["error"]
    return {name for name, fault in outcome["tests"].items() if fault}
