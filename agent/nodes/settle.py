"""Settles a disputed check: quarantines it, asks the arbiter, or asks the person."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from agent.checks.asking import NO_EXCEPTION, RAISES, Question, question_of
from agent.checks.program_calls import as_run, calls_harness
from agent.context import Context, node
from agent.counting.counted import READING, contradicts_in, facts_of, outcomes_so_far, read_as
from agent.dialogue.telling import answers_told, persons_tests
from agent.given.words import task_told
from agent.programs import add_suite, announce_ruling, check_of
from agent.session.question import Ask
from agent.session.roles import ARBITER, RulingReply
from agent.source.parsing import expression_of
from agent.source.values import alike, same_value, sentence_in, spells_a_value
from agent.state import AgentState, Check, Fault, Origin, RuledBy, Ruling, Suite, Update
from agent.state.done import Done
from agent.state.questions import Payload
from agent.trust import blame
from agent.trust.facts import OUTPUT, Facts
from sandbox.types import CallOutput

_SETTLED_BY: Mapping[str, RuledBy] = {"limits": "limits", "answer": "person", "chance": "trust"}
"""What blames a check -> who the ruling names; agreement where nothing is named."""


@node
async def quarantine(state: AgentState, context: Context) -> Update:
    """Quarantines a check with the reason; the check is reported and never deleted."""
    decision = state.decisions[-1]
    found = blame(facts_of(state), decision.candidate or "", decision.check or "")
    by = _SETTLED_BY.get(found.by, "agreement")
    ruling = Ruling(decision.check or "", decision.fault or "test", by, decision.reason, decision.candidate)
    return {"rulings": [announce_ruling(context, ruling)]}


@node
async def arbitrate(state: AgentState, context: Context) -> Update:
    """Asks the arbiter about a disputed check, or about an input that programs answer differently. The arbiter sees
    the task, the person's own tests, the input and the answers, but no code, and must quote the sentence that it
    relies on."""
    decision = state.decisions[-1]
    if decision.check is None:
        return await _arbitrate_difference(state, context, decision.call or "")
    check = check_of(state, decision.check)
    done = [Done("arbitrated", check.id)]
    question = _question(state, check)
    outputs = _answers(state, check, decision.call) if check.call else _told(state, check, question)
    one_given = check.origin == "reference"
    if question is None or len(outputs) < (1 if one_given else 2):
        return _undecided(context, check, done, "the check does not say one thing that two answers can be put to")
    template = "allow" if one_given else "rule"
    reply = await _ask_arbiter(state, context, template, question.call, outputs, question.stated)
    if reply is None:
        return {"done": done}
    if not _founded(state, reply):
        return _undecided(context, check, done, "it quoted no sentence of the task")
    said = f"“{reply.quote}” gives {reply.expected}" if reply.expected else "the task gives no single answer"
    said = f"“{reply.quote}” does not allow this input" if reply.excluded else said
    fault = _fault(reply, check.origin, question, outputs)
    fault = "task" if fault == "code" and contradicts_in(state, check.id) else fault  # it chose one of the two sides
    third = reply.expected if fault == "task" and not reply.ambiguous else ""
    ruling = Ruling(check.id, fault, "arbiter", said, value="" if contradicts_in(state, check.id) else third)
    update = Update(done=done, rulings=[announce_ruling(context, ruling)])
    if fault == "test" and not reply.excluded and expression_of(question.call) and reply.expected != NO_EXCEPTION:
        update |= _stated(state, context, question.call, reply)  # else nothing would be about the sentence
    return update


def _question(state: AgentState, check: Check) -> Question | None:
    suite = next(suite for suite in state.suites if check in suite.checks)
    return question_of(check, suite.header)


def _told(state: AgentState, check: Check, question: Question | None) -> list[str]:
    """Returns the answers to a check without a plain call: what it states, and what programs gave instead, as its
    messages tell it."""
    failed = (outcomes_so_far(state, candidate.id).get(check.id) for candidate in state.candidates)
    given = [question.given(outcome) for outcome in failed if outcome and outcome.failed] if question else []
    return sorted({one for one in (*given, question.stated if question else None) if one})


def _undecided(context: Context, check: Check, done: list[Done], why: str) -> Update:
    """Leaves the check undecided. A check of another reading stays as open as it was."""
    ruling = Ruling(check.id, "unknown", "arbiter", why)
    return {"done": done, "rulings": [] if check.id.startswith(READING) else [announce_ruling(context, ruling)]}


async def _ask_arbiter(
    state: AgentState, context: Context, template: str, call: str, outputs: list[str], expected: str
) -> RulingReply | None:
    number = 1 + len(state.about("arbitrated"))
    options = Ask(data={"call": call or "", "expected": expected, "outputs": outputs})
    return await context.ask_or_none(
        ARBITER,
        template,
        question=f"arbiter:{number}",
        options=options,
        task=task_told(state),
        call=call,
        outputs=outputs,
        answers=answers_told(state),
        tests=persons_tests(state),
    )


def _founded(state: AgentState, reply: RulingReply) -> bool:
    """Returns whether the answer may count: it quotes the task, or says that the task leaves the input open."""
    opens = reply.ambiguous and not reply.excluded
    return opens or sentence_in(reply.quote, f"{task_told(state)}\n{persons_tests(state)}")


async def _arbitrate_difference(state: AgentState, context: Context, call: str) -> Update:
    """Turns the arbiter's answer for the input into a check, which programs pass or fail; it may show that all of them
    are wrong. It is one model's opinion, and convicts no program alone."""
    done = [Done("arbitrated", call)]
    outputs = _answers(state, None, call)
    reply = await _ask_arbiter(state, context, "rule", call, outputs, "") if len(outputs) > 1 else None
    if reply is None or not _founded(state, reply):
        return {"done": done}
    if reply.excluded:
        told = f"programs differ on {call}, which “{reply.quote}” does not allow, as the arbiter reads it"
        return {"done": done, "admitted": {call: reply.quote}, "problems": [told]}
    if reply.ambiguous or not reply.expected:
        return {"done": [*done, Done("left open", call)]}
    return {"done": done, **_stated(state, context, call, reply)}


