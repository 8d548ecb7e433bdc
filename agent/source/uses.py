"""Writes what a test does with an object as one expression: the object is made, then its methods are called in
order."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .inputs import arguments_of
from .parsing import UNREADABLE, expression_of, module_of

IT = "it"
"""The object's name within the expression."""
_MIXED, _SHORT, _LONG = 40, (2, 6), (7, 14)
"""How many new uses are made, and how many steps (least, most) the short and long ones have. Short ones show unexpected
exceptions, which end a use; long ones show what one step does to another when many lie between them."""
OUTCOME = "outcome_of"
"""The name of a function that the sandbox gives to expressions: it returns what a step gives, or tells what it
raises."""
_CALLED = re.compile(r"(it\.\w+)\((.+)\)", re.DOTALL)
"""A method called with arguments."""
_ASKED = ("len", "str", "repr", "list", "bool", "sorted")
"""Built-ins that call a method of their one argument."""


@dataclass(frozen=True, slots=True)
class ObjectUse:
    """An object and what is done with it."""

    made: str
    """The call that makes the object, such as "Stack(3)"."""
    steps: tuple[str, ...]
    """Expressions over `it`, such as "it.push(1)", "len(it)", "it.size"."""
    raises: bool = False
    """Whether a test expects the last step to raise."""

    def as_expression(self) -> str:
        """Returns the expression whose value is the list of what the steps return."""
        return f"[[{', '.join(self.steps)}] for {IT} in [{self.made}]][0]"

    def left(self, attributes: Collection[str]) -> str:
        """Returns the expression whose value is the list of the attributes after all steps."""
        seen = ", ".join(f"{IT}.{name}" for name in attributes)
        return f"[[{', '.join(self.steps)}, [{seen}]] for {IT} in [{self.made}]]{_LAST}"

    def going_on(self, raising: Collection[str]) -> ObjectUse:
        """Returns the use with calls of the methods `raising` wrapped, so that what they raise is told and later steps
        still run."""
        steps = (f"{OUTCOME}(lambda: {each})" if _method(each) in raising else each for each in self.steps)
        return replace(self, steps=tuple(steps))


_LAST = "[0][-1]"


def arguments_after(call: str) -> str | None:
    """Returns an expression whose value is the list of those literal arguments of a call that can change (lists, sets,
    dicts), as they are after the call; None when there are none."""
    node = expression_of(call)
    if not isinstance(node, ast.Call) or node.keywords or not _is_plain(node):
        return None
    names = [f"a{place}" if isinstance(arg, _CHANGING) else "" for place, arg in enumerate(node.args)]
    loops = [f"for {name} in [{ast.unparse(arg)}]" for name, arg in zip(names, node.args, strict=True) if name]
    told = ", ".join(name or ast.unparse(arg) for name, arg in zip(names, node.args, strict=True))
    left = ", ".join(filter(None, names))
    return f"[[{ast.unparse(node.func)}({told}), [{left}]] {' '.join(loops)}]{_LAST}" if loops else None


_CHANGING = (ast.List, ast.Set, ast.Dict)


def tells_what_is_left(call: str) -> bool:
    """Returns whether the expression gives what is left: attributes, or arguments after the call. Programs of other
    authors may rightly differ in these."""
    return call.endswith(_LAST)


def in_words(call: str) -> str:
    """Returns what an expression asks for as a person reads it: "the arguments after f([3, 1])", "it.size after it =
    Box(), it.put(1)"; a call as it is."""
    match expression_of(call) if tells_what_is_left(call) else None:
        case ast.Subscript(ast.Subscript(ast.ListComp(ast.List([*steps, ast.List(left)]), loops))):
            given = {ast.unparse(loop.target): loop.iter.elts[0] for loop in loops if isinstance(loop.iter, ast.List)}
        case _:
            return call
    if IT in given:
        done = ", ".join([f"{IT} = {ast.unparse(given[IT])}", *map(ast.unparse, steps)])
        return f"{', '.join(map(ast.unparse, left))} after {done}"
    made = steps[0]
    assert isinstance(made, ast.Call)
    args = [given.get(ast.unparse(arg), arg) for arg in made.args]
    return f"the arguments after {ast.unparse(ast.Call(made.func, args, made.keywords))}"


