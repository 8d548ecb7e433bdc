"""Exceptions, taken apart on one side and put together on the other without running their constructors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..reporter import TRAIL
from ..values.codec import Unreadable, ValueCodec, or_text
from ..words import note_refusal, tell, trail
from .build import TEXT
from .describe import is_known
from .handle import NUMBER

if TYPE_CHECKING:
    from .crossing import Crossing

_CAUSES = 3
_HIDDEN = (NUMBER, TEXT, TRAIL)


def take_apart(problem: BaseException, side: Crossing, depth: int = 0) -> Any:
    """[number, class, arguments, attributes, text, trail, what it came from, whether that alone is shown of it] in
    JSON; never raises for what the exception holds. One that crossed before is the same on the other side; where it is
    not what was raised, its number says it all."""
    shared = side.codec.shared
    number = shared.number(problem)
    if number is not None and depth:
        return number
    note_refusal(problem)
    kind = type(problem)
    encode = side.codec.encode
    args = [or_text(arg, encode, _by_class) for arg in _native(kind).__reduce__(problem)[1]]
    number = shared.keep(problem) if number is None else number
    attributes = {
        key: or_text(value, side.codec.encode, _by_class)
        for key, value in problem.__dict__.items()
        if key not in _HIDDEN
    }
    text = "" if is_known(kind) else tell(problem)
    source = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)
    told = take_apart(source, side, depth + 1) if source is not None and depth < _CAUSES else None
    way = trail(problem, side.files)
    return [number, side.class_json(kind), args, attributes, text, way, told, problem.__suppress_context__]


def _by_class(value: Any) -> str:
    return f"<{type(value).__name__}>"


def put_together(content: Any, codec: ValueCodec) -> BaseException:
    """Raises Unreadable, and what malformed parts raise."""
    known = codec.shared.known(content if isinstance(content, int) else content[0])
    if isinstance(content, int):
        return _exception(known)
    number, described, args, attributes, text, way, source, suppresses = content
    made = _exception(known) if known is not None else _made(codec.decode(described), codec.decoded(args))
    if known is None and number is not None:
        codec.shared.keep(made, number)
    for key, value in attributes.items():
        made.__dict__[key] = codec.decode(value)
    made.__dict__[TRAIL] = str(way)
    if text:
        made.__dict__[TEXT] = str(text)
    if source is not None:
        setattr(made, "__cause__" if suppresses else "__context__", put_together(source, codec))
    made.__suppress_context__ = bool(suppresses)
    return made


def _exception(value: Any) -> BaseException:
    if not isinstance(value, BaseException):
        raise Unreadable("an exception that is none")
    return value


def _native(cls: Any) -> Any:
    """The builtin exception that a class is or derives from."""
    return next(base for base in cls.__mro__ if base.__module__ == "builtins")


def _made(cls: Any, args: list[Any]) -> BaseException:
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        raise Unreadable("an exception of no exception class")
    try:
        made = cls.__new__(cls, *args)
        _native(cls).__init__(made, *args)
    except TypeError:
        made = cls.__new__(cls)
        made.args = tuple(args)
    return made


def is_own_failure(problem: BaseException) -> bool:
    """Whether a check failed by this, in the tests' own code."""
    failing = isinstance(problem, AssertionError) or type(problem).__name__ == "Failed"  # what pytest.fail raises
    return failing and TRAIL not in problem.__dict__


def not_ending(end: StopIteration) -> RuntimeError:
    """Returns the exception for a StopIteration that came out of a call: RuntimeError, as in a generator (PEP 479)."""
    problem = RuntimeError("a function raised StopIteration")
    problem.__dict__[TRAIL] = end.__dict__.get(TRAIL)
    return problem
