"""Takes exceptions apart on one side and puts them together on the other without running their constructors."""

from __future__ import annotations

from types import MemberDescriptorType, TracebackType
from typing import TYPE_CHECKING, Any

from ..reporter import TRAIL
from ..values.codec import DecodeError, ValueCodec, or_text
from ..words import note_refusal, tell, trail
from .build import TEXT
from .describe import is_known
from .handle import NUMBER

if TYPE_CHECKING:
    from .crossing import Crossing

_CAUSES = 3
"""How many exceptions of a chain of causes cross."""
_HIDDEN = (NUMBER, TEXT, TRAIL)


def take_apart(problem: BaseException, side: Crossing, depth: int = 0) -> Any:
    """Returns [number, class, arguments, attributes, text, trail, [cause, context], whether the context is hidden] as
    JSON values. Nothing that the exception holds makes this raise. An exception that crossed before is the same on the
    other side; below the raised one it is told as [number, notes]."""
    shared = side.codec.shared
    number = shared.number(problem)
    notes = [note for note in problem.__dict__.get("__notes__", ()) if type(note) is str]  # no attribute is asked for
    if number is not None and depth:
        return [number, notes]
    note_refusal(problem)
    kind = type(problem)
    encode = side.codec.encode
    args = [or_text(arg, encode, _by_class) for arg in _native(kind).__reduce__(problem)[1]]
    number = shared.keep(problem) if number is None else number
    attributes = {
        key: or_text(value, side.codec.encode, _by_class)
        for key, value in [*problem.__dict__.items(), *_set_in_c(problem)]
        if key not in _HIDDEN
    }
    text = "" if is_known(kind) else tell(problem)
    came_from = [
        take_apart(source, side, depth + 1) if source is not None and depth < _CAUSES else None
        for source in (problem.__cause__, problem.__context__)
    ]
    way = trail(problem, side.files)
    return [number, side.class_json(kind), args, attributes, text, way, came_from, problem.__suppress_context__]


def _by_class(value: Any) -> str:
    return f"<{type(value).__name__}>"


def put_together(content: Any, codec: ValueCodec) -> BaseException:
    """Builds an exception. Raises DecodeError, and what malformed parts raise."""
    known = codec.shared.known(content[0])
    if len(content) == len(("number", "notes")):
        return _noted(_exception(known), content[1])
    number, described, args, attributes, text, way, came_from, suppresses = content
    made = _exception(known) if known is not None else _made(codec.decode(described), codec.decoded(args))
    if known is None and number is not None:
        codec.shared.keep(made, number)
    in_c = _kept_in_c(_native(type(made)))
    for key, value in attributes.items():
        if key in in_c:
            in_c[key].__set__(made, codec.decode(value))
        else:
            made.__dict__[key] = codec.decode(value)
    codec.shared.look_at(made.__dict__)
    made.__dict__[TRAIL] = str(way)
    if text:
        made.__dict__[TEXT] = str(text)
    for name, source in zip(("__cause__", "__context__"), came_from, strict=True):
        if source is not None:
            setattr(made, name, put_together(source, codec))
    made.__suppress_context__ = bool(suppresses)
    return made


def _noted(problem: BaseException, notes: Any) -> BaseException:
    if notes:
        problem.__notes__ = list(map(str, notes))
    return problem


def _exception(value: Any) -> BaseException:
    if not isinstance(value, BaseException):
        raise DecodeError("an exception that is none")
    return value


def _native(cls: Any) -> Any:
    """Returns the built-in exception that a class is or derives from."""
    return next(base for base in cls.__mro__ if base.__module__ == "builtins")


def _made(cls: Any, args: list[Any]) -> BaseException:
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        raise DecodeError("an exception of no exception class")
    try:
        made = cls.__new__(cls, *args)
        _native(cls).__init__(made, *args)
    except TypeError:
        made = cls.__new__(cls)
        made.args = tuple(args)
    return made


def _kept_in_c(native: type) -> dict[str, MemberDescriptorType]:
    """Returns attributes that a built-in exception keeps outside its `__dict__` and that may be set one by one, such as
    the offset of a SyntaxError. The object of an AttributeError is left out: nothing is told of it, and keeping it
    would make it live longer."""
    owners = native.__mro__[: native.__mro__.index(BaseException)]
    members = {
        name: kept for owner in owners for name, kept in vars(owner).items() if type(kept) is MemberDescriptorType
    }
    return {name: members[name] for name in sorted(members) if name not in ("obj", "exceptions", "message")}


def _set_in_c(problem: BaseException) -> list[tuple[str, Any]]:
    """Returns those of the attributes that hold something, with their values, whatever the exception's own class says
    of them."""
    held = [(name, kept.__get__(problem)) for name, kept in _kept_in_c(_native(type(problem))).items()]
    return [(name, value) for name, value in held if value is not None]


def some_traceback() -> TracebackType | None:
    """Returns a traceback for context managers, in place of the other side's, whose frames cannot cross."""
    try:
        raise LookupError
    except LookupError as problem:
        return problem.__traceback__


def is_failure(problem: BaseException) -> bool:
    """Returns whether a check that ends by this has failed."""
    return isinstance(problem, AssertionError) or type(problem).__name__ == "Failed"  # what pytest.fail raises


def is_own_failure(problem: BaseException) -> bool:
    """Returns whether a check failed by this, in the tests' own code."""
    return is_failure(problem) and TRAIL not in problem.__dict__


def not_ending(end: StopIteration) -> RuntimeError:
    """Returns the exception for a StopIteration that came out of a call: RuntimeError, as in a generator (PEP 479)."""
    problem = RuntimeError("a function raised StopIteration")
    problem.__dict__[TRAIL] = end.__dict__.get(TRAIL)
    return problem
