"""Every scenario is sound: replies keep their contracts, first programs fail where they should, last ones pass."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from llm.replies.structured import read_reply
from llm.scenarios import get_scenario, list_scenarios, script
from llm.types import Completion, Request, Usage
from prompts import ROLES, load_prompt
from tests.llm.mock.scripted import (
    NAMES,
    OF_OTHER_FORM,
    check_names,
    examples,
    failing,
    final,
    lines,
    programs,
    run,
    split,
    suite,
    tool_calls,
)
from tests.tables import in_one_test

KINDS = {"heal", "passes", "wrong_test", "honest_failure", "ambiguous", "data", "fix", *OF_OTHER_FORM}
TOOLS = {
    "run_snippet": {"code"},
    "inspect_function": {"name"},
    "library_help": {"name"},
    "diff_attempts": {"first", "second"},
    "run_checks": {"names"},
    "read_file": {"path"},
    "list_dir": {"path"},
}
SUITES = ("spec:1", "adversary:1")
WRONG = {
    "wrong_test": {"test_long_text_with_several_runs", "test_a_run_of_ten"},
    "ambiguous_task": {"test_four_numbers", "test_two_numbers"},
}
"""Generated tests that demand what the task does not say; right programs fail them."""


def scenario_of(name: str) -> Any:
    scenario = get_scenario(name)
    assert scenario is not None
    return scenario


def plain(text: str) -> str:
    return " ".join(text.split())


def bare(step: str) -> str:
    """Without the name of the part of a task that is done in several steps."""
    return re.sub(r"^step\d:", "", step)


def with_kind(*kinds: str) -> list[str]:
    return [scenario.name for scenario in list_scenarios() if scenario.kind in kinds]


CHECKED = [name for name in NAMES if suite(name, "spec:1")]
HEALED = [name for name in CHECKED if scenario_of(name).kind != "honest_failure"]


def test_the_repertoire_covers_what_the_demo_promises() -> None:
    assert {scenario.kind for scenario in list_scenarios()} == KINDS
    assert len(NAMES) >= 12


@in_one_test("name", NAMES)
def test_description_is_complete(name: str) -> None:
    scenario = scenario_of(name)
    assert scenario.kind in KINDS
    assert scenario.task.strip()
    assert scenario.shows.endswith(".")
    assert "\n" not in scenario.shows.strip()
    assert scenario.expect["verdict"] in {"verified", "partly_verified", "unverified", "failed"}


@in_one_test("name", NAMES)
def test_each_reply_keeps_the_contract_of_its_role(name: str) -> None:
    for line in lines(name):
        prompt = load_prompt(line.role)
        assert prompt.schema is not None
        if line.header or prompt.code == "none":
            assert [e.message for e in Draft202012Validator(dict(prompt.schema)).iter_errors(dict(line.header))] == []
        assert (line.code is not None) or prompt.code != "required", line.step
        assert (line.code is None) or prompt.code != "none", line.step
        assert line.code or line.header
        ast.parse(line.code or "")


@in_one_test("name", NAMES)
def test_the_roles_that_every_run_may_ask_have_lines(name: str) -> None:
    spoken = {(line.role, bare(line.step)) for line in lines(name)}
    assert {role for role, _ in spoken} <= set(ROLES)
    assert spoken >= {("planner", "plan"), ("generator", "first"), ("memory_summarizer", "lessons:1")}
    if scenario_of(name).kind != "honest_failure":
        assert ("generator", "independent:1") in spoken
    if name in HEALED:
        assert spoken >= {("adversarial_tester", "adversary:1"), ("critic", "critic:1")}


@in_one_test("name", NAMES)
def test_each_diagnosis_uses_real_tools_and_then_concludes(name: str) -> None:
    calls = [(bare(step), tool, arguments) for step, tool, arguments in tool_calls(name)]
    for step, tool, arguments in calls:
        assert set(arguments) == TOOLS[tool], step
    concluded = {bare(line.step) for line in lines(name) if line.role == "debugger"}
    numbers = {step.split(":")[1] for step, _, _ in calls}
    assert {step.split(":")[1] for step in concluded} == numbers
    for number in numbers:
        turns = sum(step.startswith(f"debug:{number}:") for step, _, _ in calls)
        assert f"debug:{number}:{turns + 1}" in concluded


@in_one_test("name", NAMES)
def test_snippets_of_the_debugger_run(name: str) -> None:
    loaded = [scenario_of(name).code or "", *programs(name).values()]
    for step, tool, arguments in tool_calls(name):
        if tool == "run_snippet":
            outcomes = [run(f"{program}\n{arguments['code']}")["error"] for program in loaded]
            assert "" in outcomes, (step, outcomes)
        if tool == "inspect_function":
            assert any(re.search(rf"(def|class) {arguments['name'].split('.')[-1]}\b", p) for p in loaded), step


@in_one_test("name", NAMES)
def test_checks_the_debugger_runs_exist(name: str) -> None:
    for step, tool, arguments in tool_calls(name):
        for check in arguments["names"] if tool == "run_checks" else ():
            origin, _, function = check.rpartition(".")
            assert function in check_names(suite(name, origin) or scenario_of(name).tests or ""), step


@pytest.mark.parametrize("name", CHECKED)
def test_each_check_quotes_the_task(name: str) -> None:
    task = plain(scenario_of(name).task)
    for step in SUITES:
        for node in ast.parse(suite(name, step)).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                quoted = ast.get_docstring(node)
                assert quoted, node.name
                assert plain(quoted) in task, node.name


@pytest.mark.parametrize("name", CHECKED)
def test_spec_suite_has_small_checks_and_properties(name: str) -> None:
    names = check_names(suite(name, "spec:1"))
    properties = [found for found in names if found.startswith("test_property_")]
    assert 6 <= len(names) - len(properties) <= 8
    assert 2 <= len(properties) <= 3


@pytest.mark.parametrize("name", CHECKED)
def test_first_program_fails_a_promise_of_the_task_only_where_that_is_the_story(name: str) -> None:
    scenario = scenario_of(name)
    assert examples(scenario).strip()
    first = scenario.code or programs(name)["first"]
    assert bool(failing(first, examples(scenario))) == scenario.expect["first_fails"]


@pytest.mark.parametrize("name", HEALED)
def test_final_program_passes_every_check_but_the_wrong_ones(name: str) -> None:
    assert failing(final(name), examples(scenario_of(name))) == set()
    failed = set().union(*(failing(final(name), suite(name, step)) for step in SUITES))
    assert failed == WRONG.get(name, set())


@pytest.mark.parametrize("name", HEALED)
def test_independent_programs_and_other_repairs_are_right_too(name: str) -> None:
    scenario = scenario_of(name)
    for step, program in programs(name).items():
        if step.startswith(("independent", "rewrite")) or step.count(":") == 2:
            assert failing(program, examples(scenario)) == set(), step
            assert failing(program, suite(name, "spec:1")) == WRONG.get(name, set()), step


@pytest.mark.parametrize("name", HEALED)
def test_right_programs_agree_on_the_adversary_inputs(name: str) -> None:
    inputs = tuple(call for step in SUITES[1:] for line in lines(name) if line.step == step
                   for call in line.header.get("inputs", ()))  # fmt: skip
    if scenario_of(name).kind != "ambiguous":
        other = programs(name)["independent:1"]
        assert run(final(name), calls=inputs)["calls"] == run(other, calls=inputs)["calls"]


@pytest.mark.parametrize("name", HEALED)
def test_inputs_of_the_adversary_are_calls_the_program_knows(name: str) -> None:
    inputs = tuple(call for line in lines(name) for call in line.header.get("inputs", ()))
    given = run(final(name), calls=inputs)["calls"]
    assert [call for call, output in zip(inputs, given, strict=True) if output in ("!SyntaxError", "!NameError")] == []


@pytest.mark.parametrize("name", HEALED)
def test_objections_of_the_critic_are_refuted_by_execution(name: str) -> None:
    header, _ = split(next(json.dumps(dict(line.header)) for line in lines(name) if line.role == "critic"))
    if header["input"]:
        assert run(final(name), calls=(header["input"],))["calls"] == [f"={ast.literal_eval(header['expected'])!r}"]


@pytest.mark.parametrize("name", with_kind("honest_failure"))
def test_no_program_of_the_honest_failure_keeps_the_promises(name: str) -> None:
    promises = examples(scenario_of(name))
    assert all(failing(program, promises) for program in programs(name).values())


@pytest.mark.parametrize("name", sorted(WRONG))
def test_a_wrong_check_is_wrong_for_every_right_program(name: str) -> None:
    assert all(failing(program, suite(name, "spec:1")) == WRONG[name] for program in programs(name).values())


@in_one_test("name", NAMES)
def test_the_reader_of_replies_misses_at_most_an_optional_header(name: str) -> None:
    for role, steps in script(name).items():
        prompt = load_prompt(role)
        for step, text in steps.items():
            if isinstance(text, str):
                request = Request(role, "", step, (), schema=prompt.schema, code=prompt.code)
                completion = Completion(text, "stop", Usage(), "mock", "scripted-demo")
                assert set(read_reply(completion, request).salvaged) <= {"no JSON object"}, step
