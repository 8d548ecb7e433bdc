"""Promises in running text and comments: `f([1, 2]) -> 3`, "f(2) should return 4", "returns 3 for f(2)", asserts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from agent.inputs import split_assert
from agent.state import Example

from .names import Names
from .values import balanced, folded, is_error, literal_call, promise, raises, value_at

_VERB = r"(?:return|give|yield|produce|equal|evaluate to|result in)"
"""What is printed is not what is returned, so "prints" and "outputs" promise nothing of the value."""
_TO = r"(?:\s+(?:me|us|you|back))?"
_LEAD = r"[\s`*_]*(?:#\s*)?(?:(?:it|which|this)\s+)?"
_ARTICLE = r"(?:a |an |the (?:list|string|value|number|tuple|integer) )?"
_MUST = rf"(?:should|must|shall|has to|needs to)\s+(?:\w+ly\s+)?(?:be|equal|{_VERB}{_TO})"
_MEANT = r"(?:is|are)\s+(?:expected to (?:be|return)|supposed to (?:be|return))"
_FIRM = re.compile(rf"{_LEAD}(?:{_MUST}|{_MEANT}|==>|=>|-->|->|→|➞|⇒|⟶|↦|===?)[\s`*_:]*{_ARTICLE}", re.I)
_LOOSE = re.compile(
    rf"{_LEAD}(?:will\s+|would\s+)?(?:{_VERB}s?{_TO}|evaluates to|results in|is equal to|equals|is|becomes|=)"
    rf"[\s`*_:]+{_ARTICLE}",
    re.I,
)
_COMMENT = re.compile(r"\)?[ \t]*#\s*(?:(?:=>|->|==|→|=|returns?|output:?|prints?|expected:?|result:?)\s*)?", re.I)
_RAISES = re.compile(
    r"[\s`*_]*(?:(?:should|must|will|shall|would)\s+)?(?:(?:=>|->|→|➞)\s*)?(?:raises?|throws?)\s+(?:a |an )?`?(\w+)`?",
    re.I,
)
_REVERSED = re.compile(r"\b(?:returns?|gives?|yields?|produces?)\s+`?", re.I)
_FOR_CALL = re.compile(r"`?\s+(?:for|when called (?:as|with|like)|when given|on|from)\s+`?", re.I)
_ENDS = re.compile(
    r"[`'\"*_]*\s*(?:$|\n|[.,;!?)\]](?!\w)|#|//|\(|—|-\s(?![\d.])"
    r"|(?:and|while|whereas|because|since|as|for any|in this|here|respectively)\b)",
    re.I,
)
_INSTEAD = re.compile(r"[`'\"*_]*\s*(?:instead of|rather than|,?\s*not)\s", re.I)
_CORRECTED = re.compile(
    r"[`'\"*_]*\s*[,;]?\s*(?:(?:but|while|although|yet|when|where|whereas)\s+)?"
    r"(?:it\s+|that\s+|this\s+|the (?:answer|result|output)\s+)?"
    rf"(?:(?:should|must)\s+(?:have\s+)?(?:be|been|{_VERB}(?:ed)?{_TO})|is expected to (?:be|return)"
    r"|(?:I\s+)?expected(?:\s+(?:is|was|to be))?)[\s`:]+",
    re.I,
)
_DOUBT_BEFORE = re.compile(
    r"\b(?:not|never|neither|isn't|doesn't|don't|shouldn't|won't|can't|cannot|wrong|wrongly|incorrect|incorrectly"
    r"|actually|currently|previously|formerly|used to|bug|buggy|broken|unlike|instead of|rather than|suppose|imagine"
    r"|pretend|assume|illustrat\w*|roughly|approximately|about|around|almost|similar|something like|at the moment"
    r"|right now|old|at present|no longer|before|unless|if)\b|≈|~",
    re.I,
)
_DOUBT_AFTER = re.compile(
    r"\b(?:wrong|wrongly|incorrect|incorrectly|bug|buggy|currently|at the moment|right now|which is not"
    r"|but (?:it )?should|should (?:be|return|have)|instead of|rather than|expected|roughly|approximately|or so"
    r"|not allowed|illegal)\b|≈",
    re.I,
)
_CODE_LINE = re.compile(
    r"(?:>>>|\.\.\.|def |class |return |if |elif |while |for \w+ in |assert |@|import |from |\w+ = )"
)
_WINDOW, _MOST = 400, 300
"""Characters of a sentence on either side of a call, and calls looked at: keeps hostile texts cheap."""
_PLAIN = {"abs", "len", "sorted", "set", "list", "tuple", "round", "sum", "all", "any", "str", "int", "isinstance"}
"""Builtins that an assert of the task text may use."""


def prose_examples(text: str, names: Names, *, fixing: bool) -> list[Example]:
    """Promises in order of the text. `fixing`: the text reports on code that exists; only what *should* be counts."""
    found: list[Example] = list(_asserts(text, names))
    for name in sorted(names.known):
        calls = re.finditer(rf"(?<![\w.]){re.escape(name)}\(", text)
        for match in islice(calls, _MOST):
            example = _at_call(text, match.start(), match.end() - 1, fixing)
            if example is not None:
                found.append(example)
    return found


def _at_call(text: str, start: int, bracket: int, fixing: bool) -> Example | None:
    end = balanced(text, bracket)
    call = literal_call(text[start:end]) if end is not None else None
    if call is None or end is None or _on_code_line(text, start):
        return None
    before, after = _sentence(text, start, end)
    told = text[before:after]
    right = _corrected(text, end)
    if right is not None:
        return promise(call, right, told)
    if _DOUBT_BEFORE.search(text[before:start]):
        return None
    error = _RAISES.match(text, end)
    if error:
        return raises(call, error.group(1), told) if is_error(error.group(1)) else None
    value = _stated(text, end, after, fixing) or _reversed(text, start, end, fixing)
    return promise(call, value, told) if value is not None else None


def _corrected(text: str, end: int) -> str | None:
    """ "f(2) returns 3 but should return 4" promises 4, whatever the sentence says of the present state."""
    link = _FIRM.match(text, end) or _LOOSE.match(text, end)
    wrong = value_at(text, link.end()) if link else None
    turn = _CORRECTED.match(text, wrong[1]) if wrong else None
    found = value_at(text, turn.end()) if turn else None
    return found[0] if found and _ENDS.match(text, found[1]) else None


def _stated(text: str, end: int, stop: int, fixing: bool) -> str | None:
    """The value that the words after a call state."""
    firm = _FIRM.match(text, end)
    link = firm or _LOOSE.match(text, end) or _print_comment(text, end)
    if link is None or "\n\n" in link.group():
        return None
    found = value_at(text, link.end())
    if found is None:
        return None
    value, after = found
    if _CORRECTED.match(text, after):
        return None
    contrast = _INSTEAD.match(text, after)
    if contrast:
        return _contrasted(text, contrast, value, firm)
    value = _ended(text, after, value)
    if value is None or (firm is None and fixing) or _DOUBT_AFTER.search(text[after:stop].split(";")[0]):
        return None
    return value


def _contrasted(text: str, contrast: re.Match[str], value: str, firm: re.Match[str] | None) -> str | None:
    """ "should return 4, not 3" means 4; "returns 3 instead of 4" means 4; anything else is left alone."""
    if firm is not None and re.search(r"should|must|shall", firm.group(), re.I):
        return value
    other = value_at(text, contrast.end())
    if firm is None and other and "instead" in contrast.group().lower() and _ENDS.match(text, other[1]):
        return other[0]
    return None


def _ended(text: str, after: int, value: str) -> str | None:
    """The value if the text stops there, or if it is the start of a sum whose end is spelled out and true."""
    if _ENDS.match(text, after):
        return value
    line = text[after : (text + "\n").index("\n", after)]
    total = re.match(r"((?:\s*[-+*/%]+\s*[\d.]+)+)\s*=\s*([-+]?[\d.]+?)\s*\.?$", line.rstrip())
    if (
        total
        and folded(value + total.group(1)) is not None
        and folded(value + total.group(1)) == folded(total.group(2))
    ):
        return total.group(2)
    return None


def _print_comment(text: str, end: int) -> re.Match[str] | None:
    """`print(f(2))  # 4` and `f(2)  # 4`."""
    return _COMMENT.match(text, end)


def _reversed(text: str, start: int, end: int, fixing: bool) -> str | None:
    """ "returns 3 for f([1, 2])": the value stands before the call."""
    head = text[max(text.rfind("\n", 0, start) + 1, start - _WINDOW) : start]
    for match in _REVERSED.finditer(head):
        found = value_at(head, match.end())
        if found and _FOR_CALL.fullmatch(head[found[1] :]) and not fixing and _ENDS.match(text, end):
            return found[0]
    return None


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence around a call begins and ends; a line end or ". X" bounds it."""
    line = max(text.rfind("\n", 0, start) + 1, start - _WINDOW)
    stops = [m.end() for m in re.finditer(r"[.!?;]\s+(?=[A-Z`*_\"'(])", text[line:start])]
    begin = line + (stops[-1] if stops else 0)
    newline = text.find("\n", end)
    newline = min(len(text) if newline < 0 else newline, end + _WINDOW)
    stop = re.compile(r"[.!?]\s+(?=[A-Z`*_])").search(text, end, newline)
    return begin, stop.end() if stop else newline


