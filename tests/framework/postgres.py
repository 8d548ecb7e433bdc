"""A PostgreSQL server of the tests' own, from the binaries of this machine, with a schema for each test."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

MISSING = "needs psycopg and a PostgreSQL server (Debian: apt-get install postgresql)"


def binaries() -> Path | None:
    """Where initdb and postgres are; None if there are none, or no psycopg to reach them."""
    if find_spec("psycopg") is None:
        return None
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parent.parent.name))
    return folders[-1].parent if folders else None


def _ordinary() -> list[str]:
    """The server refuses to be root: what a command is prefixed with to be nobody in particular."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--pdeathsig=KILL"]


class Server:
    def __init__(self, folder: Path, bin_: Path) -> None:
        self._folder, self._bin = folder, bin_
        self._process: subprocess.Popen[bytes] | None = None
        self._schemas = 0

    def make(self) -> None:
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self._folder, nobody.pw_uid, nobody.pw_gid)
        command = [str(self._bin / "initdb"), "-D", str(self._folder / "data"), "-U", "tests", "-A", "trust", "-N"]
        subprocess.run([*_ordinary(), *command, "-E", "UTF8", "--locale=C"], check=True, stdout=subprocess.DEVNULL)

    def start(self) -> None:
        options = ("listen_addresses=", "fsync=off", "shared_buffers=16MB", "max_connections=60")
        chosen = [word for option in options for word in ("-c", option)]
        command = [str(self._bin / "postgres"), "-D", str(self._folder / "data"), "-k", str(self._folder), *chosen]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen([*_ordinary(), *command], stdout=log, stderr=log)
        import psycopg

        deadline = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url(), connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise
                time.sleep(0.05)

    @property
    def pid(self) -> int:
        """Of the process that takes connections."""
        assert self._process
        return self._process.pid

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT: open sessions are cut off; SIGKILL: nothing is put in order."""
        assert self._process
        self._process.send_signal(how)
        self._process.wait(30)

    def url(self, schema: str = "public") -> str:
        return f"postgresql:///postgres?host={self._folder}&user=tests&options=-csearch_path%3D{schema}"

    def fresh(self) -> str:
        """The address of an empty schema."""
        import psycopg

        self._schemas += 1
        name = f"t{self._schemas}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")  # type: ignore[arg-type]
        return self.url(name)


@contextmanager
def server() -> Iterator[Server | None]:
    """None where there are no binaries."""
    found = binaries()
    if found is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    running = Server(folder, found)
    try:
        running.make()
        running.start()
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)
