"""Reads clauses about errors: "raise a ValueError if n is negative", "missing key: KeyError", "never raise"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from agent.examples.grammar.links import tokens_in
from agent.examples.grammar.page import Page
from agent.examples.grammar.values import is_error
from agent.examples.types import Clause
from agent.examples.vocabulary import pattern

from .segments import between_semicolons, is_conditional, parts_of, quoted, segment

ERROR_NAME = re.compile(r"(?<![\w.])[A-Z][A-Za-z]*(?:Error|Exception|Iteration|Interrupt)(?![A-Za-z])")
_IF = re.compile(r"\s+(?:if|for|when|on|wenn|bei|si|se|если)(?!\w)", re.I)
_UNCHANGED = r"un(?:chang|touch|modifi|affect|alter)ed"
_STAYS = re.compile(
    r"(?<!\w)(?:stays?|remains?|(?:is|are) left|must (?:stay|remain)) "
    rf"(?:as|the same|intact|what|where|{_UNCHANGED})"
    r"|(?<!\w)(?:and|but|;) (?:the |its )?\w+ (?:stays|remains)(?=[.,;]|\Z)"
    r"|(?<!\w)(?:(?:is|are|must) not|isn't|aren't|does not|doesn't|do not|don't) (?:be )?chang(?:ed?|ing)(?!\w)"
    rf"|(?<!\w)(?:without changing|and changes nothing|leav(?:es?|ing) (?:the |its )?\w+ (?:as|{_UNCHANGED}))(?!\w)"
    r"|(?<!\w)bleib(?:t|en) (?:\w+ )?(?:unverändert|gleich|wie)|(?<!\w)(?:ändert|ändern) sich (?:dabei )?nicht",
    re.I,
)
""" "Raises ValueError, and the balance stays as it was": what is left behind an exception."""
_ORDERED = re.compile(r"\W*(?:raise|throw)\b", re.I)

_RANGE = re.compile(
    r"(?<!\w)(?:from|between|outside(?: of)?|within|von|zwischen|außerhalb von)\s+(?P<low>-?\d+)"
    r"\s*(?:to|and|through|bis|und|[-\u2013])\s*(?P<high>-?\d+)(?![\w.]\w)"
)
_OUTSIDE = re.compile(
    r"(?<!\w)(?:must|ha(?:s|ve) to|outside|not|isn't|unless|only|else|otherwise|muss|nicht|außerhalb|sonst)(?!\w)", re.I
)
""" "Must be from 0 to 100, else ValueError": the error is demanded on both sides of a range."""


KINDS: tuple[tuple[re.Pattern[str], tuple[type, ...], int | None], ...] = (
    (re.compile(r"(?:is|are|be|any?|for) negative|less than (?:0|zero)|< ?0", re.I), (int, float), -1),
    (re.compile(r"(?:is|are|equals?|be|for) (?:0|zero)\b|== ?0", re.I), (int, float), 0),
    (re.compile(r"(?:is|are|be|an?|any|for) empty", re.I), (list, str, tuple, dict, set), None),
)
"""Words of a condition, types of arguments that can fulfil it, and a value that does; None stands for an empty one."""


def allowed_range(text: str) -> tuple[int, int] | None:
    """The ends of the range outside of which the sentence demands an error; None where it tells of no such range."""
    found = _RANGE.search(text) if _OUTSIDE.search(text) else None
    return (int(found["low"]), int(found["high"])) if found else None


def error_clauses(page: Page, told: Collection[int]) -> Iterator[Clause]:
    """Yields clauses such as "Raise a ValueError if n is negative", "never raise". `told` holds where sentences that
    are examples begin."""
    text = page.reading.masked
    for match in ERROR_NAME.finditer(text):
        begin, stop = page.reading.sentence(match.start(), match.end())
        if begin not in told:
            begin, stop = _own_case(page, match, begin, stop)
        if begin not in told and is_error(match.group()) and _is_demanded(page, match, begin, stop):
            yield Clause(_with_condition(page, match, begin, stop), "raises", names=(match.group(),))
            if any(
                _is_left_behind(text[match.end() : each.start()]) for each in _STAYS.finditer(text, match.end(), stop)
            ):
                yield Clause(quoted(page, begin, stop), "raises", "state", names=(match.group(),))
    for match in page.reading.find("no_raise"):
        errors = tuple(error for error in ERROR_NAME.findall(match.group()))
        yield Clause(segment(page, match.start(), match.end()), "no_raise", names=errors)


def _own_case(page: Page, match: re.Match[str], begin: int, stop: int) -> tuple[int, int]:
    """Returns the part between semicolons that says which case has this error, as each does in "no key -> KeyError; a
    key that comes twice -> ValueError"; else the whole sentence."""
    parts = between_semicolons(page, begin, stop)
    own = next((part for part in parts if part[0] <= match.start() < part[1]), (begin, stop))
    return own if _BEHIND_A_CASE.search(page.reading.masked[own[0] : match.start()]) else (begin, stop)


