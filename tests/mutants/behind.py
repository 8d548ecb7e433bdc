"""Tells which lines of the sandbox run behind its walls, where no test process sees them.

Each statement of a function that is sent to a worker is preceded by one that sets a byte of a file, which the worker
and the process of the tests have mapped into their memory.
"""

from __future__ import annotations

import ast
import mmap
import os
from functools import cache
from pathlib import Path
from types import CodeType

from sandbox import launch, link
from sandbox.launch import Flavour, Place
from tests.mutants.drawn import FUNCTIONS, blocks

ROOT = Path(launch.__file__).parents[1]
FILE, BYTES = "ran", 1 << 16
"""The name of the file, which lies in the folder that only workers write to, and its size."""
NAME = "@ran"
"""What the bytes are called in each module: no program can spell it."""
OPENS = f"""
import __main__, mmap, os
path = os.path.join(__main__.received["setup"]["read_only"][-1], {FILE!r})
RAN = mmap.mmap(os.open(path, os.O_RDWR), {BYTES})
"""
"""A module of the worker, which loads it before the walls are up."""
Line = tuple[str, int]
"""A file's path below the root of the tree, and the number of one of its lines."""


class Behind:
    """Has workers that start from now on tell which lines of `sandbox/worker/` and `sandbox/child/` they run."""

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._maps: dict[str, mmap.mmap] = {}
        modules = launch._modules()  # pyright: ignore[reportPrivateUsage]
        sent = {name: self._telling(name, code.co_filename) for name, code in modules.items()}
        sent["@worker.ran"] = compile(OPENS, "<ran>", "exec", dont_inherit=True)
        launch._modules = cache(lambda: sent)  # pyright: ignore[reportPrivateUsage]
        first_words = link.first_words

        def with_a_file(place: Place, flavour: Flavour, walls: tuple[str, ...]) -> bytes:
            self._map(place.cache)
            return first_words(place, flavour, walls)

        link.first_words = with_a_file

    def taken(self) -> list[Line]:
        """Returns the lines that have run since they were last taken."""
        found = {number for told in self._maps.values() for number, byte in enumerate(told[: len(self._lines)]) if byte}
        for told in self._maps.values():
            told[:] = bytes(BYTES)
        return [self._lines[number] for number in sorted(found)]

    def _map(self, folder: str) -> None:
        """Keeps the file of the workers of one pool, also when the pool has removed it."""
        if folder not in self._maps:
            with open(os.path.join(folder, FILE), "x+b") as file:
                file.truncate(BYTES)
                self._maps[folder] = mmap.mmap(file.fileno(), BYTES)

    def _telling(self, name: str, shown: str) -> CodeType:
        """Returns the code of a worker's module, with the statements that tell. Tracebacks show it as `shown`."""
        file = f"sandbox/{name.removeprefix('@').replace('.', '/')}.py"
        tree = ast.parse((ROOT / file).read_bytes())
        functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
        for block in {id(block): block for function in functions for block in blocks(function)}.values():
            block[:] = [one for statement in block for one in (self._tells(file, statement), statement)]
        if functions:
            after = [at for at, one in enumerate(tree.body, 1) if getattr(one, "module", "") == "__future__"]
            tree.body.insert(max(after, default=0), ast.ImportFrom("@worker.ran", [ast.alias("RAN", NAME)], 0))
        return compile(ast.fix_missing_locations(tree), shown, "exec", dont_inherit=True, optimize=2)

    def _tells(self, file: str, statement: ast.stmt) -> ast.stmt:
        """Returns a statement that sets the byte of this one's line."""
        self._lines.append((file, statement.lineno))
        byte = ast.Subscript(ast.Name(NAME, ast.Load()), ast.Constant(len(self._lines) - 1), ast.Store())
        return ast.copy_location(ast.Assign([byte], ast.Constant(1)), statement)
