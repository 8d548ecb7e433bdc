"""Reads `assert` lines and equations of a task text. An assert says what has to hold, whatever stands around it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from agent.examples.grammar.names import Names
from agent.examples.grammar.page import Page
from agent.examples.grammar.typed import is_vague, names_used
from agent.examples.grammar.values import pythonic
from agent.examples.types import Example
from agent.examples.vocabulary import Phrase, pattern
from agent.source.inputs import split_assert
from agent.source.parsing import expression_of, module_of
from agent.source.standard import home_of, made_by

_LINE = re.compile(
    r"^[ \t>*-]*`?((?:assert\s|(?:\w+\.)?assert_?[eE]quals?\(|(?:assert\.\w*[eE]qual|assert_eq!|expect)\()[^\n]+?)`?;?"
    r"[ \t]*(?:(?<=\))[ \t]+fails[.!]?)?[ \t]*$",
    re.M,
)
_EXPECTED = re.compile(r"expect\((?P<call>.+)\)\.to(?:Be|Equal|StrictEqual)\((?P<value>.+)\)")
_CALLED = re.compile(r"\A[\w.!]+\(")
_PLAIN = {"abs", "len", "sorted", "set", "list", "tuple", "round", "sum", "all", "any", "str", "int", "isinstance"}
"""Built-ins that an assert of the task text may use."""


_EQUALS = re.compile(r"(?<![=!<>])==(?!=)")
_ITEM = r"\s*(?:(?:[-*+•>]|\d+[.)])[ \t]+)*"
_LABELLED = Phrase(rf"{_ITEM}\(?{{shows_law}}[:,]")
"""Matches "Examples:" and the like, after which the text before does not matter."""
_LEAD = Phrase(rf"{_ITEM}\(?(?:{{shows_law}}(?!\w)[:,]?\s+)?`*[ \t]*")
_JOINED = Phrase(r"`*[ \t]*(?:[,;]\s*(?:{and_word}\s+)?|\s{and_word}\s+)`*(?=[^\s`])")
_ENDS = Phrase(r"(?=[ \t]*(?:$|[`.,;)](?!\w))|\s+{and_word}(?!\w))", re.M)
"""Places where the second side of an equation may end."""
_CLOSED = re.compile(r"`*\)?`*[.;]?`*\s*")
_HEADING = Phrase(r"[ \t>#*-]*(?:(?:the|some|more|a few|further) )?{shows_law}[ \t:*_`]*")
_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)", re.M)
_SESSION = re.compile(r"^[ \t>*-]*(?:>>>|\.\.\.|\$ |In \[)", re.M)
_ENDED = re.compile(r"\A\Z|[.:;!][`*_)]*\Z|==[^\n]*[)\]}'\"`\d]\Z")
"""How the text above ends when a new sentence begins: with a stop, or with an equation."""
_GOES_ON = re.compile(r"\s*(?:[)\]}]|[a-zà-ÿа-яё]+(?![\w(]))")
_ANSWERED = re.compile(r"(?<!\w)(?:true|false|falsch|faux|falso|never|differ\w*|unequal)(?!\w)", re.I)
_NEAR = 120
"""How many characters after an equation may hold its answer."""
_ONLY_SPOKEN_OF = re.compile(
    r"compar|support|express|evaluat|check|vergleich|unterst[uü]tz|ausdr[uü]ck|prüf|сравн|比较|比較|支持", re.I
)
_OF_WHAT_FOLLOWS = re.compile(
    r"equal|hold|true|follow|below|these|gleich|gelten|folgend|égal|suivant|igual|siguiente", re.I
)
_MOST = 100
"""The most `==` signs of a text that are looked at, so that hostile texts stay cheap."""
_LONGEST = 400
"""The most characters of a sentence in which equations are read."""


def is_assert_line(page: Page, place: int) -> bool:
    """Returns whether an assert alone on its line stands there; other readers then leave it alone."""
    line = _LINE.match(page.text, page.text.rfind("\n", 0, place) + 1)
    return line is not None and bool(module_of(_as_assert(line.group(1).strip()) or "").body)


def assert_examples(page: Page) -> Iterator[Example]:
    """Yields the asserts that use only names of the text, built-ins and literals; `assertEqual` counts as an assert."""
    for match in _LINE.finditer(page.text):
        source = _as_assert(match.group(1).strip())
        if source is not None and _is_clear(source, page.names) and not is_doubted(page, *match.span(1)):
            told = page.reading.quote(match.start(1), match.end(1))
            yield Example(source, told, *(split_assert(source) or (None, None)))


def equation_examples(page: Page) -> Iterator[Example]:
    """Yields examples from sentences that consist of equations other than plain "f(2) == 4": `list(f(3)) == [1, 2]`,
    `A(1) + A(2) == A(3)`. Sentences with any other word are left out, because the word may say that the equations do
    not hold."""
    if page.reporting:
        return
    fences = [match.start() for match in _FENCE.finditer(page.text)]
    read = 0
    for sign in islice(_EQUALS.finditer(page.reading.masked), _MOST):
        begin, end = page.reading.sentence(sign.start(), sign.end())
        if sign.start() < read or end - begin > _LONGEST:
            continue
        read = end
        spans = _equations_in(page, begin, end)
        in_fence = sum(place < begin for place in fences) % 2
        if not spans or in_fence or _is_shown_otherwise(page, begin, end) or _is_unsure(page, begin, end):
            continue
        for start, stop in spans:
            source = ast.unparse(module_of(f"assert {page.text[start:stop]}"))
            pair = split_assert(source)
            if _is_clear(source, page.names) and (pair is None or pair[0].partition("(")[0] not in page.names.known):
                yield Example(source, page.reading.quote(begin, end), *(pair or (None, None)))


def _equations_in(page: Page, begin: int, end: int) -> list[tuple[int, int]]:
    """Returns the bounds of the equations of a sentence; [] when anything else stands in it."""
    lead = _LEAD.match(page.text, begin, end)
    place, found = lead.end() if lead else begin, list[tuple[int, int]]()
    while True:
        ends = (match.start() for match in _ENDS.finditer(page.text, place, end))
        stop = next((stop for stop in ends if _is_equation(page.text[place:stop], page.names)), None)
        if stop is None:
            return []
        found.append((place, stop))
        joined = _JOINED.match(page.text, stop, end)
        if joined is None:
            return found if _CLOSED.fullmatch(page.text, stop, end) else []
        place = joined.end()


def _is_equation(text: str, names: Names) -> bool:
    """Returns whether the text is an equation of two sides of known names, without a comment. `A(1) (False)` calls the
    result of a call and is no equation."""
    node = expression_of(text)
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[-1], ast.Eq) or len(node.ops) > 1 or "#" in text:
        return False
    parts = [part for side in (node.left, *node.comparators) for part in ast.walk(side)]
    if any(isinstance(part, ast.BoolOp | ast.Compare | ast.IfExp | ast.Attribute | ast.Not) for part in parts):
        return False
    called = all(isinstance(part.func, ast.Name) for part in parts if isinstance(part, ast.Call))
    return called and {part.id for part in parts if isinstance(part, ast.Name)} <= names.known | _PLAIN


def _is_shown_otherwise(page: Page, begin: int, end: int) -> bool:
    """Returns whether the text above or below shows that the sentence is code, output, or only mentioned."""
    text = page.reading.masked
    start = end - len(text[begin:end].lstrip())
    above = len(text[:start].rstrip())
    heading = page.heading(start)
    if heading is not None and _HEADING.fullmatch(text, *_last_sentence(page, heading[1])) is None:
        return True
    if _SESSION.search(text, text.rfind("\n\n", 0, start) + 1, start) or not _ENDED.search(text[:above]):
        return True
    goes_on = text[begin:end].rstrip()[-1:] not in (".", ";") and _GOES_ON.match(text, end)
    if goes_on or _ANSWERED.search(text, end, end + _NEAR):
        return True
    before = _last_sentence(page, above)
    told_of = page.doubts.between(*before, "denied") and _OF_WHAT_FOLLOWS.search(text, *before)
    if told_of or _ONLY_SPOKEN_OF.search(text, *before):
        return True
    if _LABELLED.match(text, start, end):
        return False
    doubted = any(pattern(table).search(text, *before) for table in ("wrong", "wrong_value", "breaks"))
    supposed = page.doubts.between(*before, "supposed", "imagined", "reported")
    return doubted or supposed


def _last_sentence(page: Page, end: int) -> tuple[int, int]:
    """Returns the bounds of the sentence that ends at `end`."""
    return page.reading.sentence(max(end - 1, 0), end)[0], end


def _is_unsure(page: Page, begin: int, end: int) -> bool:
    """Returns whether a word of the sentence says that its equations may not hold, or not always."""
    return page.doubts.unsure(begin, end, "denied", "supposed", "imagined", "reported", "about")


def _as_assert(line: str) -> str | None:
    """Returns the assert statement; for `self.assertEqual(a, b)` an assert that says the same; None for anything
    else."""
    if line.startswith("assert "):
        return line
    expected = _EXPECTED.fullmatch(line)
    if expected:
        return f"assert {expected['call']} == {pythonic(expected['value'])}"
    node = expression_of(pythonic(_CALLED.sub("assertEqual(", line)))
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return None
    return f"assert {ast.unparse(node.args[0])} == {ast.unparse(node.args[1])}"


def is_doubted(page: Page, begin: int, end: int) -> bool:
    """Returns whether the sentence above takes the assert back ("these are wrong:"), or a comment after it ("#
    roughly"). A sentence that ends another paragraph and does not lead on is about something else."""
    above, note = page.text[:begin].rstrip(), page.text.find("#", begin, end)
    test = _ABOVE.sub("", above).rstrip()
    if test != above and test.endswith(":") and pattern("wrong").search(test, _last_sentence(page, len(test))[0]):
        return True
    if _is_off(page.text, begin):
        return True
    start = max(above.rfind("\n") + 1, page.reading.sentence(max(len(above) - 1, 0), len(above))[0])
    apart = page.text.count("\n", len(above), begin) > 1 and not above.endswith(":")
    lines = [] if apart or above.startswith("assert ", start) else [(start, len(above))]
    lines += [(note, end)] if note >= 0 else []
    return any(page.doubts.between(*line, "denied", "supposed", "reported", "about") for line in lines)


def _is_off(text: str, place: int) -> bool:
    """Returns whether the assert stands in a test that is skipped or is to fail, or where an error is expected."""
    *above, line = text[:place].split("\n")[-_MOST_ABOVE:]
    depth = len(line) - len(line.lstrip())
    for line in reversed(above):
        told = line.lstrip()
        deep = len(line) - len(told)
        if told and (deep < depth or (deep == depth and told.startswith("@"))):
            depth = deep
            if _OFF.match(told):
                return True
        elif told and depth == 0 and not told.startswith("@"):
            return False
    return False


_OFF = re.compile(r"@[\w.]*(?:xfail|skip|skipif|expectedFailure)\b|with [\w.]*(?:raises|assertRaises)\b")
_MOST_ABOVE = 40
_ABOVE = re.compile(r"(?:\n[ \t>]*(?:(?:def|class)\s[^\n]*:|@[^\n]*|assert\s[^\n]*|```\w*)[ \t]*)*\s*\Z")
"""Matches the test that an assert stands in, and the asserts before it; the sentence above is about all of them."""


def _is_clear(source: str, names: Names) -> bool:
    body = module_of(source).body
    if len(body) != 1 or not isinstance(body[0], ast.Assert):
        return False
    test = body[0].test
    if isinstance(body[0].msg, ast.Constant | ast.UnaryOp) and not isinstance(getattr(body[0].msg, "value", 0), str):
        return False  # who writes "== 1, 2" means a tuple, and Python takes the 2 for a message
    used = names_used(test)
    used -= {name for name in used - names.known if home_of(name)}
    made = {node.func for node in ast.walk(test) if isinstance(node, ast.Call) and made_by(node.func)}
    used -= {node.value.id for node in made if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)}
    dotted = any(isinstance(node, ast.Attribute) and node not in made for node in ast.walk(test))
    allowed = names.known | _PLAIN
    return bool(used & names.known) and used <= allowed and not dotted and not is_vague(test)
