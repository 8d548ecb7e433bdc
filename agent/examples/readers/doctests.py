"""Reads doctest sessions in the task text or in the person's code."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from agent.examples.grammar.links import Kind, token_at
from agent.examples.grammar.names import Names, packages_in
from agent.examples.grammar.page import Page
from agent.examples.grammar.shown import is_printing, shown
from agent.examples.grammar.typed import names_used
from agent.examples.grammar.values import is_error, literal_call, meant_a_tuple, promise, raises, spelled, value_at
from agent.examples.types import Example
from agent.examples.vocabulary import pattern
from agent.source.inputs import split_assert
from agent.source.parsing import expression_of, module_of
from agent.source.standard import value_of

_PROMPT = re.compile(r"^[ \t]*(?:[*#-][ \t]+)?(?:>>>|In ?\[\d+\]:)[ ]?(.*)$")
_MORE = re.compile(r"^[ \t]*(?:[*#-][ \t]+)?\.\.\.:?[ ]?(.*)$")
_OUT = re.compile(r"\AOut ?\[\d+\]:[ ]?")
_PROSE = re.compile(r"(?:\w+\W+){3,}\w+\W*[.:!?]\Z")
_VARIES = re.compile(r"\.\.\.| at 0x|(?:^|\s)\{(?!\})[^:]*\}$")
_NO_TEXT = re.compile(r"[<{]|\w+[ \t]*:(?:\s|$)")
"""Begins what is no text that a call shows: an object, a set, or a label."""
_STATING: frozenset[Kind] = frozenset(("gives", "is", "raises", "must", "expected", "was", "wrong", "for", "comment"))
_STOP = re.compile(r"^\s*(?:\"\"\"|'''|```|~~~|$)")


@dataclass(slots=True)
class _Prompted:
    source: str
    start: int
    end: int
    """`start` is where the prompt begins, `end` where the last line of output ends."""
    told: int = 0
    """Where the output begins."""
    want: list[str] = field(default_factory=list[str])
    """The lines of output, as far as they are indented deeper than the prompt."""
    typed: list[str] = field(default_factory=list[str])
    """The same lines as the person typed them."""

    @property
    def sentence(self) -> str:
        return f">>> {self.source} {' '.join(map(str.strip, self.want))}"


def doctest_examples(page: Page, text: str, is_law: Callable[[int, int], bool]) -> list[Example]:
    """Returns one example for each expected value of `text` whose place (start, end) `is_law` accepts. The session's
    earlier statements are put before it. `page` is the task, of which `text` is the words or the given code."""
    found: list[Example] = []
    prints, packages = is_printing(page), packages_in(page.text, page.code)
    for session in _sessions(text):
        setup: list[str] = []
        for step in session:
            step.typed = _as_typed(page, step) if text is page.text else step.want
            example = _example(step, setup, page.names, prints=prints) if is_law(step.start, step.end) else None
            found += [example] if example is not None else []
            setup = setup if _imports_the_program(step.source, page.names, packages) else _after(step, setup)
    return found


def _imports_the_program(source: str, names: Names, packages: Collection[str]) -> bool:
    """Returns whether the line only imports what is to be written, from a module that the author has in mind; a check
    sees the names of the program anyway. A package that the task asks for is imported as it is."""
    body = module_of(source).body
    if len(body) != 1 or not isinstance(body[0], ast.ImportFrom) or any(alias.asname for alias in body[0].names):
        return False
    taken = {alias.name for alias in body[0].names}
    return (taken <= names.known or taken == {"*"}) and (body[0].module or "").partition(".")[0] not in packages


def _sessions(text: str) -> list[list[_Prompted]]:
    """Returns sessions, each a list of prompts that follow one another; anything between them but their output begins a
    new session."""
    sessions: list[list[_Prompted]] = [[]]
    reading: _Prompted | None = None
    place = 0
    for line in text.split("\n"):
        start, place = place, place + len(line) + 1
        prompt, more = _PROMPT.match(line), _MORE.match(line)
        if prompt:
            reading = _Prompted(prompt.group(1).rstrip(), start, place - 1)
            sessions[-1].append(reading)
        elif more and reading is not None and not reading.want:
            reading.source += "\n" + more.group(1).rstrip()
        elif _STOP.match(line):
            reading = None
            if line.strip():
                sessions.append([])
        elif reading is not None:
            reading.told = reading.told or start
            reading.want.append(_OUT.sub("", _dedented(line, text[reading.start : reading.end])))
            reading.end = place - 1
        else:
            sessions.append([])
    return sessions


def _as_typed(page: Page, step: _Prompted) -> list[str]:
    """Returns the lines of output with the person's own signs."""
    source, places = page.reading.source, page.reading.places
    prompt = source[places[step.start] : places[step.told]]
    typed = source[places[step.told] : places[step.end]].splitlines() if step.want else []
    return [_OUT.sub("", _dedented(line, prompt)) for line in typed]


def _dedented(line: str, prompt: str) -> str:
    """Returns a line of output without the white space that stands before its prompt, too, or behind the line."""
    deep, indent = (len(one) - len(one.lstrip()) for one in (line, prompt))
    return line[min(deep, indent) :].rstrip()


