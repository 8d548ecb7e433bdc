"""Decides by code what kind of task a text is, how sure that is, and whether the task is hard. No model is asked."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection
from dataclasses import dataclass

from agent.source.parsing import UNREADABLE, module_of

from .grammar.names import Names, names_in
from .likeness import MARGIN, Model, features_of, stored
from .outputs import files_of, inline_table, is_at_hand
from .runs.samples import has_sections
from .types import TaskKind
from .vocabulary import UNPARTED, Phrase, apart_from_form, has, pattern

_OF_TESTS = r"(?!Test\w*(?:\([\w.]*TestCase\))?:)"
_CLASS = re.compile(
    rf"^[ \t]*class\s+{_OF_TESTS}\w+|\bclass\s+(?:called\s+|named\s+)?`?{_OF_TESTS}[A-Z]\w+|\bclasses\s+`?[A-Z]\w+",
    re.M,
)
_DEF = re.compile(r"(?<!\w)def\s+\w+\s*\(")
_SESSION = re.compile(
    r"^[ \t>]*\$ \S|\b(?:echo|printf)\b[^|\n]{0,80}\|\s*\S|\bpython3?\s+[\w./-]+\.py\s+[^\s`'\"]|<\s*[\w-]+\.txt\b",
    re.M,
)
_BLOCKS = re.compile(
    r"^[ \t>*#]*\**(?:(?:sample|example) (?:std)?input\**\s*:?|(?:std)?input\**\s*:?\**[ \t]*\n+[`\s]*[\d .+-]+$)",
    re.M | re.I,
)
_CALLED = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\((?=[^)\n]{1,80}\))")
_PROMISED = Phrase(r"\w\([^()\n]{0,80}\)[`\s]*(?:==|->|=>|\u2192|{gives}(?!\w))")
"""A call and a word or sign after which its value stands."""
_DECLINED = Phrase(r"(?<![^\W\d_]){declined}\s*\Z")
_MARKED = re.compile(r"`([A-Za-z_]\w*)(?:\([^`\n]*\))?`")
"""A name between the marks of code."""
_OF_OTHERS = frozenset((
    "sin", "cos", "tan", "exp", "log", "ln", "sqrt", "abs", "print", "input", "open", "range", "len", "sum", "max",
    "min", "sorted", "int", "str", "float", "list", "O", "o", "ax", "plot", "show", "main", "np", "read_csv", "head",
    "random", "x", "y",
))  # fmt: skip
"""Names that a text calls without asking for them: names of mathematics, of Python and of its libraries."""
_NAMES_IT = re.compile(r"called|named|namens|nommé|appelé|llamado|chiamato|chamado", re.I)
_AT_ALL = re.compile(r"\b(?:of|from|about|von|aus|über|de|des|del|di)\b", re.I)
_SENTENCE_END = re.compile(r"[.;:!?\n\u3002]")
_HARD = re.compile(
    r"\b(?:parser?|parsing|tokeni[sz]er|lexer|interpreter|compiler|evaluator|scheduler|simulat\w+|concurren\w+"
    r"|thread[- ]safe|async\w*|lru|lfu|cache|trie|heap|graph|shortest path|dijkstra|topological|dynamic programming"
    r"|backtracking|knapsack|sudoku|state machine|transaction\w*|rate limit\w*|efficient\w*|time complexity|matrix"
    r"|regular expression engine|serializ\w+)\b|O\([^)\n]+\)",
    re.I,
)
_OF_CODE_AS_IT_IS: tuple[tuple[TaskKind, str], ...] = (("tests", "asks_tests"), ("explain", "asks_explanation"))
_FAULTS = ("bug_talk", "wrong", "breaks", "wrong_value", "tests_pass")
_FAILS = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_AFTER_AND = Phrase(r"(?:(?<!\w)(?:{and_word}|&)\s+(?:\w+\s+)?|并且?|再)\Z")
"""Words that show that something more is asked for."""
_BREATH = 60
"""How many characters before a request are searched for words that decline it."""
_SHORT = 300
"""A text of at most this many characters asks for one thing only."""
_LONG = 900
"""A task text of at least this many characters usually holds several requirements."""


@dataclass(frozen=True, slots=True)
class Look:
    """The kind that code reads, and whether the words leave no choice."""

    kind: TaskKind
    sure: bool = True


def look_at(
    text: str, code: str | None, files: Collection[str], names: Names | None = None, model: Model | None = None
) -> Look:
    """Decides the kind of a task. For given code the words say what is to become of it. A class with its name, a header
    to be filled in, or a function that is asked for, named and shown with a value decides by itself, and so do sections
    that tell what is typed in and what comes out. Any other text is compared with labelled tasks. If two kinds are
    about equally likely, that is a guess; a function is then preferred to a kind without calls, because tests show
    whether it was right, and the kind is read again if not. `model` replaces the stored weights."""
    if code and code.strip():
        return _about_code(text)
    if _CLASS.search(text):
        return Look("class")
    forms = forms_of(text, files, names)
    told = forms["function"] and forms["call"] and forms["promise of a call"]
    if _DEF.search(text) or told or _is_prompted(text, names or names_in(text, None)):
        return Look("function")
    if has_sections(text) and not any(forms[form] for form in ("function", "call", "makes a file", "reads a file")):
        return Look("program")
    (best, kind), (second, other) = (model or stored()).ranked(features_of(text, forms))[:2]
    if best - second >= MARGIN:
        return Look(kind)
    return Look("function" if other == "function" and kind != "class" else kind, sure=False)


def _is_prompted(text: str, names: Names) -> bool:
    """Returns whether a session calls the function that is to be written."""
    if names.entry is None or names.is_class:
        return False
    entry = re.escape(names.entry)
    return re.search(rf"^[ \t]*(?:>>>|In ?\[\d+\]:)[^\n]*(?<![\w.]){entry}\(", text, re.M) is not None


def forms_of(text: str, files: Collection[str], names: Names | None = None) -> dict[str, bool]:
    """Returns the features of a task besides its words."""
    named = files_of(text, files)
    return {
        "files": bool(files),
        "makes a file": bool(named.made),
        "reads a file": bool(named.read),
        "table": inline_table(text),
        "data at hand": is_at_hand(text),
        "call": _callable_in(text, names),
        "promise of a call": _PROMISED.search(text) is not None,
        "session": _SESSION.search(text) is not None,
        "input": _BLOCKS.search(text) is not None,
        "class": has(text, "asks_class"),
        "function": has(text, "asks_function"),
    }


def _about_code(text: str) -> Look:
    """Decides what is to become of given code. If anything is called wrong, it is to be fixed. If no word tells, or
    several do, that is a guess. The name of an error counts only if nothing else is asked for."""
    broken = any(has(apart_from_form(text), word) for word in _FAULTS)
    unlike = has(text, "unlike_wanted")
    at_fault = broken or unlike
    more = has(text, "extends") or (not at_fault and (has(text, "asks_speed") or has(text, "asks_form")))
    asked: list[tuple[TaskKind, int]] = [
        (kind, place) for kind, words in _OF_CODE_AS_IT_IS for place in _asked_at(text, words)
    ]
    opens = not has(text, "extends") and pattern("asks_explanation").match(text.lstrip()) is not None
    if asked and not broken and (opens or not more):
        kind, place = asked[0]
        alone = len(asked) == 1 and not more and not unlike and not _AFTER_AND.search(text, 0, place)
        return Look(kind, sure=alone and len(text) <= _SHORT)
    more = more or (not at_fault and has(text, "besides"))
    if not asked and not more and _FAILS.search(text):
        at_fault = at_fault or _FAILS.search(pattern("errors_meant").sub(" ", text)) is not None
    return Look("extend" if more else "fix", sure=at_fault != more and (not asked or has(text, "tests_pass")))


def _asked_at(text: str, words: str) -> list[int]:
    """Returns where something is first asked for and not declined just before; [] when it is not asked for."""
    matches = pattern(words).finditer(text) if has(text, words) else ()
    starts = (match.start() for match in matches)
    return [start for start in starts if not _DECLINED.search(text, max(0, start - _BREATH), start)][:1]


def about_pasted(text: str, known: Collection[str]) -> bool:
    """Returns whether the words around a pasted program are about it and ask for nothing new: no name that is not one
    of the program's `known` ones."""
    look, nouns = _about_code(text), (*pattern("asks_function").finditer(text), *pattern("asks_class").finditer(text))
    if not look.sure or any(_is_built(text, each) for each in nouns):
        return False
    if has(text, "builds") and {*_CALLED.findall(text), *_MARKED.findall(text)} - {*known, *dir(builtins)}:
        return False
    if look.kind in ("fix", "extend") and has(text, "builds_another"):
        return False
    return look.kind != "extend" or any(has(text, word) for word in ("extends", "asks_speed", "asks_form"))