def _stated(state: AgentState, context: Context, call: str, reply: RulingReply) -> Update:
    """Turns the value that the arbiter gives for the input into a check."""
    number = 1 + sum(suite.origin == "arbiter" for suite in state.suites)
    try:
        suite = answer_suite(f"arbiter:{number}", "arbiter", call, reply.expected, reply.quote)
    except SyntaxError:
        return {"problems": [f"the arbiter's answer to {call} is no Python value: {reply.expected}"]}
    context.emit(add_suite(suite))
    return {"suites": [suite]}


def _fault(reply: RulingReply, origin: Origin, question: Question, outputs: list[str]) -> Fault:
    """Returns whose fault it is by the arbiter's answer. An answer that neither the check nor any program gives shows
    that the task can be read in yet another way. A checker states no answer, so such an answer convicts the program.
    Of a program that raises nothing, any value may be the answer."""
    if reply.excluded:
        return "test"
    if reply.ambiguous or not reply.expected:
        return "task"
    silent = NO_EXCEPTION in outputs and not reply.expected.startswith(RAISES)
    given = silent or any(alike(reply.expected, output) for output in outputs)
    if origin == "reference":
        return "test" if given else "code"
    if alike(reply.expected, question.stated):
        return "code"
    return "test" if given else "task"


def _answers(state: AgentState, check: Check | None, call: str | None) -> list[str]:
    """Returns the differing answers on the call, sorted, so that their order does not tell who gave them."""
    facts = facts_of(state)
    call = call or (check.call if check else None)
    given = {*_given(facts, call)} if call else set[CallOutput]()
    stated = {fact.expected for fact in facts.checks if check and fact.id == check.id and fact.expected}
    return sorted(str(output) for output in given | stated if output.comparable)


def _given(facts: Facts, call: str) -> list[CallOutput]:
    """Returns what the programs give. The error by which given code refuses what it is to do besides is no answer."""
    told = [one for one in facts.candidates if call in one.outputs]
    refuses = [one for one in told if facts.extends and one.kind == "given" and one.outputs[call].kind == "exception"]
    return [one.outputs[call] for one in told if one not in refuses]


