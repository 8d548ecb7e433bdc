"""Asks all readers what a task is and what it promises, and settles what they say: examples that promise different
results are left out, and what contradicts the task itself becomes a clause. What is told of given code is no promise
yet: the code is tried first (`wished`, `guessed`, `reports` and `stepwise` of `Brief`)."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from agent.source.inputs import literal
from agent.source.interface import suits

from .classify import Look, form_of, is_hard, look_at
from .clauses import clauses_of
from .conflicts import broken_demands
from .fitting import fits, is_of_signature
from .grammar.calls import TextCall, calls_in
from .grammar.links import kind_of_value
from .grammar.names import is_to_be_added
from .grammar.page import Page, page_of, without_idle_brackets
from .grammar.reading import read
from .grammar.shown import as_shown, only_right, without_chance, without_changed
from .grammar.statements import demand
from .grammar.values import promise, value_at
from .grammar.worded import calls_in_words, calls_of_the_name
from .library import self_contained
from .outputs import demand_of
from .readers.asserts import assert_examples, equation_examples
from .readers.bare import bare_examples
from .readers.blocks import block_examples
from .readers.doctests import doctest_examples
from .readers.documented import documented_examples, promise_of, promised_of, rivals_of_documentation
from .readers.left_behind import changed_examples
from .readers.objects import object_examples, object_results
from .readers.only_call import examples_of_the_only_call
from .readers.pairs import pair_examples
from .readers.prose import prose_examples
from .readers.records import failed_asserts, record_examples
from .readers.rows import row_examples
from .readers.scenes import scene_examples
from .readers.stories import story_examples
from .readers.tables import table_examples
from .reports.calls import read_reports, reports_of_steps
from .reports.rivals import rival_results, rivals_of
from .reports.runs import reports_of_runs, told_runs, wishes_of_runs
from .reports.steps import wishes_after_steps, written_steps
from .runs.samples import program_examples
from .types import AS_IT_IS, BY_OUTPUT, MEASURED, Brief, Clause, Example, TaskKind
from .vocabulary import Phrase, has, pattern


def read_brief(text: str, code: str | None, files: Collection[str], kind: TaskKind | None = None) -> Brief:
    """Reads what the task is and what it promises. `code` is the person's own program, `files` holds the names of the
    data files, and `kind` is given if somebody has said it already."""
    return _read_brief(text, code, tuple(files), kind)


@lru_cache(maxsize=16)
def _read_brief(text: str, code: str | None, files: tuple[str, ...], kind: TaskKind | None) -> Brief:
    """Does the work of `read_brief`. Cached, because the brief is read when a task is submitted, when its cost is told,
    and when its run begins."""
    page, code = page_of(text, code), read(code).text if code else code
    calls = calls_in(page)
    clauses = clauses_of(page, calls)
    look = Look(kind) if kind else _by_calls(page, calls, look_at(page.text, code, files, page.names))
    form = form_of(page.text, page.code)
    page = without_idle_brackets(page)
    calls = calls_in(page)
    examples = _examples(text, page, calls, clauses, code, look.kind)
    promised = tuple(_consistent(examples))
    reports = read_reports(page, calls, promised) if page.has_code else ()
    agreed = [*_agreed(clauses, look.kind, promised)]
    if not page.has_code:
        agreed += () if has(text, "called_again") else _contradictions(examples)
        agreed += broken_demands(page, clauses, promised)
    if reports or examples or {one.kind for one in agreed} - {"form", "faster"}:
        agreed = [one for one in agreed if one.kind != "form"]  # the text also says what the program does
    hard = is_hard(page.text, code)
    entry, signature = (None, None) if _is_of_a_class(page, look.kind) else (page.names.entry, page.names.signature)
    wished = _wished(page, calls, look.kind)
    brief = Brief(look.kind, hard, entry, signature, promised, tuple(agreed), form, reports, wished)
    if look.kind == "fix" and page.has_code:
        brief = _with_steps_and_runs(brief, page, calls)
    return replace(brief, sure=look.sure, demand=demand_of(page.text, files), ties_open=_leaves_ties(text, clauses))


def _examples(
    text: str, page: Page, calls: Sequence[TextCall], clauses: Sequence[Clause], code: str | None, kind: TaskKind
) -> list[Example]:
    """Returns what the text promises of a program, or of what can be called; nothing where output is judged."""
    if kind == "program":
        return program_examples(text)
    if kind in BY_OUTPUT:
        return []
    shown = as_shown(page, _promises(page, calls, clauses, code))
    if any(clause.kind == "in_place" for clause in clauses):
        shown = without_changed(page, shown)
    signature = (page.names.method or page.names).signature or ""
    told = [one for one in (*shown, *_equations(page, calls, clauses)) if is_of_signature(one, signature, text)]
    return only_right(text, without_chance(text, [*self_contained(told, page.names.known, page.code)]))


def _agreed(clauses: Sequence[Clause], kind: TaskKind, promised: Sequence[Example]) -> Iterator[Clause]:
    """Yields the clauses that demand something of such a task, and that its examples do not contradict."""
    for one in clauses:
        idle = _is_whole_task(one, kind) or _changes_nothing(one, kind)
        if not (idle or _contradicted(one, promised)) and (one.kind != "case" or _is_case(one, kind, promised)):
            yield one


def _by_calls(page: Page, calls: Sequence[TextCall], look: Look) -> Look:
    """Returns the look at given code, corrected by what the text calls. What the code cannot take, or does not have, is
    to be added, if no word says that something is wrong; a call that is said to give one thing, while another is wished
    for, is a fault."""
    if not page.has_code:
        return look
    if look.kind == "fix" and not look.sure:
        named = [page.names.entry, *filter(None, chain.from_iterable(_NAMED.findall(page.reading.masked)))]
        new = any(is_to_be_added(name, page.code) for name in named if name not in dir(builtins))
        return Look("extend") if new or not all(suits(call.source, page.code) for call in calls) else look
    at_fault = (source for source, _ in rivals_of(page, calls) if suits(source, page.code))
    return Look("fix") if look.kind == "extend" and any(at_fault) else look


_NAMED = re.compile(r"(?<![\w.])(?:([a-z_]\w*)\(\)|(__[a-z]+__)(?!\w))")
"""Names of functions and methods, written as such."""


def _with_steps_and_runs(brief: Brief, page: Page, calls: Sequence[TextCall]) -> Brief:
    """Returns the brief with what the report tells of more than a single call: of steps, of runs of the program, and of
    calls with two results."""
    asked = written_steps(page)
    runs = told_runs(page) if brief.form == "program" else ()
    labelled, other = ([*wishes_of_runs(one for one in runs if one.labelled is told)] for told in (True, False))
    return replace(
        brief,
        wished=(*brief.wished, *labelled),
        guessed=(*wishes_after_steps(page, asked), *other, *rival_results(page, calls)),
        stepwise=(*reports_of_steps(page, asked), *reports_of_runs(runs)),
    )


def _leaves_ties(text: str, clauses: Sequence[Clause]) -> bool:
    """Returns whether the task ranks, sorts or groups things and says nothing about equal ones. Output that keeps the
    order of its input, or is sorted by its own value, leaves no choice either."""
    ruled = (one.kind == "order" or one.names == ("ties",) or one.names[1:] == ("value",) for one in clauses)
    return has(text, "ranks_things") and not has(text, "several_equal") and not any(ruled)


def _equations(page: Page, calls: Sequence[TextCall], clauses: Sequence[Clause]) -> list[Example]:
    """Returns promises of the form "f(2) == 4" for given code that is only too slow. "f(2) gives 4" may be a report
    there."""
    if not page.has_code or page.doubts.bug_talk or not any(clause.kind in MEASURED for clause in clauses):
        return []
    told = prose_examples(replace(page, has_code=False), calls)
    return [example for example in told if f"{example.call} == " in " ".join(example.sentence.split())]


def _wished(page: Page, calls: Sequence[TextCall], kind: TaskKind) -> tuple[Example, ...]:
    """Returns results that are stated of given code without a fault. "f(2) -> 4" tells what is or what shall be, and so
    does "e.g. f(2) == 4" after a wish; running the code decides which."""
    if kind == "fix":
        told = _consistent([*_shown(page, calls), *_former(page, calls)])
        return (*told, *_rivals(page, calls))
    if kind != "extend" or page.doubts.bug_talk:
        return ()
    return tuple(_consistent(_promises(replace(page, has_code=False), calls, (), None)))


def _shown(page: Page, calls: Sequence[TextCall]) -> Iterator[Example]:
    """Yields examples such as "I want 0 then, e.g. f([]) == 0": the words before the example wish for it, and none
    after it say more. An example alone is not taken, because a report may misquote what the program gives."""
    text = page.text
    for call in calls:
        begin, end = page.reading.sentence(call.start, call.end)
        sign, lead = _EQUALS.match(text, call.end), _LEAD.search(text, begin, call.start)
        found = value_at(text, sign.end()) if sign and lead else None
        if found is None or lead is None or page.doubts.between(begin, end, "denied", "reported", "imagined"):
            continue
        value, stop = found
        words = text[page.doubts.clause_start(begin, lead.start("before")) : call.start]
        wished = pattern("wishes").search(words) and not pattern("complains").search(words)
        if wished and _ENDS.match(text, stop, end) and not page.doubts.taken_back(stop):
            told = page.reading.quote(call.start, stop)
            yield Example(f"assert {call.source} == {value}", told, call.source, value)


def _former(page: Page, calls: Sequence[TextCall]) -> Iterator[Example]:
    """Yields examples such as "f(2) used to return 4", unless the sentence calls that wrong or says what should come
    now."""
    for call in calls:
        begin, end = page.reading.sentence(call.start, call.end)
        used = _USED_TO.match(page.text, call.end)
        found = value_at(page.text, used.end()) if used else None
        told = has(page.reading.masked[begin:end], "wrong") or has(page.reading.masked[begin:end], "must")
        if found is not None and not (told or page.doubts.taken_back(end)):
            value, stop = found
            yield promise(call.source, value, page.reading.quote(call.start, stop))


_LEAD = Phrase(r"(?P<before>[\s,:(]*)(?<!\w){shows_law}[:,]?\s+`*\Z")
_USED_TO = re.compile(r"`?\s+used\s+to\s+(?:return|give|yield|be|produce|evaluate\s+to)\s+`?", re.I)
_EQUALS = re.compile(r"`*\s*==\s*`*")
_ENDS = Phrase(r"[\s`)]*(?:[.!;]|\Z|$|(?:,|{and_word})\s+`*\w+\()", re.I | re.M)


def _is_of_a_class(page: Page, kind: TaskKind) -> bool:
    """Returns whether the text asks for a class without a name; its only call is then one of the methods."""
    return kind == "class" and not page.names.is_class and f"def {page.names.entry}" not in page.text


def _is_whole_task(clause: Clause, kind: str) -> bool:
    """Returns whether the clause says what a script prints. That is no further demand: the script is judged by its
    output anyway."""
    return kind in BY_OUTPUT and clause.kind == "output" and clause.names[:1] == ("print",)


def _changes_nothing(clause: Clause, kind: TaskKind) -> bool:
    """Returns whether the clause asks for speed or another form of a program that is only to be explained or tested."""
    return clause.kind in ("faster", "form") and kind in AS_IT_IS


def _is_case(clause: Clause, kind: TaskKind, examples: Sequence[Example]) -> bool:
    """Returns whether single inputs can belong to the case: inputs of functions, and for "divisible by" only if the
    examples say something of a number itself and not how many numbers there are up to it."""
    told = [one.expected[:1] for one in examples if one.expected]
    told_apart = bool(told) and all(first in "TF'\"" for first in told)
    return kind not in ("class", "program", *BY_OUTPUT) and (clause.names[0] != "divisible by" or told_apart)


def _contradicted(clause: Clause, examples: Sequence[Example]) -> bool:
    """Returns whether the examples contradict the clause. A type of the result that some example lacks holds for part
    of the cases only, and single numbers have no order."""
    values = [value[0] for one in examples if one.expected is not None and (value := literal(one.expected)) is not None]
    if clause.kind == "sorted" and clause.names != ("ties",):
        return bool(values) and all(isinstance(value, int | float | None) for value in values)
    told = clause.kind == "type" and clause.subject == "result"
    return told and any(fits(value, clause.names[0]) is False for value in values)


def _promises(page: Page, calls: Sequence[TextCall], clauses: Sequence[Clause], code: str | None) -> list[Example]:
    found = doctest_examples(page, page.text, lambda start, end: _is_promised(page, start, end))
    found += assert_examples(page)
    alone = page.has_code and len(page.names.known) == 1
    spoken = calls or ([*calls_in_words(page, 0, len(page.text))] if alone else [])
    found += prose_examples(page, sorted([*spoken, *calls_of_the_name(page)], key=lambda call: call.start))
    found += bare_examples(page, calls, clauses)
    found += object_examples(page)
    found += object_results(page, calls)
    found += story_examples(page)
    found += scene_examples(page)
    found += changed_examples(page)
    found += examples_of_the_only_call(page, spoken, found)
    found += block_examples(page)
    found += table_examples(page)
    kinds = _argument_kinds(page, calls, clauses)
    found += pair_examples(page, calls, kinds)
    found += row_examples(page, kinds, clauses)
    found += record_examples(page)
    found += failed_asserts(page) if page.has_code else []
    found += documented_examples(page, code, found, _rivals(page, calls)) if code else []
    shown = {example.source for example in found}
    found += (one for one in equation_examples(page) if _denial_of(one) not in shown)
    return found


def _denial_of(equation: Example) -> str:
    """Returns the source by which a session promises that the equation is False."""
    return f"assert ({equation.source.removeprefix('assert ')}) == False"


def _rivals(page: Page, calls: Sequence[TextCall]) -> Sequence[Example]:
    """Returns results that the text shows of calls of which the documentation of the code shows others."""
    return rivals_of_documentation(page, lambda: _promises(replace(page, has_code=False), calls, (), None))


def _is_promised(page: Page, start: int, end: int) -> bool:
    """Returns whether a session shows what should be: nothing after it says that it is wrong, or what should be
    instead."""
    return page.is_law(start, "says") and not page.doubts.taken_back(end) and demand(page, end) is None


def _argument_kinds(page: Page, calls: Sequence[TextCall], clauses: Sequence[Clause]) -> set[str]:
    """Returns the kinds of the first argument, from the calls of the entry in the text and from the types in its
    clauses."""
    own = (call.source for call in calls if call.source.startswith(f"{page.names.entry}("))
    nodes = [ast.parse(source, mode="eval").body for source in own]
    shown = {kind_of_value(ast.unparse(node.args[0])) for node in nodes if isinstance(node, ast.Call) and node.args}
    first = (page.names.parameters or ("",))[0]
    told = [clause.names[0] for clause in clauses if clause.kind == "type" and clause.subject in ("", first)]
    typed = {re.split(r"\W", annotation)[0] for annotation in told}
    numbers = {"number"} if typed & {"int", "float"} else set[str]()
    return shown | numbers | (typed & {"str", "list", "tuple", "dict", "bool"})


def _consistent(examples: list[Example]) -> list[Example]:
    """Returns each example once, in order. Examples that promise different results for one call are all left out."""
    values: dict[str, set[str]] = {}
    for example in examples:
        values.setdefault(promised_of(example), set()).add(promise_of(example))
    clear = [example for example in _without_definition_lines(examples) if len(values[promised_of(example)]) == 1]
    first: dict[str, Example] = {}
    for example in clear:
        first.setdefault(promised_of(example), example)
    return list(first.values())


def _contradictions(examples: list[Example]) -> Iterator[Clause]:
    """Yields a clause for each set of examples that promise different results for one input, or after the same steps. A
    call without an input may change its answer; so may any call if the text speaks of calling again."""
    promises: dict[str, dict[str, Example]] = {}
    for example in examples:
        asked = promised_of(example)
        if "\n" in asked or (example.call and example.expected and not asked.endswith("()")):
            promises.setdefault(asked, {}).setdefault(promise_of(example), example)
    for asked, told in promises.items():
        if len(told) > 1:
            call = asked.rpartition("\n")[2].removeprefix("assert ")
            values = (one.expected or one.source.rpartition(" == ")[2] for one in told.values())
            yield Clause([*told.values()][-1].sentence, "contradiction", names=(call, *values))


def _without_definition_lines(examples: list[Example]) -> list[Example]:
    """Leaves out numbers if the same function also gives collections: they are lines of its definition (`t(1) = 3`),
    not results."""
    kinds = {kind_of_value(e.expected) for e in examples if e.call is not None and e.expected is not None}
    if not ("number" in kinds and kinds & {"list", "tuple", "dict"}):
        return examples
    numbers = [e for e in examples if kind_of_value(e.expected or "None") == "number"]
    return [e for e in examples if e not in numbers or not _DEFINED.search(e.sentence)]


_DEFINED = re.compile(r"\)\s*=\s*-?[\d.]+")
