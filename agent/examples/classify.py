"""What kind of task a text is, how sure that is, and whether it deserves a plan first; by code, which costs nothing."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from agent.source.parsing import UNREADABLE, module_of

from .names import Names, names_in
from .outputs import files_of, inline_table, is_at_hand
from .types import TaskKind
from .vocabulary import UNPARTED, any_of, has, pattern

_NAMED_CLASS = re.compile(
    r"^[ \t]*class\s+\w+|\bclass\s+(?:called\s+|named\s+)?`?[A-Z]\w+|\bclasses\s+`?[A-Z]\w+", re.M
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
_MARKED = re.compile(r"`([A-Za-z_]\w*)(?:\([^`\n]*\))?`")
"""A name between the marks of code."""
_WITHOUT_ARGUMENTS = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\(\)")
_CALL_FIRST = re.compile(
    r"\s*(?:write|implement|create|define|code) `?(?!main\b)[a-z_]\w*\([a-z_][^()\n]{0,80}\)", re.I
)
"""What is to be written is named by its call."""
_OF_OTHERS = frozenset((
    "sin", "cos", "tan", "exp", "log", "ln", "sqrt", "abs", "print", "input", "open", "range", "len", "sum", "max",
    "min", "sorted", "int", "str", "float", "list", "O", "o", "ax", "plot", "show", "main", "np", "read_csv", "head",
    "random", "x", "y",
))  # fmt: skip
"""Names that a text calls without asking for them: of mathematics, of Python, of its libraries."""
_IN_AND_OUT = re.compile(r"\binput\s*:[^\n]{1,200}\s+output\s*:", re.I)
_OPERATIONS = re.compile(
    r"[:\uff1a]\s*`?[a-z]\w*`?(?:\([^()]*\))?(?:[,\u3001\uff0c]\s*`?[a-z]\w*`?(?:\([^()]*\))?){1,9}"
    r"(?:,? (?:and|und|et|y|e|i) `?[a-z]\w*`?(?:\([^()]*\))?|(?=\s*(?:[.;]|$)))",
    re.M,
)
"""Single words behind a colon, as the methods of something are listed."""
_LISTS = re.compile(rf"(?<!\w){any_of('method')}(?!\w)|[a-z]_[a-z]", re.I)
_OPERATORS = re.compile(r"with\s+(?:the\s+)?[-+*/%<>=]", re.I)
_JOINED = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")
"""A name written as those of classes are."""
_FIGURE = re.compile(r"(?<![A-Za-z_.])\d")
_NOUN_FIRST = re.compile(r"\s*(?:an?|eine?|une?|una?|uma?)\s", re.I)
_OPENS = re.compile(r"(?:^|[.!?:\n])[\s\u00bf]*\Z")
_MODULES = re.compile(r"m[oó]d[uù]l|модул|模块|モジュール|package|paket|paquet|pacchett|pacote|пакет|包", re.I)
_MAIN = re.compile(r"\b(?:an?|the|eine?m?|une?|una?|um) main\b|\bmain\.py\b", re.I)
_NAMES_IT = re.compile(r"called|named|namens|nommé|appelé|llamado|chiamato|chamado", re.I)
_AT_ALL = re.compile(r"\b(?:of|from|about|von|aus|über|de|des|del|di)\b", re.I)
_SENTENCE_END = re.compile(r"[.;:!?\n\u3002]")
_NEAR = 40
"""Characters behind a noun in which the naming of its methods begins."""
_HARD = re.compile(
    r"\b(?:parser?|parsing|tokeni[sz]er|lexer|interpreter|compiler|evaluator|scheduler|simulat\w+|concurren\w+"
    r"|thread[- ]safe|async\w*|lru|lfu|cache|trie|heap|graph|shortest path|dijkstra|topological|dynamic programming"
    r"|backtracking|knapsack|sudoku|state machine|transaction\w*|rate limit\w*|efficient\w*|time complexity|matrix"
    r"|regular expression engine|serializ\w+)\b|O\([^)\n]+\)",
    re.I,
)
_OF_CODE_AS_IT_IS: tuple[tuple[TaskKind, str], ...] = (("tests", "asks_tests"), ("explain", "asks_explanation"))
_SHOWS_VALUE = re.compile(r"[\[{]\s*[\[({'\"\d]")
"""A list or a table as Python writes it, by way of example."""
_FAULTS = ("bug_talk", "wrong", "breaks", "wrong_value", "tests_pass")
_FAILS = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_AFTER_AND = re.compile(r"(?:(?<!\w)(?:and|&|und|et|y|e|и)\s+(?:\w+\s+)?|并且?|再)\Z", re.I)
"""What is asked for beside something else."""
_BREATH = 60
"""Characters before what is asked for in which it may be declined."""
_SHORT = 300
"""Characters up to which a text asks for one thing only."""
_LONG = 900
"""Characters from which a task text usually holds several requirements."""


@dataclass(frozen=True, slots=True)
class Look:
    """The kind that code reads, and whether the words left no choice."""

    kind: TaskKind
    sure: bool = True


def look_at(text: str, code: str | None, files: Collection[str], names: Names | None = None) -> Look:
    """The first of these that the words show. tests, explain, fix, extend: code is given. class, function: said so.
    program: it talks with whoever starts it. data: files are given, named or pointed at, and no function asked for.
    script: it prints or draws without any input. Else a function, for what is worked out from any value of a kind."""
    if code and code.strip():
        return _about_code(text)
    if _asks_for_class(text):
        return Look("class")
    if _asks_for_function(text):
        return Look("function")
    if _talks(text):
        return Look("program")
    if _has_methods(text) and not files:
        return Look("class")
    if _wants_modules(text) and not files:
        return Look("function")
    called = _callable_in(text, names)
    if files or is_at_hand(text) or any(files_of(text).read) or inline_table(text):
        return Look("function" if called else "data", sure=not called)
    return _by_what_it_does(text, called)


def _about_code(text: str) -> Look:
    """What is to become of code that is there. Where anything is told to be wrong, it is to be mended; where no word
    tells what, or several do, that is a guess. The name of an error counts where nothing else is asked for."""
    broken, unlike = any(has(text, word) for word in _FAULTS), has(text, "unlike_wanted")
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
    """Where something is first asked for that is not declined in the same breath; nothing where it is not."""
    matches = pattern(words).finditer(text) if has(text, words) else ()
    starts = (match.start() for match in matches)
    return [start for start in starts if not _declined().search(text, max(0, start - _BREATH), start)][:1]


@cache
def _declined() -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W\d_]){any_of('declined')}\s*\Z", re.I)


def about_pasted(text: str, known: Collection[str]) -> bool:
    """Whether the words around a program are about it, and ask for nothing else to be written: nothing of a name that
    is not one of the `known` ones of the program."""
    look, nouns = _about_code(text), (*pattern("asks_function").finditer(text), *pattern("asks_class").finditer(text))
    if not look.sure or any(_is_built(text, each) for each in nouns):
        return False
    if has(text, "builds") and {*_CALLED.findall(text), *_MARKED.findall(text)} - {*known, *dir(builtins)}:
        return False
    if look.kind in ("fix", "extend") and has(text, "builds_another"):
        return False
    return look.kind != "extend" or any(has(text, word) for word in ("extends", "asks_speed", "asks_form"))


def _by_what_it_does(text: str, called: bool) -> Look:
    """Tells a script, which puts something out by itself, from a function, which works something out from any value."""
    if called:
        return Look("function", sure=not _keeps_state(text))
    if has(text, "picture") or files_of(text).made or has(text, "makes_file"):
        return Look("script")
    if has(text, "reads_and_answers"):
        return Look("program", sure=has(text, "whole_program"))
    generic = has(text, "any_value") or "O(" in text or _IN_AND_OUT.search(text) is not None
    exact = _FIGURE.search(text) is not None and not _IN_AND_OUT.search(text)
    if has(text, "whole_program"):
        return Look("script") if exact or not generic else Look("program", sure=False)
    if has(text, "puts_out") or _asks(text):
        return Look("script", sure=not generic) if exact or not generic else Look("function", sure=False)
    if (has(text, "works_out") and exact) or has(text, "by_chance"):
        return Look("function", sure=False) if generic else Look("script")
    bare = _WITHOUT_ARGUMENTS.search(text)
    builds = has(text, "builds") or _NOUN_FIRST.match(text) is not None
    keeps = (builds and has(text, "structure")) or (bare is not None and bare.group(1) not in _OF_OTHERS)
    return Look("function", sure=(generic or _SHOWS_VALUE.search(text) is not None) and not keeps)


def _asks(text: str) -> bool:
    """A question is asked: its word begins the text or a sentence, or there is a question mark."""
    if not has(text, "inquires"):
        return False
    return "?" in text or any(_OPENS.search(text, 0, match.start()) for match in pattern("inquires").finditer(text))


def _wants_modules(text: str) -> bool:
    """A package is there to be imported, whatever its modules print; several files alone may be what a script makes."""
    if has(text, "whole_program") or _MAIN.search(text):
        return False
    named = (match for match in pattern("several_files").finditer(text) if _MODULES.search(match.group()))
    return any(_is_built(text, match) for match in named)


def _is_built(text: str, noun: re.Match[str]) -> bool:
    """Whether a word of making governs the noun in its clause; a text that begins with a named one asks for it, too."""
    if UNPARTED.search(noun.group()):
        return has(text, "builds")
    if noun.group().lower().startswith("split") or (
        not text[: noun.start()].strip() and _NAMES_IT.search(noun.group())
    ):
        return True
    clause = _SENTENCE_END.split(text[: noun.start()])[-1]
    made = pattern("builds").search(clause)
    return made is not None and not _AT_ALL.search(clause, made.end())


def _asks_for_class(text: str) -> bool:
    return _NAMED_CLASS.search(text) is not None or has(text, "asks_class")


def _has_methods(text: str) -> bool:
    """Tells whether something that keeps a state is asked for, with its methods named right behind it."""
    if has(text, "picture") or not (has(text, "builds") or _NOUN_FIRST.match(text)):
        return False
    listed = (match for match in _OPERATIONS.finditer(text) if "(" in match.group() or _LISTS.search(match.group()))
    told = [*pattern("with_methods").finditer(text), *listed]
    nouns = [*pattern("structure").finditer(text), *_JOINED.finditer(text)]
    return any(_belongs(noun, methods) for noun in nouns for methods in told)


def _belongs(noun: re.Match[str], methods: re.Match[str]) -> bool:
    """What is told of a noun stands near behind it, in scripts that do not part words also before it."""
    if UNPARTED.search(noun.group()) and 0 <= noun.start() - methods.start() <= _NEAR:
        return True
    if _OPERATORS.match(methods.group()):
        return noun.string[noun.end() : methods.start()].strip() in ("", "type", "object")
    return 0 <= methods.start() - noun.end() <= _NEAR


def _asks_for_function(text: str) -> bool:
    """A function of mathematics that is drawn or evaluated is none of Python."""
    if _DEF.search(text) or (_CALL_FIRST.match(text) and not has(text, "whole_program")):
        return True
    return has(text, "asks_function") and not has(text, "mathematical_function")


def _talks(text: str) -> bool:
    return has(text, "talks") or _SESSION.search(text) is not None or _BLOCKS.search(text) is not None


def _callable_in(text: str, names: Names | None) -> bool:
    """A name with arguments that the task asks for."""
    names = names or names_in(text, None)
    told = {match.group(1) for match in _CALLED.finditer(text)} - _OF_OTHERS
    told -= {"f", "g"} if has(text, "picture") else set()
    return bool(told and names.entry in told)


def _keeps_state(text: str) -> bool:
    """Of several names that are called, one without arguments can only tell of what was done before."""
    bare = {match.group(1) for match in _WITHOUT_ARGUMENTS.finditer(text)} - _OF_OTHERS
    return bool(bare) and len(bare | {match.group(1) for match in _CALLED.finditer(text)} - _OF_OTHERS) > 1


def form_of(text: str, code: str) -> TaskKind:
    """What of given code is to be called: its public functions, its classes, or the program as a whole."""
    try:
        body = ast.parse(code).body
    except UNREADABLE:
        return "function"
    functions = [n.name for n in body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.name[0] != "_"]
    has_class = any(isinstance(node, ast.ClassDef) for node in body)
    if functions and _STARTS.search(code) and (_talks(text) or has(text, "whole_program")):
        return "function" if any(f"{name}(" in text for name in functions if name != "main") else "program"
    return "function" if functions else "class" if has_class else "program"


def defines_class(code: str) -> bool:
    """Whether the code holds a class at any depth; code that does not parse holds none."""
    return any(isinstance(node, ast.ClassDef) for node in ast.walk(module_of(code)))


_STARTS = re.compile(r"__name__\s*==|\binput\(|sys\.(?:argv|stdin)|argparse")
"""What a program has that is started as a whole."""


def is_hard(text: str, code: str | None) -> bool:
    """Tells whether a task is hard: it is long, has several parts, or gives two hints at a known difficulty."""
    hints = {match.group().lower() for match in _HARD.finditer(text)}
    parts = len(re.findall(r"\bdef\s+\w+|^[ \t]*(?:\d+[.)]|[-*])\s", text, re.M))
    return len(text) + len(code or "") // 4 > _LONG or len(hints) >= 2 or parts >= 6
