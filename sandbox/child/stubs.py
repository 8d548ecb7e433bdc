"""Functions that forward their calls, with the parameters of the function they stand for."""

from __future__ import annotations

from collections.abc import Callable
from keyword import iskeyword
from types import FunctionType
from typing import Any

AWAITED = 0x80
_EXTRA_ARGS, _EXTRA_NAMES = 0x04, 0x08
_LOOKING_WORDS = """
signature getfullargspec getcallargs get_type_hints __code__ __defaults__ __kwdefaults__ __annotations__ autospec
create_autospec builds
"""
LOOKING = frozenset(_LOOKING_WORDS.split())
"""Words of code that looks at parameters."""
Facts = list[Any]
"""[flags, positional, of these positional only, keyword only, names, defaults, keyword defaults, annotations]"""


def facts_of(function: FunctionType) -> Facts:
    """What makes a stub of this function; classes and text are kept of its annotations."""
    code = function.__code__
    extra = bool(code.co_flags & _EXTRA_ARGS) + bool(code.co_flags & _EXTRA_NAMES)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + extra]
    told = {name: kind for name, kind in function.__annotations__.items() if isinstance(kind, str | type)}
    counts = [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount]
    return [code.co_flags, *counts, [*names], function.__defaults__, function.__kwdefaults__, told]


def stub(facts: Facts, forward: Callable[..., Any]) -> Any:
    """A function with these parameters. Raises TypeError or ValueError for facts that no function has."""
    flags, positional, only, keyword, names, defaults, keyword_defaults, annotations = facts
    if not all(type(name) is str and name.isidentifier() and not iskeyword(name) for name in names):
        raise TypeError("a parameter that is no name")
    plain, named, extra = names[:positional], names[positional : positional + keyword], names[positional + keyword :]
    args = [f"*{extra[0]}"] if flags & _EXTRA_ARGS else []
    more = [f"**{extra[-1]}"] if flags & _EXTRA_NAMES else []
    head = [*plain[:only], *(["/"] if only else []), *plain[only:], *(args or (["*"] if named else [])), *named, *more]
    call = [*plain, *args, *(f"{name}={name}" for name in named), *more]
    body = f"return {'await ' if flags & AWAITED else ''}forward_there_({', '.join(call)})"
    space: dict[str, Any] = {"forward_there_": forward}
    exec(f"{'async ' if flags & AWAITED else ''}def stub_({', '.join(head)}): {body}", space)
    made = space["stub_"]
    made.__defaults__, made.__kwdefaults__, made.__annotations__ = defaults, keyword_defaults, annotations
    return made
