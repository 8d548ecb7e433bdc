"""Loads the copied tree once, so that a trial only has to exchange the function that is changed."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from tests.mutants.drawn import Change

OWN = ("agent", "app", "demo", "evaluation", "framework", "llm", "prompts", "sandbox", "tests")
ARGUMENTS = ("-q", "-n", "0", "-p", "no:cacheprovider", "-m", "")


def load(tree: Path, tests: list[str]) -> None:
    """Goes into the copy and loads its tests with all that they import. What functions remember by then is dropped,
    for it would hide a change."""
    os.chdir(tree)
    sys.path[:] = [str(tree), *sys.path]
    forget()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        pytest.main([*ARGUMENTS, "--collect-only", *tests])
    for name, module in list(sys.modules.items()):
        for value in list(vars(module).values()) if name.partition(".")[0] in OWN else ():
            if callable(drop := getattr(value, "cache_clear", None)):
                drop()


def forget() -> None:
    """Has every module of ours loaded anew by whoever imports it next."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OWN]:
        del sys.modules[name]


def exchange(tree: Path, change: Change) -> bool:
    """Puts the changed function in the place of the loaded one. Returns False where that cannot be done: what stands
    outside of every function has worked already, and what is in none that is found must be loaded anew."""
    file = str(tree / change.file)
    module = next((one for one in sys.modules.values() if getattr(one, "__file__", None) == file), None)
    if module is None or not change.function:
        return False
    place: object = module
    for part in change.function.split("."):
        place = vars(place).get(part)
        if place is None:
            return False
    old = next((one for one in _behind(place, 4) if _is(one.__code__, file, change.function)), None)
    new = next((one for one in _codes(compile(change.code, file, "exec")) if _is(one, file, change.function)), None)
    if old is None or new is None or old.__code__.co_freevars != new.co_freevars:
        return False
    old.__code__ = new
    return True


def _is(code: CodeType, file: str, name: str) -> bool:
    return (code.co_filename, code.co_qualname) == (file, name)


def _behind(value: object, depth: int) -> Iterator[FunctionType]:
    """Yields the functions that decorators, properties and caches hold."""
    if isinstance(value, FunctionType):
        yield value
    held = [getattr(value, name, None) for name in ("__func__", "__wrapped__", "fget", "func")]
    held += [cell.cell_contents for cell in getattr(value, "__closure__", None) or ()]
    for each in held if depth else ():
        if each is not None:
            yield from _behind(each, depth - 1)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)
