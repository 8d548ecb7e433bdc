"""Reads what a program prints for the input that a sentence names: "For n = 3 the output is: 6", "When the input is 3,
it prints 9", "Example input: 3. Example output: 9."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from agent.examples.grammar.doubts import Doubts
from agent.examples.grammar.links import strength_of, tokens_from
from agent.examples.grammar.reading import Reading, read
from agent.examples.vocabulary import Phrase, any_of, pattern

from .commands import ARGUMENTS, ELSEWHERE, STDIN, command_call
from .described import are_described

_MOST = 60
"""How many places of a text are looked at, and how many characters may stand between words that belong together."""
_NUMBER = r"-?\d+(?:\.\d+)?"
_ROW = rf"{_NUMBER}(?:[ \t]+{_NUMBER})*(?![\w.%^*/]*\w)"
"""Numbers on one line, parted by blanks."""
_MARKED = r"`(?P<ticked>[^`\n]+)`|\"(?P<quoted>[^\"\n]+)\"|(?<!\w)'(?P<single>[^'\n]+)'(?!\w)"
_FIGURES = r"[-+]?\d[\d.,:+ -]*"
_PLACEHOLDER = re.compile(r"<\w+>|\{\w+\}")
_SAYS = r"[^\n]*(?<!\w)(?:{prints}|{outputs})(?!\w)"
_BELOW = rf"(?<=\n)(?P<lines>(?:(?!{_SAYS}|[ \t]*```)[^\n]+\n){{1,20}})(?={_SAYS})"
"""Lines that are typed, above the line that says what is printed; a fence is a sample run, which is read as such."""
_OPENS = r"(?:{for}|{condition})\s+"
_LEADS = Phrase(
    r"(?<![^\W\u3040-\u9fff])(?<!['`\"])"
    rf"(?:(?:{_OPENS})?(?:{{article}}\s+)?{{typed}}(?:\s*[:=]\s*|\s+(?:(?:{{is}}|of|von|de)\s+)?)"
    rf"|{_OPENS}`?(?P<name>[^\W\d]\w*)`?(?:\s*==?\s*|\s+{{is}}\s+)|{{input_label}}\s*:\s*)"
    rf"(?:{_BELOW}|{_MARKED}|(?P<line>{_FIGURES}(?:\n{_FIGURES})*)(?=`?[ \t]*\n)|(?P<row>{_ROW}))"
)
"""What leads to an input, with that input: "for n = 3", "the input is `a b`", "Input: 3"."""
_OUTPUT_LABEL = Phrase(r"[\s`]*[/|,;.→-]*>?\s*{output_label}\s*:")
_TYPE = r"(?:int|integer|float|number|str|string|bool|boolean|list|array|none|error|file)\b"
_FENCED = re.compile(r"[ \t]*\n\s*```\w*\n(?P<body>[\s\S]*?)\n[ \t]*```")
_LINES = re.compile(r"[ \t]*\n(?:[ \t]*\n)?(?P<body>(?:(?![ \t]*```)[^\n]*\S[^\n]*(?:\n|\Z)){1,40})(?=\s*\n|\Z)")
_PROSE = re.compile(r"(?:[^\W\d_]{2,}[ ,]+){3,}|[:;?][ \t]*$|^[ \t]*(?:[-+]|\d+[.)])[ \t]|\.\.\.", re.M)
"""Lines that tell of the output, or a list, and not the output itself."""
_LINE_END = r"\n[ \t]*(?:\n|\Z|[-*+•>|#`]*[ \t]*[^\W\d_]+:?[ \t]+\w)"
"""The end of a line below which nothing else is printed: the next one is empty, or has words."""


_WORD = re.compile(rf"[ \t]*`?((?!{_TYPE})[^\s`\"'()\[]+)`?[ \t]*(?=\Z|{_LINE_END})", re.I)
"""One word on its line that is printed for figures; "Output: integer" only tells a type."""
_ROWS = re.compile(rf"[ \t]*(?P<body>{_FIGURES}(?:\n{_FIGURES})+)(?=[ \t]*(?:\n[ \t]*\n|\s*\Z))")
"""Rows of figures, the first behind a label."""


def typed_in(text: str) -> Iterator[tuple[str, str, str]]:
    """Yields input, printed text and sentence for each one that names the whole input and all that is printed. Texts
    that speak of arguments or files and not of standard input are left out: there the value may go elsewhere."""
    reading = read(text)
    if ARGUMENTS.search(reading.text) and not STDIN.search(reading.text):
        return
    doubts = Doubts(reading)
    for match in islice(_LEADS.finditer(reading.text), _MOST):
        given = _given(reading.text, match)
        shown = _printed(reading.text, match) if given else None
        if shown is None or _stands_for_any(match, given, shown[0]):
            continue
        around = reading.text[: match.start()] + reading.text[shown[1] :]
        if match["lines"] and are_described(given, shown[0], around):
            continue
        if not _is_doubted(reading, doubts, match, shown[1]):
            yield given, shown[0], " ".join(reading.quote(match.start(), shown[1]).split())


def _stands_for_any(match: re.Match[str], given: str, shown: str) -> bool:
    """Returns whether names stand for any input: one between backticks that is a single letter or that what is printed
    holds too, or one in angle brackets."""
    name = given.strip() if match["ticked"] and given.strip().isidentifier() else ""
    told = len(name) == 1 or (name and re.search(rf"(?<!\w){name}(?!\w)", shown))
    return bool(told) or _PLACEHOLDER.search(given + shown) is not None


def _given(text: str, match: re.Match[str]) -> str:
    """Returns what is typed; "" where it may be but a part of that."""
    kinds = ("lines", "ticked", "quoted", "single", "line", "row")
    given = next(match[kind] for kind in kinds if match[kind]).strip("\n")
    if match["name"] is not None and not _is_all_that_is_read(text[: match.start()], match["name"]):
        return ""
    given = given if '"' in given else given.replace("\\n", "\n")
    vague = "..." in given or "\\" in given
    is_command = match["ticked"] is not None and command_call(given)
    return "" if vague or is_command else f"{given}\n"


def _is_all_that_is_read(before: str, name: str) -> bool:
    """Returns whether a sentence before tells that the program reads this from its standard input, and nothing else. In
    "reads n numbers from stdin" and "reads n and k from stdin" it reads more."""
    source = re.search(rf"[^.!?\n]*?(?:{STDIN.pattern})", before, re.I)
    if source is None:
        return False
    head = STDIN.sub("", source.group())
    *_, behind = re.split(rf"(?<!\w)`?{re.escape(name)}`?(?!\w)", head)
    other = {*re.findall(r"(?<![\w'])[b-zB-Z](?![\w'])", head), *re.findall(r"`(\w+)`", head)} - {name}
    then = before[source.end() :]
    prints = re.compile(rf"{pattern('prints').pattern}|{pattern('outputs').pattern}", re.I).search(then)
    told = then[: prints.start()] if prints else then
    return behind != head and not other and _says_nothing(behind, name) and _says_nothing(told, name)


def _says_nothing(words: str, name: str) -> bool:
    """Returns whether the words only join what stands before and behind them; what stands in brackets is an aside."""
    small = "|".join(any_of(table) for table in ("reads", "for", "article", "noise", "and_word", "must"))
    told = re.sub(r"\([^()]*\)", "", words)
    joins = rf"(?:\W|(?<!\w)(?:{re.escape(name)}|{small})(?!\w))*"
    return len(told) <= _MOST and re.fullmatch(joins, told, re.I) is not None


def _printed(text: str, given: re.Match[str]) -> tuple[str, int] | None:
    """Returns what the words after the input say that is printed, with where it ends; None where they say something
    else, or only what it is like. What is marked as the input "gives" what is printed."""
    place = given.end()
    label = _OUTPUT_LABEL.match(text, place)
    if label is not None and (rows := _ROWS.match(text, label.end())) is not None:
        return rows["body"], rows.end("body")
    if label is not None:
        word = _WORD.match(text, label.end()) if given["line"] or given["row"] else None
        return _shown(text, label.end(), colon=True) or ((word[1], word.end(1)) if word else None)
    says = {"prints", "outputs"} | ({"gives"} if given["ticked"] and given["name"] is None else set[str]())
    kinds = set[str]()
    for token in tokens_from(text, place):
        kinds.add(token.kind)
        if token.kind in ("stop", "comment", "was"):
            return None
        names_it = pattern("outcome").search(text, place, token.end)
        if (names_it or kinds & says) and strength_of(kinds, is_error=False):
            shown = _shown(text, token.end, colon=token.kind == "colon")
            if shown is not None:
                return shown
    return None


def _shown(text: str, place: int, *, colon: bool) -> tuple[str, int] | None:
    """Returns the value that stands at `place`, marked, a number that ends its clause, a word that the text marks
    elsewhere, or, behind a colon, what stands below."""
    start = place + len(text[place:]) - len(text[place:].lstrip(" \t*_"))
    marked = re.compile(_MARKED).match(text, start)
    if marked and _ends(text, marked.end()):
        return next(filter(None, marked.groups())), marked.end()
    plain = re.compile(rf"{_ROW}|[^\W\d_]+").match(text, start)
    if plain and _ends(text, plain.end()) and (plain[0][-1].isdigit() or _is_marked_elsewhere(text, plain[0])):
        return plain[0], plain.end()
    block = (_FENCED.match(text, place) or _LINES.match(text, place)) if colon else None
    if block is None or (block.re is _LINES and _PROSE.search(block["body"])) or "..." in block["body"]:
        return None
    return block["body"].strip("\n"), block.end("body")


def _is_marked_elsewhere(text: str, word: str) -> bool:
    return any(f"{sign}{word}{sign}" in text for sign in "`'\"")


def _ends(text: str, place: int) -> bool:
    """Returns whether the clause ends here, so that nothing else is printed."""
    if re.compile(ELSEWHERE, re.I).match(text, place):
        return False
    and_next = rf"[ \t]*,?[ \t]*(?:{any_of('and_word')}[ \t]+)?"
    next_one = re.compile(and_next + _LEADS.compiled.pattern, re.I).match(text, place)
    return (
        next_one is not None
        or re.compile(rf"[ \t]*(?:\Z|{_LINE_END}|[.;!](?!\w)|[)]|aus\b[ \t]*[.;\n])").match(text, place) is not None
    )


def _is_doubted(reading: Reading, doubts: Doubts, match: re.Match[str], end: int) -> bool:
    begin, stop = reading.sentence(match.start(), min(end, match.end() + 200))
    return doubts.bug_talk or doubts.unsure(begin, stop, "reported", "denied", "imagined", "about")
