"""Whether a call stands free before a statement, and whether a statement is over behind its value."""

from __future__ import annotations

import re

from . import words
from .doubts import compiled
from .links import Outcome, outcome_at, skip_markup, tokens_from
from .values import folded

_CLOSERS = re.compile(r"[ \t`*_'\"]*")
_OVER = re.compile(r"$|\n|[.!?](?=[\s\"'`)\]*_]|$)|[)\]#]|//|—|–|-{1,2}\s(?!\s*[\d.])|\{", re.M)
_AND, _OR = compiled(words.AND), compiled(words.OR.replace("|", "|"))
_BUT, _BECAUSE = compiled(words.BUT), re.compile(r"\(")
_LEADS = [compiled(text) for text in (words.LEAD, words.NOISE, words.MUST, words.EXPECTED, words.RIGHT, words.BUT, words.AND)]
_LAST_WORD = re.compile(r"[^\W_][\w'’.]*\.?$")
_ADVERB = re.compile(r"\w{3,}(?:ly|mente|ment|weise|но)$", re.I)
_ARTICLES = r"the|a|its|that|return|das|der|die|des|als|le|la|l|el|il|lo|o|el valor|is|and|so|and the"
_GENITIVE = re.compile(rf"(?:(?:^|[^\w\s]\s*|(?<!\w)(?:{_ARTICLES})['\s]\s*)(?P<head>[\w']+)\s+|(?<!\w))(?:(?:the|a|an|den|dem|la|le|el|il|o)\s+)?(?:{words.GENITIVE})(?:\s+(?:the|calling|evaluating))?$", re.I)
_RESULT = compiled(words.RESULT)
_OPERATOR = re.compile(r"(?:[-+*/%<>&^!~=@\\]|\bnot|\blen|\btype)$")
_SUM = re.compile(r"((?:[ \t]*[-+*/%]{1,2}[ \t]*[\d.]+){1,20})[ \t]*=[ \t]*(-?\d+(?:\.\d+)?)(?=[ \t]*\.?[ \t]*$)", re.M)
_MARKS = " \t`*_"


def ends(text: str, place: int, value: str | None = None) -> bool:
    """Whether the statement whose `value` ends at `place` is over there, or goes on with nothing that could change it."""
    closers = _CLOSERS.match(text, place)
    place = closers.end() if closers else place
    if _OVER.match(text, place):
        return True
    if text[place : place + 1] == "(":
        return _only_explains(text, place, value)
    if text[place : place + 1] in (",", ";"):
        return re.match(r"\s|$", text[place + 1 :][:1]) is not None and not _enumerates(text, place + 1)
    for pattern in (_AND, _BUT):
        word = pattern.match(text, place)
        if word and not _OR.match(text, place):
            return not _enumerates(text, word.end())
    return False


def _only_explains(text: str, place: int, value: str | None) -> bool:
    """Whether what stands in the bracket is no alternative and no other value: "[] (`[]`)" says it twice."""
    inside = skip_markup(text, place + 1)
    other = outcome_at(text, inside)
    if _OR.match(text, inside) or outcome_at(text, place) is not None:
        return False
    return other is None or other.text == value or not re.match(r"[`\s]*\)", text[other.end : other.end + 3])


def _enumerates(text: str, place: int) -> bool:
    """Whether another value or an "or" follows, so that the first value was not the whole of it."""
    place = skip_markup(text, place)
    joint = _AND.match(text, place)
    place = skip_markup(text, joint.end()) if joint else place
    if _OR.match(text, place):
        return True
    other = outcome_at(text, place)
    if other is None:
        return False
    return not any(token.kind not in ("noise", "comma", "stop", "open", "colon") for token in tokens_from(text, other.end))


def stands_free(text: str, begin: int, start: int) -> bool:
    """Whether what stands before `start` leaves its value as it is: nothing, a sign, or a harmless word; not "half of",
    "the length of", "twice", an operator, or another call joined by "and"."""
    head = text[begin:start].rstrip("`*_").rstrip() if text[begin:start].strip(_MARKS) else ""
    if not head or head.endswith("\n"):
        return True
    if re.fullmatch(r"(?:(?:[-*+•>|]+|\d+[.)]|[=-]*>|→)[ \t]+)?", text[max(begin, text.rfind("\n", 0, start) + 1) : start].strip("`_")):
        return True
    if head[-1] in "([{":
        return not re.search(r"\w[(\[{]$", head)
    if head[-1] in ",;:.!?\"'—–|…→`)":
        return head[-1] != ")" or not text[begin:start].rstrip(_MARKS).endswith(")")
    if _OPERATOR.search(head):
        return bool(re.search(r"(?:=>|->)$", head))
    return _harmless(head)


def _harmless(head: str) -> bool:
    genitive = _GENITIVE.search(head)
    if genitive:
        return bool(genitive.group("head") and _RESULT.fullmatch(genitive.group("head")))
    word = _LAST_WORD.search(head)
    if word is None:
        return False
    if _OR.fullmatch(word.group()):
        return False
    joined = _AND.fullmatch(word.group())
    if joined and head[: word.start()].rstrip(_MARKS + " \n").endswith(")"):
        return False
    if _ADVERB.fullmatch(word.group()) or any(p.fullmatch(word.group()) for p in _LEADS):
        return True
    tail = word.group()[-12:]
    return not tail.isascii() and any(p.fullmatch(tail[i:]) for p in _LEADS for i in range(len(tail)))


def summed(text: str, place: int, value: str) -> Outcome | None:
    """The result of a sum that begins with `value` and is spelled out up to its end: "19 - 5 - 6 = 8"; None if untrue."""
    total = _SUM.match(text, place)
    if total is None:
        return None
    left, right = folded(value + total.group(1)), folded(total.group(2))
    return Outcome(total.group(2), False, total.start(2), total.end(2)) if left is not None and left == right else None