@node
async def ask_person(state: AgentState, context: Context) -> Update:
    """Shows the person the ambiguity as concrete outputs to choose from. The choice becomes a trusted check. In
    full_auto the assumption is reported instead."""
    decision = state.decisions[-1]
    check = check_of(state, decision.check) if decision.check else None
    call = decision.call or (check.call if check else None)
    third = read_as(state, check.id) if check else ""
    options = _choices(state, check, call, third)
    done = [Done("asked")]
    read_otherwise = any(one.check == decision.check and one.by == "adversary" for one in state.rulings)
    rulings = [Ruling(check.id, "task", "trust", decision.reason)] if check and not read_otherwise else []
    if read_otherwise and state.config.autonomy == "full_auto":
        return {"done": done}  # the verdict tells it
    if state.config.autonomy == "full_auto" or len(options) < 2:
        for ruling in rulings:
            announce_ruling(context, ruling)
        return {"done": done, "rulings": rulings, "problems": [_assumption(state, call, options)]}
    by = {option: _who_says(state, check, call or "", option) for option in options}
    payload: Payload = {
        "call": call,
        "options": options,
        "by": by,
        "reason": decision.reason,
        "check": check.id if check else "",
    }
    answer = context.put("ambiguous", payload)
    update = Update(done=done, answers=[answer])
    if answer.action != "tick" or call is None:
        update["rulings"] = [announce_ruling(context, ruling) for ruling in rulings]
        return update
    suite = _ticked(1 + len(state.about("asked")), call, answer.text)
    context.emit(add_suite(suite))
    update["suites"] = [suite]
    if check is not None:
        fault = "code" if same_value(answer.text, check.expected or "") else "test"
        ruling = Ruling(check.id, fault, "person", f"the person ticked {answer.text}")
        update["rulings"] = [announce_ruling(context, ruling)]
    return update


TICKED = "ticked by the person"


def _choices(state: AgentState, check: Check | None, call: str | None, third: str) -> list[str]:
    """Returns the answers that a person can choose, in words: values that can be written down, and "raises
    SomeError". `third` is what the arbiter alone gives."""
    if call is None or call == OUTPUT:
        return []
    given = _given(facts_of(state), call)
    stated = [fact.expected for fact in facts_of(state).checks if check and fact.id == check.id and fact.expected]
    values = {str(output) for output in given + stated if output.kind == "value" and spells_a_value(output.text)}
    values |= {third} if spells_a_value(third) else set()
    errors = {str(output) for output in given if output.kind == "exception" and output.text.isidentifier()}
    return sorted(values) + sorted(errors)


def _who_says(state: AgentState, check: Check | None, call: str, option: str) -> list[str]:
    """Returns the ids of the programs that give this answer, and of the check if it states it."""
    programs = [
        one.id for one in facts_of(state).candidates if call in one.outputs and str(one.outputs[call]) == option
    ]
    stated = [fact for fact in facts_of(state).checks if check and fact.id == check.id and str(fact.expected) == option]
    return [*programs, *(fact.id for fact in stated)]


def _ticked(number: int, call: str, answer: str) -> Suite:
    """Returns the person's choice as a trusted check."""
    return answer_suite(f"answer:{number}", "answer", call, answer, TICKED)


def answer_suite(suite: str, origin: Origin, call: str, answer: str, sentence: str) -> Suite:
    """Returns a suite of one check: the call gives that value, or "raises SomeError". Raises SyntaxError when the
    answer is no Python."""
    name = f"test_{suite.replace(':', '_')}"
    if answer.startswith(RAISES):
        source = f"def {name}():\n    with pytest.raises({answer.removeprefix(RAISES)}):\n        {call}"
        header, stated = "import pytest", None
    elif calls_harness(call):
        source, header, stated = f"def {name}():\n    {as_run(call, answer)}", "", None
    else:
        source, header, stated = f"def {name}():\n    assert {call} == {answer}", "", answer
    ast.parse(source)
    check = Check(f"{suite}.{name}", name, origin, source, call if stated else None, stated, sentence=sentence)
    return Suite(suite, origin, header, (check,))


def _assumption(state: AgentState, call: str | None, options: list[str]) -> str:
    if call == OUTPUT:
        given = {str(one.outputs[OUTPUT]) for one in facts_of(state).candidates if OUTPUT in one.outputs}
        return f"programs put out different things ({' or '.join(sorted(given))}), and nothing says which is right"
    if call is None:
        return "no example to check against was read from the task; one such as f(2) == 4 would settle what is right"
    return f"nothing settles what {call} should give ({' or '.join(options)}); the returned program decides it"
