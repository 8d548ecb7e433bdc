"""Finds which functions and classes a task text mentions, and how the main one is called."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections import Counter
from dataclasses import dataclass

from agent.examples.vocabulary import Phrase, pattern
from agent.source.parsing import module_of
from agent.source.standard import home_of
from llm.replies.files import split_files

from .values import balanced, literal_call

_DEF = re.compile(r"^[ \t>.]*(?:async\s+)?def\s+(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)\s*(->\s*[^:\n]+)?:", re.M)
_CLASS = re.compile(r"^[ \t]*class\s+([A-Za-z_À-ӿ]\w*)", re.M)
_NAME = r"[A-Za-z_À-ӿ]\w*"
_CALL = re.compile(r"(?<![\w.])([A-Za-z_À-ӿ]\w*)\(")
_CALL_WITH = re.compile(r"(?<![\w.])([A-Za-z_À-ӿ]\w*)\((?=[^)\s])")
_DOTTED = re.compile(r"(?<![\w.])([A-Za-z_À-ӿ]\w*(?:\.[A-Za-z_À-ӿ]\w*){1,4})\((?=[^)\s])")
_SIGNATURE = r"(?<![\w.]){name}\(((?:[^()]|\([^()]*\))*)\)(\s*->\s*\w+(?:\[[^\]\n]*\])?(?:\s*\|\s*\w+)*)?"
_GROWTH = re.compile(r"(?<!\w)[OΘ]\s?\((?:[^()\n]|\([^()\n]{0,30}\)){1,40}\)")
"""Matches growth claims such as "O(n log n)", which look like calls, with calls inside them as in "O(sqrt(n))"."""
_WORD_END = r"(?:(?<=[\u3040-\u9fff])|(?!\w))"
"""Ends a word; one of a script without blanks may be followed by a name."""
_BEHIND = r"\s+(?:that|which|to|takes|die|der|das|zum|telle que|qui|pour|que|para|che|per)(?!\w)"
_FUNCTION, _CALLED = rf"{{function}}{_WORD_END}", rf"{{called}}{_WORD_END}"
_NAMING = Phrase(
    rf"(?<!\w){_FUNCTION}\s*(?:{_CALLED}\s*)?[`'\"]?(?P<noun>{_NAME})[`'\"]?(?=\s*\(|[`'\"]|{_BEHIND})"
    rf"|(?<!\w){{write}}\s+(?:{{article}}\s+|{_FUNCTION}\s+){{0,4}}[`'\"]?(?P<made>{_NAME})[`'\"]?(?=\s?\(|[`'\"])"
    rf"|(?<!\w){_CALLED}\s*[`'\"]?(?P<called>{_NAME})"
    rf"|(?<!\w)(?:name it|nenne? (?:sie|es))\s+[`'\"]?(?P<it>{_NAME})(?=[`'\"]|\s*(?:[,;.!(]|\Z|$))"
    rf"|[`'\"]?(?P<said>{_NAME})[`'\"]?(?:\([^()\n]{{0,80}}\))?\s*(?:という|的)\s*{_FUNCTION}"
)
"""The ways in which a text names the function to be written."""
_CLASS_NAME = r"[`'\"]?([A-Z\u0410-\u042f\u0401]\w*)[`'\"]?"
_CLASS_NAMING = Phrase(
    rf"(?<![^\W\u3040-\u9fff])(?i:{{class_noun}}\s*(?:{{called}}\s*)?){_CLASS_NAME}(?![A-Za-z0-9_])"
    rf"|{_CLASS_NAME}(?![A-Za-z0-9_])\s*(?:类|クラス)"
    rf"|(?<!\w)(?i:{{article}})\s+{_CLASS_NAME}(?![A-Za-z0-9_])[\s-]+(?i:class|klasse)(?!\w)",
    0,
)
_PACKAGE_NAMING = Phrase(rf"(?<![^\W\u3040-\u9fff]){{package}}\s*(?:{{called}}\s*)?[`'\"]?({_NAME})")
_LEADING = r"(?:{article}\s+|{function}\s+){0,3}[`'\"]?\Z"
_JOINING = Phrase(rf"\A[`'\"]?\s*(?:[,;&/]\s*)?(?:{{and_word}}\s+)?{_LEADING}|[\s,](?P<on>{{and_word}}\s+){_LEADING}")
"""What stands between two functions of an enumeration; group `on` is set if the sentence went on after the first."""
_ITEM = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+[`'\"]?\Z", re.M)
_PLURAL = Phrase(r"(?<!\w){function}(?:s|en|n)\s*[:,]?\s*[`'\"]?\Z")
_FILLER = {
    "that", "which", "to", "and", "it", "python", "function", "class", "method", "a", "an", "the", "for", "with",
    "only", "when", "whenever", "by", "on", "at", "before", "after", "every", "each",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a task. `entry` is the function or class to be written; `known` holds every name whose calls the
    text may promise things of."""

    entry: str | None
    signature: str | None
    known: frozenset[str]
    parameters: tuple[str, ...] | None
    """The entry's parameters without defaults; None when the text does not say."""
    required: int | None
    """How many parameters have no default; None when unknown, or when the entry takes any number."""
    is_class: bool = False
    """Whether the entry is a class."""
    method: Names | None = None
    """The only method of a class that is made without arguments, with its call as the entry: "Solution().two_sum"."""


