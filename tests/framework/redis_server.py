"""A Redis server of the tests' own, from the binary of this machine."""

from __future__ import annotations

import importlib
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from tests.agent.command_line import free_port

MISSING = "needs celery, cryptography, and a Redis server (Debian: apt-get install redis-server)"


class Redis:
    """Forgets everything when it ends, however it ends."""

    def __init__(self, binary: str, folder: Path) -> None:
        port = free_port()
        path = folder / "socket"
        where = ["--port", str(port), "--bind", "127.0.0.1", "--unixsocket", str(path)]
        self._command = [binary, *where, "--save", "", "--dir", str(folder)]
        self._dump = folder / "dump.rdb"
        self.url = f"redis://127.0.0.1:{port}/0"
        self.local_url = f"unix://{path}?db=1"

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE)
        assert self._process.stdout
        while b"Ready to accept connections" not in (line := self._process.stdout.readline()):
            assert line, "redis-server did not start"

    def saved(self) -> bytes:
        """All that it holds, as it would write it to its disk."""
        importlib.import_module("redis").Redis.from_url(self.url).save()
        return self._dump.read_bytes()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def redis_server(folder: Path) -> Iterator[Redis | None]:
    """None where there is no binary, or no client."""
    binary = shutil.which("redis-server")
    if binary is None or not all(map(find_spec, ("celery", "redis", "cryptography"))):
        yield None
        return
    running = Redis(binary, folder)
    running.start()
    try:
        yield running
    finally:
        running.kill()
