"""The page on extending: its files and entries, put into a copy of the project as they stand there, work."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("agent", "llm", "sandbox", "prompts", "evaluation", "framework", "demo")
ASKED = """
from agent.events import RunStarted
from agent.graph import build_graph
from agent.models import llm_settings
from agent.tools import TOOLS
from demo.panels.folds import folds_panel
from demo.view.fold import RunView
from evaluation.suites import SUITES
from framework.settings import Settings
from llm.providers import open_provider

settings = llm_settings(Settings.from_env({"LLM_PROVIDER": "parrot", "LLM_ROLE_CRITIC": "parrot:blue"}))
assert settings.provider == "parrot" and settings.roles["critic"][0].model == "blue"
assert open_provider("parrot").caps("grey").context == 8_000
assert "count_words --> intake" in build_graph().compile().get_graph().draw_mermaid()
assert TOOLS["count_lines"].spec.name == "count_lines"
started = RunStarted("a task", "parrot", "grey", False, {}, {})
assert "3 lines" in folds_panel(RunView(started=started, outcome={"code": "a\\nb\\nc"}))
assert SUITES["tiny"].load(None)[0].id == "double"
"""


def _with_entry(source: str, entry: str) -> str:
    """The source after a change that is written as context, `-` and `+`."""
    lines = [(line[:1], line[1:]) for line in entry.splitlines()]
    before = "\n".join(text for mark, text in lines if mark != "+")
    assert source.count(before) == 1, f"this is not there, or more than once:\n{before}"
    return source.replace(before, "\n".join(text for mark, text in lines if mark != "-"))


@pytest.mark.slow
def test_every_extension_of_the_page_works_as_it_is_written_there(tmp_path: Path) -> None:
    for room in ROOMS:
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    path = tmp_path
    for name, language, text in re.findall(
        r"(?:^`([\w/.]+)`:\n\n)?^```(python|diff)\n(.*?)\n```", (ROOT / "docs/extending.md").read_text(), re.M | re.S
    ):
        path = tmp_path / name if name else path
        path.write_text(text + "\n" if language == "python" else _with_entry(path.read_text(), text))
    done = subprocess.run([sys.executable, "-c", ASKED], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
