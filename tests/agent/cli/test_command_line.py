"""The command line keeps its contract: exit codes, one JSON object, one clear line for bad input."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.__main__ import main
from tests.agent.command_line import Ended, agent

KEYS = {
    "run_id", "verdict", "verdict_reason", "stop_reason", "answer", "code", "tests", "artifacts", "pending", "evidence",
    "attempts", "usage", "provider", "model", "events", "seconds", "error",
}  # fmt: skip
EVIDENCE = {"checks", "quarantined", "mutation", "coverage", "isolation", "confirmed", "chance"}
Here = Callable[..., Ended]
USAGE = {"calls", "input_tokens", "output_tokens", "cost_usd", "by_role", "by_model"}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """The command as a call: a process of its own takes seconds to load what this one has loaded already."""

    def run(*arguments: str, state: Path, **env: str) -> Ended:
        for name, value in {"STATE_DIR": str(state), **env}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        code = main([*arguments])
        told = capsys.readouterr()
        return Ended(code, told.out.encode(), told.err.encode())

    return run


@pytest.mark.slow
async def test_who_asks_for_tests_is_shown_the_tests_and_has_them_written(tmp_path: Path) -> None:
    output = tmp_path / "test_it.py"
    ended = await agent("demo", "tests_for_code", "--quiet", "--output", str(output), state=tmp_path / "s")
    assert ended.code == 0, ended.err
    assert "def test_" in ended.out
    assert output.read_text() in ended.out, "and what is written is what is shown"


@pytest.mark.slow
async def test_a_demo_gives_the_whole_object_the_code_and_the_bundle(tmp_path: Path) -> None:
    output, bundle = tmp_path / "out.py", tmp_path / "run.zip"
    ended = await agent(
        "demo", "roman_numerals", "--json", "--output", str(output), "--bundle", str(bundle), state=tmp_path / "s"
    )
    told = ended.json()
    assert ended.code == 0, ended.err
    assert set(told) >= KEYS
    assert set(told["evidence"]) >= EVIDENCE
    assert set(told["usage"]) >= USAGE
    assert [attempt["kind"] for attempt in told["attempts"]] == ["first", "repair"]
    assert told["attempts"][0]["fault"] == "code"
    assert told["attempts"][1]["diff"].startswith("--- c1")
    assert output.read_text() == told["code"]
    with zipfile.ZipFile(bundle) as archive:
        names = set(archive.namelist())
        assert {"solution.py", "test_solution.py", "evidence.json", "journal.jsonl", "verify.py"} <= names
        assert "scripted demo model" in archive.read("README.txt").decode()
    assert "Traceback" not in ended.err


@pytest.mark.slow
def test_a_failed_verdict_is_exit_1(here: Here, tmp_path: Path) -> None:
    ended = here("demo", "honest_failure", "--json", state=tmp_path)
    assert ended.code == 1
    assert ended.json()["verdict"] == "failed"


@pytest.mark.slow
def test_a_pause_without_a_terminal_is_exit_5_and_is_answered_by_resume(here: Here, tmp_path: Path) -> None:
    ended = here("demo", "roman_numerals", "--autonomy", "review_repairs", "--json", state=tmp_path)
    told = ended.json()
    assert ended.code == 5
    question = told["pending"]
    assert question["kind"] == "review_repair"
    resumed = here("resume", told["run_id"], "--answer", f"{question['id']}=approve", "--json", state=tmp_path)
    assert resumed.code == 0, resumed.err
    assert resumed.json()["run_id"] == told["run_id"]
    waiting = here("demo", "roman_numerals", "--autonomy", "review_repairs", state=tmp_path)
    assert "=approve|abort|revise:TEXT|edit:PROGRAM" in waiting.err
    again = here("resume", told["run_id"], "--answer", f"{question['id']}=approve", "--json", state=tmp_path)
    assert again.code == 2
    assert again.out == ""
    listed = here("runs", "--json", state=tmp_path)
    assert told["run_id"] in listed.out


def test_a_task_without_a_scenario_is_refused_by_the_mock(here: Here, tmp_path: Path) -> None:
    ended = here("Add two numbers", "--json", state=tmp_path, LLM_PROVIDER="mock")
    assert ended.code == 3
    assert "scripted demo model" in ended.json()["error"]
    assert "ANTHROPIC_API_KEY" in ended.err
    assert ended.json()["code"] == ""


def test_nothing_configured_is_exit_3_with_one_line(here: Here, tmp_path: Path) -> None:
    ended = here("Add two numbers", "--json", state=tmp_path, OLLAMA_BASE_URL="http://127.0.0.1:9")
    assert ended.code == 3
    assert "No model is configured" in ended.json()["error"]
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("arguments", "env", "stdin", "said"),
    [
        ([""], {}, b"", "the task is empty"),
        (["-"], {}, b"x" * 1_000_000, "the limit is"),
        (["-"], {}, b"\xff\xfe\x00binary", "not text"),
        (["a\x07b"], {}, b"", "control characters"),
        (["x", "--provider", "nope"], {}, b"", "there is no provider 'nope'"),
        (["demo", "nope"], {}, b"", "there is no scenario 'nope'"),
        (["x", "--strategies", "9"], {}, b"", "must be from 1 to 3"),
        (["x", "--autonomy", "wild"], {}, b"", "invalid choice"),
        (["x", "--tests", "missing.py"], {}, b"", "cannot be read"),
        (["x"], {"STATE_DIR": "/proc/nowhere"}, b"", "cannot be used"),
        (["x"], {"EXEC_TIMEOUT": "soon"}, b"", "EXEC_TIMEOUT"),
        (["resume", "unknown"], {}, b"", "there is no run unknown"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_2(
    arguments: list[str],
    env: dict[str, str],
    stdin: bytes,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in {"LLM_PROVIDER": "mock", **env}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    try:
        code = main([*arguments, "--json"])
    except SystemExit as ended:
        code = ended.code
    told = capsys.readouterr()
    assert code == 2
    assert told.out == ""
    assert said in told.err
    assert len(told.err.strip().splitlines()) == 1


@pytest.mark.slow
def test_the_persons_own_tests_are_the_highest_authority(here: Here, tmp_path: Path) -> None:
    tests = tmp_path / "mine.py"
    tests.write_text("def test_mine():\n    assert slugify('A') == 'something else'\n")
    listing = here("demo", "--list", "--json", state=tmp_path).json()
    task = next(entry["task"] for entry in listing["scenarios"] if entry["name"] == "slugify")
    ended = here(task, "--provider", "mock", "--tests", str(tests), "--json", state=tmp_path)
    told = ended.json()
    assert told["verdict"] == "failed"
    assert ended.code == 1
    mine = next(check for check in told["evidence"]["checks"] if check["name"] == "person.test_mine")
    assert (mine["tier"], mine["outcome"]) == ("T0", "fail")
