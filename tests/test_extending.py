"""The page on extending: its files and entries, put into a copy of the project as they stand there, work and keep the
rules of the house."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOT_OURS = (".*_cache", ".venv", ".git", ".state", "__pycache__", "node_modules")
HOUSE = (
    "tests/test_architecture.py", "tests/test_docs.py", "tests/agent/test_boxes.py", "tests/demo/test_panels.py",
    "tests/framework/test_settings.py", "tests/prompts",
)  # fmt: skip
ASKED = """
from agent.events import RunStarted
from agent.graph import build_graph
from agent.models import llm_settings
from agent.roles import TITLER, ROLES
from agent.tools import TOOLS
from demo.panels.folds import folds_panel
from demo.view.fold import RunView
from evaluation.suites import SUITES
from framework.settings import Settings
from llm.providers import open_provider
from sandbox.backends import load

settings = llm_settings(Settings.from_env({"LLM_PROVIDER": "parrot", "LLM_ROLE_TITLER": "parrot:blue"}))
assert settings.provider == "parrot" and settings.roles["titler"][0].model == "blue"
assert open_provider("parrot").caps("grey").context == 8_000
assert TITLER in ROLES
assert "intake --> title" in build_graph().compile().get_graph().draw_mermaid()
assert TOOLS["count_lines"].spec.name == "count_lines"
started = RunStarted("a task", "parrot", "grey", False, {}, {})
assert "3 lines" in folds_panel(RunView(started=started, outcome={"code": "a\\nb\\nc"}))
assert SUITES["tiny"].load(None)[0].id == "double"
assert load("chrooted").LEVEL == "walled"
"""


def _with_entry(source: str, entry: str) -> str:
    """The source after a change that is written as context, `-` and `+`."""
    lines = [(line[:1], line[1:]) for line in entry.splitlines()]
    before = "\n".join(text for mark, text in lines if mark != "+")
    assert source.count(before) == 1, f"this is not there, or more than once:\n{before}"
    return source.replace(before, "\n".join(text for mark, text in lines if mark != "-"))


def _extended(folder: Path) -> Path:
    """A copy of the project with everything that the page adds."""
    copy = folder / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_OURS))
    path = copy
    for name, language, text in re.findall(
        r"(?:^`([\w/.]+)`:\n\n)?^```(python|yaml|diff)\n(.*?)\n```",
        (ROOT / "docs/extending.md").read_text(),
        re.M | re.S,
    ):
        path = copy / name if name else path
        path.write_text(_with_entry(path.read_text(), text) if language == "diff" else text + "\n")
    return copy


def _done(folder: Path, *words: str) -> None:
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@pytest.mark.slow
def test_every_extension_of_the_page_works_as_it_is_written_there(tmp_path: Path) -> None:
    copy = _extended(tmp_path)
    _done(copy, "-c", ASKED)
    _done(copy, "-m", "tests.docs")
    _done(copy, "-m", "ruff", "check", "--no-cache", ".")
    _done(copy, "-m", "ruff", "format", "--no-cache", "--check", ".")
    _done(copy, "-m", "pytest", "-n", "0", *HOUSE)
