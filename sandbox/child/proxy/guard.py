"""Decides what the solution's process may do to objects of the tests: call what it was given and read public names, no
more. Also waits on this side for awaitables that the tests handed over."""

from __future__ import annotations

import contextlib
import copy
import importlib
import sys
import types
from collections.abc import AsyncIterator, Callable, Iterator
from functools import WRAPPER_ASSIGNMENTS, cmp_to_key, partial
from operator import attrgetter, itemgetter, methodcaller
from threading import Thread
from typing import Any, cast

from ..load import TESTS
from ..objects.describe import LIBRARIES, SPECIALS, is_known, is_standard, known_function
from ..values.codec import DecodeError
from ..values.shared import TRACKED
from ..values.standard import writer_for


def _compare(one: int, other: int) -> int:
    return one - other


_CALLED: Any = (
    *(types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType),
    *(partial, attrgetter, itemgetter, methodcaller, type(cast(Any, cmp_to_key(_compare)))),
)
_ENTERED: Any = (contextlib._GeneratorContextManager, contextlib.nullcontext, contextlib.suppress)  # pyright: ignore[reportPrivateUsage]
"""Context managers that the solution may enter and leave, and nothing else: if it could replace the generator of one,
it would swallow what fails inside. They are compared by exact type, because abstract classes accept what their
subclasses say, also the solution's."""
_LENT_WORDS = """
io _io random _random threading _thread queue _queue logging collections string unittest.mock types
collections.abc numpy.random._generator numpy.random.mtrand
argparse subprocess sqlite3 configparser csv _csv xml.etree.ElementTree email.message zipfile decimal _struct statistics
urllib.request tempfile asyncio.queues asyncio.locks
"""
_LENT_MODULES = frozenset(_LENT_WORDS.split())
SHARED_BY_THREADS = ("threading", "_thread", "queue", "_queue")
_FORBIDDEN_TYPES = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType)
_FORBIDDEN_WORDS = """
configure_mock mock_add_spec attach_mock reset_mock called call_count call_args call_args_list mock_calls method_calls
await_count await_args await_args_list return_value side_effect
"""
_FORBIDDEN_NAMES = frozenset(_FORBIDDEN_WORDS.split())
"""What a mock has recorded, and what it judges by: only the tests may use it. A solution could otherwise write the
record that a test asserts."""
_LOADING = ("load_extension", "enable_load_extension")
"""Methods of a database that run compiled code in this process."""
_DOTTED_WORDS = """
concurrent.futures concurrent.futures._base json.decoder urllib.error urllib.parse os.path
urllib.request xml.etree.ElementTree asyncio.exceptions email.errors http.client collections.abc unittest.mock
importlib.metadata logging.handlers
"""
_DOTTED = frozenset(_DOTTED_WORDS.split())
_ACTING = frozenset(("idlelib", "turtle", "turtledemo", "tkinter", "test", "pty", "site", "ensurepip", "venv", "pdb"))
"""Modules that act when they are imported, or that no value comes from."""
_ASKED = frozenset(("repr", "str", "format", "dir"))
ABOUT_CLASSES = frozenset(("isinstance", "issubclass"))
"""Builtins that ask a class, their second argument, about the first."""
_TOLD = frozenset(("__dict__", *WRAPPER_ASSIGNMENTS))
"""Attributes that say what an object is; a decorator reads them of what it wraps."""
ON_ATTRIBUTES = frozenset(("getattr", "setattr", "delattr"))
"""Builtins whose first argument after the object is a name."""
_PLAIN: Any = (bool, int, float, str, bytes, type(None), tuple, frozenset, *TRACKED)


COPIES: dict[str, Callable[[Any], Any]] = {"copy": copy.copy, "deepcopy": copy.deepcopy}
"""How the other side may have an object copied that it holds, by the names in `copy`."""


def may_lend(value: Any) -> bool:
    """Returns whether the other side may hold a number for this object of the tests."""
    if isinstance(value, _FORBIDDEN_TYPES):
        return False
    if (
        isinstance(value, (*_CALLED, Iterator, AsyncIterator))
        or is_awaited(value)
        or type(value) in (object, *_ENTERED)
    ):
        return True
    if isinstance(value, type):
        return value.__module__ == TESTS
    module = type(value).__module__
    return module == TESTS or module in _LENT_MODULES


def is_awaited(value: Any) -> bool:
    """Returns whether this is a coroutine, task or future, of which the other side may only await the outcome."""
    return isinstance(value, types.CoroutineType) or type(value).__module__ == "_asyncio"


