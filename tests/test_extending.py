"""The page on extending: its files and entries, put into a copy of the project as they stand there, work and keep the
rules of the house, also after someone else has made extensions of the same kinds."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOT_OURS = (".*_cache", ".venv", ".git", ".state", "__pycache__", "node_modules")
HOUSE = (
    "tests/test_architecture.py", "tests/test_docs.py", "tests/agent/outcome/test_boxes.py",
    "tests/demo/test_panels.py", "tests/framework/test_settings.py", "tests/prompts",
)  # fmt: skip
ASKED = """
import asyncio
import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

from agent.events import RunStarted
from agent.graph import build_graph
from agent.models import llm_settings
from agent.outcome.report import Report
from agent.session.roles import TITLER, ROLES
from agent.tools import TOOLS
from demo.panels.folds import folds_panel
from demo.view.fold import RunView
from evaluation.suites import SUITES
from framework.settings import Settings
from llm.providers import open_provider
from llm.types import Message, ProviderSettings, Request
from sandbox.backends import load

settings = llm_settings(Settings.from_env({"LLM_PROVIDER": "parrot", "LLM_ROLE_TITLER": "parrot:blue"}))
assert settings.provider == "parrot" and settings.roles["titler"][0].model == "blue"
assert open_provider("parrot").caps("grey").context == 8_000
assert TITLER in ROLES
drawn = build_graph().compile().get_graph().draw_mermaid()
assert all(way in drawn for way in ("intake --> title", "judge -.-> sum_up", "sum_up --> judge"))
assert TOOLS["count_lines"].spec.name == "count_lines"
started = RunStarted("a task", "parrot", "grey", False, {}, {})
ended = replace(Report("r").outcome(), verdict="verified", code="a\\nb\\nc")
assert "3 lines" in folds_panel(RunView(started=started, conclusion=ended))
assert SUITES["tiny"].load(None)[0].id == "double"
assert load("chrooted").LEVEL == "walled"


class Loft(BaseHTTPRequestHandler):
    def log_message(self, *words): ...

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert (self.path, self.headers["authorization"]) == ("/letters", "Bearer key")
        self.send_response(200)
        self.send_header("content-type", "application/x-ndjson")
        self.end_headers()
        for line in asked["lines"]:
            self.wfile.write(json.dumps({"line": line["text"]}).encode() + b"\\n")
        self.wfile.write(json.dumps({"line": "", "end": "signed", "read": 2, "written": 1}).encode() + b"\\n")


loft = HTTPServer(("127.0.0.1", 0), Loft)
threading.Thread(target=loft.serve_forever, daemon=True).start()
pigeon = open_provider("pigeon", ProviderSettings(key="key", base_url=f"http://127.0.0.1:{loft.server_port}"))
letter = Request("generator", "a task", "write:1", (Message("user", "coo"),))
answered = asyncio.run(pigeon.complete(letter, model="white"))
assert (answered.text, answered.finish, answered.usage.input, answered.usage.output) == ("coo", "stop", 2, 1)
assert open_provider("pigeon")._base_url == "https://pigeon.example"
"""
OTHERS = {
    "parrot": "budgie", "Parrot": "Budgie", "PARROT": "BUDGIE", "pigeon": "raven", "Pigeon": "Raven", "PIGEON": "RAVEN",
    "titler": "sloganist", "TITLER": "SLOGANIST", "title": "slogan", "Title": "Slogan",
    "sum_up": "look_back", "summing": "looking", "summed_up": "looked_back",
    "count_lines": "count_words", "length": "depth", "tiny": "small", "chrooted": "jailed",
}  # fmt: skip
"""The name that each extension of the page would have if someone else had made one like it."""


def _with_entry(source: str, entry: str) -> str:
    """The source after a change that is written as context, `-` and `+`."""
    lines = [(line[:1], line[1:]) for line in entry.splitlines()]
    before = "\n".join(text for mark, text in lines if mark != "+")
    assert f"\n{source}".count(f"\n{before}\n") == 1, f"this is not there, or more than once:\n{before}"
    return f"\n{source}".replace(f"\n{before}\n", "\n" + "\n".join(text for mark, text in lines if mark != "-") + "\n")[
        1:
    ]


def _extended(page: str, read: Callable[[str], str]) -> dict[str, str]:
    """The text of every file that the page writes or changes, by its path; `read` gives the text of a file."""
    found: dict[str, str] = {}
    path = ""
    for name, language, text in re.findall(
        r"(?:^`([\w/.]+)`:\n\n)?^```(python|yaml|diff)\n(.*?)\n```", page, re.M | re.S
    ):
        path = name or path
        before = found.get(path) or (read(path) if language == "diff" else "")
        found[path] = _with_entry(before, text) if language == "diff" else text + "\n"
    return found


def _done(folder: Path, *words: str) -> str:
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout + done.stderr


def _with_those_of_someone_else() -> dict[str, str]:
    """The same, where someone else has made one of each kind before, as the page says."""
    page = (ROOT / "docs/extending.md").read_text()
    theirs = re.compile("|".join(sorted(OTHERS, key=len, reverse=True))).sub(lambda found: OTHERS[found[0]], page)
    made = _extended(theirs, lambda path: (ROOT / path).read_text())
    return made | _extended(page, lambda path: made.get(path) or (ROOT / path).read_text())


def test_extensions_that_someone_made_leave_the_page_right() -> None:
    both = _with_those_of_someone_else()
    assert {"agent/nodes/title.py", "agent/nodes/slogan.py"} <= both.keys()
    assert both["agent/graph.py"].count('graph.add_edge("intake", ') == 2


@pytest.mark.slow
def test_every_extension_of_the_page_works_as_it_is_written_there(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_OURS))
    for path, text in _with_those_of_someone_else().items():
        (copy / path).write_text(text)
    _done(copy, "-c", ASKED)
    _done(copy, "-m", "ruff", "check", "--no-cache", "--fix", "--select", "I", ".")  # as `make fix` does
    _done(copy, "-m", "tests.docs")
    _done(copy, "-m", "ruff", "check", "--no-cache", ".")
    _done(copy, "-m", "ruff", "format", "--no-cache", "--check", ".")
    _done(copy, "-m", "pytest", "-n", "0", *HOUSE)
    told = _done(copy, "-m", "agent", "demo", "csv_row_normalising")
    assert told.count("Next: Sum up") == 2, "once for each rule that sums up"
    assert "\nverified" in told
