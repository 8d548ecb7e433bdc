"""Makes functions that forward their calls to the other process. If code looks at them, they have the original's
parameters."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from keyword import iskeyword
from types import CodeType, CoroutineType, FunctionType
from typing import Any, cast

from ..values.standard import writer_for

AWAITED = 0x80
"""CO_COROUTINE in the flags of a function's code."""
_EXTRA_ARGS, _EXTRA_NAMES = 0x04, 0x08
"""CO_VARARGS (`*args`) and CO_VARKEYWORDS (`**kwargs`)."""
_LOOKING_WORDS = """
signature getfullargspec getcallargs get_type_hints __code__ __defaults__ __kwdefaults__ __annotations__ autospec
create_autospec builds singledispatch singledispatchmethod __doc__ getdoc __qualname__ __module__
wraps update_wrapper
"""
LOOKING = frozenset(_LOOKING_WORDS.split())
"""Words in a source that show that it looks at functions, or hands on what can be seen of them."""
Told = int | list[Any]
"""What is told of a function: the flags of its code, or, if code of the other side looks at functions, [flags,
qualified name, module, docstring, parameters]. Parameters are [how many are positional, positional only and keyword
only, names, defaults, keyword defaults, annotations]."""


def flags_of(function: Any) -> int:
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code.co_flags if isinstance(code, CodeType) else 0


def look_at(function: FunctionType) -> list[Any]:
    """Returns all of a function that the other side may look at; of its annotations only text and types without
    variables."""
    code = function.__code__
    extra = bool(code.co_flags & _EXTRA_ARGS) + bool(code.co_flags & _EXTRA_NAMES)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + extra]
    hints = {name: kind for name, kind in function.__annotations__.items() if _crosses(kind)}
    counts = [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount]
    parameters = [*counts, [*names], function.__defaults__, function.__kwdefaults__, hints]
    return [code.co_flags, function.__qualname__, function.__module__, function.__doc__, parameters]


def _crosses(kind: Any) -> bool:
    writer = writer_for(cast(type[Any], type(kind)))
    plain = isinstance(kind, str | type) or (writer is not None and writer[1](kind) is not None)
    return plain and not getattr(kind, "__parameters__", ())


def stand_in(name: str, told: Told, target: Any, forward: Callable[..., Any]) -> Any:
    """Returns a function that stands for one of the other side; `target` is what its calls ask for there. Raises
    TypeError or ValueError for a malformed description."""
    flags = told if isinstance(told, int) else told[0]
    forward.__dict__["target"] = target
    called = _asynchronous(forward) if flags & AWAITED else forward
    made: Any = called if isinstance(told, int) else _with_parameters(flags, told[4], called)
    made.__name__ = made.__qualname__ = name
    if not isinstance(told, int):
        made.__qualname__, made.__module__, made.__doc__ = str(told[1]), str(told[2]), told[3]
    return made


def _asynchronous(forward: Callable[..., Any]) -> Callable[..., Any]:
    async def forward_there(*args: Any, **kwargs: Any) -> Any:
        given = forward(*args, **kwargs)
        return cast(Any, await given if isinstance(given, Coroutine) else given)

    return forward_there


_FORWARDING = _asynchronous(len).__code__


def unbegun(value: Any) -> tuple[Any, Any, dict[str, Any]] | None:
    """Returns target, args and kwargs of a stand-in's coroutine that has not begun, and closes it; None for any other
    value. The program then makes the coroutine itself, whose deadlines no other process delays."""
    if type(value) is not CoroutineType or value.cr_code is not _FORWARDING or value.cr_suspended or not value.cr_frame:
        return None
    held = value.cr_frame.f_locals
    value.close()
    return held["forward"].__dict__["target"], held["args"], held["kwargs"]


def _with_parameters(flags: int, parameters: list[Any], forward: Callable[..., Any]) -> Any:
    positional, only, keyword, names, defaults, keyword_defaults, hints = parameters
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
    made.__defaults__, made.__kwdefaults__, made.__annotations__ = defaults, keyword_defaults, hints
    return made
