"""Reads literal values and literal calls at a place of a text, and makes examples of them."""

from __future__ import annotations

import ast
import builtins
import operator
import re
from collections.abc import Callable, Collection

from agent.examples.types import Example
from agent.source.inputs import literal
from agent.source.parsing import UNREADABLE, expression_of
from agent.source.standard import is_value, made_by, value_of

BEGINS = (
    r"[\[({'\"]|b['\"]|-?\d|-?\.\d|(?:true|false|none|null)\b"
    r"|(?:(?:datetime|decimal|fractions)\.)?(?:date|datetime|time|timedelta|decimal|fraction)\("
)
"""Pattern of the first signs of a value that `value_at` may read, whatever the case of its letters."""
_WORDS = {"true": "True", "false": "False", "null": "None", "none": "None"}
_WORD = re.compile(r"(true|false|null|none)\b", re.I)
_NUMBER = re.compile(r"[-+]?(?:\d[\d_]*\.\d+|\d[\d_]*\.?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]\w)")
_ERROR = re.compile(r"(?:[A-Za-z_]+\.)?([A-Z][A-Za-z]*)(?![A-Za-z0-9_.]\w)")
_MAKERS = ("set", "list", "tuple", "dict", "frozenset", "range", "float", "int", "str", "bytes", "complex", "sorted")
"""Built-ins that may make an argument."""
_MADE = re.compile(r"(?:datetime\.|decimal\.|fractions\.)?(?:date|datetime|time|timedelta|Decimal|Fraction)(?=\()")
_LONGEST = 2000
"""The most characters of a value or call; nobody writes a longer one as an example."""
MAX_FACTOR = 1_000_000
"""The largest number, and the longest text, on either side of an operator; larger ones could fill the memory. Beside
`**` it is 100."""
_COMPARED_TUPLE = re.compile(r"==\s*\((?:[^()\[\]{}'\"]|'[^'\n]*'|\"[^\"\n]*\")*,")
_BYTES = re.compile(r"b(?=['\"])")
_DECIMAL = re.compile(r"[-+]?\d+\.(\d+)")
_OPEN, _CLOSE = "([{", ")]}"
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def balanced(text: str, start: int) -> int | None:
    """Returns the end of the bracket that opens at `start` (one past its partner), with strings respected; None when it
    never closes."""
    depth, place, stop = 0, start, min(len(text), start + _LONGEST)
    while place < stop:
        char = text[place]
        if char in "'\"":
            end = string_end(text, place)
            if end is None:
                return None
            place = end
            continue
        depth += (char in _OPEN) - (char in _CLOSE)
        place += 1
        if depth == 0:
            return place
    return None


def literal_call(text: str, known: Collection[str] = ()) -> str | None:
    """Returns the call in canonical spelling if its arguments are literals, or calls of `known` names, plain built-ins
    and classes of the library with such arguments; None for placeholders, ellipses and the like."""
    try:
        node = ast.parse(" ".join(text.split("\n")).strip(), mode="eval").body
        return ast.unparse(node) if _is_concrete_call(node, {*known, *_MAKERS}) else None
    except UNREADABLE:
        return None


