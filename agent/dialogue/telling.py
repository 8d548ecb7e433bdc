"""Puts checks, programs and rulings into words for the roles: who says so, and what happened."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from agent.counting.counted import facts_of, outcomes_so_far
from agent.examples.types import BY_OUTPUT
from agent.examples.vocabulary import has
from agent.given.symptoms import SYMPTOM, reported_in
from agent.law.kept import KEPT
from agent.programs import signature_of
from agent.source.parsing import UNREADABLE, module_of
from agent.source.uses import tells_what_is_left
from agent.state import AgentState, Candidate, Check, Ruling
from agent.trust import blame
from agent.trust.facts import ANCHORS
from llm.replies.files import split_files

from .failures import breaches_of, failing_checks, failure_report, shown_checks

DATA_PACKAGES = ("numpy", "pandas", "matplotlib", "scipy", "scikit-learn", "seaborn", "openpyxl", "pyarrow", "pillow")
"""Packages that programs about data may use, as far as the sandbox has them."""
ABOUT_DATA = re.compile(
    r"\b(csv|excel|xlsx|parquet|data ?frame|plot|chart|histogram|numpy|pandas|matplotlib|scipy)", re.I
)
_TRIED = 2
"""How many failures of an earlier change are told."""
SHORT_LINES = 14
"""A program of up to this many lines is told whole, a longer one as an outline."""
NOTHING_SHOWN = "No check fails; but what the task asks to be changed is not changed yet."
KEPT_BACK = "It fails a check that is kept back and cannot be shown; compare it with every sentence of the task."
LAW = {
    "person": "the person's own test: it is right by definition",
    "task": "an example of the task itself: it is right by definition",
    "answer": "the person's own answer to a question: it is right by definition",
    "symptom": "what the person reports of the given program: it must not be so any more",
    "kept": "what the given program did before anything was changed: it stays so unless the task says otherwise",
}
MEASURED = "measured on the program, no model's word: it is right by definition"
TOLD_AS = {
    "spec": "by a tester who saw the task only: it may be wrong",
    "adversary": "by a tester who saw an earlier program: it may be wrong",
    "critic": "by a critic of the program: it may be wrong",
}


def lessons_told(state: AgentState) -> list[str]:
    """Returns the lessons for the model that changes a program. Those of earlier runs come first and are marked so."""
    brought = [(" ".join(one.task.split())[:80], lesson) for one in state.recalled for lesson in one.lessons]
    marked = [f"From an earlier run on “{task}”, which may not fit here: {lesson}" for task, lesson in brought]
    return [*marked, *state.lessons]


def is_law(state: AgentState, check: Check) -> bool:
    """Returns whether no role may doubt the check: the person or the task states it, or the person ruled so."""
    ruling = _ruling(state, check)
    return check.origin in ANCHORS or (ruling is not None and ruling.by == "person" and ruling.fault == "code")


def failures_told(state: AgentState, candidate: str) -> list[str]:
    """Returns each blamed failure with its origin, its source and what happened, and each broken clause with what was
    measured; without any, how the run itself ended. A reported symptom is left out if another check says what should be
    instead."""
    outcomes, told = outcomes_so_far(state, candidate), list[str]()
    for check in _once(failing_checks(state, candidate)):
        origin = origin_told(state, candidate, check)
        happened = _plain_message(outcomes[check.id].message) if check.origin != SYMPTOM else ""
        told.append(f"{claim_of(check)}\n({origin})\n{happened}".strip())
    told += [f"{words}\n({MEASURED})" for words in breaches_of(state, candidate)]
    hidden = any(check.held_out and outcomes[check.id].failed for check in _checks(state) if check.id in outcomes)
    unshown = [KEPT_BACK] if hidden else [NOTHING_SHOWN, *_tried_in_vain(state, candidate)]
    return list(dict.fromkeys(told)) or failure_report(state, candidate) or unshown


def _tried_in_vain(state: AgentState, candidate: str) -> list[str]:
    """Returns what the last change of this program did wrong, when the program itself fails nothing, so that no author
    makes the same change again."""
    tried = next((one for one in reversed(state.candidates) if one.parent == candidate), None)
    if tried is None:
        return []
    outcomes = outcomes_so_far(state, tried.id)
    failed = ((check, outcomes[check.id]) for check in shown_checks(state) if check.id in outcomes)
    told = [(claim_of(check), _plain_message(outcome.message)) for check, outcome in failed if outcome.failed]
    return [f"{tried.id}, a change that was tried, fails {claim}\n{message}" for claim, message in told[:_TRIED]]


def _once(checks: Sequence[Check]) -> list[Check]:
    """Leaves out symptoms of a call for which another check says what should be."""
    promised = {check.call for check in checks if check.origin in ANCHORS and check.origin != SYMPTOM}
    return [check for check in checks if check.origin != SYMPTOM or check.call not in promised]


def _checks(state: AgentState) -> list[Check]:
    return [check for suite in state.suites for check in suite.checks]


def _plain_message(message: str) -> str:
    """Returns what happened, without the assertion, which the prompt shows already, and without its place in the
    tests."""
    lines = message.splitlines()
    differs = any(line.strip().startswith("actual:") for line in lines)
    kept = [line for line in lines if not (line.startswith("assert ") and differs) and " in test_" not in line]
    return "\n".join(kept or lines)


def origin_told(state: AgentState, candidate: str, check: Check) -> str:
    """Returns where a check comes from, and what speaks for it."""
    if check.origin in LAW:
        return LAW[check.origin]
    ruling = _ruling(state, check)
    if ruling is not None and ruling.fault == "code":
        return f"ruled right by the {ruling.by}: {ruling.reason}"
    found = blame(facts_of(state), candidate, check.id)
    if found.by == "peer":
        return f"{TOLD_AS.get(check.origin, check.origin)}; but {found.reason}"
    return TOLD_AS.get(check.origin, check.origin)


def passed_told(state: AgentState, candidate: str) -> list[str]:
    """Returns the checks that the program passed in its execution, each claim once."""
    outcomes = outcomes_so_far(state, candidate)
    shown = _once(shown_checks(state))
    passed = [check for check in shown if check.id in outcomes and outcomes[check.id].status == "pass"]
    written = [claim_of(check) for check in passed if check.origin != KEPT]
    return [*dict.fromkeys(written), *_kept_told(check for check in passed if check.origin == KEPT)]


def _kept_told(passed: Iterable[Check]) -> list[str]:
    """Returns recorded behaviour that is kept as a count with one example, because sixteen answers of one kind teach a
    role nothing more."""
    kept = [claim_of(check) for check in passed if not tells_what_is_left(check.call or "")]
    return [f"as the given program did, on {len(kept)} inputs such as {kept[0]}"] if kept else []


def outcomes_told(state: AgentState, candidate: str) -> list[str]:
    """Returns one line for each check that was executed on the program, with its outcome."""
    outcomes = outcomes_so_far(state, candidate)
    ran = [(check, outcomes[check.id].status) for check in _once(shown_checks(state)) if check.id in outcomes]
    told = {claim_of(check): status for check, status in ran if not (check.origin == KEPT and status == "pass")}
    kept = _kept_told(check for check, status in ran if check.origin == KEPT and status == "pass")
    return [*(f"{status}: {claim}" for claim, status in told.items()), *(f"pass: {claim}" for claim in kept)]


def claim_of(check: Check) -> str:
    """Returns what a check states: call and value if it is that plain, otherwise its source without its docstring."""
    if check.origin == SYMPTOM:
        return f"must not be so: {reported_in(check)}"
    return f"{check.call} == {check.expected}" if check.call and check.expected else short_source(check)


def short_source(check: Check) -> str:
    """Returns the check's source without its docstring, which only repeats the task."""
    node = next(iter(module_of(check.source).body), None)
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or ast.get_docstring(node) is None:
        return check.source
    node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(node)


