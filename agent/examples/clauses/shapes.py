"""Reads clauses about the interface of the program: types, signature, output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from agent.examples.grammar.names import parameters_of
from agent.examples.grammar.page import Page
from agent.examples.types import Clause, Interval
from agent.examples.vocabulary import Phrase, any_of, has, meanings, pattern

from .quantities import number_at
from .segments import is_conditional, segment

_NO_NAME = re.compile(
    r"input|it|argument|parameter|result|this|that|which|output|value|function|eingabe|funktion|entrada|entrée|ingresso|there|true"
    r"|false|none|lists?|arrays?|strings?|word|text|number",
    re.I,
)
_DEFINES = re.compile(r"(?:^|\W)an? (?:\w+ )?$", re.I)
_BEHIND = re.compile(r"\s+`?([A-Za-z_]\w*)`?(?=[\s,.)`]|$)")
_OR_NONE = re.compile(r"\s+(?:or|oder|ou|o|или) None(?!\w)", re.I)
_OR = re.compile(r"\s*(?:(?:,\s*)?(?:or|oder|ou|o|или)(?!\w)|\|)", re.I)
_ANNOTATION = r"\w+(?:\.\w+)*(?:\[[^\n\]]*\]+)?"
_LITERAL = r"(?P<value>-?\d+(?:\.\d+)?|True|False|None|\"[^\"\n]*\"|'[^'\n]*')"
_PRINTS = Phrase(
    r"(?:^|(?<=[.;,:!] )|(?<=\n)|(?<=and )|(?<=should )|(?<=must )|(?<=then )|(?<=it )|(?<=- )|(?<=debe )){print}"
    r"|{print_anywhere}",
    re.I | re.M,
)
"""An order to print: at the beginning of a clause, or after "should" and the like."""
_FORMATS = Phrase(
    r"(?<!\w)(?i:{in_format})\s*:?\s*[`'\"]?(?P<pattern>(?:[YMDHSdmyhs]{1,4}[-:/. ]){1,5}[YMDHSdmyhs]{1,4})(?!\w)", 0
)
"""A form such as HH:MM or YYYY-MM-DD after "in the format"."""
_TOLD_TYPES = Phrase(
    r"(?<!\w)(?:(?P<gives>{returns})|{takes}|`?(?P<thing>[A-Za-z_]\w*)`?\s+{is_a})"
    r"\s+(?=an? |the |eine|une? |una? |uma? |\w*\s?int|i|l|[^\x00-\x7f])"
)
"""Words that lead to a type: "returns", "takes", "xs is"."""
_LISTED_PARAMETERS = Phrase(
    r"(?<!\w){number_of_parameters}[,:]?\s+"
    r"(?P<listed>`?[A-Za-z_]\w*`?(?:\s*(?:,|and|und|et|y|e)\s*`?[A-Za-z_]\w*`?){1,5})(?=[\s.,;)]|$)"
)
_DEFAULTS = Phrase(rf"`?(?P<thing>[A-Za-z_]\w*)`?\s+{{defaults}}\s+`?{_LITERAL}")
_POSITIVE = {"positive": Interval(0, None, low_in=False), "not_negative": Interval(0, None)}


def output_clauses(page: Page) -> Iterator[Clause]:
    """Reads demands on printing, rounding and formats."""
    text, rounded = page.reading.masked, _decimals(page)
    for match in page.reading.find("no_print"):
        names = ("no print", "at times") if _is_of_a_case(page, match) else ("no print",)
        yield Clause(segment(page, match.start(), match.end()), "output", names=names)
    for match in _PRINTS.finditer(text) if page.reading.mentions("print", "print_anywhere") else ():
        begin = page.reading.sentence(match.start(), match.end())[0]
        own = page.doubts.clause_start(begin, match.start())
        doubted = page.doubts.between(own, match.end(), "denied", "supposed")
        told = segment(page, match.start(), match.end())
        if not doubted and not is_conditional(page, match.start()) and told not in rounded:
            yield Clause(told, "output", names=("print",))
    yield from (Clause(told, "output", decimals=decimals) for told, decimals in rounded.items())
    yield from _roundings(page)
    for match in _FORMATS.finditer(page.text):
        yield Clause(segment(page, match.start(), match.end()), "output", names=("format", match["pattern"]))


def _decimals(page: Page) -> dict[str, int]:
    """Returns the words that demand a number of decimals, with that number. An order to print in them says the same
    twice."""
    found: dict[str, int] = {}
    for match in page.reading.find("rounded"):
        count = re.search(any_of("count"), match.group(), re.I)
        number = number_at(count.group(), 0) if count else None
        if number is not None:
            found[segment(page, match.start(), match.end())] = int(number[0])
    return found | {segment(page, *match.span()): 2 for match in page.reading.find("rounded_to_cents")}


def _is_of_a_case(page: Page, match: re.Match[str]) -> bool:
    """Returns whether nothing is to be printed for some inputs only: a condition or a kind of inputs stands in the
    sentence, or the text elsewhere orders to print."""
    begin, stop = page.reading.sentence(*match.span())
    sentence = page.reading.masked[begin:stop]
    of_some = any(pattern(table).search(sentence) for table in ("condition", "case", "empty"))
    rest = f"{page.reading.masked[: match.start()]} {page.reading.masked[match.end() :]}"
    return of_some or pattern("prints").search(rest) is not None


def _roundings(page: Page) -> Iterator[Clause]:
    """Reads how halves, or all values between two others, are rounded; each rule once per sentence."""
    ruled: set[tuple[str, int]] = set()
    for name, table in (("halves", "rounding_rule"), ("toward zero", "toward_zero")):
        for match in page.reading.find(table):
            begin, stop = page.reading.sentence(match.start(), match.end())
            doubted = page.doubts.between(begin, match.start(), "denied", "supposed", "reported")
            doubted |= name == "toward zero" and _is_of_others(page, begin, match, stop)
            if (name, begin) not in ruled and not doubted:
                ruled.add((name, begin))
                yield Clause(segment(page, match.start(), match.end()), "output", names=(name,))


def _is_of_others(page: Page, begin: int, match: re.Match[str], stop: int) -> bool:
    """Returns whether only halves are rounded so, or another program does it, or it is told as wrong."""
    blamed = page.doubts.between(match.end(), stop, "denied", "reported") or has(page.text[match.end() : stop], "wrong")
    return blamed or has(page.text[begin : match.start()], "not_toward_zero")


def type_clauses(page: Page) -> Iterator[Clause]:
    """Reads "Takes a list of integers", "returns a string", "xs is a list of strings", "a positive integer n"."""
    text = page.reading.masked
    for match in _TOLD_TYPES.finditer(text):
        found = _type_at(text, match.end())
        defines = match["thing"] is not None and _DEFINES.search(text[: match.start()][-30:])
        denied = match["thing"] is not None and pattern("denied").fullmatch(match["thing"])
        if found is None or defines or denied or is_conditional(page, match.start()):
            continue
        kind, end = found
        subject, told = _subject(page, match, end), segment(page, match.start(), end)
        yield Clause(told, "type", subject, names=(kind,))
        for table, interval in _POSITIVE.items():
            if subject != "result" and pattern(table).match(text, match.end()):
                yield Clause(told, "range", subject, interval=interval)


def _type_at(text: str, place: int) -> tuple[str, int] | None:
    """Returns (annotation, end) of the type that begins at `place`; None without one, and if another type follows with
    "or"."""
    for kind, told in _types():
        match = told.match(text, place)
        if match:
            none = _OR_NONE.match(text, match.end())
            kind, end = (f"{kind} | None", none.end()) if none else (kind, match.end())
            return None if _OR.match(text, end) else (kind, end)
    return None


@cache
def _types() -> tuple[tuple[str, re.Pattern[str]], ...]:
    article = (
        r"(?:an? |the |eine[nrm]? |une? |un[ao]? |uma? |одну? )?(?:sorted |new |non-empty |nested |leere |einzige )?"
    )
    return tuple((kind, re.compile(rf"{article}{words}(?![A-Za-zÀ-ӿ-])", re.I)) for kind, words in meanings("types"))


def _subject(page: Page, match: re.Match[str], end: int) -> str:
    """Returns the parameter that is meant, "result", or "" when the text does not name it."""
    thing = match["thing"] or ""
    if match["gives"] or pattern("outcome").fullmatch(thing):
        return "result"
    if thing and not _NO_NAME.fullmatch(thing):
        return thing
    behind = _BEHIND.match(page.reading.masked, end)
    name = behind.group(1) if behind else ""
    single = len(name) == 1 and name.lower() not in "aeoyi"
    return name if name in (page.names.parameters or ()) or single else ""


def signature_clauses(page: Page) -> Iterator[Clause]:
    """Reads parameters, their order and defaults: a `def` line, `f(x, low=0)`, "two parameters, width and height"."""
    yield from _spelled_out(page)
    listed = page.reading.mentions("number_of_parameters")
    for match in _LISTED_PARAMETERS.finditer(page.reading.masked) if listed else ():
        names = re.sub(r"(?<!\w)(?:and|und|et|y|e)(?!\w)", ",", match["listed"])
        told = segment(page, match.start(), match.end())
        yield Clause(told, "signature", names=tuple(re.findall(r"[A-Za-z_]\w*", names)))
    for match in _DEFAULTS.finditer(page.text) if page.reading.mentions("defaults") else ():
        if not _NO_NAME.fullmatch(match["thing"]):
            default = f"{match['thing']}={match['value']}"
            yield Clause(segment(page, match.start(), match.end()), "signature", names=(default,))


def _spelled_out(page: Page) -> Iterator[Clause]:
    """Reads the first line that spells out the entry's parameters with `def`, annotations or defaults."""
    entry = page.names.entry
    if entry is None:
        return
    spelled = rf"(?P<def>def\s+)?(?<![\w.]){re.escape(entry)}\((?P<inside>(?:[^()]|\([^()]*\))*)\)"
    for match in re.finditer(rf"{spelled}(?:\s*->\s*(?P<result>{_ANNOTATION}(?:\s*\|\s*{_ANNOTATION})*))?", page.text):
        told = parameters_of(match["inside"])
        if told is None or not (match["def"] or any(annotation or "=" in name for name, annotation in told)):
            continue
        valued = all("=" in name and not annotation for name, annotation in told)
        if page.names.is_class and valued and entry in page.text[: match.start()]:
            continue  # behind the first mention of the class, `Stack(limit=3)` makes an object
        quote = page.reading.quote(match.start(), match.end())
        yield Clause(quote, "signature", entry, names=tuple(name for name, _ in told))
        for name, annotation in told:
            if annotation:
                yield Clause(quote, "type", name.partition("=")[0], names=(annotation,))
        if match["result"]:
            yield Clause(quote, "type", "result", names=(match["result"].strip(),))
        return
