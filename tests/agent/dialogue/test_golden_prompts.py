"""What the roles are told in ten situations, checked in as text: read the difference before you accept it.

`python -m tests.agent.dialogue.test_golden_prompts` writes the files anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.dialogue.telling import (
    answers_told,
    decided_told,
    failures_told,
    known_claims,
    outcomes_told,
    packages_told,
    passed_told,
    persons_tests,
    several_files,
    signature_told,
    tried_told,
)
from agent.examples import read_brief
from agent.programs import example_suite
from agent.source.focus import focused
from agent.state import (
    AgentState,
    Candidate,
    Check,
    CheckOutcome,
    Diagnosis,
    PersonAnswer,
    Ruling,
    Run,
    Suite,
    Task,
)
from llm.types import Message, Request
from llm.wording import with_format
from prompts import load_prompt
from sandbox.types import Execution, Isolation

GOLDEN = Path(__file__).resolve().parents[2] / "prompts" / "golden"
TEXT = (
    "Write clamp(value, low, high) that returns value, but never less than low and never more than high.\n"
    "For example clamp(5, 0, 3) == 3."
)
WRONG = "def clamp(value, low, high):\n    return max(low, value)\n"
OTHER = "def clamp(value, low, high):\n    return sorted([low, value, high])[0]\n"
RIGHT = "def clamp(value, low, high):\n    return min(max(low, value), high)\n"
PERSONS = "def test_swapped():\n    assert clamp(2, 3, 1) == 1\n"
WALLS = Isolation("limits", "no", "no", "no", "no", "no", "no")
INSTALLED = ("gradio", "langgraph", "numpy", "pandas", "matplotlib", "pyright", "uv")


def check(name: str, call: str, expected: str, *, suite: str = "spec:1", origin: Any = "spec") -> Check:
    source = f'def {name}():\n    """never more than high."""\n    assert {call} == {expected}'
    return Check(f"{suite}.{name}", name, origin, source, call, expected, sentence="never more than high.")


SPEC = Suite(
    "spec:1",
    "spec",
    "",
    (
        check("test_low", "clamp(-1, 0, 3)", "0"),
        check("test_high", "clamp(9, 0, 3)", "3"),
        check("test_in", "clamp(1, 0, 3)", "1"),
    ),
)


def state_of(text: str = TEXT, **fields: Any) -> AgentState:
    task = Task(text, tests=fields.pop("tests", None), files=fields.pop("files", {}))
    brief = read_brief(text, None, task.files)
    examples = example_suite(brief.examples)
    suites = [*([examples] if examples else []), *fields.pop("suites", [])]
    return AgentState(task=task, brief=brief, suites=suites, **fields)


def ran(candidate: str, suite: str, **outcomes: str) -> Run:
    """Outcomes by the check's name; a message makes it fail."""
    made = {
        f"{suite}.{name}": CheckOutcome("fail", message) if message else CheckOutcome("pass")
        for name, message in outcomes.items()
    }
    return Run(candidate, suite, Execution("fail", isolation=WALLS), reported=True, outcomes=made)


def written(identity: str, code: str, kind: Any = "first", note: str = "") -> Candidate:
    return Candidate(identity, code, kind, None, identity, note=note)


FIVE = "assert 5 == 3\n  actual: 5\n  expected: 3\n  test_solution.py:4 in test_example_1: assert clamp(5, 0, 3) == 3"
NINE, ONE = "assert 9 == 3", "assert 1 == 2"
FAILED = state_of(
    suites=[SPEC],
    candidates=[written("c1", WRONG, note="keeps the lower end")],
    runs=[
        ran("c1", "task", test_example_1=FIVE),
        ran("c1", "spec:1", test_low="", test_high="assert 9 == 3", test_in=""),
    ],
    diagnoses=[Diagnosis("c1", "code", "assertion", 0.9, "`high` is never looked at", "bound it by high", "s")],
)
PASSED = state_of(
    suites=[SPEC],
    candidates=[written("c1", RIGHT)],
    runs=[
        ran("c1", "task", test_example_1=""),
        ran("c1", "spec:1", test_low="", test_high="", test_in="assert 1 == 2"),
    ],
    rulings=[Ruling("spec:1.test_in", "test", "agreement", "c2, written independently, gives the same other answer")],
)


def author(state: AgentState) -> dict[str, Any]:
    kind = state.brief.kind if state.brief else "function"
    told = {"packages": packages_told(state, INSTALLED), "files": [], "tests": persons_tests(state)}
    return {
        "task": state.task.text,
        "kind": kind,
        "signature": signature_told(state),
        "answers": answers_told(state),
        "several": several_files(state),
        **told,
    }


def first() -> tuple[str, str, dict[str, Any]]:
    return "generator", "first", {**author(state_of()), "plan": "", "code": ""}


def first_with_tests_and_an_answer() -> tuple[str, str, dict[str, Any]]:
    said = PersonAnswer("clarify", "tick", "What if low is above high? high wins")
    return (
        "generator",
        "first",
        {**author(state_of(tests=PERSONS, answers=[said])), "plan": "Bound it from both sides.", "code": ""},
    )


def independent_for_data() -> tuple[str, str, dict[str, Any]]:
    text = "Wie hoch ist der Umsatz je Region in sales.csv? Dezimalzeichen ist das Komma."
    state = state_of(text, files={"sales.csv": b"Region;Umsatz\nNord;1,5\n"})
    return (
        "generator",
        "independent",
        {**author(state), "kind": "data", "files": ["sales.csv\nRegion;Umsatz\nNord;1,5"], "again": False},
    )


