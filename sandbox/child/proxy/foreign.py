"""Notices code that the tests' process is about to run although neither the suite nor an installed module holds it,
such as text that the program returned and the tests hand to `exec`. It could do there what it likes."""

from __future__ import annotations

import opcode
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

from ..objects.handle import restored
from ..values.shared import TRACKED
from ..values.standard import writer_for

RAN = "code that is not the suite's own ran in the process of the tests"
_GENERATING = ("collections", "dataclasses", "unittest.mock")
"""Modules of the standard library that run text which they have composed of checked names themselves."""
_COMPUTING = ("LOAD_", "BINARY_", "UNARY_", "BUILD_", "COMPARE_", "RETURN_", "RESUME", "CACHE", "NOP")
"""How the names of those instructions begin that call nothing and change nothing."""
_IMMUTABLE_TYPE = 1 << 8
"""The flag of classes of which no attribute can be set."""
Listen = Callable[[Callable[[str, tuple[Any, ...]], None]], None]
_OWN = __name__.partition(".")[0]


def watch_code(suite: CodeType, doubt: Callable[[str], None], listen: Listen = sys.addaudithook) -> None:
    """From now on `doubt` hears before other code runs here than this suite's, that of installed modules and text that
    the suite itself holds. `listen` makes a function hear of what the interpreter does, for as long as the process
    lives."""
    watch = _Watch(suite, doubt)
    acts: dict[str, Callable[..., None]] = {
        "compile": watch.compiled,
        "exec": watch.ran,
        "import": watch.loaded,
        "marshal.loads": watch.unmarshalled,
        "pickle.find_class": watch.unpickled,
    }

    def hear(event: str, args: tuple[Any, ...]) -> None:
        act = acts.get(event)
        if act is not None:
            act(sys._getframe(1), *args)  # pyright: ignore[reportPrivateUsage]

    listen(hear)


class _Watch:
    def __init__(self, suite: CodeType, doubt: Callable[[str], None]) -> None:
        self._texts = frozenset(_texts(suite))
        self._doubt = doubt
        ours = watch_code.__code__.co_filename.removesuffix("proxy/foreign.py")
        self._installed = ("<frozen ", ours, *(f"{path.rstrip('/')}/" for path in sys.path))
        self._named: dict[str, bool] = {}
        """File name of compiled text -> whether all text of that name is the suite's own."""

    def compiled(self, caller: FrameType, source: Any, filename: Any) -> None:
        if self._generates(caller) or (self._is_installed(str(filename)) and _holds(str(filename), source)):
            return
        text = source.decode("utf-8", "replace") if isinstance(source, bytes) else source
        own = isinstance(text, str) and text in self._texts
        self._named[str(filename)] = own and self._named.get(str(filename), True)

    def ran(self, caller: FrameType, code: CodeType) -> None:
        name = code.co_filename
        known = self._named.get(name, self._is_installed(name))
        if not (known or self._generates(caller) or _only_computes(code)):
            self._doubt(RAN)

    def loaded(self, _: FrameType, __: Any, filename: Any, *___: Any) -> None:
        """Hears of an import; only that of a compiled library names a file."""
        if filename and not self._is_installed(str(filename)):
            self._doubt(RAN)

    def unmarshalled(self, caller: FrameType, *_: Any) -> None:
        """Hears of code in bytes, which may claim any file name."""
        path = caller.f_locals.get("bytecode_path")
        if not (self._generates(caller) or self._is_installed(str(path))):
            self._doubt(RAN)

    def unpickled(self, _: FrameType, module: str, name: str) -> None:
        """Hears what a pickle asks for: it can call that, or set attributes of it. `restored` gives an object of the
        program anew, and in its process."""
        found: Any = getattr(sys.modules.get(module), name, None)
        if found is not restored and not (_is_value_type(found) and found.__flags__ & _IMMUTABLE_TYPE):
            self._doubt(RAN)

    def _is_installed(self, path: str) -> bool:
        return path.startswith(self._installed)

    def _generates(self, caller: FrameType) -> bool:
        """Returns whether code of ours, of an installed package or of a module that generates code runs what it has
        made."""
        module = str(caller.f_globals.get("__name__"))
        return module in _GENERATING or module.partition(".")[0] == _OWN or "-packages/" in caller.f_code.co_filename


def _holds(path: str, source: Any) -> bool:
    """Returns whether a file holds exactly this source, as that of a module whose bytecode nobody has stored."""
    try:
        with open(path, "rb") as file:
            return file.read() == source
    except OSError:
        return False


def _is_value_type(found: Any) -> bool:
    return isinstance(found, type) and (found in TRACKED or writer_for(found) is not None)


def _texts(code: CodeType) -> Iterator[str]:
    """Yields the texts that code holds as constants, also in tuples and in inner functions."""
    waiting: list[Any] = [code]
    while waiting:
        held = waiting.pop()
        if isinstance(held, CodeType):
            waiting += held.co_consts
        elif isinstance(held, tuple | frozenset):
            waiting += held
        elif isinstance(held, str):
            yield held


def _only_computes(code: CodeType) -> bool:
    """Returns whether code calls nothing and changes nothing, as a number, a list or a type written as text does."""
    return all(opcode.opname[number].startswith(_COMPUTING) for number in code.co_code[::2])