def names_in(text: str, code: str | None) -> Names:
    """Returns the names of the task text and of the person's code."""
    source = f"{code or ''}\n{text}"
    defined = [m for m in _DEF.finditer(source) if not m.group(1).startswith("__") and not _is_method(m)]
    defined = [m for m in defined if not _is_test(source, m)]
    helpers = {m.group(1) for m in defined if _is_in_session(m)}
    told = _told(text) or ([m.group(1) for m in _spelled(text) if m.group(1) not in helpers][:1] if helpers else [])
    defined = [m for m in defined if not (told and m.group(1) in helpers - {*told})]
    classes = [m.group(1) for m in _CLASS.finditer(source) if not _is_test(source, m)] or (
        [] if defined or told else _told_class(text)
    )
    told = told or ([] if classes or defined else _several_told(text))
    known = frozenset([*(m.group(1) for m in defined), *classes, *told]) or frozenset(_only_call(text))
    entry = _entry(_spoken_of([m.group(1) for m in defined], text), classes, told, text) or next(iter(known), None)
    # added after the entry is chosen, because a path is no name that could be defined
    known |= frozenset(_functions_in_packages(text, code))
    known |= frozenset([] if classes else [*_beside(told, text), *_classes_beside(text)])
    if added := _added(text, code):
        known, entry = known | {*added}, added[0]
    spelled = next((m for m in reversed(defined) if m.group(1) == entry), None)
    is_class = entry in classes or re.search(rf"\bclass\s+(?:named\s+|called\s+)?[`'\"]?{entry}\b", text) is not None
    arguments, returns = (spelled.group(2), spelled.group(3)) if spelled else _spelled_in_prose(text, entry)
    if arguments is None or entry is None:
        return Names(entry, None, known, None, None, is_class, _only_method(source, entry) if is_class else None)
    parsed = _parameters(arguments)
    opening = "" if is_class else "def "
    signature = f"{opening}{entry}({' '.join(arguments.split())}){' ' + returns.strip() if returns else ''}"
    return Names(entry, signature if parsed else None, known, *(parsed or (None, None)), is_class)


def _only_method(source: str, entry: str | None) -> Names | None:
    """Returns the method of a class with a single one, whose arguments are told as those of a function are."""
    methods = [match for match in _DEF.finditer(source) if _is_method(match)]
    if len(methods) != 1 or methods[0].group(1).startswith("_"):
        return None
    name, arguments, returns = methods[0].groups()
    parsed = _parameters(arguments.partition(",")[2])
    signature = f"def {name}({' '.join(arguments.split())}){' ' + returns.strip() if returns else ''}"
    called = f"{entry}().{name}"
    return Names(called, signature, frozenset([called]), *parsed) if parsed else None


def _is_method(match: re.Match[str]) -> bool:
    first = match.group(2).split(",")[0].split(":")[0].strip()
    return first in ("self", "cls")


def _is_test(source: str, match: re.Match[str]) -> bool:
    """Returns whether the definition is a test of what is asked for, or a class of them: it has such a name and asserts
    something."""
    body = re.match(r"[^\n]*(?:\n(?:[ \t]*|[ \t]+[^\n]*)(?=\n|\Z))*", source[match.end() :])
    told = re.search(r"\b(?:assert\w*|raises)\b", body.group()) if body else None
    return told is not None and re.match(r"test(?:_|\Z)|Test", match.group(1)) is not None