def decided_told(state: AgentState) -> list[str]:
    """Returns what was settled in this run, for every later role: the person's answers and the rulings."""
    checks = {check.id: check for suite in state.suites for check in suite.checks}
    latest = {ruling.check: ruling for ruling in state.rulings if ruling.fault != "unknown" and ruling.check in checks}
    hidden = {key for key, check in checks.items() if check.held_out}
    rulings = [_ruling_told(ruling, checks[key]) for key, ruling in latest.items() if key not in hidden]
    return [*answers_told(state), *_plan_told(state), *rulings]


def _plan_told(state: AgentState) -> list[str]:
    """Returns the plan that the person approved for given code. No first program is written from it, so the repair must
    follow it."""
    approved = any(answer.question == "review_plan" for answer in state.answers)
    return [f"the person approved this plan: {state.plan}"] if approved and state.plan and state.task.code else []


def answers_told(state: AgentState) -> list[str]:
    """Returns what the person decided. That is part of the task from then on, so even roles that must stay independent
    are told."""
    ticked = [
        f"{check.call} gives {check.expected}" if check.call else short_source(check)
        for suite in state.suites
        if suite.origin == "answer"
        for check in suite.checks
    ]
    said = [a.text for a in state.answers if a.question == "clarify" and a.action != "abort" and a.text]
    return [*said, *ticked]