def _on_code_line(text: str, start: int) -> bool:
    """In a definition, an assert, a doctest prompt or a statement of code: read elsewhere, or no promise at all."""
    head = text[text.rfind("\n", 0, start) + 1 : start].lstrip()
    return bool(
        re.match(
            r"(?:>>>|\.\.\.|def |class |return |if |elif |while |for \w+ in |assert |@|import |from |\w+ = )", head
        )
    )


def _asserts(text: str, names: Names) -> Iterator[Example]:
    """`assert` lines that only use names the text speaks of, builtins and literals."""
    for match in re.finditer(r"^[ \t>*-]*`?(assert\s[^\n]+?)`?[ \t]*$", text, re.M):
        source = match.group(1).strip()
        before = text[: match.start()].rstrip().splitlines()
        if _assert_is_clear(source, names) and not (before and _DOUBT_BEFORE.search(before[-1])):
            pair = split_assert(source)
            yield Example(source, source, *(pair or (None, None)))


def _assert_is_clear(source: str, names: Names) -> bool:
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return False
    if len(body) != 1 or not isinstance(body[0], ast.Assert):
        return False
    test = body[0].test
    used = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    dotted = any(isinstance(node, ast.Attribute) for node in ast.walk(test))
    vague = any(isinstance(node, ast.Constant) and node.value is Ellipsis for node in ast.walk(test))
    allowed = names.known | _PLAIN
    return bool(used & names.known) and used <= allowed and not dotted and not vague