def _is_in_session(match: re.Match[str]) -> bool:
    """Returns whether a prompt stands before the definition: a session defines what it then hands to the function."""
    return match.group().lstrip()[:1] in (">", ".")


def _told_class(text: str) -> list[str]:
    """Returns the first class that is named in the text: "a class Ledger with", "a Ledger class", "une classe Pile
    avec", "类 Stack". A class behind a function that is asked for is none that is to be written."""
    found = _CLASS_NAMING.search(text)
    if found is None or pattern("asks_function").search(text, 0, found.start()):
        return []
    return [name for name in found.groups() if name and _is_name(name) and name.lower() != "python"]


def _added(text: str, code: str | None) -> list[str]:
    """Returns functions that the text spells and calls with values, and that the given code lacks: these are to be
    added to it."""
    spelled = Counter(match.group(1) for match in _spelled(text)) if code else Counter[str]()
    called = Counter(_CALL_WITH.findall(text))
    return [name for name in spelled if called[name] > spelled[name] and is_to_be_added(name, code)]


def is_to_be_added(name: str | None, code: str | None) -> bool:
    """Returns whether there is given code, and it neither has nor uses a thing of this name."""
    return bool(code and name) and re.search(rf"(?<!\w){name}(?!\w)", code or "") is None


def _classes_beside(text: str) -> list[str]:
    """Returns the classes that are to be written besides a function, which examples make their values of: those that
    the text calls, and either names as classes or spells with their fields, as in "Point(x: int, y: int)"."""
    told = {match.group(1) for match in _spelled(text) if match.group(1)[:1].isupper()}
    told |= {name for match in _CLASS_NAMING.finditer(text) for name in match.groups() if name}
    return [name for name in dict.fromkeys(_CALL_WITH.findall(text)) if name in told and not home_of(name)]


def _functions_in_packages(text: str, code: str | None) -> list[str]:
    """Returns functions that the text calls by the path of a package, if the text names the package or it was given."""
    packages = packages_in(text, code)
    return [path for path in dict.fromkeys(_DOTTED.findall(text)) if path.partition(".")[0] in packages]


def packages_in(text: str, code: str | None) -> set[str]:
    """Returns the packages that the text names, or that were given, and the modules that were."""
    told = {match.group(1) for match in _PACKAGE_NAMING.finditer(text)}
    return told | {re.split(r"[/.]", path)[0] for path in split_files(code or "") or ()}


def _told(text: str) -> list[str]:
    found: list[str] = []
    for match in _NAMING.finditer(text):
        name = next(group for group in match.groups() if group)
        own = match.group("made") is not None and text[match.end() : match.end() + 1] == "("
        if name.lower() not in _FILLER and (_is_name(name) or (own and not keyword.iskeyword(name))):
            found.append(name)
    return list(dict.fromkeys(found))


def _spelled(text: str) -> list[re.Match[str]]:
    """Returns where the text spells a function with names in place of values."""
    found = re.finditer(_SIGNATURE.format(name=f"({_NAME})"), _GROWTH.sub(lambda at: " " * len(at.group()), text))
    return [match for match in found if _is_name(match.group(1)) and _parameters(match.group(2)) is not None]


def _several_told(text: str) -> list[str]:
    """Returns all functions that are spelled with types, as in "f(n: int) -> int: ..."; otherwise all that begin the
    items of a list, or the first after "two functions" and the like."""
    spelled = _spelled(text)
    typed = [match.group(1) for match in spelled if match.group(3) or ":" in match.group(2)]
    if functions := [name for name in typed if not name[:1].isupper()]:
        return list(dict.fromkeys(functions))
    listed = [match.group(1) for match in spelled if _ITEM.search(text, 0, match.start())]
    if len(listed) > 1 and pattern("class_noun").search(text) is None:
        return list(dict.fromkeys(listed))
    return [match.group(1) for match in spelled if _PLURAL.search(text, 0, match.start())][:1]


