"""First words of a worker: reads its own sources from the control channel, since it may not read the project's files."""

import importlib.abc
import importlib.util
import json
import os
import sys


def read_exactly(descriptor, size):
    parts = []
    while size:
        part = os.read(descriptor, min(size, 1 << 20))
        if not part:
            os._exit(0)
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class SentSources(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the modules that arrived as text."""

    def __init__(self, sources):
        self.sources = sources

    def find_spec(self, fullname, path=None, target=None):
        for name, is_package in ((fullname + ".__init__", True), (fullname, False)):
            if name in self.sources:
                return importlib.util.spec_from_loader(fullname, self, is_package=is_package)
        return None

    def exec_module(self, module):
        name = module.__name__ + (".__init__" if hasattr(module, "__path__") else "")
        code = compile(self.sources.pop(name), "<sandbox>/" + name.replace(".", "/") + ".py", "exec", dont_inherit=True)
        exec(code, module.__dict__)


received = json.loads(read_exactly(0, int.from_bytes(read_exactly(0, 4), "little")))
sys.meta_path.append(SentSources(received["sources"]))

from _sandbox_worker.main import serve  # noqa: E402

serve(received["setup"])
