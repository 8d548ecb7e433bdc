"""Decides whether a call stands free before a statement, and whether a statement is complete after its value."""

from __future__ import annotations

import re

from agent.examples.vocabulary import UNPARTED, Phrase, pattern

from .links import ARROW, PromisedValue, outcome_at, skip_markup, token_at, tokens_from
from .reading import SHORTENED
from .values import folded

_CLOSERS = re.compile(r"[ \t`*_'\"]*")
_OVER = re.compile(r"$|\n|[.!?]+(?=[\s\"'`)\]*_]|$)|[)\]#]|//|[\u2014\u2013]|-{1,2}\s(?!\s*[\d.])|\{", re.M)
_NEXT = re.compile(rf"`?[A-Za-z_]\w*\([^()\n]*\)`?[ \t]*(?:{ARROW}|==(?!=))")
"""Another call with a sign behind it, which begins a statement of its own: `f(2) -> 4 f(3) -> 9`."""
_SOURCE = re.compile(
    r"\s+(?:according to|as per|by definition|laut|gemäß|selon|d'après|según|secondo|segundo|согласно)(?!\w)", re.I
)
"""Names who says so, which leaves the value as it is."""
NOT = re.compile(r"\s*(?:and not|und nicht|not|nicht|et pas|no|non|não|e não|не|nie|niet|inte|ikke)\s+`?", re.I)
"""Repeats the value by excluding another: "5 not 4"."""
_LEADS = ("lead", "noise", "must", "expected", "right", "but", "and")
_LAST_WORD = re.compile(r"[^\W_][\w'’.]*\.?$")  # noqa: RUF001
_LAST_WORDS = re.compile(r"(?<!\w)[^\W\d_]+ [^\W\d_]+$")
_ADVERB = re.compile(r"\w{3,}(?:ly|mente|ment|weise|но)$", re.I)
_ARTICLE = (
    r"(?:the|an?|its|that|return|is|so|expected|correct|right|desired|final|das|der|die|des|als|den|dem|erwartete"
    r"|beim|bei|im|on|in|le|la|l|el|il|lo|o|het|de)"
)
_GENITIVE = Phrase(
    rf"(?:(?:^|[^\w\s]\s*|(?<!\w){_ARTICLE}['\s]\s*)(?P<head>[\w']+)\s+|(?<!\w))(?:{_ARTICLE}\s+)?"
    r"{genitive}(?:\s+(?:the|calling|evaluating))?$"
)
"""A genitive at the end of a head, with the noun that it belongs to if only an article stands before that."""
_OPERATOR = re.compile(r"(?:[-+*/%<>&^!~=@\\]|\bnot|\blen|\btype)$")
_BULLET = re.compile(r"(?:(?:[-*+•>|]+|\d+[.)]|[=-]*>|→)[ \t]+)?")
_SUM = re.compile(r"((?:[ \t]*[-+*/%]{1,2}[ \t]*[\d.]+){1,20})[ \t]*=[ \t]*(-?\d+(?:\.\d+)?)(?=[ \t]*\.?[ \t]*$)", re.M)
_MARKS = " \t`*_"
_PARTS = re.compile(rf"\s|$|{UNPARTED.pattern}|[^\W\d]\w*\(")
"""Follows a comma that ends a statement: a blank, a call, or a script without blanks, after which people leave the
blank out."""
_WINDOW = 12
"""How many characters before a call are searched for a word of a script without blanks."""


def ends(text: str, place: int, value: str | None = None) -> bool:
    """Returns whether the statement whose `value` ends at `place` is complete, or goes on with nothing that could
    change it."""
    closers = _CLOSERS.match(text, place)
    place = closers.end() if closers else place
    if _OVER.match(text, place) or _NEXT.match(text, place) or _SOURCE.match(text, place):
        return True
    sign = text[place : place + 1]
    if sign == "(":
        return _only_explains(text, place, value)
    if sign in (",", ";"):
        return _PARTS.match(text, place + 1) is not None and not _enumerates(text, place + 1)
    other = NOT.match(text, place)
    if other is not None and outcome_at(text, other.end()) is not None:
        return True
    for table in ("and", "but"):
        word = pattern(table).match(text, place)
        if word and not pattern("or").match(text, place):
            return not _enumerates(text, word.end())
    return False


def _only_explains(text: str, place: int, value: str | None) -> bool:
    """Returns whether the bracket holds no alternative and no other value: "[] (`[]`)" repeats the value."""
    inside = skip_markup(text, place + 1)
    other = outcome_at(text, inside)
    if pattern("or").match(text, inside) or outcome_at(text, place) is not None:
        return False
    return other is None or other.text == value or not re.match(r"[`\s]*\)", text[other.end : other.end + 3])