def _is_left_behind(between: str) -> bool:
    """Whether what stays, said behind these words, is no condition of the exception itself."""
    return pattern("condition").search(re.split(r"[,;]|\b(?:and|und)\b", between)[-1]) is None


def _with_condition(page: Page, match: re.Match[str], begin: int, stop: int) -> str:
    """Returns the part of the sentence that names the exception, if each part tells of raising one and either all or
    none of them give a condition. Otherwise returns the sentence, because the condition may stand in any part."""
    parts = parts_of(page, begin, stop)
    raising = all(any(token.kind == "raises" for token in tokens_in(page.text, *part)) for part in parts)
    given = {pattern("condition").search(page.reading.masked, *part) is not None for part in parts}
    alone = raising and len(given) == 1 and not any(is_conditional(page, end - 1) for _, end in parts)
    return segment(page, match.start(), match.end()) if alone else quoted(page, begin, stop)


_ELSE = re.compile(
    r"(?:(?<!\w)(?:otherwise|or else|else|sonst|andernfalls|sinon|si no|de lo contrario|altrimenti|senão|caso contrário"
    r"|иначе)\s+(?:an? |eine?n? |une? |uma? )?|否则\s*)`?\Z",
    re.I,
)
"""Matches "n must be positive, otherwise ValueError", where the name ends the sentence."""
_BEHIND_A_CASE = re.compile(
    r"(?<!\w)(?<!class )\w+(?:`| \"[^\"\n]*\")?\s*(?::|->|=>|→)\s*(?:an? |eine?n? |une? |uma? )?`?\Z", re.I
)
"""Matches "Missing key: KeyError", "negative n -> ValueError"."""
_CALLED_ONE = re.compile(
    r"(?<!\w)(?!(?:this|that|it|which|what|there)(?!\w))\w+[`)]*\s+"
    r"(?:(?:is|are)(?: all| both)? an?|ist eine?|sind eine?|est une?|sont des|es un|son un|è un|sono un|é um|são um)"
    r"\s+`?\Z",
    re.I,
)
"""Matches "a length below 4 is a ValueError", where the name ends the sentence: the input is called by its error."""
_OF_ERRORS = re.compile(r"error|exception|(?:sub|base)?class(?:es)?(?!\w)|fehler|erreur|excepci|eccezion", re.I)
"""Matches "ConfigError is a ValueError", "the exception is a ValueError", which tell of errors, not of inputs."""
_CAUGHT = re.compile(
    r"(?<!\w)(?:catch|caught|swallow|ignor|suppress|handl|trap|except(?!ion)|abf[aä]ng|abgefangen|fang|attrap|rattrap"
    r"|intercept|captur|cattur|gestis|перехв)|捕获|忽略|捕捉",
    re.I,
)
_SUBJECT = re.compile(
    r"\W*(?:(?:and|or|und|oder|et|ou|y|o|e)\s+)?"
    r"(?:(?:an?|any\w*|every\w*|each|all|the|other|values?|inputs?|eine?|jede[rs]?|alle|toute?s?|une?|chaque|cualquier|una?"
    r"|tod[oa]s?|cada|uno|ogni|qualsiasi|uma?|qualquer)\s"
    r"(?!.*(?<!\w)(?:must|should|shall|may|might|will|would|let|lets|makes?|causes?|leads?|reasons?|allow\w*|to|so"
    r"|if|when|where|because|since|as|while|until|unless|but|who|whose|int\(\)"
    r"|darf|soll\w*|muss|doit|doive\w*|debe\w*|puede\w*|deve|devono|devem|può|pode)(?!\w)).*(?<=\s)"
    r"|(?:if|when)\s(?:\w+\s+){1,3}(?:is not|isn't|are not|aren't)\s(?:\w+\s+){1,4}"
    r"|no (?:int|str|float|bool|list|tuple|dict|set) |不[^不]*的[^不]*)\Z",
    re.I | re.S,
)
"""The subject of a sentence up to its verb: a noun with its article, without a verb that governs the next one."""
_OF_A_NOUN = re.compile(
    r"(?<!\w)(?:(?:that|which)\s+(?:is|was)(?: not|n't)|(?:that|which)\s+(?:does not|doesn't)(?=\s+\w)"
    r"|(?:that|which)\s+never(?=\s+(?!\w+ly\b)\w+s\s(?!(?:or|nor|and)\s+(?:\w+\s+)?\Z))"
    r"|(?:that|which)\s+(?:are not|aren't)|not(?=\s+(?:in|within|between)\s(?!any|all|every|no|case))"
    r"|\A\W*(?:if|when)\s+(?:\w+\s+){1,3}(?:is not|isn't|are not|aren't)"
    r"|(?:without|ohne|sans|sin|senza|sem|qui n'est pas|qui ne sont pas|que no (?:es|sea|son|sean)"
    r"|che non (?:è|sia|sono|siano)|que não (?:é|seja|são|sejam)))(?=\s+\w|\s*=)|\A\W*no\s|\A不",
    re.I,
)
"""A denial that belongs to a noun: "a pair without =", "a name that is not in the table"."""
_FINITE = re.compile(
    r"(?:raises|throws|ends|fails|crashes|results|produces|gives|is|löst|wirft|führt|lève|lance|déclenche|provoque|lanza"
    r"|genera|arroja|levanta|solleva|lancia|lança|gera|会?抛出)(?!\w)",
    re.I,
)
_PLURAL = re.compile(r"(?<!\w)(?:are not|aren't)\s(?!.*(?<!\w)(?:or|nor|and)\s+\Z)", re.I | re.S)
_MUST = re.compile(r"(?<!\w)(?:must|should|shall|muss|soll|doit|debe|deve)\s+\Z", re.I)
_IF_FIRST = re.compile(r"\W*(?:if|when)\s", re.I)
_BROKEN_OFF = re.compile(
    r"(?<!\w)(?<!if )(?:not|never|\w+n't|nicht|niemals|pas|jamais|no|nunca|non|mai|não)\s*,[^,.;]*,\s*\Z",
    re.I,
)
"""Matches "It must never, whatever comes, raise"."""