def _is_concrete_call(node: ast.expr, known: Collection[str]) -> bool:
    """Returns whether the expression is a call, a method or an item of one, that needs nothing from elsewhere."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
        return _is_concrete(node.slice, known) and _is_concrete_call(node.value, known)
    if not isinstance(node, ast.Call):
        return False
    target = node.func
    while isinstance(target, ast.Attribute):
        target = target.value
    if not isinstance(target, ast.Name) and not _is_concrete_call(target, known):
        return False
    spread = any(keyword.arg is None for keyword in node.keywords)
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    return not spread and all(_is_concrete(argument, known) for argument in arguments)


def _is_concrete(node: ast.expr, known: Collection[str]) -> bool:
    if isinstance(node, ast.Call):
        named = bool(made_by(node.func)) or (isinstance(node.func, ast.Name) and node.func.id in known)
        return named and _is_concrete_call(node, known)
    if isinstance(node, ast.BinOp):
        return _is_small_sum(node)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(_is_concrete(item, known) for item in node.elts)
    if isinstance(node, ast.Dict):
        return all(key is not None and _is_concrete(key, known) for key in node.keys) and all(
            _is_concrete(value, known) for value in node.values
        )
    return literal(ast.unparse(node)) is not None


def _is_small_sum(node: ast.BinOp) -> bool:
    """Accepts `10**6`, `[0] * 5`, `2 + 3`: literals on both sides whose result stays small, because a huge one would
    fill the memory."""
    left, right = literal(ast.unparse(node.left)), literal(ast.unparse(node.right))
    if left is None or right is None or type(node.op) not in (*_OPERATORS, ast.Pow):
        return False
    sizes = [abs(side[0]) if isinstance(side[0], int | float) else len(str(side[0])) for side in (left, right)]
    return max(sizes) <= (100 if isinstance(node.op, ast.Pow) else MAX_FACTOR)


def value_at(text: str, start: int) -> tuple[str, int] | None:
    """Returns (canonical literal, end) of the value that begins at `start`; None for anything doubtful."""
    if text.startswith("set()", start):
        return "set()", start + 5
    word = _WORD.match(text, start)
    if word:
        return _WORDS[word.group(1).lower()], word.end()
    end = _value_end(text, start)
    if end is None:
        return None
    raw = " ".join(text[start:end].split("\n"))
    value = literal(raw)
    if value is None and raw[:1] in _OPEN:
        value = literal(pythonic(raw))
    if value is None and (node := expression_of(raw)) is not None and is_value(node) and value_of(raw) is not None:
        return ast.unparse(node), end
    if value is None or (meant_a_tuple(raw, value[0]) and not _is_compared(text, start)):
        return None
    return spelled(raw, value[0]), end


def _is_compared(text: str, start: int) -> bool:
    """Returns whether `==` stands before the place, in a text that compares with no tuple: its author writes Python, in
    which such brackets mean nothing."""
    return text[:start].rstrip().endswith("==") and _COMPARED_TUPLE.search(text) is None


def meant_a_tuple(raw: str, value: object) -> bool:
    """Returns whether a tuple was meant: ("Venus") is a string in Python, but an author who writes it usually means a
    tuple of one."""
    return raw.lstrip().startswith("(") and not isinstance(value, tuple)


def spelled(raw: str, value: object) -> str:
    """Returns the canonical spelling. A float keeps its digits, which tell how far it was rounded."""
    return raw.strip() if isinstance(value, float) else repr(value)


def _value_end(text: str, start: int) -> int | None:
    start += _BYTES.match(text, start) is not None
    head = text[start : start + 1]
    if head and head in _OPEN:
        return balanced(text, start)
    if head and head in "'\"":
        return string_end(text, start)
    made = _MADE.match(text, start)
    if made is not None:
        return balanced(text, made.end())
    number = _NUMBER.match(text, start)
    if number is None:
        return None
    # "returns 4." ends a sentence; its full stop is no part of the number.
    return number.end() - number.group().endswith(".")


def string_end(text: str, start: int) -> int | None:
    place, stop = start + 1, min(len(text), start + _LONGEST)
    while place < stop and text[place] != "\n":
        if text[place] == "\\":
            place += 1
        elif text[place] == text[start]:
            return place + 1
        place += 1
    return None


def pythonic(raw: str) -> str:
    """Returns the text with Python's spelling of true, false and null."""
    return _WORD.sub(lambda m: _WORDS[m.group(1).lower()], raw)


def folded(text: str) -> float | int | None:
    """Returns the value of plain arithmetic such as `19 - 5 - 6`; None for anything else."""
    read = expression_of(text)
    try:
        return _fold(read) if read else None
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


def _fold(node: ast.expr) -> float | int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_fold(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_fold(node.left), _fold(node.right))
    raise ValueError("not plain arithmetic")


def promise(call: str, expected: str, sentence: str) -> Example:
    """Returns the example that `call` gives `expected`. The author may have rounded a decimal number, so half a unit of
    its last digit is allowed; not for one that ends in .0 or .5, to which nobody rounds silently."""
    sentence = " ".join(sentence.split())
    decimal = _DECIMAL.fullmatch(expected)
    if decimal:
        digits = decimal.group(1)
        slack = "1e-09" if digits in ("0", "5") else f"0.{'0' * len(digits)}5"
        return Example(f"assert abs({call} - {expected}) <= {slack}", sentence, call, expected)
    relation = "is" if expected == "None" else "=="
    return Example(f"assert {call} {relation} {expected}", sentence, call, expected)


def raises(call: str, error: str, sentence: str) -> Example:
    """Returns the example that `call` raises `error`, the name of a built-in exception."""
    return Example(f"with pytest.raises({error}):\n    {call}", " ".join(sentence.split()), None, None)


def error_at(text: str, start: int) -> tuple[str, int] | None:
    """Returns (name of a built-in exception, end) at `start`, past a message in brackets; None for any other word."""
    match = _ERROR.match(text, start)
    if match is None or not is_error(match.group(1)):
        return None
    end = balanced(text, match.end()) if text[match.end() : match.end() + 1] == "(" else None
    return match.group(1), end or match.end()


def is_error(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, Exception)