def _example(step: _Prompted, setup: list[str], names: Names, *, prints: bool) -> Example | None:
    source = _canonical(step.source)
    want = " ".join(map(str.strip, step.want))
    if source is None:
        return None
    stated = _comparison(source, step, names) if not setup and want in ("", "True") else None
    if stated is not None or not want:
        return stated
    if not names_used(module_of("\n".join([*setup, source]))) & names.known:
        return None
    if want.startswith("Traceback") or _error_of(step.want[-1]):
        return _error_example(source, setup, step)
    if source.startswith("print("):
        return _printed_example(source, setup, step)
    return _seen_example(source, setup, step, prints=prints)


def _seen_example(source: str, setup: list[str], step: _Prompted, *, prints: bool) -> Example | None:
    """Reads what a session shows of an expression: a literal is its value, anything else a text."""
    inner = re.sub(r"\A(?:pprint\.)?pp(?:rint)?(\(.*\))\Z", r"\1", source)  # shows a value as a session does
    seen = _canonical(inner)
    if seen is None or {"print", "pprint"} & names_used(module_of(seen)):
        return None
    want = "\n".join(step.want)
    if value_of(want) is not None:
        return _value_example(seen, setup, want, step.sentence)
    if not _is_text(step.want, prints=prints):
        return None
    return shown(seen, "\n".join(_shown_lines(step.typed)), step.sentence, setup)


def _is_text(want: list[str], *, prints: bool) -> bool:
    """Returns whether the lines are surely a text that the call shows. If the function is not said to print, they may
    also be the author's words on the value."""
    text = "\n".join(want)
    if _VARIES.search(" ".join(want)) or any(map(_PROSE.search, want[1:])) or want[-1].strip() == "None":
        return False
    if prints:
        return True
    first = token_at(text, 0)
    said = first is not None and first.kind in _STATING
    doubted = any(pattern(table).search(text) for table in ("about", "denied", "supposed", "or"))
    worded = said or doubted or _PROSE.search(text) or _NO_TEXT.match(text)
    return not worded and value_at(text, 0) is None


def _value_example(source: str, setup: list[str], want: str, sentence: str) -> Example | None:
    value = value_of(want)
    if value is None or meant_a_tuple(want, value[0]):
        return None
    call = literal_call(source)
    if not setup and call is not None:
        return promise(call, spelled(want, value[0]), sentence)
    return _claimed([*setup, f"assert ({source}) == {value[0]!r}"], sentence)


def _claimed(lines: list[str], sentence: str) -> Example:
    return Example("\n".join(lines), " ".join(sentence.split()))


def _printed_example(source: str, setup: list[str], step: _Prompted) -> Example | None:
    """Reads `>>> print(f(2))`: the text of the value is shown, apart from blanks that end its lines. A last line "None"
    is what a function that prints gives back; prose may follow several lines without a blank line between; addresses
    and the order of a set are another in each run."""
    call = ast.parse(source, mode="eval").body
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return None
    want = step.want
    doubtful = want[-1].strip() == "None" or any(map(_PROSE.search, want[1:]))
    if _VARIES.search(" ".join(want)) or (len(want) > 1 and doubtful):
        return None
    said = f"[line.rstrip() for line in str({ast.unparse(call.args[0])}).split('\\n')]"
    return _claimed([*setup, f"assert {said} == {_shown_lines(step.typed)!r}"], step.sentence)


def _shown_lines(want: list[str]) -> list[str]:
    return ["" if line == "<BLANKLINE>" else line for line in want]


def _comparison(source: str, step: _Prompted, names: Names) -> Example | None:
    """Reads `>>> f(2) == 4`: some authors write the value as a comparison, with or without its True."""
    pair = split_assert(f"assert {source}")
    if pair is None or literal_call(pair[0]) is None or pair[0].split("(")[0] not in names.known:
        return None
    if not step.want and "==" not in source:
        return None
    return promise(*pair, f">>> {step.source}")


def _error_of(line: str) -> str:
    """Returns the exception that the line reports as Python does, "ValueError: n is too small"; "" for any other."""
    name = line.strip().partition(":")[0]
    return name if is_error(name) else ""


def _error_example(source: str, setup: list[str], step: _Prompted) -> Example | None:
    error = _error_of(step.want[-1])
    if not error:
        return None
    told = raises(source, error, step.sentence)
    return replace(told, source="\n".join([*setup, told.source])) if setup else told


def _after(step: _Prompted, setup: list[str]) -> list[str]:
    """Returns the statements that a later prompt may rely on. An expression without earlier statements leaves nothing
    behind."""
    last = module_of(step.source).body[-1:]
    if not last or (not setup and isinstance(last[0], ast.Expr)):
        return setup
    return setup if step.want and _error_of(step.want[-1]) else [*setup, step.source]


def _canonical(source: str) -> str | None:
    """Returns an expression without its comments; None for a statement."""
    node = expression_of(source)
    return ast.unparse(node) if node is not None else None