def asked_of(call: str, entry: str) -> str | None:
    """Rewrites the expression of a use as a call `entry(start, steps)`, the form that a validator of a class takes.
    Returns None for any other expression, and if an argument is given by name."""
    node = expression_of(call)
    if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.ListComp)):
        return None
    made, steps = node.value.generators[0].iter, node.value.elt
    first = made.elts[0] if isinstance(made, ast.List) and made.elts else None
    if not isinstance(first, ast.Call) or not isinstance(steps, ast.List):
        return None
    inner = [_within(step) for step in steps.elts]
    called = [step for step in inner if isinstance(step, ast.Call) and isinstance(step.func, ast.Attribute)]
    if any(each.keywords for each in (first, *called)):
        return None
    told = [f"({step.func.attr!r}, {_tuple(step)})" for step in called if isinstance(step.func, ast.Attribute)]
    return f"{entry}({_tuple(first)}, [{', '.join(told)}])"


def _within(step: ast.expr) -> ast.expr:
    """Returns the step inside the wrapper that tells its outcome."""
    match step:
        case ast.Call(ast.Name(name), [ast.Lambda(body=body)]) if name == OUTCOME:
            return body
        case _:
            return step


def raising_methods(uses: Collection[ObjectUse]) -> set[str]:
    """Returns the methods that a test expects to raise, such as "it.pop"."""
    return {_method(use.steps[-1]) for use in uses if use.raises}


def _method(step: str) -> str:
    return step.partition("(")[0]


def _tuple(call: ast.Call) -> str:
    return ast.unparse(ast.Tuple(call.args, ast.Load()))


def uses_in(source: str, classes: Mapping[str, object]) -> Iterator[ObjectUse]:
    """Yields how test source uses objects of the classes, as far as every argument is a literal. A step that is
    expected to raise ends a use of its own."""
    try:
        visitor = _UseVisitor(classes)
        visitor.visit(ast.parse(source))
    except UNREADABLE:
        return
    yield from (use for use in (*visitor.objects.values(), *visitor.ended) if use.steps)


def mixed(uses: Sequence[ObjectUse]) -> Iterator[ObjectUse]:
    """Yields _MIXED new uses of the steps in `uses`, drawn at random with a fixed seed. Half are long, and each of
    their calls begins with a first argument of some other call; of the short ones, half use the same arguments in all
    calls. Such uses show what one call leaves behind for those that follow."""
    draw, steps = random.Random(0), list(dict.fromkeys(step for use in uses for step in use.steps))
    arguments = [found.group(2) for found in map(_CALLED.fullmatch, steps) if found]
    first = _first_arguments(steps)
    for number in range(_MIXED if steps else 0):
        drawn = draw.choices(steps, k=draw.randint(*(_LONG if number % 4 > 1 else _SHORT)))
        if number % 4 > 1:
            drawn = [_begun_with(step, draw.choice(first[kind])) if (kind := _kind(step)) else step for step in drawn]
        elif number % 2 and arguments:
            one = draw.choice(arguments)
            drawn = [f"{_method(step)}({one})" if _alike(step, one) else step for step in drawn]
        yield ObjectUse(draw.choice(uses).made, tuple(drawn))


def _first_arguments(steps: Sequence[str]) -> dict[str, list[ast.Constant]]:
    """Returns type -> plain values with which the arguments of steps begin, each once."""
    found: dict[str, dict[str, ast.Constant]] = {}
    for step in steps:
        if (value := _first(step)) is not None:
            found.setdefault(_kind(step), {})[ast.unparse(value)] = value
    return {kind: list(values.values()) for kind, values in found.items()}


def _first(step: str) -> ast.Constant | None:
    match expression_of(step):
        case ast.Call(ast.Attribute(), [ast.Constant() as value, *_]):
            return value
        case _:
            return None


def _kind(step: str) -> str:
    """Returns the type name of the step's first argument; "" if it is no plain value."""
    value = _first(step)
    return type(value.value).__name__ if value else ""