def _enumerates(text: str, place: int) -> bool:
    """Returns whether another value or an "or" follows, so that the first value is only part of the answer."""
    place = skip_markup(text, place)
    shortened = SHORTENED.match(text, place)
    place = skip_markup(text, shortened.end()) if shortened else place
    joint = pattern("and").match(text, place)
    place = skip_markup(text, joint.end()) if joint else place
    if pattern("or").match(text, place):
        return True
    other, says_nothing = outcome_at(text, place), ("noise", "comma", "stop", "open", "colon")
    while other is not None:
        way = [*tokens_from(text, other.end)]
        if any(token.kind not in says_nothing for token in way):
            return False
        following = outcome_at(text, skip_markup(text, way[-1].end)) if way and way[-1].kind == "comma" else None
        if following is None:
            return True
        other = following
    return False


def stands_free(text: str, begin: int, start: int) -> bool:
    """Returns whether what stands before `start` leaves the call's value as it is: nothing, a sign, or a harmless word.
    "half of", "the length of", "twice", an operator, or another call joined by "and" change it."""
    head = text[begin:start].rstrip("`*_").rstrip() if text[begin:start].strip(_MARKS) else ""
    line = text[max(begin, text.rfind("\n", 0, start) + 1) : start].strip("`_")
    if not head or head.endswith("\n") or _BULLET.fullmatch(line):
        return True
    last = head[-1]
    if last in "([{":
        return not re.search(r"\w[(\[{]$", head)
    if last in ",;:.!?\"'\u2014\u2013|…→`)":
        return last != ")"
    if _OPERATOR.search(head):
        return head.endswith(("=>", "->"))
    return _is_harmless(head)


def _is_harmless(head: str) -> bool:
    genitive = _GENITIVE.search(head)
    if genitive:
        return bool(genitive.group("head") and pattern("result").fullmatch(genitive.group("head")))
    word = _LAST_WORD.search(head)
    if word is None or (pattern("or").fullmatch(word.group()) and head[: word.start()].strip(_MARKS)):
        return False  # at the beginning it joins nothing: "o" is an article, too
    if pattern("and").fullmatch(word.group()) and head[: word.start()].rstrip(_MARKS + "\n").endswith(")"):
        return False
    phrase = _LAST_WORDS.search(head)
    if _ADVERB.fullmatch(word.group()) or _is_lead(word.group()) or (phrase and _is_lead(phrase.group())):
        return True
    tail = word.group()[-_WINDOW:]
    return UNPARTED.match(tail[-1]) is not None and any(_is_lead(tail[place:]) for place in range(len(tail)))


def _is_lead(word: str) -> bool:
    return any(pattern(table).fullmatch(word) for table in _LEADS)


def leads_to(text: str, begin: int, end: int, *more: str) -> bool:
    """Returns whether every word of `text[begin:end]` is known to say nothing of its own before a statement. "Some
    libraries return 4 for f(2)" is about something else; words for that are endless, while harmless words can be
    listed. `more` names further tables of harmless words."""
    place = skip_markup(text, begin)
    while place < end:
        token = token_at(text, place)
        shortened = SHORTENED.match(text, place)
        told = (match.end() for table in (*_BEFORE, *more) if (match := pattern(table).match(text, place)) is not None)
        known = [stop for stop in told if not text.startswith("(", stop)]
        known += [token.end] if token is not None else []
        known += [shortened.end()] if shortened is not None else []
        word = _WORD.match(text, place)
        stop = max((place for place in known if place <= end), default=place)
        if stop == place and word is not None:
            if not (word["item"] or _ADVERB.fullmatch(word.group())) and re.search(r"\w", word.group()):
                return False
            stop = word.end()
        place = max(stop, min(skip_markup(text, stop), end))
    return True


_BEFORE = ("lead", "noise", "and", "result", "wishes")
_WORD = re.compile(r"(?P<item>\w[.)])(?=\s)|[^\W\u3040-\u30ff\u3400-\u9fff]+|.", re.S)
"""A word, or the number or letter of a list's item."""


def summed(text: str, place: int, value: str) -> PromisedValue | None:
    """Returns the result of a spelled-out sum that begins with `value`, "19 - 5 - 6 = 8"; None if the sum is untrue."""
    total = _SUM.match(text, place)
    if total is None:
        return None
    left, right = folded(value + total.group(1)), folded(total.group(2))
    return (
        PromisedValue(total.group(2), False, total.start(2), total.end(2))
        if left is not None and left == right
        else None
    )
