"""Checks what is printed, how numbers are rounded, and the format of texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import permutations
from typing import Any

from agent.examples.types import BY_OUTPUT, Clause
from agent.law.bench import KnownInput, LawBench, count_of, is_number, parts, stated_by, stated_first
from agent.law.passed import is_about, is_of_sentence, shown_by, speaks_of
from agent.law.types import broken, kept, left_open
from agent.source.inputs import literal
from agent.source.parsing import module_of
from agent.state import Check
from agent.state.findings import Finding

_PLACES = re.compile(r"([YMDHSdmyhs])\1*|.", re.S)
"""The parts of a pattern such as YYYY-MM-DD: each letter stands for a digit, and a letter that stands alone for any
number of digits."""

_TO_EVEN = re.compile(r"even|bank|bancario|pair\b|par\b|geraden|ч[её]тн", re.I)
_CENTS = re.compile(r"(?<!\w)cents?(?!\w)", re.I)
_ERRORS = re.compile(r"stderr|standard error", re.I)
_SEES_NOTHING = re.compile(
    r"""(?:std)?out\b[^=\n]*== *(?:''|"")|not [\w.()]*(?:std)?out\b|(?:''|"") == [^\n]*out\b|lines == \[\]"""
)
"""A comparison of what is printed with an empty text."""
_MOST = 8
"""The most numbers of a call that are calculated with."""
_DECIMAL = re.compile(r"(?<![\w.,])-?\d+\.\d+(?![\w.]\w)")
_WRITTEN = re.compile(r"(?<!\w)Decimal\('(-?\d+\.\d+)'\)")
"""A decimal as an answer shows it."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")


async def check_output(clause: Clause, bench: LawBench) -> Finding:
    if bench.brief.kind in BY_OUTPUT:
        return left_open(clause, "the form of what a script puts out is not looked at")
    if clause.decimals is not None:
        return await _rounded(clause, bench, clause.decimals)
    if clause.names[0] == "halves":
        return _halves(clause, bench)
    if clause.names[0] == "toward zero":
        return await _toward_zero(clause, bench)
    if clause.names[0] == "format":
        return await _formatted(clause, bench, clause.names[1])
    if clause.names[0] == "print":
        return await _prints(clause, bench)
    return await (_prints_nothing_at_times if clause.names[1:] else _prints_nothing)(clause, bench)


async def _rounded(clause: Clause, bench: LawBench, decimals: int) -> Finding:
    """Checks that no number with a decimal point in the answers has more digits than that. A number inside a text may
    be another one, so it breaks nothing."""
    answered = await bench.answered()
    found = [(given, part) for given, text in answered for part in parts(literal(text))]
    seen = [(given, number) for given, number in found if isinstance(number, float)]
    written = [number for _, text in answered if literal(text) is None for number in _WRITTEN.findall(text)]
    told = written or [text for _, part in found if isinstance(part, str) for text in _DECIMAL.findall(part)]
    if bench.brief.form == "program":
        told = [text for check in bench.passed for text in _DECIMAL.findall(_printed_by(check))]
    if not (answered or told):
        told = written = [n for text in stated_by(bench.passed, bench.entry) for n in _WRITTEN.findall(text)]
    if not seen and told:
        longer = next((text for text in told if len(text.partition(".")[2]) > decimals), "")
        shown = f"no more than {count_of(decimals, 'decimal')}"
        if longer:
            held = "an answer" if written else "a text that it gives"
            return left_open(clause, f"{held} holds {longer} instead of {shown}")
        where = (
            "that passed checks see printed"
            if bench.brief.form == "program"
            else f"in the {'answers to' if written else 'texts that answer'} known inputs"
            if answered
            else "that passed checks state"
        )
        return kept(clause, f"{count_of(len(told), 'number')} {where}, each with {shown}")
    if not seen:
        looked = "no answer to a known input holds a decimal number"
        return left_open(clause, looked if answered else "no known input was answered by a call of its own")
    wrong = [(given, number) for given, number in seen if round(number, decimals) != number]
    return _judged(clause, bench, seen, wrong, f"no more than {count_of(decimals, 'decimal')}")


