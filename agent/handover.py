"""The tests that are handed over: one pytest module that also runs without our sandbox."""

from __future__ import annotations

from collections.abc import Collection

from .checks import compose
from .state import AgentState

IMPORT = "from solution import *  # the program under test, saved as solution.py"
RUN_PROGRAM = """
try:
    run_program  # given by the sandbox
except NameError:
    import pathlib
    import subprocess
    import sys
    import types

    def run_program(argv=(), stdin="", files=None):
        for name, data in (files or {}).items():
            pathlib.Path(name).write_bytes(data if isinstance(data, bytes) else data.encode())
        command = [sys.executable, "solution.py", *argv]
        ran = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=60)
        codes = {"exit_code": ran.returncode, "returncode": ran.returncode}
        return types.SimpleNamespace(stdout=ran.stdout, stderr=ran.stderr, **codes)
""".strip()


def write_module(state: AgentState, without: Collection[str]) -> str:
    """Every check but those in `without`, grouped by who wrote it; "" when none is left."""
    kept = [suite for suite in state.suites if any(check.id not in without for check in suite.checks)]
    if not kept:
        return ""
    parts = [f"# {suite.id}\n{compose(suite, without)}" for suite in kept]
    body = "\n\n".join(parts)
    is_program = state.brief is not None and state.brief.kind == "program"
    return "\n\n".join([RUN_PROGRAM if "run_program" in body else IMPORT, body] if is_program else [IMPORT, body])