_WOULD = re.compile(r"\w\s+(?:would|würde\w*)\s+(?:raise|throw)?\s*(?:an?\s+|einen\s+)?`?$", re.I)
"""Matches "Pandas would raise a KeyError", which tells what others do, or what is imagined."""
_INSTEAD = re.compile(
    r"(?<!\w)(?:rather than|instead of|an?statt|statt|au lieu de|en lugar de|en vez de|invece di|em vez de|вместо)\s+"
    r"(?:(?:to|an?|eine[ns]?|une?|una?|um|letting \w+)\s+)?`?\Z",
    re.I,
)


def _is_denied(page: Page, own: int, name: int, verb: int | None) -> bool:
    """Returns whether no exception is to be raised. Every denial before its `name` says so, except those of a noun in
    the subject of the `verb`."""
    text = page.reading.masked
    before, behind = text[own : name if verb is None else verb], "" if verb is None else text[verb:name]
    if _BROKEN_OFF.search(text, max(0, own - 120), own) or re.match(r"\W*ever\s", before, re.I):
        return True
    if _INSTEAD.search(before) or _INSTEAD.search(behind):
        return True
    subject = _MUST.sub("", before)
    finite = _ORDERED if _IF_FIRST.match(before) or _PLURAL.search(before) else _FINITE
    if behind and (subject != before or finite.match(behind)) and _SUBJECT.match(subject):
        before = _OF_A_NOUN.sub("", before)
    before = re.sub(r"\A\W*if not,\s", "", before, flags=re.I)
    return any(pattern("denied").search(part) for part in (before, behind))


def _is_demanded(page: Page, match: re.Match[str], begin: int, stop: int) -> bool:
    text, doubts = page.reading.masked, page.doubts
    own = doubts.clause_start(begin, match.start())
    tokens = tokens_in(page.text, max(begin, match.start() - 120), min(stop, match.end() + 60))
    raising = [token.start for token in tokens if token.kind == "raises" and own <= token.start < match.start()]
    if _is_denied(page, own, match.start(), max(raising, default=None)) or doubts.is_question(begin, stop):
        return False
    if doubts.between(begin, stop, "reported") or _WOULD.search(text, own, match.start()):
        return False
    kinds = {token.kind for token in tokens}
    firm = not page.reporting or _ORDERED.match(text, begin) or kinds & {"must", "expected"}
    told = "raises" in kinds or (match.start() == own and _IF.match(text, match.end()))
    ends = not re.search(r"\w", text[match.end() : stop]) and not _CAUGHT.search(text, begin, stop)
    alone = _ELSE.search(text[own : match.start()]) or _BEHIND_A_CASE.search(text, begin, match.start())
    alone = alone or (_CALLED_ONE.search(text, own, match.start()) and not _OF_ERRORS.search(text, own, match.start()))
    return bool(firm and (ends if alone else told))