def _printed_by(check: Check) -> str:
    """Returns the texts that a check compares with what the program prints."""
    compared = [node for node in ast.walk(module_of(check.source)) if isinstance(node, ast.Compare)]
    sides = [part for node in compared if "stdout" in ast.unparse(node) for part in ast.walk(node)]
    called = {id(part) for node in sides if isinstance(node, ast.Call) for part in ast.walk(node)}
    texts = (part for part in sides if isinstance(part, ast.Constant) and id(part) not in called)
    return "\n".join(str(part.value) for part in texts)


def _halves(clause: Clause, bench: LawBench) -> Finding:
    """Looks for a passed check whose answer lies half a unit of its last digit away from a number of its input, or from
    what may be calculated from them: that number lay exactly between two roundings."""
    places = {each.decimals for each in bench.brief.clauses if each.decimals is not None}
    places |= {2 if _CENTS.search(clause.text) else 0} if not places else set()
    even = bool(_TO_EVEN.search(clause.text))
    about = [check for check in bench.passed if is_about(check, clause)]
    telling = [check for check in about if any(_rounds_a_half(check, n, even=even) for n in places)]
    missing = "no check of this sentence is known to have a number that lies exactly between, given or reckoned"
    return shown_by(clause, telling, missing)


def _rounds_a_half(check: Check, decimals: int, *, even: bool) -> bool:
    """Returns whether the check shows how halves are rounded. Half of all halves round the same either way, so the
    answer must be even if rounding to even is meant, and odd otherwise."""
    sides = (check.call, check.expected) if check.call else _sides(check)
    given, answers = ([Decimal(n) for n in _NUMBER.findall(text or "")] for text in sides)
    half = Decimal(5).scaleb(-decimals - 1)
    answers = [answer for answer in answers if (int(answer.scaleb(decimals)) % 2 == 0) == even]
    reckoned = _reckoned(given[:_MOST]) if check.sentence else ()
    pairs = ((number, answer) for number in (*given, sum(given), *reckoned) for answer in answers)
    return any(abs(n - answer) == half and (not even or abs(answer) < abs(n)) for n, answer in pairs)


def _sides(check: Check) -> tuple[str, str]:
    """Returns both sides of the one equation that a check asserts: "f('0.50', 5)[0]" and "Decimal('0.03')"."""
    found = [node for node in ast.walk(module_of(check.source)) if isinstance(node, ast.Compare)]
    alone = len(found) == 1 and [*map(type, found[0].ops)] == [ast.Eq]
    return (ast.unparse(found[0].left), ast.unparse(found[0].comparators[0])) if alone else ("", "")


def _reckoned(numbers: Sequence[Decimal]) -> Iterator[Decimal]:
    """Yields what may be calculated from two of the numbers, or from all: product, percentage, remainder, quotient,
    mean."""
    if numbers:
        yield sum(numbers, Decimal(0)) / len(numbers)
    for one, other in permutations(numbers, 2):
        yield from (one * other, one * other / 100, one - one * other / 100, one + one * other / 100)
        if other:
            yield one / other


async def _toward_zero(clause: Clause, bench: LawBench) -> Finding:
    """Checks that changing the sign of a number in the input changes the sign of the answer. The clause is never
    broken, because other calculations may hide that."""
    seen = [
        (given.shown(bench.entry), text, given.with_value(bench.parameters, name, -value).shown(bench.entry))
        for given, text in await bench.answered()
        for name, value in given.named(bench.parameters).items()
        if is_number(value) and value and is_number(_plain(text))
    ]
    told = await bench.answers([turned for *_, turned in seen])
    for (call, text, turned), output in zip(seen, told, strict=True):
        if output.kind != "value" or _plain(output.text) != -_plain(text):
            return left_open(clause, f"{call} gives {text}, and {turned} {str(output)[:60]}")
    if not seen:
        return left_open(clause, "no known input holds a number whose sign could be turned round")
    return kept(clause, f"{count_of(len(seen), 'number')} in known inputs with the other sign: so has the answer")


