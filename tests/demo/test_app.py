"""`python app.py`: what stands in its way is told in one line, before anything slow is loaded."""

from __future__ import annotations

import ast
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

import app
from demo.server import Server
from framework.secret import Secret
from framework.settings import Settings

from .conftest import Served
from .player import Player, opener

ROOT = Path(__file__).resolve().parents[2]


def started(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {"PATH": os.defpath, "HOME": "/nonexistent", "ENV_FILE": os.devnull, **environment}
    command = [sys.executable, "app.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=300, check=False)


def test_a_port_in_use_is_told_in_one_line(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for arguments, environment in ((["--port", str(port)], {}), ([], {"PORT": str(port)})):
            ended = started(*arguments, STATE_DIR=str(tmp_path), **environment)
            assert ended.returncode == 2
            assert ended.stderr.strip() == f"app.py: cannot serve at 127.0.0.1, port {port}: Address already in use"
            assert ended.stdout == ""


def test_an_unusable_state_directory_is_told_in_one_line(tmp_path: Path):
    (tmp_path / "file").write_text("")
    ended = started("--port", "0", STATE_DIR=str(tmp_path / "file" / "state"))
    assert ended.returncode == 2
    assert ended.stderr.startswith("app.py: the state directory")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["--port", "99999"], {}),
        (["--host", "256.1.1.1", "--port", "0"], {}),
        pytest.param([], {"LLM_PROVIDER": "magic"}, marks=pytest.mark.slow),
    ],
)
def test_bad_words_end_with_status_two_and_no_traceback(
    tmp_path: Path, arguments: list[str], environment: dict[str, str]
):
    ended = started(*arguments, STATE_DIR=str(tmp_path), **environment)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert ended.stderr.strip().splitlines()[-1].startswith("app.py: ")


@pytest.mark.parametrize("arguments", [["--port", "many"], ["--unknown"]])
def test_wrong_usage_ends_with_status_two(arguments: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        app.main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.strip().splitlines()[-1].startswith("app.py: ")


@pytest.mark.parametrize(("name", "value"), [("PORT", "many"), ("RATE_LIMIT", "often")])
def test_an_unusable_setting_is_told_in_one_line(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv(name, value)
    assert app.main([]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert told.err.startswith(f"app.py: {name}")


@pytest.mark.slow
def test_the_page_can_be_loaded_without_the_engine():
    """The engine is the slow part; it must not stand before the first answer."""
    heavy = ("langgraph", "anthropic", "openai", "torch", "transformers", "demo.workshop", "agent.engine")
    code = f"import sys, demo.server; print([name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    assert loaded.stdout.strip() == "[]"


def _notebook() -> list[str]:
    notebook = json.loads((ROOT / "demo" / "colab.ipynb").read_text())
    assert all(cell.get("outputs", []) == [] for cell in notebook["cells"])
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


@pytest.mark.slow
def test_the_cells_of_the_notebook_work_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """As far as no network allows: the project comes from a folder, `uv` is the Python that runs this test, and the
    public link, which needs a tunnel, is not asked for."""
    (tmp_path / "uv").write_text(f"#!/bin/sh\nexec {sys.executable} app.py --port 0\n")
    (tmp_path / "uv").chmod(0o755)
    for name, value in {"PATH": f"{tmp_path}:{os.environ['PATH']}", "ENV_FILE": os.devnull}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("LLM_PROVIDER", "mock")
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "project").symlink_to(ROOT)
    names: dict[str, Any] = {}
    for source in _notebook():
        if not source.startswith("%"):
            exec(compile(source, "cell", "exec"), names)
    assert names["ROOT"] == ROOT


def test_the_notebook_launches_with_a_link_and_gives_itself_back():
    launch = next(source for source in _notebook() if "--share" in source)
    assert "Popen" in launch
    ast.parse(launch)


def test_a_machine_too_busy_to_show_its_page_within_seconds_serves_it_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("gradio.networking.url_ok", lambda url: False)
    opened: Any = opener(tmp_path, Player(), [])
    server = Server(Settings.from_env({"STATE_DIR": str(tmp_path)}), Secret("browser secret"), opened)
    address = server.launch("127.0.0.1", None)
    try:
        assert httpx.get(f"{address}api/scenarios", timeout=60).status_code == 200
    finally:
        server.page.close()


@pytest.mark.parametrize("name", ["manifest.json", "pwa_icon", "favicon.ico", "theme.css"])
def test_what_a_browser_fetches_by_itself_is_there(served: Served, name: str):
    assert served.client(key="").get(name).status_code == 200
