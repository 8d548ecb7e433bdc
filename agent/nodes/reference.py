"""Asks for a slow but obvious witness: a program that tries every possibility, or a checker of other programs'
answers."""

from __future__ import annotations

import ast
import random

from agent.by_output.data import files_told
from agent.checks.execution import run_calls
from agent.context import Context
from agent.dialogue.telling import signature_told
from agent.events import Noted
from agent.examples.bruteforce import Form
from agent.given.words import task_told
from agent.programs import add_suite, announce, candidate_of, make_candidate
from agent.session.question import Ask
from agent.session.roles import REFERENCE
from agent.source.inputs import arguments_of, literal, mutate
from agent.state import AgentState, Candidate, Check, Suite, Update
from agent.state.done import Done
from agent.trust.agreement import CONFIRMING

CHECKED = CONFIRMING + 4
"""How many inputs a checker is given, each as its own check: a few more than confirm, because some may be ruled
wrong."""
_TELLING = 0.25
"""The share of changed answers that a checker must refuse. A checker that accepts everything checks nothing."""


async def write_reference(state: AgentState, context: Context, form: Form, number: int) -> Update:
    """Asks for a witness that works by brute force: a checker of answers if `form` says so and enough inputs are known
    that the task allows, otherwise a program."""
    calls = state.domains[-1].small if state.domains else ()
    if form == "checker" and len(calls) >= CONFIRMING:
        return await _write_checker(state, context, number, calls[-CHECKED:])
    reply = await context.ask_or_none(
        REFERENCE,
        "program",
        question=f"independent:{number}",
        options=Ask(data={"kind": "independent", "written": len(state.candidates)}),
        task=task_told(state),
        signature=signature_told(state),
        files=await files_told(context),
    )
    if reply is None:
        return {}
    candidate = make_candidate(state, reply, "reference")
    announce(context, state, candidate)
    return {"candidates": [candidate]}


async def _write_checker(state: AgentState, context: Context, number: int, calls: tuple[str, ...]) -> Update:
    """Asks for a checker and makes one check per input, so that each disagreement is one concrete input."""
    update = Update(done=[Done("failed", f"independent:{number}")])
    reply = await context.ask_or_none(
        REFERENCE,
        "checker",
        question=f"checker:{number}",
        task=task_told(state),
        signature=signature_told(state),
    )
    if reply is None:
        return {}
    best = candidate_of(state, state.decisions[-1].candidate)
    if flaw := await _flaw(state, context, best, reply.code, calls):
        context.emit(Noted(f"the checker of answers was thrown away: {flaw}"))
        return update
    suite = Suite("reference:1", "reference", reply.code, tuple(_check(at, call) for at, call in enumerate(calls, 1)))
    context.emit(add_suite(suite))
    update["suites"] = [suite]
    return update


async def _flaw(state: AgentState, context: Context, best: Candidate, checker: str, calls: tuple[str, ...]) -> str:
    """Returns why the checker is useless, after a trial on a program's answers and on changed ones; "" when it is
    usable."""
    given = await run_calls(context, state.config, best, calls)
    answers = {call: told[0] for call in calls if (told := literal(given.outputs[call].text)) is not None}
    rng = random.Random(0)
    wrong = {call: other for call, answer in answers.items() if (other := mutate(answer, rng)) != answer}
    asked = [_question(call, answer) for call, answer in (*answers.items(), *wrong.items())]
    tried = await run_calls(context, state.config, Candidate("checker", checker, "reference", None, "checker"), asked)
    said = [literal(tried.outputs[question].text) for question in asked]
    if not wrong or any(word is None or not isinstance(word[0], str) for word in said):
        return "it gives no sentence for some answers of a program"
    refused = sum(word != ("",) for word in said[len(answers) :])
    return (
        ""
        if refused >= _TELLING * len(wrong)
        else f"it finds {len(wrong) - refused} of {len(wrong)} changed answers right"
    )


def _question(call: str, answer: object) -> str:
    return f"wrong({', '.join(map(repr, (answer, *(arguments_of(call) or ()))))})"


def _check(number: int, call: str) -> Check:
    name = f"test_property_answer_{number}"
    question = ast.unparse(ast.parse(_question(call, None))).replace("wrong(None", f"wrong({call}", 1)
    source = f'def {name}():\n    """Every possibility was tried."""\n    assert {question} == ""'
    return Check(f"reference:1.{name}", name, "reference", source, call=call, is_property=True)