def persons_tests(state: AgentState) -> str:
    """Returns the person's own tests as they were given; "" without any."""
    return (state.task.tests or "").strip()


def known_claims(state: AgentState) -> list[str]:
    """Returns what the person and the task have stated already, so that no tester writes it again."""
    stated = [check for suite in state.suites if suite.origin in ("person", "task") for check in suite.checks]
    return [claim_of(check) for check in stated]


def tried_told(candidates: Sequence[Candidate]) -> list[str]:
    """Returns earlier programs for an author who is to take another way: of each family the last member, and of equal
    outlines the first."""
    last = {candidate.root: candidate for candidate in candidates}
    told: dict[str, Candidate] = {}
    for each in last.values():
        told.setdefault(outline(each.code), each)
    return [f"{each.id}{f', {each.note}' if each.note else ''}:\n{code}" for code, each in told.items()]


def outline(code: str) -> str:
    """Returns a short program as it is; of a longer one its imports, and for each definition its head and what it
    calls."""
    lines = [line for line in code.strip().splitlines() if line.strip()]
    if len(lines) <= SHORT_LINES:
        return "\n".join(lines)
    try:
        tree = ast.parse(code)
    except UNREADABLE:
        return "\n".join([*lines[:SHORT_LINES], "..."])
    return "\n".join(_outlined(tree.body, ""))


def _outlined(body: Iterable[ast.stmt], indent: str) -> Iterator[str]:
    for node in body:
        match node:
            case ast.Import() | ast.ImportFrom():
                yield indent + ast.unparse(node)
            case ast.ClassDef():
                yield f"{indent}class {node.name}:"
                yield from _outlined(node.body, indent + "    ")
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield f"{indent}def {node.name}({ast.unparse(node.args)}): {_uses(node)}"
            case _:
                pass


def _uses(node: ast.AST) -> str:
    """Returns how many loops a function has and which names it calls."""
    inner = list(ast.walk(node))
    loops = sum(isinstance(each, ast.For | ast.While | ast.comprehension) for each in inner)
    calls = dict.fromkeys(ast.unparse(each.func) for each in inner if isinstance(each, ast.Call))
    return f"{loops} loop(s); calls {', '.join(list(calls)[:12]) or 'nothing'}"


def packages_told(state: AgentState, installed: Sequence[str]) -> list[str]:
    """Returns the packages that the program may use: only for a task about data, and only those that the sandbox
    has."""
    about = (state.brief is not None and state.brief.kind in BY_OUTPUT) or bool(state.task.files)
    if not about and not ABOUT_DATA.search(state.task.text):
        return []
    here = {name.lower() for name in installed}
    return [name for name in DATA_PACKAGES if name in here]


def several_files(state: AgentState) -> bool:
    """Returns whether the program has several files: it was given so, or the task asks for it."""
    given = state.task.code or (state.task.fork.code if state.task.fork else "")
    return split_files(given) is not None or has(state.task.text, "several_files")


def leaves_name_open(state: AgentState) -> bool:
    """Returns whether nothing that the person gave names what is to be called, so that an author of tests could only
    guess."""
    brief = state.brief
    named = brief is None or brief.entry_point or state.task.code or state.task.tests or several_files(state)
    return not named and brief is not None and brief.kind in ("function", "class")


def signature_told(state: AgentState) -> str:
    """Returns the signature that will be called; "" if the task's own text shows it already."""
    signature = signature_of(state)
    plain = " ".join(signature.rstrip(":").split()).removeprefix("def ")
    return "" if "(" in plain and plain in " ".join(state.task.text.split()) else signature


def names_wanted(state: AgentState) -> tuple[str, ...]:
    """Returns the name that the program must define, if the task gives one."""
    signature = (state.brief.signature if state.brief else None) or ""
    found = re.match(r"\s*(?:async\s+def|def|class)\s+(\w+)", signature)
    return (found[1],) if found else ()


def _ruling(state: AgentState, check: Check) -> Ruling | None:
    return next((ruling for ruling in reversed(state.rulings) if ruling.check == check.id), None)


def _ruling_told(ruling: Ruling, check: Check) -> str:
    words = {"code": "is right", "test": "is wrong and was set aside", "task": "was set aside: the task leaves it open"}
    return f"the check `{claim_of(check)}` {words[ruling.fault]} ({ruling.by}: {ruling.reason})"