def _plain(text: str) -> Any:
    return (literal(text) or (None,))[0]


async def _formatted(clause: Clause, bench: LawBench, pattern: str) -> Finding:
    """Checks that answers have the form, or arguments, if those have it."""
    form = re.compile("".join(map(_digits, _PLACES.finditer(pattern))))
    answered = await bench.answered()
    seen = [(given, text) for given, answer in answered for text in parts(literal(answer)) if isinstance(text, str)]
    if any(form.fullmatch(text) for _, text in seen):
        wrong = [(given, text) for given, text in seen if not form.fullmatch(text)]
        return _judged(clause, bench, seen, wrong, f"the form {pattern}")
    inputs = [text for given, _ in answered for text in parts([*given.args, given.keywords]) if isinstance(text, str)]
    matching = sum(form.fullmatch(text) is not None for text in inputs)
    if matching:
        return kept(clause, f"{count_of(matching, 'argument')} of the form {pattern} in known inputs answered")
    return left_open(clause, f"neither an answer nor an argument of the known inputs has the form {pattern}")


def _digits(part: re.Match[str]) -> str:
    digits = r"\d+" if len(part.group()) == 1 else rf"\d{{{len(part.group())}}}"
    return digits if part[1] else re.escape(part.group())


def _judged(
    clause: Clause, bench: LawBench, seen: list[tuple[KnownInput, Any]], wrong: list[tuple[KnownInput, Any]], form: str
) -> Finding:
    if not wrong:
        return kept(clause, f"{count_of(len(seen), 'value')} in the answers to known inputs, each with {form}")
    given, value = stated_first(wrong)
    told = f"{given.shown(bench.entry)} gives {value!r} instead of {form}"
    # The task itself demands what it states for an input; the sentence then means something else.
    return left_open(clause, told) if given.stated or len(wrong) < len(seen) else broken(clause, told)


async def _prints(clause: Clause, bench: LawBench) -> Finding:
    if bench.brief.form == "program":
        several = sum(one.names[:1] == ("print",) for one in bench.brief.clauses) > 1
        stream = r"\.stderr" if _ERRORS.search(clause.text) else r"\.std(?:out|err)"
        seen = [check for check in bench.passed if re.search(stream, check.source)]
        checks = [check.id for check in seen if (speaks_of if several else is_about)(check, clause)]
        told = f"{count_of(len(checks), 'passed check')} on what it prints ({', '.join(checks[:3])})"
        missing = "no passed check of this sentence compares what it prints"
        missing += " to standard error" if _ERRORS.search(clause.text) else ""
        return kept(clause, told) if checks else left_open(clause, missing)
    printed = await _printed(bench)
    if printed:
        return kept(clause, f"it prints on known inputs, for instance {printed.strip()[:60]!r}")
    return left_open(clause, "nothing was printed on the known inputs")


async def _prints_nothing(clause: Clause, bench: LawBench) -> Finding:
    use = bench.source.names_used("print", "sys.stdout", "sys.stderr", "logging")
    if use is None and bench.source.dynamic is None:
        return kept(clause, "a look at its syntax tree: it uses neither print nor sys.stdout")
    printed = await _printed(bench)
    if printed:
        return broken(clause, f"on the known inputs it prints {printed.strip()[:60]!r}")
    where = f"{use.name} in line {use.line}" if use else "dynamic code"
    return left_open(clause, f"it uses {where}, although nothing was printed on the known inputs")


async def _prints_nothing_at_times(clause: Clause, bench: LawBench) -> Finding:
    """Looks for a passed check of the sentence that sees an empty output."""
    seen = [check for check in bench.passed if _SEES_NOTHING.search(check.source)]
    about = [check for check in seen if is_of_sentence(check, clause)]
    return shown_by(clause, about, "no passed check of this sentence sees that nothing is printed")


async def _printed(bench: LawBench) -> str:
    """Returns what the program prints on the known inputs."""
    calls = [given.shown(bench.entry) for given in bench.known]
    return (await bench.run(calls, 1.0)).stdout if calls else ""