def awaited(value: Any) -> Any:
    """Returns `value` if it may be awaited. Raises TypeError."""
    if not is_awaited(value):
        raise TypeError("the tests do not lend that")
    return value


def is_of_the_tests(value: Any) -> bool:
    """Returns whether only the tests can have made this object. One that may have come from the other side excuses no
    failure."""
    return type(value).__module__ not in ("builtins", "typing", "types", "enum", "abc")


def is_data(value: Any) -> bool:
    """Returns whether this is a plain value, which has no methods of the solution's own."""
    kind = cast(Any, type(value))
    known = kind in _PLAIN or writer_for(kind) is not None
    return known and kind is not types.SimpleNamespace


def may_name(value: Any, name: Any) -> bool:
    """Returns whether the other side may get, set or call this attribute."""
    return not isinstance(value, _CALLED) and name not in _TOLD and may_read(value, name)


def may_read(value: Any, name: Any) -> bool:
    """Returns whether the other side may get this attribute."""
    if type(name) is not str or is_awaited(value) or type(value) in _ENTERED:
        return False
    if name in _TOLD or isinstance(value, _CALLED):
        return name in _TOLD or (name == "func" and type(value) is partial)
    return may_name_of(cast(Any, type(value)), name)


def is_mock(cls: type) -> bool:
    return cls.__module__ == "unittest.mock"


def mock_judges_by(name: str) -> bool:
    """Returns whether a mock tells by this attribute what was done with it, or does what the tests set."""
    return name in _FORBIDDEN_NAMES or name.startswith("assert_")


def may_name_of(cls: type, name: str) -> bool:
    """Returns whether this attribute of the class's objects is public."""
    if is_mock(cls) and mock_judges_by(name):
        return False
    return not name.startswith("_") and not (cls.__module__ == "sqlite3" and name in _LOADING)


def may_do(name: Any) -> bool:
    """Returns whether the other side may use this special method."""
    return name in SPECIALS


def may_ask(name: Any) -> bool:
    """Returns whether the other side may apply this builtin to an object it holds."""
    return name in _ASKED


def may_import(module: Any) -> Any:
    """Returns a module that both sides have, imported if that is harmless. Raises DecodeError."""
    known = sys.modules.get(str(module))
    top = str(module).partition(".")[0]
    if known is not None and (is_standard(top) or top in LIBRARIES):
        return known
    if module in LIBRARIES or module in _DOTTED or (module == top and is_standard(top) and top not in _ACTING):
        try:
            return importlib.import_module(module)
        except ImportError as problem:
            raise DecodeError(f"module {module} is not known here") from problem
    raise DecodeError(f"module {module} is not known here")


def whole(module: str) -> Any:
    """Returns a module that both sides have, with those of its parts that can be imported here. Raises DecodeError."""
    for part in _DOTTED:
        if part.startswith(f"{module}."):
            may_import(part)
    return may_import(module)


def known_global(module: str, name: str) -> Any:
    """Returns a class, a function without side effects, or a name of `typing`, that both sides have. Raises DecodeError
    for anything else."""
    found: Any = may_import(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if module == "typing" or (isinstance(found, type) and is_known(found)):
        return found
    if known_function(found) == [module, name]:
        return found
    raise DecodeError(f"{module}.{name} is not known here")


_PATIENCE = 1.0
"""Seconds that a lock, event or queue of the tests may keep the solution waiting."""


def soon(doing: Callable[[], Any]) -> Any:
    """Returns what a lock, event or queue gives within _PATIENCE seconds. Raises TimeoutError after that, because no
    test can go on while the program waits for it."""
    from concurrent.futures import Future  # noqa: PLC0415 - needed only if the tests lend such a thing

    future: Future[Any] = Future()

    def do() -> None:
        try:
            future.set_result(doing())
        except BaseException as problem:  # noqa: BLE001 - whatever is raised there is raised here
            future.set_exception(problem)

    Thread(target=do, daemon=True).start()
    return future.result(_PATIENCE)


class SettledAwaitable:
    """The outcome of the tests' awaitable for the other side to await, or the number under which it will hear of the
    outcome."""

    def __init__(self, value: Any, number: int | None = None) -> None:
        self.value = value
        self.number = number


def settled(given: Any) -> Any:
    """Returns the value of what a callback of the tests gave to await."""
    if type(given).__module__ not in ("builtins", "_asyncio"):
        return given
    from .loops import run_here  # noqa: PLC0415 - brings asyncio, which only async suites need

    return run_here(given)
