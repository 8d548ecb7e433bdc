"""Makes the program importable from memory, and creates the module of the suite."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from .suite.plan import FILENAME
from .words import remember_source

if TYPE_CHECKING:
    from .measure import Measure

TESTS = "test_solution"


class Sources:
    """Finds and loads the modules whose source came with the job."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.folder = os.getcwd()
        self.name: str = job["module"]
        self._found: dict[str, tuple[str, str, bool]] = {}
        """Full name -> (source, path, is a package)."""
        package: dict[str, str] | None = job.get("package")
        if package:
            for path, source in package.items():
                if path.endswith(".py"):
                    self._add(path, source)
        else:
            self._found[self.name] = (job["solution"], f"{self.folder}/{self.name}.py", False)
            remember_source(f"{self.folder}/{self.name}.py", job["solution"])

    def _add(self, path: str, source: str) -> None:
        filename = os.path.join(self.folder, path)
        parts = path.removesuffix(".py").split("/")
        is_package = parts[-1] == "__init__"
        self._found[".".join(parts[:-1] if is_package else parts)] = (source, filename, is_package)
        remember_source(filename, source)
        if not is_package and len(parts) > 1:
            folder = ".".join(parts[:-1])
            self._found.setdefault(folder, ("", os.path.join(self.folder, *parts[:-1], "__init__.py"), True))

    @property
    def files(self) -> tuple[str, ...]:
        """Returns the paths of everything that came with the job: the solution's modules and the suite."""
        return (*[found[1] for found in self._found.values()], FILENAME)

    @property
    def modules(self) -> list[str]:
        """Returns the full names of the modules."""
        return list(self._found)

    @property
    def sources(self) -> dict[str, str]:
        """Returns path -> source of the solution's modules."""
        return {filename: source for source, filename, _ in self._found.values()}

    def install(self) -> None:
        """Puts these sources before everything else that can be imported, and the run folder first in `sys.path`."""
        self.find_first()
        if self.folder not in sys.path:
            sys.path.insert(0, self.folder)

    def find_first(self) -> None:
        """Puts these sources before everything else that can be imported."""
        sys.meta_path.insert(0, self)  # a finder by duck type

    def measured(self, job: dict[str, Any]) -> Measure | None:
        """Starts to measure which lines of these sources run from now on, if the job asks for it; else returns None."""
        if not job.get("coverage"):
            return None
        from .measure import Measure  # noqa: PLC0415 - costs 100 ms, and few runs ask for it

        return Measure(self.sources)

    def load(self) -> ModuleType:
        """Imports the solution. Raises whatever its source raises."""
        source, filename, is_package = self._found[self.name]
        if is_package:
            return importlib.import_module(self.name)
        module = ModuleType(self.name)
        module.__dict__.update(__file__=filename, __package__="", __loader__=self, __spec__=self.find_spec(self.name))
        sys.modules[self.name] = module
        exec(compile(source, filename, "exec", dont_inherit=True), module.__dict__)
        return module

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        found = self._found.get(name)
        if found is None:
            return None
        spec = ModuleSpec(name, self, origin=found[1], is_package=found[2])  # pyright: ignore[reportArgumentType]
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(found[1]))
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:  # noqa: ARG002
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.get_code(module.__name__), module.__dict__)

    def get_code(self, name: str) -> CodeType:
        source, filename, _ = self._found[name]
        return compile(source, filename, "exec", dont_inherit=True)

    def get_source(self, name: str) -> str:
        return self._found[name][0]

    def get_data(self, path: str) -> bytes:
        """Returns a data file beside the modules, for `pkgutil.get_data`. Raises OSError."""
        with open(path, "rb") as file:
            return file.read()

    def get_resource_reader(self, name: str) -> Any:
        """Returns a reader for `importlib.resources`: data files lie beside the modules."""
        readers: Any = importlib.import_module("importlib.readers")
        return readers.FileReader(SimpleNamespace(path=self._found[name][1]))


def public_names(module: ModuleType) -> list[str]:
    """Returns the names that `from module import *` would bind."""
    listed = module.__dict__.get("__all__")
    if isinstance(listed, list | tuple):
        return [name for name in cast(list[Any], listed) if type(name) is str]
    return [name for name in module.__dict__ if not name.startswith("_")]


def tests_module(given: dict[str, Any]) -> ModuleType:
    """Returns an empty suite module in which the names of `given` are global."""
    module = ModuleType(TESTS)
    module.__file__ = FILENAME
    module.__dict__.update(given)
    sys.modules[TESTS] = module
    return module
