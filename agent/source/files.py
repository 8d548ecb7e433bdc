"""Prepares a program of several files for the sandbox. A candidate's text is split into files here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from llm.replies.files import join_files, split_files
from sandbox.types import Execution, Program, Sandbox

from .focus import merged

_STARTS = ("__main__", "main", "app", "cli", "run")
_OUTER = ("src/", "lib/")
"""Folders that hold packages and are not packages themselves."""


class FileSandbox:
    """A sandbox that also takes a program of several files in one text."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.describe, self.packages, self.install = inner.describe, inner.packages, inner.install
        self.aclose = inner.aclose

    async def run(self, program: Program) -> Execution:
        return await self._inner.run(placed(program))


def placed(program: Program) -> Program:
    """Returns the program with its files as modules under their own names. `solution` gets all their public names, and
    starts the module that is meant to be started. A program of one file is returned as it is."""
    files = split_files(program.solution)
    if files is None:
        return program
    modules = {importable(path): code for path, code in files.items() if path.endswith(".py")}
    if "solution.py" in modules:
        own = {"solution.py": modules["solution.py"], **modules}
        return replace(program, solution="", package=own) if len(files) > 1 else program
    data = {importable(path): text.encode() for path, text in files.items() if not path.endswith(".py")}
    is_script = program.tests is None and not program.calls
    front = {
        "solution/__init__.py": "" if is_script else all_names(modules),
        "solution/__main__.py": _start(modules),
    }
    return replace(program, solution="", package={**front, **modules}, files={**data, **program.files})


def importable(path: str) -> str:
    """Returns the path of a file as seen from the folder in which Python would look for it."""
    return next((path.removeprefix(outer) for outer in _OUTER if path.startswith(outer)), path)


def names_of(paths: Iterable[str]) -> list[str]:
    """Returns the names by which the modules are imported; a package comes before its modules."""
    dotted = [importable(path).removesuffix(".py").replace("/", ".") for path in paths if path.endswith(".py")]
    plain = (name.removesuffix(".__init__") for name in dotted if name.rpartition(".")[2] != "__main__")
    return sorted((name for name in plain if all(part.isidentifier() for part in name.split("."))), key=len)


def all_names(modules: Iterable[str]) -> str:
    """Returns Python code that imports all public names of the modules, and their top-level packages' names unless a
    public name is the same. A module that cannot be imported is left out; whoever imports it directly sees the
    error."""
    names = names_of(modules)
    wanted = [f"import {top}" for top in dict.fromkeys(name.partition(".")[0] for name in names)]
    wanted += [f"from {name} import *" for name in names]
    return "".join(f"try:\n    {line}\nexcept Exception:\n    pass\n" for line in wanted)


def as_program_file(code: str) -> dict[str, bytes]:
    """Returns files with which a snippet can say `from program import *`."""
    files = split_files(code)
    if files is None:
        return {"program.py": code.encode("utf-8", "replace")}
    told = {importable(path): text.encode("utf-8", "replace") for path, text in files.items()}
    return {**told, "program.py": all_names(files).encode()}


def begins_with(modules: Mapping[str, str]) -> str:
    """Returns the path of the module that is meant to be started."""
    by_name = {path.removesuffix(".py").rpartition("/")[2]: path for path in reversed(list(modules))}
    guarded = next((path for path, code in modules.items() if "__name__" in code), next(iter(modules)))
    return next((by_name[name] for name in _STARTS if name in by_name), guarded)


def _start(modules: Mapping[str, str]) -> str:
    name = begins_with(modules).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"import runpy\nrunpy.run_module({name!r}, run_name='__main__', alter_sys=True)\n"


def merged_files(whole: str, part: str) -> str | None:
    """Returns the program of several files with those that a reply gives. If the reply names no file, its definitions
    replace those of the same names. Returns None for a program of one file, or if nothing of the reply has a place."""
    files, changed = split_files(whole), split_files(part)
    if files is None:
        return None
    if changed is None:
        places = ((path, merged(text, part)) for path, text in files.items() if path.endswith(".py"))
        return next((join_files({**files, path: text}) for path, text in places if text is not None), None)
    return join_files({**files, **{_known_as(path, files): text for path, text in changed.items()}})


def _known_as(path: str, files: Iterable[str]) -> str:
    """Returns the path under which the program has the file: as told, or with more or fewer folders if only one file
    fits."""
    alike = [one for one in files if one == path or f"/{one}".endswith(f"/{path}") or f"/{path}".endswith(f"/{one}")]
    return path if path in alike or len(alike) != 1 else alike[0]
