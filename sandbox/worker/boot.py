"""The first code of a worker: reads the rest of its code from the control channel, because it may not read the
project's files."""

import importlib
import marshal
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType


def read_exactly(descriptor: int, size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = os.read(descriptor, min(size, 1 << 20))
        if not part:
            os._exit(0)
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class SentModules:
    """Imports the modules that arrived as code. A finder and loader without base class, because `importlib.abc` would
    load twenty modules and eight libraries, which every fork would have to map."""

    def __init__(self, modules: dict[str, CodeType]) -> None:
        self.modules = modules

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 - the protocol's signature
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        for name, is_package in ((fullname + ".__init__", True), (fullname, False)):
            if name in self.modules:
                return ModuleSpec(fullname, self, is_package=is_package)  # pyright: ignore[reportArgumentType]
        return None

    def create_module(self, spec: ModuleSpec) -> None:  # noqa: ARG002
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__ + (".__init__" if hasattr(module, "__path__") else "")
        exec(self.modules.pop(name), module.__dict__)


def import_without_fork_hook(name: str) -> None:
    """Imports a module without its fork hook. After each fork `threading` forgets other threads and `logging` makes its
    locks anew; a worker has one thread only, and the hooks would make each fork a third slower."""

    def register_nothing(**_: object) -> None:
        pass

    register, os.register_at_fork = os.register_at_fork, register_nothing
    try:
        importlib.import_module(name)
    finally:
        os.register_at_fork = register


def import_only_from(folders: list[str]) -> None:
    """Removes from the import path what path configuration files (.pth) added: folders of projects under development,
    the app's own among them, and import finders for such projects."""
    inside = tuple(folder.rstrip(os.sep) + os.sep for folder in folders)
    sys.path[:] = [path for path in sys.path if (os.path.realpath(path) + os.sep).startswith(inside)]
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder.__module__.startswith("_frozen_importlib")]


received = marshal.loads(read_exactly(0, int.from_bytes(read_exactly(0, 4), "little")))
import_only_from(received["setup"]["read_only"])
sys.meta_path.append(SentModules(received["modules"]))  # pyright: ignore[reportArgumentType]
if "seccomp" in received["setup"]["walls"]:  # programs cannot fork either
    for name in ("threading",) if received["setup"]["flavour"] == "bare" else ("threading", "logging"):
        import_without_fork_hook(name)

importlib.import_module("@worker.main").serve(received["setup"])
