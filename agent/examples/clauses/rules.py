"""Reads clauses about what the program does: what must not change, what is in order, what must or must not be used."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator
from functools import cache

from agent.examples.grammar.endings import leads_to
from agent.examples.grammar.page import Page
from agent.examples.types import Clause
from agent.examples.vocabulary import UNPARTED, Phrase, any_of, named, pattern
from agent.source.algorithms import ALGORITHMS
from agent.source.structure import Source

from .segments import is_told, segment

_NAME = re.compile(r"(?P<mark>`)?(?P<name>[A-Za-z_]\w*(?:\.\w+)*)`?(?P<call>\(\))?")
_LISTED = Phrase(r"\s*(?:(?:,|/|(?<!\w)(?:{or}|{and_word}|{nor})(?!\w)|或|和|や)\s*)+")
_ARTICLES = (
    r"(?:(?:the|any|of|a|an|python's|le|la|les|l'|el|los|las|il|lo|o|os|as|der|die|das|den|von|de|des|eine?"
    r"|ni|né|nem|ни)\s+)*"
)
_LEAD = Phrase(rf"\s*{_ARTICLES}(?:(?:built-?in|eingebaute[nrs]?|standard)\s+)?(?P<noun>{{code_noun}}\s+)?")
"""Articles and nouns before a thing: "the built-in function"."""
_CODE_NOUN = Phrase(r"`?\s+{code_noun}(?![^\W\u3040-\u9fff])")
_WELL_KNOWN = sys.stdlib_module_names | frozenset((
    "sum", "sorted", "sort", "reverse", "map", "filter", "max", "min", "len", "zip", "enumerate", "reversed", "eval",
    "exec", "abs", "pow", "round", "divmod", "numpy", "pandas", "Counter", "defaultdict", "deque", "OrderedDict",
    "namedtuple", "reduce", "partial", "lru_cache", "permutations", "combinations", "groupby", "accumulate", "isdigit",
    "isalpha", "isalnum", "set", "dict",
))  # fmt: skip
"""Names that mean the function or module even if nothing marks them as code."""
_MODULES = (sys.stdlib_module_names | {"numpy", "pandas"}) - frozenset((
    "array", "calendar", "chunk", "cmd", "code", "copy", "crypt", "csv", "decimal", "email", "fractions", "html",
    "http", "inspect", "json", "keyword", "locale", "logging", "mailbox", "math", "numbers", "operator", "parser",
    "platform", "profile", "queue", "random", "resource", "secrets", "select", "signal", "site", "socket", "stat",
    "statistics", "string", "struct", "symbol", "test", "this", "time", "token", "trace", "turtle", "types", "warnings",
    "wave", "xml",
))  # fmt: skip
"""Modules whose names are neither common words nor formats: "without textwrap"."""
_NO_WORDS = "numpy|pandas|scipy|itertools|functools|heapq"
"""Modules whose names are not words that a sentence may hold for another reason: "numpy is not allowed"."""
_ARGUMENT = "\ue000"
_LETTER_WORDS, _CLAUSE_END = (
    frozenset("aeiouy\u0430\u0438\u0432\u043e\u0441\u043a\u0443"),
    rf"(?=`|\s*(?:[.,;)]|\Z|{UNPARTED.pattern}))",
)
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_ALONE = Phrase(r"\s*(?:[.,;)]|$|(?:{or}|{and_word}|{nor})(?!\w))", re.I | re.M)


def change_clauses(page: Page) -> Iterator[Clause]:
    """Reads "Do not change the argument", "reverse it in place"."""
    for match in pattern("not_changed").finditer(_with_marked_names(page)):
        if is_told(page, *match.span(), "supposed"):
            yield Clause(segment(page, match.start(), match.end()), "unchanged")
    for match in page.reading.find("made_anew"):
        if is_told(page, *match.span(), "denied", "supposed"):
            yield Clause(segment(page, match.start(), match.end()), "unchanged", names=("new",))
    for match in page.reading.find("in_place"):
        begin = page.reading.sentence(match.start(), match.end())[0]
        own = page.doubts.clause_start(begin, match.start())
        if page.doubts.between(own, match.start(), "supposed"):
            continue
        denied = page.doubts.between(own, match.end(), "denied")
        yield Clause(segment(page, match.start(), match.end()), "unchanged" if denied else "in_place")


_OF_SOME = {"some_equal": ("ties",), "the_others": ("key",)}
"""Words for a part of the items that keep their order, and what is then ordered: ties, or items by another key."""


def order_clauses(page: Page) -> Iterator[Clause]:
    """Reads "Keep the order of the elements", "in order of first appearance"."""
    for match in page.reading.find("order_kept"):
        if is_told(page, *match.span(), "denied", "supposed"):
            own = page.doubts.clause_start(page.reading.sentence(*match.span())[0], match.start())
            told = segment(page, match.start(), match.end())
            among = {each: pattern(each).search(page.reading.masked, own, match.start()) for each in _OF_SOME}
            names = next((names for each, names in _OF_SOME.items() if among[each]), ())
            yield Clause(told, "sorted", names=names) if names else Clause(told, "order")


def sorted_clauses(page: Page) -> Iterator[Clause]:
    """Reads "From most to least frequent", "sorted by name", "ties alphabetically", about the result and not an input.
    An order that may go by something else than the value itself is read as sorted by a key."""
    ties = [(match.start(), _end_of_rule(page, match)) for match in page.reading.find("tie_rule")]
    ties = [(start, end) for start, end in ties if is_told(page, start, end, "denied")]
    read = list(ties)
    found: list[tuple[re.Match[str], str]] = []
    for meaning, order, _ in named("sorted_how"):
        for match in order.finditer(page.reading.masked):
            if any(start < match.end() and match.start() < end for start, end in read):
                continue
            if is_told(page, *match.span(), "denied", "supposed") and _is_of_result(page, match, meaning):
                read.append(match.span())
                found.append((match, meaning))
    for match, meaning in found:
        plain = not meaning.endswith("value") or (len(read) == 1 and _is_by_value(page, match))
        yield Clause(segment(page, *match.span()), "sorted", names=tuple(meaning.split()) if plain else ("key",))
    for start, end in ties:
        yield Clause(segment(page, start, end), "sorted", names=("ties",))


def _is_by_value(page: Page, match: re.Match[str]) -> bool:
    """Returns whether the order goes by value: it ends a sentence that names neither a key nor a second order, and
    nothing else on the page is sorted by a key. Scripts without blanks may hide a key, so the answer is False for
    them."""
    begin, stop = page.reading.sentence(match.start(), match.end())
    text = page.reading.masked
    keyed = pattern("by_a_key").search(text[begin : match.start()]) or _SORTED_BY.search(text)
    return not (keyed or UNPARTED.search(match.group()) or re.search(r"\w", text[match.end() : stop]))


_SORTED_BY = re.compile(
    r"(?:sort|order|rank|ordin|orden|tri[eé])\w*\s(?:[^.\n]{0,40}\s)?(?:by|on|nach|par|por|per)\s", re.I
)


def _end_of_rule(page: Page, match: re.Match[str]) -> int:
    """Returns the end of a rule for ties; what is done stands after the words for a tie, often after a comma."""
    stop = page.reading.sentence(match.start(), match.end())[1]
    return next((place for sign in ";." if (place := page.reading.masked.find(sign, match.end(), stop)) > 0), stop)


def _is_of_result(page: Page, match: re.Match[str], meaning: str) -> bool:
    """Returns whether the result stands in that order: the sentence orders to sort, or says so of what is returned.
    "The index of x in a list sorted by name" is about an input. An order by frequency is always about the result."""
    begin, stop = page.reading.sentence(match.start(), match.end())
    before = page.reading.masked[begin : match.start()]
    if pattern("case").search(page.reading.masked, begin, stop) or pattern("input_words").search(
        before[before.rfind(",") + 1 :]
    ):
        return False
    if meaning.endswith("frequency") or pattern("sorts").match(before.lstrip(" \t-*#>") or match.group()):
        return True
    returned = [each.end() for table in ("returns", "gives_back") for each in pattern(table).finditer(before)]
    return bool(returned) and not _OF_ANOTHER.search(before, max(returned))


_OF_ANOTHER = re.compile(
    r"(?<!\w)(?:(?:in|of|from|von|aus|dans|d'|de|en|di|em|true|false|whether|if)\s*"
    r"(?:an?|eine[rmn]?|une?|una?|uma?|the list)|how many|the number|wie viele|die anzahl|combien|le nombre"
    r"|cuántos|el número|quanti|il numero|quantos|o número|сколько|количество|多少|いくつ)(?!\w)",
    re.I,
)
"""Words that lead to another thing than the one that is returned."""


def _with_marked_names(page: Page) -> str:
    """Returns the text with each argument's name written in the sign that stands for one in the tables of words, so
    that "do not modify xs" is read like "do not modify the list". What else stands between backticks
    is one, too, if it is no name of a program. A letter that is a word of some language must end its clause."""
    names = {*(page.names.parameters or ()), "nums", "arr", "xs", "lst", "items", "values"}
    told = (re.escape(name) + (_CLAUSE_END if name in _LETTER_WORDS else "") for name in names)
    own = re.compile(
        rf"(?<!\w)(?:{'|'.join(told)})(?!\w)|(?<=`)(?!(?:{'|'.join(page.names.known) or _ARGUMENT})`)[a-z_]\w*(?=`)"
    )
    return own.sub(lambda match: _ARGUMENT * len(match.group()), page.reading.masked)


def use_clauses(page: Page) -> Iterator[Clause]:
    """Reads "Without using X", "X is not allowed", "only the standard library", "use Floyd-Warshall"."""
    yield from _denials(page)
    for table, name in (("no_imports", "imports"), ("standard_library_only", "third-party packages")):
        for match in page.reading.find(table):
            yield _forbidden(page, match.start(), match.end(), (name,))
    for name, places in _algorithms(page):
        for told in dict.fromkeys(segment(page, *match.span()) for match in places if _is_used(page, match)):
            yield Clause(told, "algorithm", names=(name,))


def _algorithms(page: Page) -> Iterator[tuple[str, list[re.Match[str]]]]:
    """Yields each algorithm that the reader knows, with the places where the text names it."""
    for name, algorithm, parts in named("algorithms"):
        mentioned = parts is None or any(part in page.reading.lowered for part in parts)
        yield name, [*algorithm.finditer(page.reading.masked)] if mentioned else []


def given_algorithm(page: Page) -> Iterator[Clause]:
    """Reads "My bubble sort is wrong": if a report about given code names one algorithm, and the code shows its mark,
    the name says what the code is and stays, unless the report asks for another speed or form."""
    told = [(name, places) for name, places in _algorithms(page) if places]
    if len(told) != 1 or not (page.has_code and page.doubts.bug_talk):
        return
    (name, places), mark = told[0], ALGORITHMS.get(told[0][0])
    changes = any(True for table in ("asks_speed", "asks_form") for _ in page.reading.find(table))
    meant = next((match for match in places if not _is_doubted(page, match)), None)
    if meant is not None and mark is not None and mark(Source(page.code)) and not changes:
        yield Clause(segment(page, *meant.span()), "algorithm", names=(name,))


def _denials(page: Page) -> Iterator[Clause]:
    """Reads what must not be used; the denial may stand before or after it."""
    text = page.reading.masked
    for table in ("use_no", "without"):
        for match in page.reading.find(table):
            found = list(_things(text, match.end(), bare=table == "use_no"))
            if found and not _is_left_free(page, match.start(), found[-1][1]):
                yield _forbidden(page, match.start(), found[-1][1], (name for name, _ in found))
    for match in _denied_behind().finditer(text) if page.reading.mentions("is_denied") else ():
        names = [name for name, end in _things(text, match.start(), bare=True) if end <= match.start("denied")]
        names += re.findall(_NO_WORDS, (match["modules"] or "").lower())
        if names:
            yield _forbidden(page, match.start(), match.end(), names)


def _is_left_free(page: Page, start: int, end: int) -> bool:
    """Returns whether the text asks whether to do without, or says that nobody has to."""
    own = page.doubts.clause_start(page.reading.sentence(start, end)[0], start)
    free = pattern("need_not").search(page.reading.masked, own, start) is not None
    return free or page.doubts.is_question_not_request(start, end)


def _forbidden(page: Page, start: int, end: int, names: Collection[str] | Iterator[str]) -> Clause:
    return Clause(segment(page, start, end), "forbidden", names=tuple(dict.fromkeys(names)))


@cache
def _denied_behind() -> re.Pattern[str]:
    """Returns the pattern of "`eval` and `exec` are not allowed", "recursion is forbidden": things, then their
    denial."""
    features = "|".join(feature.pattern for _, feature, _ in named("features"))
    joint = rf"(?:,|\s+(?:{any_of('and_word')}|{any_of('or')}))\s+"
    code = rf"(?:`[^`\n]+`{joint})*`[^`\n]+`|[A-Za-z_][\w.]*\(\)"
    modules = rf"(?<!\w)(?P<modules>(?:{_NO_WORDS})(?:{joint}(?:{_NO_WORDS}))*)"
    return re.compile(rf"(?:{code}|{features}|{modules})\s*(?P<denied>{any_of('is_denied')})", re.I)


def _things(text: str, place: int, *, bare: bool) -> Iterator[tuple[str, int]]:
    """Yields (name, end) of each thing in the list that begins at `place`."""
    while (found := _thing(text, place, bare=bare)) is not None:
        yield found
        joint = _LISTED.match(text, found[1])
        if joint is None:
            return
        place = joint.end()


def _thing(text: str, place: int, *, bare: bool) -> tuple[str, int] | None:
    """Returns a feature of the language, or a name written as code. With `bare`, also a name that the words around call
    a function or module, or that is well known as one."""
    lead = _LEAD.match(text, place)
    start = lead.end() if lead else place
    for begin in (place + len(text[place:]) - len(text[place:].lstrip()), start):
        for feature, word, _ in named("features"):
            match = word.match(text, begin)
            if match:
                return feature, match.end()
    name = _NAME.match(text, start)
    if name is None:
        return None
    behind = _CODE_NOUN.match(text, name.end())
    dotted = "." in name["name"] and min(map(len, name["name"].split("."))) > 1
    known = name["name"] in _WELL_KNOWN and _ALONE.match(text, name.end())
    module = name["name"] in _MODULES and _ALONE.match(text, name.end())
    called_so = bool(module) or (bare and bool((lead and lead["noun"]) or behind or known))
    if not (name["mark"] or name["call"] or dotted or called_so):
        return None
    return name["name"], behind.end() if behind else name.end()


def _is_used(page: Page, match: re.Match[str]) -> bool:
    """Returns whether the algorithm is asked for, and not denied, doubted, or only mentioned. A request may name it and
    nothing else: "One pass over the list only please"."""
    text = page.reading.masked
    if _is_doubted(page, match) or not is_told(page, *match.span()):
        return False
    begin, stop = page.reading.sentence(*match.span())
    if pattern("need_not").search(re.split(r"[,;]", text[match.end() : stop])[0]):
        return False
    own = page.doubts.clause_start(begin, match.start())
    if pattern("requests").search(text, begin, stop) and leads_to(text, begin, match.start(), "requests"):
        return True
    return bool(pattern("uses").search(text, own, match.end()) or pattern("uses").match(text, match.end()))


def _is_doubted(page: Page, match: re.Match[str]) -> bool:
    """Returns whether the words around it deny the algorithm (in Japanese behind it), only suppose it, or say that it
    need not be."""
    begin, stop = page.reading.sentence(*match.span())
    own = page.doubts.clause_start(begin, match.start())
    reach = stop if _EAST_ASIAN.search(match.group()) else match.start()
    return page.doubts.between(own, reach, "denied", "supposed")
