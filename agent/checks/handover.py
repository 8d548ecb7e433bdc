"""Writes the tests that are handed over: one pytest module that also runs without the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from agent.source.files import all_names
from agent.state import AgentState, Check, Suite
from llm.replies.files import split_files

from .asynchronous import awaited_in
from .program_calls import HARNESS
from .splitting import compose

IMPORT = "from solution import *  # the program under test, saved as solution.py"
STAND_IN = """
try:
    run_program  # given by the sandbox
except NameError:
    import pathlib
    import subprocess
    import sys
    import tempfile
    import typing

    import pytest

    class CompletedProgram(typing.NamedTuple):
        stdout: str
        stderr: str
        exit_code: int | None
        files: dict[str, bytes]

        @property
        def returncode(self):
            return self.exit_code

    def run_program(argv=(), stdin="", files=None):
        # In an empty folder with these files, as the sandbox does; what it wrote comes back.
        given = {n: d.encode("utf-8", "surrogateescape") if isinstance(d, str) else d for n, d in (files or {}).items()}
        command = [sys.executable, str(pathlib.Path(__file__).with_name("solution.py")), *map(str, argv)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, data in given.items():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_bytes(data)
            ran = subprocess.run(command, input=stdin.encode(), capture_output=True, timeout=60, cwd=folder)
            paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
            there = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        written = {file: data for file, data in there.items() if given.get(file) != data}
        texts = (ran.stdout.decode("utf-8", "replace"), ran.stderr.decode("utf-8", "replace"))
        return CompletedProgram(*texts, ran.returncode if ran.returncode >= 0 else None, written)

    @pytest.fixture(name="run_program")
    def given_run_program():
        return run_program
""".strip()
"""Replaces the harness `run_program` in tests that run outside the sandbox."""


def write_module(state: AgentState, skipped: Mapping[str, str], code: str = "") -> str:
    """Returns a module with every check, grouped by author. Checks in `skipped` (id -> reason) are marked as
    skipped, with the reason. Returns "" when no check is left to run. `code` is the program that is handed over with
    the tests."""
    checks = [check for suite in state.suites for check in suite.checks]
    if all(check.id in skipped for check in checks):
        return ""
    names = awaited_in(state.task, code)
    suites = {suite.id: compose(_with_reasons(suite, skipped), awaited=names, code=code) for suite in state.suites}
    body = "\n\n".join(f"# {name}\n{source}" for name, source in suites.items())
    is_program = state.brief is not None and state.brief.form == "program"
    files = split_files(code)
    given = STAND_IN if is_program and HARNESS in body else all_names(files).strip() if files else IMPORT
    return "\n\n".join([*(["import pytest"] if skipped else []), given, body])


def _with_reasons(suite: Suite, skipped: Mapping[str, str]) -> Suite:
    def marked(check: Check) -> Check:
        if check.id not in skipped:
            return check
        return replace(check, source=f"@pytest.mark.skip(reason={skipped[check.id]!r})\n{check.source}")

    return replace(suite, checks=tuple(map(marked, suite.checks)))
