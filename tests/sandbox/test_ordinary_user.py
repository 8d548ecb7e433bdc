"""An ordinary user and root get the same level and the same verdicts, wherever temporary files are kept."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox import LocalSandbox, Program
from sandbox.backends import load
from sandbox.launch import executable

NOBODY = 65534
ROOT = Path(__file__).parents[2]
PROGRAMS = {
    "right": "print(sum(range(5)))",
    "fixed path": "open('/tmp/report.txt', 'w').write('')",
    "folder": "import os; os.mkdir('/tmp/made')",
    "passwords": "print(open('/etc/shadow').read())",
    "mode": "import os; open('f', 'w').close(); os.chmod('f', 0); print(oct(os.stat('f').st_mode))",
    "memory": "print(len(bytearray(1 << 32)))",
    "process": "import os; os.fork()",
    "network": "import socket; socket.create_server(('127.0.0.1', 0))",
    "parent": "import os; os.kill(os.getppid(), 0)",
    "room": "for n in range(40): open(f'f{n}', 'wb').write(bytes(15 << 20))",
    "own limits": "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 50, 1 << 50))",
}
LEFT = """
import asyncio, json, sys
from sandbox import LocalSandbox, Program

async def main():
    backend, programs = json.load(sys.stdin)
    sandbox = LocalSandbox(1, backends=(backend,))
    said = {"level": (await sandbox.describe()).level}
    for name, source in programs.items():
        done = await sandbox.run(Program(solution=source))
        said[name] = [done.status, done.exit_code, done.stdout, done.error]
    await sandbox.aclose()
    print(json.dumps(said))

asyncio.run(main())
"""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """A folder for temporary files that is not below /tmp, and anybody's."""
    folder = tempfile.mkdtemp(dir="/var/tmp")
    os.chmod(folder, 0o1777)
    yield folder
    shutil.rmtree(folder)


def _told(backend: str, folder: str, **user: Any) -> dict[str, Any]:
    environment = {"PATH": os.environ["PATH"], "TMPDIR": folder, "HOME": folder}
    given = json.dumps([backend, PROGRAMS])
    done = subprocess.run(
        [executable(), "-B", "-c", LEFT],
        input=given, text=True, capture_output=True, cwd=ROOT, env=environment, check=False, **user,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["bubblewrap", "walled"])
def test_root_and_nobody_are_told_the_same(backend: str, elsewhere: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    if reason := load(backend).missing():
        pytest.skip(reason)
    nobody: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    try:
        subprocess.run([executable(), "-c", "import sandbox"], cwd=ROOT, check=True, capture_output=True, **nobody)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("the interpreter or the project lies where only root may look")
    assert _told(backend, elsewhere, **nobody) == _told(backend, elsewhere)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("backend", ["bubblewrap", "walled"])
async def test_a_fixed_path_is_refused_wherever_temporary_files_are_kept(
    backend: str, elsewhere: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason := load(backend).missing():
        pytest.skip(reason)
    monkeypatch.setattr(tempfile, "tempdir", elsewhere)
    sandbox = LocalSandbox(1, backends=(backend,))
    try:
        done = [await sandbox.run(Program(solution=PROGRAMS[name])) for name in ("fixed path", "folder")]
    finally:
        await sandbox.aclose()
    assert [run.status for run in done] == ["blocked", "blocked"], [run.error for run in done]