def _beside(told: list[str], text: str) -> list[str]:
    """Returns functions to be written besides one that is named: "encode(text) and decode(text)", "encode(text) that
    ... and decode(text) that ...". In a task for a package, every function that is spelled counts. A parameter, such as
    fn in "wrap(fn), and fn(x) may be any callable", is not to be written."""
    package = _PACKAGE_NAMING.search(text) is not None
    found: list[str] = []
    handed: set[str] = set()
    before = None
    for match in _spelled(text):
        handed.update((_parameters(match.group(2)) or ((),))[0])
        joined = _JOINING.search(text[before.end() : match.start()]) if before is not None else None
        goes_on = joined is not None and (not joined["on"] or re.match(rf"[`'\"]?{_BEHIND}", text[match.end() :], re.I))
        if package or (before is not None and before.group(1) in (*told, *found) and goes_on):
            found.append(match.group(1))
        before = match
    return [name for name in found if name not in handed]


def _only_call(text: str) -> list[str]:
    """Returns the only name that the text calls with arguments and that is neither Python's own nor a class of its
    library; otherwise the only one it calls with values (the number in "find the number a(n, m)" is no function);
    otherwise the only one it calls at all; [] if there are several."""
    text = _GROWTH.sub(" ", text)
    valued = (match for match in _CALL_WITH.finditer(text) if _has_values(text, match))
    for names in (_CALL_WITH.findall(text), (match.group(1) for match in valued), _CALL.findall(text)):
        called = {name for name in names if _is_name(name)}
        for names in ({name for name in called if not home_of(name)}, called):
            if len(names) == 1:
                return list(names)
    return []


def _has_values(text: str, match: re.Match[str]) -> bool:
    end = balanced(text, match.end() - 1)
    return end is not None and literal_call(text[match.start() : end]) is not None


def _is_name(name: str) -> bool:
    return not keyword.iskeyword(name) and not hasattr(builtins, name) and name != "assert"


def _spoken_of(defined: list[str], text: str) -> list[str]:
    """Returns the functions that the text itself mentions; all of them if it mentions none."""
    return [name for name in defined if re.search(rf"(?<![\w.]){name}(?!\w)", text)] or defined


def _entry(defined: list[str], classes: list[str], told: list[str], text: str) -> str | None:
    """Returns the last defined function (helpers come first), else the class, else the first named function that the
    text calls, else the first named one."""
    if classes and not any(name in told for name in defined):
        return classes[-1]
    if defined:
        return defined[-1]
    return next((name for name in told if f"{name}(" in text), told[0] if told else None)


def _spelled_in_prose(text: str, entry: str | None) -> tuple[str | None, str | None]:
    """Returns the arguments and the return annotation of the first mention that reads like a signature."""
    for match in re.finditer(_SIGNATURE.format(name=re.escape(entry)), text) if entry else ():
        if match.group(1).strip() and _parameters(match.group(1)):
            return match.group(1), match.group(2)
    return None, None


def _parameters(arguments: str) -> tuple[tuple[str, ...], int | None] | None:
    """Returns (names, number of required ones) for the text between brackets; None when it is no parameter list."""
    spec = _spec_of(arguments)
    if spec is None:
        return None
    names = tuple(arg.arg for arg in [*spec.posonlyargs, *spec.args])
    return names, None if spec.vararg or spec.kwonlyargs else len(names) - len(spec.defaults)


def _spec_of(arguments: str) -> ast.arguments | None:
    function = next(iter(module_of(f"def f({arguments}): pass").body), None)
    return function.args if isinstance(function, ast.FunctionDef) else None


def parameters_of(arguments: str) -> list[tuple[str, str]] | None:
    """Returns (name, with "=default" if there is one; annotation or "") for each parameter between the brackets of a
    signature; None when it is no parameter list."""
    spec = _spec_of(arguments)
    if spec is None:
        return None
    plain = [*spec.posonlyargs, *spec.args]
    defaults = [None] * (len(plain) - len(spec.defaults)) + list(spec.defaults) + list(spec.kw_defaults)
    told = zip([*plain, *spec.kwonlyargs], defaults, strict=True)
    shown = ((arg, f"={ast.unparse(default)}" if default else "") for arg, default in told)
    types = ((arg.arg, default, ast.unparse(arg.annotation) if arg.annotation else "") for arg, default in shown)
    return [(name + default, annotation) for name, default, annotation in types if name not in ("self", "cls")]