def _is_built(text: str, noun: re.Match[str]) -> bool:
    """Returns whether a verb of making governs the noun in its clause. A text that begins with a noun and its name asks
    for it too."""
    if UNPARTED.search(noun.group()):
        return has(text, "builds")
    if noun.group().lower().startswith("split") or (
        not text[: noun.start()].strip() and _NAMES_IT.search(noun.group())
    ):
        return True
    clause = _SENTENCE_END.split(text[: noun.start()])[-1]
    made = pattern("builds").search(clause)
    return made is not None and not _AT_ALL.search(clause, made.end())


def _callable_in(text: str, names: Names | None) -> bool:
    """Returns whether the text names something with arguments that the task asks for."""
    names = names or names_in(text, None)
    told = {match.group(1) for match in _CALLED.finditer(text)} - _OF_OTHERS
    told -= {"f", "g"} if has(text, "picture") else set()
    return bool(told and names.entry in told)


def form_of(text: str, code: str) -> TaskKind:
    """Returns what of given code is to be called: its public functions, its classes, or the program as a whole."""
    try:
        body = ast.parse(code).body
    except UNREADABLE:
        return "function"
    functions = [n.name for n in body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name[0] != "_"]
    has_class = any(isinstance(node, ast.ClassDef) for node in body)
    if functions and _STARTS.search(code) and look_at(text, None, ()).kind == "program":
        return "function" if any(f"{name}(" in text for name in functions if name != "main") else "program"
    return "function" if functions else "class" if has_class else "program"


def defines_class(code: str) -> bool:
    """Returns whether the code holds a class at any depth; code that does not parse holds none."""
    return any(isinstance(node, ast.ClassDef) for node in ast.walk(module_of(code)))


_STARTS = re.compile(r"__name__\s*==|\binput\(|sys\.(?:argv|stdin)|argparse")
"""What shows that a program is started as a whole."""


def is_hard(text: str, code: str | None) -> bool:
    """Returns whether a task is hard: it is long, has several parts, or gives two hints at a known difficulty."""
    hints = {match.group().lower() for match in _HARD.finditer(text)}
    parts = len(re.findall(r"\bdef\s+\w+|^[ \t]*(?:\d+[.)]|[-*])\s", text, re.M))
    return len(text) + len(code or "") // 4 > _LONG or len(hints) >= 2 or parts >= 6
