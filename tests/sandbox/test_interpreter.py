"""However the app's interpreter was named, wherever it lies and whoever starts it, workers reach the same walls."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from sandbox import interpreter

ROOT = Path(__file__).resolve().parents[2]
SYSTEM = "/usr/bin/python3"
ASK = """
import asyncio, json, sys
sys.path.insert(0, sys.argv[1])
from sandbox import LocalSandbox, Program
async def ask():
    sandbox = LocalSandbox(1)
    try:
        level = (await sandbox.describe()).level
        done = await sandbox.run(Program(solution="import ctypes, json, sqlite3\\nprint(json.dumps([1]))"))
    finally:
        await sandbox.aclose()
    print(json.dumps([level, done.status, done.stdout]))
asyncio.run(ask())
"""


def reached(*command: str, root: Path = ROOT, cwd: Path | None = None) -> Sequence[str]:
    """[level, status, stdout] of a program behind the walls of an app that was started like this."""
    done = subprocess.run([*command, "-c", ASK, str(root)], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def plain() -> Sequence[str]:
    return reached(sys.executable)


def test_a_relative_path_to_the_interpreter_changes_nothing(plain: Sequence[str], tmp_path: Path) -> None:
    relative = os.path.join("..", tmp_path.name, os.path.relpath(sys.executable, tmp_path))
    assert reached(relative, cwd=tmp_path) == plain
    assert plain[1:] == ["ok", "[1]\n"]


def test_links_to_the_interpreter_change_nothing(plain: Sequence[str], tmp_path: Path) -> None:
    base = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    (tmp_path / "versions").symlink_to(base.parent.parent)
    (tmp_path / "lonely").symlink_to(base)
    made = [str(tmp_path / "versions" / "bin" / base.name), "-m", "venv", "--without-pip", str(tmp_path / "venv")]
    subprocess.run(made, check=True)
    (tmp_path / "other").symlink_to("venv")
    for path in ("lonely", "venv/bin/python", "other/bin/python"):
        assert reached(str(tmp_path / path)) == plain, path


@pytest.mark.skipif(not os.path.exists(SYSTEM), reason="this system has no interpreter of its own")
def test_the_systems_own_interpreter_and_its_environments_reach_as_much(plain: Sequence[str], tmp_path: Path) -> None:
    subprocess.run([SYSTEM, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    assert reached(SYSTEM) == plain
    assert reached(str(tmp_path / "venv" / "bin" / "python")) == plain


@pytest.fixture
def readable_copy() -> Iterator[Path]:
    """The room, where every user can read it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        shutil.copytree(ROOT / "sandbox", Path(folder, "sandbox"), ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        yield Path(folder)


@pytest.mark.skipif(os.geteuid() != 0 or not os.path.exists(SYSTEM), reason="only root can become another user")
def test_an_ordinary_user_reaches_what_root_reaches(readable_copy: Path) -> None:
    user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "env", "-i", "PATH=/usr/bin:/bin"]
    theirs = reached(*user, SYSTEM, root=readable_copy, cwd=readable_copy)
    assert theirs == reached(SYSTEM, root=readable_copy)


def test_an_interpreter_that_only_root_can_reach_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    home.chmod(0o700)
    if os.geteuid() == 0:
        os.chown(home, 12345, 12345)
    monkeypatch.setattr(interpreter, "executable", lambda: str(home / "bin" / "python"))
    monkeypatch.setattr(interpreter, "folders", tuple)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert f"{home} belongs to another user" in interpreter.hidden_from_workers()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert interpreter.hidden_from_workers() == "", "what an ordinary user starts, its workers can start"
