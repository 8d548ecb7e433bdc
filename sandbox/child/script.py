"""Runs the solution as a program, with its own main module, arguments, stdin and exit code."""

from __future__ import annotations

import atexit
import importlib
import os
import sys
import threading
import traceback
import weakref
from collections.abc import Callable
from typing import Any

from .load import Sources
from .reporter import Emit
from .words import fault, remember_source, without_frames_of

_UNCAUGHT = 1


def script(job: dict[str, Any], emit: Emit) -> int:
    """Runs the program to its end, including threads and exit functions, and returns the exit code. The last record is
    {"done": 0}."""
    sources = Sources(job)
    sources.install()
    measure = sources.measured(job)
    name, source = _main(job, sources)
    sys.argv = [name, *job.get("argv", ())]
    _forget_exits()
    code = _ended(lambda: _execute(name, source), emit, sources.files)
    code = _ended(threading._shutdown, emit, sources.files) or code  # pyright: ignore
    code = _ended(atexit._run_exitfuncs, emit, sources.files) or code  # pyright: ignore
    code = _flush() or code
    if measure is not None:
        emit({"arcs": measure.arcs()})
    emit({"done": 0})
    return code


def _main(job: dict[str, Any], sources: Sources) -> tuple[str, str]:
    """Returns path and source of the main module; a package's is __main__.py, main.py or __init__.py, in this order."""
    if not job.get("package"):
        path = os.path.join(sources.folder, f"{sources.name}.py")
        return path, job["solution"]
    known = sources.sources
    for name in ("__main__.py", "main.py", "__init__.py"):
        path = os.path.join(sources.folder, sources.name, name)
        if path in known:
            return path, known[path]
    raise ValueError("the package has no module to run")


def _forget_exits() -> None:
    """Forgets the exit functions of the process that forked this one, which are not the program's."""
    atexit._clear()  # pyright: ignore
    finalize: Any = weakref.finalize
    finalize._registry.clear()
    finalize._registered_with_atexit = False


def _execute(path: str, source: str) -> None:
    module = type(sys)("__main__")
    module.__dict__.update(__file__=path, __builtins__=__builtins__)
    folder = os.path.dirname(path)
    if folder != os.getcwd():
        module.__dict__["__package__"] = os.path.basename(folder)
        importlib.import_module(os.path.basename(folder))
    sys.modules["__main__"] = module
    remember_source(path, source)
    exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)


def _ended(part: Callable[[], object], emit: Emit, files: tuple[str, ...]) -> int:
    """Runs one part of the program's life and returns its exit code."""
    try:
        part()
    except SystemExit as wish:
        return _exit_code(wish)
    except BaseException as problem:  # noqa: BLE001 - untrusted code may raise anything
        _print_traceback(problem)
        emit(fault(problem, files))
        return _UNCAUGHT
    return 0


def _exit_code(wish: SystemExit) -> int:
    if wish.code is None:
        return 0
    if isinstance(wish.code, int):
        return wish.code & 0xFF
    print(wish.code, file=sys.stderr)  # noqa: T201 - as the interpreter itself does
    return _UNCAUGHT


def _print_traceback(problem: BaseException) -> None:
    """Prints a traceback as the interpreter does, without the frames of this module."""
    trace = without_frames_of(__name__, problem)
    try:
        if sys.excepthook is not sys.__excepthook__:
            sys.excepthook(type(problem), problem, trace)
        else:
            traceback.print_exception(type(problem), problem, trace)
    except BaseException as second:  # noqa: BLE001 - a foreign hook, __str__ or stream may raise anything
        os.write(2, f"{type(problem).__name__} (telling it raised {type(second).__name__})\n".encode())


def _flush() -> int:
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        return 120  # the code with which the interpreter itself exits
    return 0
