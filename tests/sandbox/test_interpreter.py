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

from sandbox import launch

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


@pytest.mark.slow
def test_links_to_the_interpreter_change_nothing(plain: Sequence[str], tmp_path: Path) -> None:
    base = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    (tmp_path / "versions").symlink_to(base.parent.parent)
    (tmp_path / "lonely").symlink_to(base)
    made = [str(tmp_path / "versions" / "bin" / base.name), "-m", "venv", "--without-pip", str(tmp_path / "venv")]
    subprocess.run(made, check=True)
    (tmp_path / "other").symlink_to("venv")
    for path in ("lonely", "venv/bin/python", "other/bin/python"):
        assert reached(str(tmp_path / path)) == plain, path


@pytest.mark.slow
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


@pytest.mark.slow
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
    monkeypatch.setattr(launch, "executable", lambda: str(home / "bin" / "python"))
    monkeypatch.setattr(launch, "folders", tuple)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert f"{home} belongs to another user" in launch.hidden_from_workers()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert launch.hidden_from_workers() == "", "what an ordinary user starts, its workers can start"


LOOK = """
import importlib
for name in ("agent", "llm", "sandbox", "framework", "app", "under_development", "_sandbox_child", "helper"):
    try:
        importlib.import_module(name)
        print("found", name)
    except ModuleNotFoundError:
        print("none")
"""
DEVELOPED = """
import asyncio, json, sys
from sandbox import LocalSandbox, Program
async def ask():
    seen = []
    for walls in (None, ()):
        sandbox = LocalSandbox(1, backends=("walled",), walls=walls)
        try:
            seen.append((await sandbox.run(Program(solution=sys.argv[1], files={"helper.py": b""}))).stdout.split())
        finally:
            await sandbox.aclose()
    print(json.dumps([*seen, await sandbox.packages()]))
asyncio.run(ask())
"""
FINDER = """
import sys
from importlib.util import spec_from_loader
class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return spec_from_loader(name, cls) if name == "under_development" else None
    create_module = exec_module = staticmethod(lambda _: None)
sys.meta_path.append(Finder)
"""


@pytest.mark.slow
def test_an_app_that_is_on_the_interpreters_path_is_not_on_the_programs(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    packages = next((tmp_path / "venv" / "lib").glob("python*/site-packages"))
    (packages / "app.pth").write_text(f"{ROOT}\nimport development_finder\n")
    (packages / "development_finder.py").write_text(FINDER)
    for name, told in (("app", {"dir_info": {"editable": True}}), ("library", {"archive_info": {}})):
        (packages / f"{name}-1.dist-info").mkdir()
        (packages / f"{name}-1.dist-info" / "direct_url.json").write_text(json.dumps(told))
    command = [str(tmp_path / "venv" / "bin" / "python"), "-c", DEVELOPED, LOOK]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    walled, bare, listed = json.loads(done.stdout)
    assert walled == bare == [*["none"] * 7, "found", "helper"]
    assert listed == ["library"]