def independent_once_more() -> tuple[str, str, dict[str, Any]]:
    return "generator", "independent", {**author(state_of()), "again": True}


def spec_tests() -> tuple[str, str, dict[str, Any]]:
    state = state_of()
    told = {
        "signature": signature_told(state),
        "known": known_claims(state),
        "answers": [],
        "packages": [],
        "refused": "",
    }
    return "spec_tester", "write", {"task": TEXT, "count": 7, "kind": "function", **told}


def diagnosis_of_law() -> tuple[str, str, dict[str, Any]]:
    told = {"failures": failures_told(FAILED, "c1")[:1], "law": True, "decided": decided_told(FAILED)}
    trace = "clamp(5, 0, 3)\nbefore line 2: value = 5, low = 0, high = 3\nline 2 returns 5"
    rest = {"previous_diagnoses": [], "diff": "", "lessons": [], "excerpt": False}
    return "debugger", "diagnose", {"task": TEXT, "code": WRONG, "trace": trace, **told, **rest}


def diagnosis_after_a_ruling() -> tuple[str, str, dict[str, Any]]:
    ruling = Ruling("spec:1.test_high", "code", "arbiter", "“never more than high” gives 3")
    state = replace(FAILED, rulings=[ruling])
    told = {"failures": failures_told(state, "c1"), "law": False, "decided": decided_told(state)}
    rest = {"previous_diagnoses": ["c1: test, other: it seems wrong"], "diff": "", "lessons": [], "excerpt": False}
    return "debugger", "diagnose", {"task": TEXT, "code": WRONG, "trace": "", **told, **rest}


def repair_of_a_long_program() -> tuple[str, str, dict[str, Any]]:
    long = "import math\n\n\n" + "".join(f"def unused_{n}(x):\n    return x + {n}\n\n\n" for n in range(400)) + WRONG
    failures = failures_told(FAILED, "c1")[:3]
    told = {
        "code": focused(long, failures, 400),
        "excerpt": True,
        "edits": True,
        "own": False,
        "speed": False,
        "form": False,
        "failures": failures,
    }
    words = {
        "strategy": "Change as little as possible.",
        "diagnosis": "assertion: `high` is never looked at",
        "trace": "",
    }
    return "generator", "repair", {"task": TEXT, **told, **words, "lessons": [], "decided": [], "several": False}


def rewrite() -> tuple[str, str, dict[str, Any]]:
    tried = tried_told([*FAILED.candidates, written("c2", OTHER, "independent", "sorts the three")])
    told = {
        "tried": tried,
        "failures": failures_told(FAILED, "c1"),
        "decided": [],
        "files": [],
        "packages": [],
        "lessons": [],
        "several": False,
    }
    return "generator", "rewrite", {"task": TEXT, "signature": "", "several": False, **told}


def attack() -> tuple[str, str, dict[str, Any]]:
    told = {
        "known_checks": passed_told(PASSED, "c1"),
        "decided": decided_told(PASSED),
        "unchecked": ["do not change the list (no input is known to try it on)"],
        "corners": ["clamp(0, 0, 3): 0"],
        "survivors": ["line 2: min -> max"],
        "inexact": [],
        "alone": False,
        "program": False,
    }
    return "adversarial_tester", "write", {"task": TEXT, "code": RIGHT, **told}


def attack_on_a_program() -> tuple[str, str, dict[str, Any]]:
    role, template, told = attack()
    return (
        role,
        template,
        {**told, "task": "Print the sum of stdin.", "known_checks": [], "decided": [], "corners": [], "program": True},
    )


def last_look() -> tuple[str, str, dict[str, Any]]:
    told = {"evidence": outcomes_told(PASSED, "c1"), "decided": decided_told(PASSED)}
    return "critic", "review", {"task": TEXT, "code": RIGHT, **told}


SITUATIONS: Mapping[str, Callable[[], tuple[str, str, dict[str, Any]]]] = {
    made.__name__: made
    for made in (
        first, first_with_tests_and_an_answer, independent_for_data, independent_once_more, spec_tests,
        diagnosis_of_law, diagnosis_after_a_ruling, repair_of_a_long_program, rewrite, attack,
        attack_on_a_program, last_look,
    )
}  # fmt: skip


def told_in(situation: str) -> str:
    """Everything that the model gets to read, as it is sent."""
    role, template, variables = SITUATIONS[situation]()
    prompt = load_prompt(role)
    messages = (Message("system", prompt.system), Message("user", prompt.render(template, **variables)))
    code = "edits" if variables.get("edits") else prompt.code
    sent = with_format(Request(role, TEXT, situation, messages, schema=prompt.schema, code=code))
    parts = [f"{message.role}\n{'=' * len(message.role)}\n{message.content.strip()}\n" for message in sent.messages]
    return f"{role}/{template} v{prompt.version}\n\n" + "\n".join(parts)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_the_prompt_is_the_one_that_was_reviewed(situation: str) -> None:
    assert told_in(situation) == (GOLDEN / f"{situation}.txt").read_text(encoding="utf-8")


def test_no_prompt_names_the_packages_of_the_app() -> None:
    for situation in SITUATIONS:
        assert "gradio" not in told_in(situation)


def test_every_reviewed_prompt_is_still_used() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(SITUATIONS)


if __name__ == "__main__":
    for name in SITUATIONS:
        (GOLDEN / f"{name}.txt").write_text(told_in(name), encoding="utf-8")
