"""Settling a disputed check: quarantine it, ask the arbiter, or ask the person."""

from __future__ import annotations

from agent.context import Ask, Context, node
from agent.events import CheckRuled, QuestionAnswered, QuestionAsked
from agent.execution import OUTPUT
from agent.facts import facts_of
from agent.given.words import task_told
from agent.programs import add_suite, check_of
from agent.roles import ARBITER, RulingReply
from agent.state import AgentState, Check, Fault, PersonAnswer, Ruling, Suite, Update
from agent.values import is_literal, same_value, sentence_in


@node
async def quarantine(state: AgentState, context: Context) -> Update:
    """Set a check aside with the reason; it is reported, never deleted."""
    decision = state.decisions[-1]
    ruling = Ruling(decision.check or "", decision.fault or "test", "agreement", decision.reason, decision.candidate)
    return {"rulings": [_told(context, ruling)]}


@node
async def arbitrate(state: AgentState, context: Context) -> Update:
    """One call that sees task and input, neither code nor tests; it must quote the sentence it relies on."""
    decision = state.decisions[-1]
    check = check_of(state, decision.check)
    done = [f"arbitrated:{check.id}"]
    outputs = _answers(state, check, decision.call)
    if check.call is None or len(outputs) < 2:
        ruling = Ruling(
            check.id, "unknown", "arbiter", "the check is not one plain call that two answers can be put to"
        )
        return {"done": done, "rulings": [_told(context, ruling)]}
    number = 1 + sum(step.startswith("arbitrated:") for step in state.done)
    options = Ask(data={"call": check.call, "expected": check.expected, "outputs": outputs})
    step, task = f"arbiter:{number}", task_told(state)
    reply = await context.attempt(
        ARBITER, "rule", step=step, options=options, task=task, call=check.call, outputs=outputs
    )
    if reply is None:
        return {"done": done}
    if not reply.ambiguous and not sentence_in(reply.quote, task):
        ruling = Ruling(check.id, "unknown", "arbiter", "it quoted no sentence of the task")
    else:
        fault = _fault(reply, check, outputs)
        ruling = Ruling(check.id, fault, "arbiter", f"“{reply.quote}” gives {reply.expected or 'no single answer'}")
    return {"done": done, "rulings": [_told(context, ruling)]}


def _fault(reply: RulingReply, check: Check, outputs: list[str]) -> Fault:
    """Whose fault it is by the arbiter's reading. An answer that neither the check nor any program gives shows that the
    task can be read in one more way."""
    if reply.ambiguous or not reply.expected:
        return "task"
    if same_value(reply.expected, check.expected or ""):
        return "code"
    return "test" if any(same_value(reply.expected, output) for output in outputs) else "task"


def _answers(state: AgentState, check: Check, call: str | None) -> list[str]:
    """The differing answers on the call, in an order that tells nothing about who gave them."""
    facts = facts_of(state)
    call = call or check.call
    given = {candidate.outputs[call] for candidate in facts.candidates if call and call in candidate.outputs}
    stated = {fact.expected for fact in facts.checks if fact.id == check.id and fact.expected}
    return sorted(str(output) for output in given | stated if output.comparable)


@node
async def ask_person(state: AgentState, context: Context) -> Update:
    """Show the ambiguity as concrete outputs to choose from; the choice becomes a trusted check. In full_auto the
    assumption is reported instead."""
    decision = state.decisions[-1]
    check = check_of(state, decision.check) if decision.check else None
    call = decision.call or (check.call if check else None)
    options = _choices(state, check, call)
    number = 1 + sum(step.startswith("asked:") for step in state.done)
    done = [f"asked:{number}"]
    rulings = [Ruling(check.id, "task", "trust", decision.reason)] if check else []
    if state.config.autonomy == "full_auto" or len(options) < 2:
        for ruling in rulings:
            _told(context, ruling)
        return {"done": done, "rulings": rulings, "problems": [_assumption(call, options)]}
    payload = {"call": call or "", "options": options, "reason": decision.reason, "check": check.id if check else ""}
    context.emit(QuestionAsked("ambiguous", payload))
    answer = context.pause("ambiguous", payload)
    action, text = str(answer.get("action", "approve")), str(answer.get("text", ""))
    context.emit(QuestionAnswered("ambiguous", action, text))
    update = Update(done=done, answers=[PersonAnswer("ambiguous", action, text)])
    if action != "tick" or call is None:
        update["rulings"] = [_told(context, ruling) for ruling in rulings]
        return update
    suite = _ticked(number, call, text)
    context.emit(add_suite(suite))
    update["suites"] = [suite]
    if check is not None:
        fault = "code" if same_value(text, check.expected or "") else "test"
        update["rulings"] = [_told(context, Ruling(check.id, fault, "person", f"the person ticked {text}"))]
    return update


RAISES = "raises "
TICKED = "ticked by the person"


def _choices(state: AgentState, check: Check | None, call: str | None) -> list[str]:
    """Answers that a person can tick, in words: values that can be written down, and "raises SomeError"."""
    if call is None or call == OUTPUT:
        return []
    given = [c.outputs[call] for c in facts_of(state).candidates if call in c.outputs]
    stated = [fact.expected for fact in facts_of(state).checks if check and fact.id == check.id and fact.expected]
    values = {str(output) for output in given + stated if output.kind == "value" and is_literal(output.text)}
    errors = {str(output) for output in given if output.kind == "exception" and output.text.isidentifier()}
    return sorted(values) + sorted(errors)


def _ticked(number: int, call: str, answer: str) -> Suite:
    """The person's choice as a trusted check."""
    name = f"test_answer_{number}"
    if answer.startswith(RAISES):
        body = f"    with pytest.raises({answer.removeprefix(RAISES)}):\n        {call}"
        check = Check(f"answer:{number}.{name}", name, "answer", f"def {name}():\n{body}", sentence=TICKED)
        return Suite(f"answer:{number}", "answer", "import pytest", (check,))
    source = f"def {name}():\n    assert {call} == {answer}"
    check = Check(f"answer:{number}.{name}", name, "answer", source, call, answer, sentence=TICKED)
    return Suite(f"answer:{number}", "answer", "", (check,))


def _assumption(call: str | None, options: list[str]) -> str:
    if call is None:
        return "the task gives no example to check against; one example would settle what is right"
    return f"the task does not say what {call} should give ({' or '.join(options)}); the returned program decides it"


def _told(context: Context, ruling: Ruling) -> Ruling:
    context.emit(CheckRuled(ruling.check, ruling.fault, ruling.by, ruling.reason))
    return ruling