def _begun_with(step: str, value: ast.Constant) -> str:
    node = expression_of(step)
    assert isinstance(node, ast.Call)
    node.args[0] = value
    return ast.unparse(node)


def _alike(step: str, arguments: str) -> bool:
    """Returns whether the step is a call with arguments of the same number and types."""
    found = _CALLED.fullmatch(step)
    one, other = (arguments_of(f"f({text})") for text in (found.group(2) if found else "", arguments))
    return one is not None and other is not None and list(map(type, one)) == list(map(type, other))


class _UseVisitor(ast.NodeVisitor):
    """Follows the objects of one test by the names that they are given."""

    def __init__(self, classes: Mapping[str, object]) -> None:
        self.classes = classes
        self.objects: dict[str, ObjectUse] = {}
        self.ended: list[ObjectUse] = []
        self._raising = False

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        if self._makes(node.value) and len(node.targets) == 1:
            name = ast.unparse(node.targets[0])
            self.ended += [self.objects[name]] if name in self.objects else []
            self.objects[name] = ObjectUse(ast.unparse(node.value), ())

    def visit_With(self, node: ast.With) -> None:
        before, self._raising = self._raising, any("raises" in ast.unparse(item) for item in node.items)
        self.generic_visit(node)
        self._raising = before

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.visit(node.value)
        use = self.objects.get(ast.unparse(node.value))
        if use is not None and isinstance(node.ctx, ast.Load) and _is_public(node.attr):
            self.objects[ast.unparse(node.value)] = replace(use, steps=(*use.steps, f"{IT}.{node.attr}"))

    def visit_Call(self, node: ast.Call) -> None:
        self.visit(node.func.value if isinstance(node.func, ast.Attribute) else node.func)
        for each in (*node.args, *node.keywords):
            self.visit(each)
        if isinstance(node.func, ast.Attribute):
            owner, rest, plain = node.func.value, f".{node.func.attr}({_arguments(node)})", _is_plain(node)
        elif isinstance(node.func, ast.Name) and node.func.id in _ASKED and len(node.args) == 1:
            owner, rest, plain = node.args[0], "", not node.keywords
        else:
            return
        step = f"{IT}{rest}" if rest else f"{ast.unparse(node.func)}({IT})"
        use = ObjectUse(ast.unparse(owner), ()) if self._makes(owner) else self.objects.get(ast.unparse(owner))
        if use is None or not plain:
            return
        longer = replace(use, steps=(*use.steps, step))
        if self._raising or self._makes(owner):
            self.ended.append(replace(longer, raises=self._raising))
        else:
            self.objects[ast.unparse(owner)] = longer

    def _makes(self, node: ast.expr) -> bool:
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in self.classes
            and _is_plain(node)
        )


def _arguments(node: ast.Call) -> str:
    return ", ".join([*map(ast.unparse, node.args), *(f"{k.arg}={ast.unparse(k.value)}" for k in node.keywords)])


def _is_plain(node: ast.Call) -> bool:
    """Returns whether every argument is a literal."""
    try:
        for value in (*node.args, *(keyword.value for keyword in node.keywords)):
            ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return all(keyword.arg for keyword in node.keywords)


def public_attributes(code: str) -> dict[str, tuple[str, ...]]:
    """Returns each class of the program with the public attributes, fields and properties that its text shows."""
    tree = module_of(code)
    return {node.name: tuple(dict.fromkeys(_attributes(node))) for node in tree.body if isinstance(node, ast.ClassDef)}


def _attributes(node: ast.ClassDef) -> Iterator[str]:
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and _is_public(each.target.id):
            yield each.target.id
        if not isinstance(each, ast.FunctionDef):
            continue
        if any(re.search(r"\b(?:cached_)?property$", ast.unparse(one)) for one in each.decorator_list):
            yield from [each.name] if _is_public(each.name) else []
        own = each.args.args[0].arg if each.args.args else ""
        for inner in ast.walk(each) if each.name == "__init__" else ():
            if (
                isinstance(inner, ast.Attribute)
                and isinstance(inner.ctx, ast.Store)
                and ast.unparse(inner.value) == own
                and _is_public(inner.attr)
            ):
                yield inner.attr


def _is_public(name: str) -> bool:
    return not name.startswith("_")
