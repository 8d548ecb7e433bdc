"""Promises that name only input and output: "14.5 should return 15", `[1, 2] -> 3`, "for n = 3 the result is 9";
read when the function takes one argument, so that it is clear what the input is given to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from . import words
from .arguments import arguments_of, assignments
from .blocks import LABEL
from .doubts import compiled
from .endings import stands_free
from .links import Kind, Outcome, Token, fits, follow, kind_of_value, outcome_at, skip_markup, strength_of, tokens_before
from .page import Page
from .prose import CODE_LINE, Call, tail_of
from .types import Example
from .values import promise, raises, value_at

_START = re.compile(r"(?<![\w.)\]\"'-])(?:[\[({'\"]|-?\d|-?\.\d|(?:true|false|none|null)\b)", re.I)
_MOST = 300
_WINDOW = 80
_INPUT = compiled(r"""
for|given|with|on|input|for the (?:input|value|number|string|text|list|word)|the (?:input|string|text|number|value|word|list)|(?:for |with )?(?:an )?input(?: of)?|for input|when given|if given
für|bei|eingabe|(?:für |bei )?(?:die |der |den )?(?:eingabe|text|zahl|wert|liste|wort)(?: von)?|mit
pour|avec|(?:pour |avec )?(?:l'entrée|le texte|la liste|le nombre)
para|con|(?:para |con )?(?:la entrada|el texto|la lista|el número)
per|con|(?:per |con )?(?:l'ingresso|l'input|il testo|la lista)
com|(?:para |com )?(?:a entrada|o texto|a lista)
для|при|на входе|для входа|строка|число|список
(?:当|若|如果|对于)?输入(?:为|是)?|对于|对|给定|字符串
入力(?:が|は)?
""")
"""Says that an input follows."""
_TURNS = compiled(r"""
turns|converts|maps|transforms|changes|translates|reverses
aus|verwandelt|wandelt|macht aus
transforme|convertit|change
convierte|transforma
trasforma|converte
transforma|converte
превращает|преобразует
把|将
""")
_INTO = compiled(r"""
into|to
in|wird|zu
en
en|a
in
em|para
в
变成|转换为|变为
""")
_EXAMPLE = compiled(r"""
examples?|e\.g\.?|for instance|for example|samples?|tests?|test cases?|cases?|expected|should|results?|usage|outputs?
beispiele?|z\. ?b\.?|zum beispiel|erwartet
exemples?|par exemple|attendu
ejemplos?|por ejemplo|esperado
esemp(?:io|i)|ad esempio|per esempio|atteso
exemplos?|por exemplo
пример|примеры|например
例如?|示例|例子|样例|比如
例|たとえば|例えば
""")
_IMPERATIVE = re.compile(r"return|give|raise", re.I)
_LATE = re.compile(r"(?:the )?(?:output|result|answer|function|it) (?:should|must|will) (?:be|return|give)(?!\w)", re.I)
_LABELLED = re.compile(r"([^\n:]*):\s*$")


def pair_examples(page: Page, calls: Collection[Call], kinds: set[str]) -> list[Example]:
    """One example for each pair of input and output. `kinds`: of the argument, as far as the text shows them; a pair
    with an input of another kind is left out."""
    names = page.names
    if names.entry is None or names.required != 1:
        return []
    found: list[Example] = []
    end = 0
    for subject in _subjects(page, calls):
        if subject.start < end or (kinds and kind_of_value(subject.text) not in kinds):
            continue
        pair = _pair(page, subject, follows=end)
        if pair is not None:
            outcome, end = pair
            begin, stop = page.reading.sentence(subject.start, end)
            make = raises if outcome.is_error else promise
            found.append(make(f"{names.entry}({subject.text})", outcome.text, page.reading.quote(begin, stop)))
    return found


def _subjects(page: Page, calls: Collection[Call]) -> Iterator[Outcome]:
    """The literals of the text that stand in no call and in no line of code."""
    taken = iter(calls)
    call = next(taken, None)
    end = 0
    for match in islice(_START.finditer(page.reading.masked), _MOST):
        while call is not None and call.end <= match.start():
            call = next(taken, None)
        if match.start() < end or (call is not None and call.start <= match.start()):
            continue
        value = value_at(page.text, match.start())
        if value is not None:
            end = value[1]
            yield Outcome(value[0], False, match.start(), end)


def _pair(page: Page, subject: Outcome, follows: int) -> tuple[Outcome, int] | None:
    """The output that the text states for the input, and where the statement ends. `follows`: end of the pair before."""
    text = page.text
    begin = page.reading.sentence(subject.start, subject.end)[0]
    if CODE_LINE.match(text, text.rfind("\n", 0, subject.start) + 1):
        return None
    lead = _lead(page, begin, subject.start, follows)
    found = _turned(text, subject.end) if lead == "turned" else _way(page, subject, lead) if lead else None
    if found is None or lead is None:
        return None
    way, outcome = found
    tail = tail_of(text, outcome.end, outcome.text)
    kinds: set[Kind] = {token.kind for token in way} | tail.kinds
    kinds |= {token.kind for token in tokens_before(text, max(begin, subject.start - _WINDOW), subject.start)} & {"must"}
    kinds |= {"must"} if way and lead == "input" and _IMPERATIVE.fullmatch(text, way[-1].start, way[-1].end) else set()
    strength = "says" if lead == "turned" else strength_of(kinds, is_error=outcome.is_error)
    if strength is None and lead == "input" and kinds <= {"noise", "comma", "colon"} and way:
        strength = "says" if _names_the_result(" ".join(text[token.start : token.end] for token in way)) else None
    if strength is None or strength == "was" or not tail.closed or not fits(text, way, outcome):
        return None
    if not _suits(text, lead, kinds, way) or not page.is_law(subject.start, strength):
        return None
    return (outcome, tail.end) if not _doubted(page, begin, subject.start, tail.end) else None


def _way(page: Page, subject: Outcome, lead: str) -> tuple[list[Token], Outcome] | None:
    """The way to the output; behind an input that is named as one, other words may stand before "the output should"."""
    found = follow(page.text, subject.end)
    if lead != "input" or (found is not None and tail_of(page.text, found[1].end).closed):
        return found
    late = _LATE.search(page.text, subject.end, page.reading.sentence(subject.start, subject.end)[1])
    return follow(page.text, late.start()) if late and not page.doubts.between(subject.end, late.end(), "denied") else found


def _turned(text: str, place: int) -> tuple[list[Token], Outcome] | None:
    """The value behind "into"."""
    word = _INTO.match(text, skip_markup(text, place))
    outcome = outcome_at(text, skip_markup(text, word.end())) if word else None
    return ([], outcome) if outcome is not None and not outcome.is_error else None


def _doubted(page: Page, begin: int, start: int, end: int) -> bool:
    own = page.doubts.own_clause(begin, start)
    stop = page.reading.sentence(start, end)[1]
    return (
        page.doubts.between(own, start, "denied", "about")
        or page.doubts.between(begin, start, "reported")
        or page.doubts.between(end, stop, "about", "reported")
        or page.doubts.asked(begin, stop)
        or page.doubts.taken_back(stop)
    )


def _lead(page: Page, begin: int, start: int, follows: int) -> str | None:
    """What kind of words lead to the input: "input" names it as one, "turned" is "turns X into Y", "example" is a label
    or the pair before, "free" is nothing at all; None for anything else."""
    head = page.text[begin:start].rstrip("`*_ \t\n")
    line = page.text[page.text.rfind("\n", 0, start) + 1 : start].strip("`*_ \t")
    if follows and re.fullmatch(r"[\s,;.`]*(?:and|und|et|y|e|и|а|和|で)?[\s,`]*", page.text[follows:start]):
        return "example"
    if re.fullmatch(r"(?:[-*+•]|\d+[.)])?", line):
        return _line_lead(page, start)
    word = re.compile(r"[^\s:,;(]+(?: [^\s:,;(]+){0,3}$").search(head)
    tails = [word.group()[i:] for i in range(len(word.group()))] if word else []
    starts = [tail for i, tail in enumerate(tails) if not i or not tails[i - 1][0].isalnum() or not tail[0].isascii()]
    if tails and tails[0].endswith("assert"):
        return None
    for pattern, kind in ((_TURNS, "turned"), (_INPUT, "input"), (_EXAMPLE, "example")):
        if any(pattern.fullmatch(tail) for tail in starts):
            return kind
    if _is_parameter(page, head):
        return "input"
    label = _LABELLED.search(head)
    if label and _is_output_label(label.group(1)):
        return None
    if label:
        return "example" if _EXAMPLE.search(label.group(1)) or _INPUT.search(label.group(1)) else "labelled"
    return "free" if stands_free(page.text, begin, start) else None


def _is_output_label(words_before: str) -> bool:
    label = LABEL.search(words_before.split(",")[-1].strip() + ":")
    return label is not None and not label.group("input")


def _line_lead(page: Page, start: int) -> str | None:
    """A line of its own is an example unless it stands under a heading that says something else."""
    heading = page.heading(start)
    return "example" if heading is None or _EXAMPLE.search(page.text, *heading) else "free"


def _is_parameter(page: Page, head: str) -> bool:
    """Whether the head ends with "n = " or "n is ", where n is the parameter."""
    names = "|".join(re.escape(name) for name in page.names.parameters or ())
    equal = r"=|:|is|equals|ist|est|vaut|es|è|é|равно|равен|为|是|が|は"
    return bool(names and re.search(rf"(?<!\w)`?(?:{names})`?\s*(?:{equal})$", head, re.I))


def _suits(text: str, lead: str, kinds: set[Kind], way: list[Token]) -> bool:
    """Whether the words fit the lead: without a call, "2 is 4" or "2: 4" could be anything."""
    said = " ".join(text[token.start : token.end] for token in way)
    separators: set[Kind] = {"comma", "stop", "open", "dash", "but", "comment"}
    if lead == "turned":
        return True
    if kinds & (separators - {"comma"}) or ("comma" in kinds and lead != "input" and said.isascii()):
        return False
    if lead in ("input", "example"):
        return bool(kinds & {"must", "gives", "expected", "arrow", "raises"}) or _names_the_result(said)
    return "must" in kinds or bool(re.match(_BECOMES, said, re.I))


_BECOMES = r"become|wird zu|devient|se convierte|diventa|vira|превращается|变成|(?:は|が) ?(?:に)|is turned into"


def _names_the_result(said: str) -> bool:
    return re.search(r"result|output|answer|ergebnis|résultat|resultado|risultato|результат|ответ|结果|結果|输出|出力|ausgabe|sortie|salida|saída|uscita|выход", said, re.I) is not None


def assigned_examples(page: Page) -> list[Example]:
    """ "For a = 1 and b = 2 the result is 3": the input of a function of several arguments, by name."""
    names, found = page.names, list[Example]()
    if names.entry is None or not names.required or names.required < 2 or page.reporting:
        return found
    for match in islice(_FOR_NAMED.finditer(page.text), _MOST):
        end, values = assignments(page.text, match.end())
        link = follow(page.text, end) if len(values) > 1 else None
        arguments = arguments_of(page.text[match.end() : end], names)
        if link is None or arguments is None:
            continue
        way, outcome = link
        kinds: set[Kind] = {token.kind for token in way}
        tail = tail_of(page.text, outcome.end)
        begin, stop = page.reading.sentence(match.start(), tail.end)
        if tail.closed and strength_of(kinds | tail.kinds, is_error=False) and not _doubted(page, begin, match.start(), tail.end):
            found.append(promise(f"{names.entry}({arguments})", outcome.text, page.reading.quote(begin, stop)))
    return found


_FOR_NAMED = re.compile(rf"(?<!\w)(?:{words.FOR.strip().replace(chr(10), '|')}|if)\s+(?=`?\w+`?\s*=[^=])", re.I)
