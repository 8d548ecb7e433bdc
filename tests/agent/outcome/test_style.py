"""The finish: formatted by ruff, run again, and only where nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest

from agent.outcome import style
from agent.outcome.style import FORMATTED, KEPT, lint
from agent.runs import AgentRuns
from llm.replies.files import join_files
from tests.agent.conftest import Played
from tests.agent.model_server import ModelServer
from tests.agent.test_flags import live, writes
from tests.agent.test_unhelpful_models import TASK

UGLY = "import os\ndef count_vowels( text ):\n  return sum( letter in 'aeiouAEIOU' for letter in text )"
NEAT = "def count_vowels(text):\n    return sum(letter in 'aeiouAEIOU' for letter in text)\n"
COUNTS_ITS_OWN_LETTERS = """import linecache, sys
def count_vowels( text ):
  here = sys._getframe().f_lineno
  return sum( letter in 'aeiouAEIOU' for letter in text ) if here == 3 else -1"""


async def ends(server: ModelServer, runs: AgentRuns, program: str, **options: Any) -> Played:
    writes(server, program)
    return await live(runs, independent_attempts=0, max_repairs=0, **options)


@pytest.mark.asyncio(loop_scope="session")
async def test_an_accepted_program_is_handed_over_neat(model_server: ModelServer, live_runs: AgentRuns) -> None:
    outcome = (await ends(model_server, live_runs, UGLY)).outcome
    assert outcome["code"] == NEAT
    assert outcome["evidence"]["style"].startswith(FORMATTED)
    assert outcome["verdict"] in ("verified", "partly_verified")


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("program", "task", "options", "told"),
    [
        (COUNTS_ITS_OWN_LETTERS, TASK, {}, KEPT),
        (UGLY, TASK, {"style": False}, ""),
        (UGLY, f"{TASK} Write it as a one-liner.", {}, ""),
        (UGLY.replace("aeiouAEIOU", "xyz"), TASK, {}, ""),
    ],
)
async def test_it_stays_as_it_was_written_where_anything_else_would_change(
    program: str, task: str, options: dict[str, object], told: str, model_server: ModelServer, live_runs: AgentRuns
) -> None:
    outcome = (await ends(model_server, live_runs, program, task=task, **options)).outcome
    assert (outcome["code"].rstrip(), outcome["evidence"]["style"]) == (program, told)


@pytest.mark.asyncio
async def test_faults_are_told_by_module_and_line_without_the_folder() -> None:
    assert await lint("def f(n):\n    return m\n") == ["solution.py:2: F821 Undefined name `m`"]
    files = {"shop/a.py": "import os\n", "shop/b.py": "x = 1\n", "shop/note.txt": "import os\n"}
    (told,) = await lint(join_files(files))
    assert told.startswith("a.py:1: F401")
    assert len(await lint("".join(f"import a{at}\n" for at in range(9)))) == 8
    assert await lint(NEAT) == []


@pytest.mark.asyncio
async def test_without_ruff_nothing_is_told_and_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style, "_ruff", lambda: "")
    assert await lint("def f(n):\n    return m\n") == []
    assert await style._by_ruff(UGLY) == ""  # pyright: ignore[reportPrivateUsage]
