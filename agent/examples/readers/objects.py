"""Reads promises about objects in running text: "After deposit(10) and withdraw(3), balance() is 7"."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent.examples.grammar.calls import TextCall, call_at
from agent.examples.grammar.endings import ends
from agent.examples.grammar.links import ARROW, PromisedValue
from agent.examples.grammar.page import Page
from agent.examples.grammar.statements import Statement, example_of
from agent.examples.types import Example
from agent.examples.vocabulary import Phrase, pattern
from agent.source.parsing import module_of

from .prose import binds, stated_behind

_METHOD = re.compile(r"[\s`]*(?:(?P<object>[A-Za-z_]\w*)\.)?(?P<call>[^\W\d]\w*\()")
_MAKES = re.compile(rf"[ \t`]*(?:{ARROW})[ \t`]*(?P<made>[A-Z]\w*)\(")
_VALUE = re.compile(r"(?<![\w=])\d|\(\s*(?:['\"\[{(]|True|False|None)")
_VERB = Phrase(r"[\s,`]*(?P<verb>{must}|{gives}|{is})(?=\s)")
"""A verb between the calls, for languages that put it first: "nach add(1) soll total() 1 liefern"."""
_JOINTS = Phrase(r"[\s`]*(?:(?:[,;:]|(?<!\w)(?:{and_word}|{then})(?!\w))[\s`]*)+")
_TAKES_OUT = re.compile(r"(?:pop|remove|delete|dequeue|undo|withdraw)\w*\(", re.I)
_LEAD = Phrase(r"[\s,:;.`*>•-]*(?:(?:{shows_law}|so|thus)[\s,:]*)?[在先]?(?:执行|调用)?\s*")
"""What may stand before the calls; any other word might say how the object is made."""
_MADE_WITH = re.compile(
    r"__init__|construct|capacit|initial|creat\w+ (?:with|from)|starts? (?:with|from|at)|given|fixed|maxim|limit"
    r"|(?:which|that|and) (?:takes|accepts)|hold|at most|up to|seed|bound to|passed|rows|of size"
    r"|konstrukt|kapazit|anfang|capacid|inicia|iniziale"
    r"|конструктор|[её]мкост|начальн|构造|容量|初始|コンストラクタ|初期",
    re.I,
)
"""Words of classes whose objects are made with arguments."""
_WITH = re.compile(
    r"(?<!\w)(?:with|where|mit|bei|wobei|avec|où|con|donde|dove|com|onde|с|где)(?!\w)|(?<![=!<>])=(?!=)|(?<!\w)\("  # noqa: RUF001
    r"|のとき|の場合|时|時",
    re.I,
)
"""Words that lead, after a promise, to what it depends on."""


def object_examples(page: Page) -> Iterator[Example]:
    """Yields what the first such sentence promises of an object after calls of its methods. Later sentences may
    continue with that object or begin with a new one. A second promise in the sentence may be about the same moment or
    the next one, so its example accepts both."""
    name = page.names.entry
    if name is None or not page.names.is_class or not _is_made_of_nothing(page, name):
        return
    making = _making(page, name)
    functions = re.findall(r"^\s*def (\w+)\((?!\s*(?:self|cls)\b)", f"{page.code}\n{page.text}", re.M)
    page = _with_methods(replace(page, names=replace(page.names, known=frozenset([name, *functions]))), name)
    told = min(_told_after(page), key=lambda found: found[1].start, default=None)
    if told is not None and _is_surely_new(page, told[0], told[1]):
        yield from _promised(page, making, *told)


def object_results(page: Page, calls: Sequence[TextCall]) -> Iterator[Example]:
    """Yields what `Point(1, 2).mirror() -> Point(2, 1)` promises: an object of a class that the text names. Objects
    without an equality of their own are equal if they hold the same."""
    for call in () if page.reporting else calls:
        made = _MAKES.match(page.text, call.end)
        told = call_at(page.text, made.start("made"), made.end() - 1) if made else None
        if told is None or made is None or made["made"] not in page.names.known or not ends(page.text, told.end):
            continue
        outcome = PromisedValue(told.source, False, told.start, told.end)
        if binds(page, call, Statement(outcome, "symbol", told.end)):
            source = f"given, told = {call.source}, {told.source}\nassert given == told or vars(given) == vars(told)"
            yield Example(source, page.reading.quote(*page.reading.sentence(call.start, told.end)))


def _is_surely_new(page: Page, before: list[str], call: TextCall) -> bool:
    """Returns whether the object is surely new: no earlier sentence holds a value that this one could continue with,
    and the first call takes nothing out."""
    begin = page.reading.sentence(call.start, call.end)[0]
    return _VALUE.search(page.text, 0, begin) is None and _TAKES_OUT.match(before[0]) is None


def _making(page: Page, name: str) -> list[str]:
    """Returns lines that make the object. Without the class's code it may need arguments after all; the example is then
    skipped."""
    made = [f"it = {name}()"]
    if _class_in(page.code, name) is not None:
        return made
    return ["try:", f"    {made[0]}", "except TypeError:", f'    pytest.skip("{name}() needs arguments")']


def _is_made_of_nothing(page: Page, name: str) -> bool:
    """Returns whether an object can be made without arguments, as far as the text or the given program shows."""
    made = _class_in(page.code, name)
    if made is None:
        plain = re.search(rf"(?<!\w){name}\s*\(\s*[^)\s]", page.text) is None
        return plain and _MADE_WITH.search(page.reading.masked) is None
    makers = (node for node in made.body if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    takes = next((maker.args for maker in makers), None)
    if takes is None:
        return not (made.bases or made.decorator_list)
    given = len([*takes.posonlyargs, *takes.args]) - 1 - len(takes.defaults)
    return given <= 0 and all(default is not None for default in takes.kw_defaults)


def _class_in(code: str, name: str) -> ast.ClassDef | None:
    nodes = ast.walk(module_of(code))
    return next((node for node in nodes if isinstance(node, ast.ClassDef) and node.name == name), None)


def _with_methods(page: Page, name: str) -> Page:
    """Returns the page with the methods of the given class as functions. What is said of a call that no method takes is
    then read as a wish and not as a report."""
    made = _class_in(page.code, name)
    if made is None:
        return page
    methods = {node.name: copy.deepcopy(node.args) for node in made.body if isinstance(node, ast.FunctionDef)}
    for takes in methods.values():
        del (takes.posonlyargs or takes.args)[:1]
    new = {match["call"][:-1] for match in _METHOD.finditer(page.text)} - set(methods)
    heads = [f"def {method}({ast.unparse(takes)}): ..." for method, takes in methods.items()]
    return replace(page, code="\n".join([*heads, *(f"def {method}(*, new): ..." for method in sorted(new))]))


def _told_after(page: Page) -> Iterator[tuple[list[str], TextCall, int]]:
    """Yields (earlier calls, the call that something is said of, the place where that begins), from a word such as
    "after" before or behind the calls."""
    text = page.reading.masked
    for match in page.reading.find("after"):
        row = _row(page, match.end()) if _opens(page, match.start()) else []
        verb = _VERB.match(text, row[-1].end) if row else None
        said = _row(page, verb.end()) if verb else []
        if verb and said:
            yield [call.source for call in row], said[0], verb.start("verb")
        elif len(row) > 1 and _parts(text[row[-2].end : row[-1].start]):
            yield [call.source for call in row[:-1]], row[-1], row[-1].start
    for match in page.reading.find("after_them"):
        begin = page.reading.sentence(match.start(), match.end())[0]
        lead = _LEAD.match(text, begin)
        row = _row(page, lead.end() if lead else begin)
        then = re.compile(r"[\s,`]*").match(text, match.end())
        said = _row(page, then.end() if then else match.end())
        if row and said and not text[row[-1].end : match.start()].strip(" `"):
            yield [call.source for call in row], said[0], said[0].start


def _opens(page: Page, place: int) -> bool:
    return _LEAD.fullmatch(page.reading.masked, page.reading.sentence(place, place)[0], place) is not None


def _parts(between: str) -> bool:
    """Returns whether something separates the earlier calls from the one that is spoken of."""
    return bool({",", ":"} & set(between)) or pattern("then").search(between) is not None


def _row(page: Page, place: int) -> list[TextCall]:
    """Returns the method calls of one object that stand in a row from `place` on, joined by commas and "and"."""
    found: list[TextCall] = []
    objects: set[str | None] = set()
    while (match := _METHOD.match(page.text, place)) is not None and match["call"][:-1] not in page.names.known:
        call = call_at(page.text, match.start("call"), match.end() - 1)
        objects.add(match["object"])
        if call is None or len(objects) > 1:
            return []
        found.append(call)
        joint = _JOINTS.match(page.text, call.end)
        if joint is None:
            break
        place = joint.end()
    named = next(iter(objects), None)
    return [] if named and re.search(rf"(?<!\w){named}\s*=", page.text) else found


def _promised(page: Page, making: list[str], before: list[str], call: TextCall, begin: int) -> Iterator[Example]:
    """Yields the examples from the first call that something is promised of; none that hold only under a condition."""
    told: list[str] = []
    while (found := stated_behind(page, call, begin)) is not None and not _is_conditional(page, found.end):
        if not any(binds(page, replace(call, source=each), found, call.start) for each in (call.source, *before)):
            return
        yield _example(page, [*making, *(f"it.{step}" for step in before)], told, call, found)
        joint = _JOINTS.match(page.text, found.end)
        further = _row(page, joint.end()) if joint else []
        if len(further) != 1 or found.outcome.is_error or told:
            return
        told, call, begin = [call.source], further[0], further[0].start


def _is_conditional(page: Page, place: int) -> bool:
    """Returns whether the sentence goes on with a condition, or with what the object was made with."""
    stop = page.reading.sentence(place, place)[1]
    behind = (pattern(table).search(page.reading.masked, place, stop) for table in ("condition", "case"))
    return any(behind) or _WITH.search(page.reading.masked, place, stop) is not None


def _example(page: Page, use: Sequence[str], told: Sequence[str], call: TextCall, found: Statement) -> Example:
    """Returns an example whose lines make the object, use it, and assert what is promised of the last call."""
    asked = f"it.{call.source}"
    plain = example_of(page, asked, found.outcome, call.start, found.end)
    lines = [*use, plain.source]
    if told and found.outcome.is_error:
        lines = [*use, *(f"it.{step}" for step in told), plain.source]
    elif told:
        claim = plain.source.removeprefix("assert ").replace(asked, "answer", 1)
        lines = ["answers = []", f"for steps in ({len(told)}, 0):", *(f"    {line}" for line in use), "    try:"]
        lines += ["        if steps:", *(f"            it.{step}" for step in told), f"        answers.append({asked})"]
        lines += ["    except Exception:", "        pass", f"assert any({claim} for answer in answers), answers"]
    return replace(plain, source="\n".join(lines), call=None, expected=None)
