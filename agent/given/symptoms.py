"""Tries on the given program what a report calls wrong. What the program really does is the symptom that must
change."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from agent.checks.execution import RUN_PROGRAM
from agent.checks.program_calls import printed_by
from agent.examples.types import MEASURED, Brief, Example, SymptomReport
from agent.source.inputs import literal
from agent.source.interface import suits
from agent.source.parsing import module_of
from agent.source.steps import as_expression, steps_of
from agent.source.values import same_value, spells_a_value
from agent.state import AgentState, Candidate, Check, Run, Suite
from sandbox.types import CallOutput

from .figures import is_rounded

SYMPTOM = "symptom"
_REFUSALS = ("ValueError", "TypeError", "LookupError", "ArithmeticError")
"""Exceptions with which a repair may refuse an input, if the report does not say what is right."""
_ENDLESS = "no end"
_STILL = "what is reported still shows: "


@dataclass(frozen=True, slots=True)
class Symptom:
    """Calls on which the given program, when executed, does what the report says. At least one of the outputs must
    change."""

    sentence: str
    does: Mapping[str, CallOutput]


@dataclass(frozen=True, slots=True)
class Reproduction:
    symptoms: tuple[Symptom, ...]
    told: tuple[str, ...]
    """Sentences on what was seen, for the person and for the models."""
    doubts: tuple[str, ...]
    """Sentences on what the report says and the program does not do."""


def crashes_on(suites: Sequence[Suite], code: str, outputs: Mapping[str, CallOutput]) -> frozenset[str]:
    """Returns the ids of model-written checks that state a value for a call on which the program crashes by mistake: it
    raises an exception that its code never raises, although the call fits its parameters."""
    deliberate = raised_in(code)
    stated = [check for suite in suites for check in suite.checks if check.call and check.expected]
    return frozenset(
        check.id
        for check in stated
        if (output := outputs.get(check.call or "")) is not None
        and output.kind == "exception"
        and output.text not in deliberate
        and suits(check.call or "", code)
    )


def calls_to_try(brief: Brief) -> tuple[str, ...]:
    """Returns the calls that the report names, and those with a result that it states."""
    promised = (example.call for example in brief.examples if example.call)
    wished = (example.call for example in (*brief.wished, *brief.guessed) if example.call)
    reported = (report.call for report in (*brief.reports, *brief.stepwise))
    return tuple(dict.fromkeys((*reported, *promised, *wished)))


def wishes_of(brief: Brief, run: Run) -> tuple[Example, ...]:
    """Returns results that are stated of calls and that the given program does not give, so they are wishes; of several
    for one call, the first. In a report, a figure that the program gives with more digits may be its rounded output and
    is left out."""
    law, outputs = {example.call for example in brief.examples}, as_shown(run.outputs)
    told = (*brief.reports, *brief.stepwise)
    seen = {report.call for report in told if _is_seen(report, outputs) and not report.fine}
    wished = {wish.call for wish in brief.wished}
    stated = {example.source for example in brief.examples}
    guessed = (one for one in brief.guessed if one.call in seen - wished and one.source not in stated)
    found = (
        wish
        for wish in (*brief.wished, *_apart(guessed))
        if wish.call
        and wish.call in outputs
        and wish.call not in law
        and _is_missed(wish, outputs[wish.call])
        and not (brief.kind == "fix" and is_rounded(wish.expected or "", outputs[wish.call].text))
    )
    first = {wish.call or "": wish for wish in reversed([*found])}
    return tuple(
        replace(wish, call=None, expected=None) if _is_of_steps(call) or wish.expected is None else wish
        for call, wish in reversed(first.items())
    )


def _apart(guessed: Iterable[Example]) -> list[Example]:
    """Returns each guess once."""
    return [*{(one.call, one.source): one for one in guessed}.values()]


def _is_of_steps(call: str) -> bool:
    """Returns whether the call stands for steps, or for a run of the program, and is no call that a check can name."""
    return steps_of(call) is not None or call.startswith(RUN_PROGRAM)


def as_shown(outputs: Mapping[str, CallOutput]) -> dict[str, CallOutput]:
    """Returns the outputs with the text that is printed as the value of a run; a run that fails has none."""
    return {call: _printed(given) if call.startswith(RUN_PROGRAM) else given for call, given in outputs.items()}


def _printed(given: CallOutput) -> CallOutput:
    told = literal(given.text) if given.kind == "value" else None
    if told is None:
        return given
    ended = told[0]["exit_code"] == 0
    return CallOutput("value", repr(told[0]["stdout"])) if ended else CallOutput("opaque", "the run failed")


def kept_already(brief: Brief, run: Run, found: Reproduction) -> tuple[Example, ...]:
    """Returns the examples of a report if the given program fulfils all of them and nothing else shows a fault. Such a
    statement ("the test expects 3") may be the complaint itself, so it is taken as no promise; that the behaviour stays
    is guarded anyway."""
    measured = any(clause.kind in MEASURED for clause in brief.clauses)
    if brief.kind != "fix" or measured or found.symptoms or not brief.examples:
        return ()
    fine = {report.call for report in brief.reports if report.fine}
    outputs = [run.outputs.get(example.call or "") for example in brief.examples]
    pairs = list(zip(brief.examples, outputs, strict=True))
    held = (given and example.call not in fine and not _differs(example.expected, given) for example, given in pairs)
    return brief.examples if all(held) else ()


def given_program(state: AgentState) -> Candidate | None:
    """Returns the program that came with the task; None without one."""
    return next((candidate for candidate in state.candidates if candidate.kind == "given"), None)


def reproduction_of(state: AgentState) -> Reproduction:
    """Returns what the run has found out about the report so far."""
    given = given_program(state)
    if given is None or state.brief is None:
        return Reproduction((), (), ())
    runs = [run for run in reversed(state.runs) if run.candidate == given.id]  # the first one tried each call alone
    outputs = {call: out for run in runs for call, out in run.outputs.items()}
    return reproduce(state.brief, given.code, outputs)


def reproduce(brief: Brief, code: str, outputs: Mapping[str, CallOutput]) -> Reproduction:
    """Compares what the report says with what the given program did. A crash or an endless call that the report names
    is a symptom. So is a value beside its call, unless the task demands that very value."""
    outputs = as_shown(outputs)
    law = {example.call: example.expected for example in brief.examples if example.call and example.expected}
    tried = [(report, outputs[report.call]) for report in brief.reports if report.call in outputs]
    wrong = [(report, given) for report, given in tried if _differs(law.get(report.call), given)]
    deliberate = raised_in(code)
    grave = [(report, given) for report, given in wrong if _is_grave(report, given, deliberate, law)]
    plain = [(report, given) for report, given in wrong if _is_told(report, given) and not report.fine]
    shown = any(report.call in law for report, _ in wrong)
    symptoms = [Symptom(report.sentence, {report.call: given}) for report, given in grave]
    # in that case slowness is the fault, and not a plain example
    too_slow = any(clause.kind in MEASURED for clause in brief.clauses)
    unseen = any(report.stated and not report.fine and not _is_told(report, given) for report, given in wrong)
    if plain and not (grave or shown or unseen or too_slow) and brief.kind == "fix":
        # The report does not say which of several plain statements is the fault, so at least one of them must change.
        # What was not seen may be the fault, for it may need what was called before.
        symptoms = [Symptom(plain[0][0].sentence, {report.call: given for report, given in plain})]
    symptoms += _after_steps(brief, outputs)
    told = [_done(call, given) for symptom in symptoms for call, given in symptom.does.items()]
    return Reproduction(tuple(symptoms), tuple(told), tuple(_doubts(brief, tried, bool(symptoms or shown))))


def _after_steps(brief: Brief, outputs: Mapping[str, CallOutput]) -> list[Symptom]:
    """Returns what the report tells of steps that it writes down: of the last that is called wrong or wished otherwise,
    else of a session, of which something must change. What the given program did not give was read wrongly, or is the
    fault itself; then nothing is known of the rest."""
    seen = [report for report in brief.stepwise if _is_seen(report, outputs)]
    missed = any(report.written and report.stated and not _is_seen(report, outputs) for report in brief.stepwise)
    told = (wish for wish in (*brief.wished, *brief.guessed) if wish.call in outputs)
    wished = {wish.call for wish in told if _differs(wish.expected, outputs[wish.call or ""])}
    certain = [report for report in seen if not report.fine and (report.fault or report.call in wished)]
    if certain:
        return [Symptom(certain[-1].sentence, {certain[-1].call: outputs[certain[-1].call]})]
    shown = [report for report in seen if report.written]
    if not shown or shown[-1].fine or missed or brief.kind != "fix":
        return []
    return [Symptom(shown[-1].sentence, _session([report.call for report in shown], outputs))]


def _session(calls: Sequence[str], outputs: Mapping[str, CallOutput]) -> dict[str, CallOutput]:
    """Returns all that the last session shows as one call that gives a list, so that any of it may change."""
    last = calls[-1]
    steps = steps_of(last)
    if steps is None or outputs[last].kind != "value":
        return {last: outputs[last]}
    done, shown = [*steps[0]], list[str]()
    values = list[str]()
    for call in calls[:-1]:
        earlier = steps_of(call)
        place = len(earlier[0]) if earlier else len(done)
        if earlier and outputs[call].kind == "value" and [*steps[0][: place + 1]] == [*earlier[0], earlier[1]]:
            shown.append(f"shown_{place}")
            done[place] = f"{shown[-1]} = {earlier[1]}"
            values.append(outputs[call].text)
    together = as_expression(module_of("\n".join(done)).body, f"[{', '.join([*shown, steps[1]])}]") if shown else None
    if together is None:
        return {last: outputs[last]}
    return {together: CallOutput("value", f"[{', '.join([*values, outputs[last].text])}]")}


def _is_seen(report: SymptomReport, outputs: Mapping[str, CallOutput]) -> bool:
    """Returns whether the given program did what the report states."""
    given = outputs.get(report.call)
    return given is not None and bool(report.stated) and _is_told(report, given)


def _done(call: str, given: CallOutput) -> str:
    """Returns what the program did, as the end of a sentence."""
    steps = steps_of(call)
    call = "; ".join(" ".join(line.split()) for line in (*steps[0], steps[1])) if steps else call
    match given.kind:
        case "exception":
            return f"{call} raises {given.text}"
        case "timeout":
            return f"{call} does not end"
        case _:
            return f"{call} gives {given}"


@lru_cache(maxsize=64)
def raised_in(code: str) -> frozenset[str]:
    """Returns the names of the exceptions in the program's own `raise` statements; none for code that does not
    parse."""
    nodes = [node.exc for node in ast.walk(module_of(code)) if isinstance(node, ast.Raise) and node.exc]
    called = (node.func if isinstance(node, ast.Call) else node for node in nodes)
    return frozenset(node.id for node in called if isinstance(node, ast.Name))


def _differs(promised: str | None, given: CallOutput) -> bool:
    """Returns whether the program does something else than the task demands. A value of another type is something
    else."""
    return promised is None or given.kind != "value" or not same_value(promised, given.text)


def _is_missed(wish: Example, given: CallOutput) -> bool:
    """Returns whether the program does not do what is wished for, which is a value or an exception."""
    raised = given.kind == "exception" and wish.source.startswith(f"with pytest.raises({given.text}):")
    return not raised and _differs(wish.expected, given)


def _is_told(report: SymptomReport, given: CallOutput) -> bool:
    """Returns whether the report says what the program does."""
    match given.kind:
        case "value":
            values = [stated for stated in report.stated if not stated.startswith("raises ")]
            return any(same_value(stated, given.text) for stated in values) or (report.off and not report.stated)
        case "exception":
            named = [stated for stated in report.stated if stated.startswith("raises ")]
            return f"raises {given.text}" in named or (not named and (report.fault or not report.stated))
        case "timeout":
            return report.fault or not report.stated
        case _:
            return False


def _is_grave(report: SymptomReport, given: CallOutput, deliberate: frozenset[str], law: Mapping[str, str]) -> bool:
    """Returns whether what was seen is certainly a fault: the program crashes by mistake, or the report calls it a
    fault, or the task says what is right."""
    if report.fine or not _is_told(report, given):
        return False
    unmeant = given.kind == "timeout" or (given.kind == "exception" and given.text not in deliberate)
    return unmeant or report.fault or report.off or report.call in law


def _doubts(brief: Brief, tried: Sequence[tuple[SymptomReport, CallOutput]], shown: bool) -> Iterable[str]:
    """Yields what could not be reproduced, if no fault was seen at all."""
    if shown or brief.kind != "fix":
        return
    for report, given in tried:
        stated = [stated for stated in report.stated if spells_a_value(stated) or stated.startswith("raises ")]
        compared = given.kind == "exception" or (given.kind == "value" and spells_a_value(given.text))
        if compared and not report.fine and not _is_told(report, given) and stated:
            does = str(given) if given.kind == "exception" else f"gives {given}"
            yield f"what is reported of {report.call} could not be reproduced: the given program {does}"


def symptom_suite(symptoms: Sequence[Symptom]) -> Suite | None:
    """Returns a suite with one check per symptom, which demands another behaviour; None without a symptom."""
    checks = [_check(number, symptom) for number, symptom in enumerate(symptoms, 1)]
    return Suite(SYMPTOM, SYMPTOM, "", tuple(checks)) if checks else None


def _check(number: int, symptom: Symptom) -> Check:
    name = f"test_symptom_{number}"
    calls = list(symptom.does)
    errors = {given.text for given in symptom.does.values() if given.kind == "exception" and given.text.isidentifier()}
    body = [repr(f"Reported as wrong: {' '.join(symptom.sentence.split())}"), "outcomes = []"]
    for call, given in symptom.does.items():
        before, asked = steps_of(call) or ((), printed_by(call) if call.startswith(RUN_PROGRAM) else call)
        shown = asked if _as_value(given) else f"repr({asked})"
        body += ["try:", textwrap.indent("\n".join([*before, f"outcomes.append({shown})"]), "    ")]
        body += [f"except ({', '.join(dict.fromkeys((*_REFUSALS, *sorted(errors))))}) as refusal:"]
        body += ["    outcomes.append('raises ' + type(refusal).__name__)"]
    wrong = ", ".join(map(_wrong, symptom.does.values()))
    shown = "; ".join(_done(call, given) for call, given in symptom.does.items())
    body.append(f"assert outcomes != [{wrong}], {f'{_STILL}{shown}'!r}")
    source = f"def {name}():\n" + textwrap.indent("\n".join(body), "    ")
    only = calls[0] if len(calls) == 1 else None
    return Check(f"{SYMPTOM}.{name}", name, SYMPTOM, source, only, sentence=symptom.sentence)


def reported_in(check: Check) -> str:
    """Returns, in one line, what the given program did, from a symptom check."""
    said = (node.value for node in ast.walk(ast.parse(check.source)) if isinstance(node, ast.Constant))
    told = (text.removeprefix(_STILL) for text in said if isinstance(text, str) and text.startswith(_STILL))
    return next(told, check.sentence)


def _as_value(given: CallOutput) -> bool:
    """Returns whether the output is compared as a value. Sets and dicts are, because their repr has no fixed order;
    everything else is compared by its repr, so that 1 is not True."""
    return given.kind == "value" and re.search(r"[{]", given.text) is not None and spells_a_value(given.text)


def _wrong(given: CallOutput) -> str:
    if given.kind == "exception":
        return repr(f"raises {given.text}")
    if given.kind == "timeout":
        return repr(_ENDLESS)
    return given.text if _as_value(given) else repr(given.text)
