"""The command line as people expect it: versions, hints, help for every flag, runs found again, and quiet output."""

from __future__ import annotations

import argparse
import json

import pytest

from agent import __main__ as command_line
from agent.__main__ import main
from agent.cli.console import Console
from agent.cli.listing import run as list_runs
from agent.events import Noted, RunFailed, TextStreamed
from agent.runs import AgentRuns
from agent.state import Fork, Task
from agent.task.lone_word import command_meant
from agent.task.request import BadInput, check_task
from framework.settings import Settings
from llm.scenarios import get_scenario
from tests.agent.conftest import Play

PARSERS = ("_task", "_runs", "_show", "_resume", "_fork", "_demo", "_doctor")
COMMANDS = ("runs", "resume", "fork", "demo", "show", "doctor", "worker", "memory")


@pytest.mark.parametrize("name", PARSERS)
def test_every_flag_has_a_sentence(name: str) -> None:
    parser: argparse.ArgumentParser = getattr(command_line, name)()
    silent = [action.dest for action in parser._actions if not action.help]
    assert not silent
    assert parser.description


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("doctr", "python -m agent doctor"),
        ("history", "python -m agent runs"),
        ("help", "python -m agent --help"),
        ("Resume", "python -m agent resume"),
        ("fizzbuzz", ""),
        ("heap", ""),
        *((word, "") for word in ("logo", "star", "lists", "about", "memo", "demon", "wealth", "sage", "stat")),
        ("quicksort", ""),
        ("runs slugify", ""),
        ("Fibonacci", ""),
        ("", ""),
    ],
)
def test_a_lone_word_that_looks_like_a_command_is_no_task(word: str, meant: str) -> None:
    assert command_meant(word, slips=True) == meant


@pytest.mark.parametrize("word", COMMANDS)
def test_each_command_is_known_as_one_at_every_door(word: str) -> None:
    assert command_meant(word) == f"python -m agent {word}"
    with pytest.raises(BadInput, match=f"'{word}' alone is no task"):
        check_task(Task(f" {word}\n"))


@pytest.mark.parametrize(
    "task",
    [
        Task("check", "x = 1"),
        Task("check", tests="def test_a():\n    assert True\n"),
        Task("search", files={"a.txt": b"x"}),
        Task("check", fork=Fork("r1", "c1", "x = 1")),
        Task("doctors"),
        Task("logo"),
    ],
    ids=lambda task: task.text,
)
def test_a_lone_word_beside_what_is_given_and_one_that_is_no_command_are_tasks(task: Task) -> None:
    check_task(task)


def test_a_lone_word_beside_code_is_a_task_at_the_command_line_too() -> None:
    parsed = command_line._parse(["check", "--code", "a.py"])  # pyright: ignore[reportPrivateUsage]
    assert parsed.task == "check"


def test_such_a_word_costs_no_run(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["doctr"])
    assert ended.value.code == 2
    err = capsys.readouterr().err
    assert "did you mean: python -m agent doctor" in err
    assert err.count("\n") == 1


def test_quiet_tells_what_went_wrong_and_verbose_what_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    events = [TextStreamed("generator", "def f"), Noted("half way"), RunFailed("no model", 3)]
    told: dict[str, str] = {}
    for name, console in {"plain": Console(), "quiet": Console(quiet=True), "loud": Console(verbose=True)}.items():
        with console:
            for event in events:
                console.tell(event, isinstance(event, TextStreamed))
        told[name] = capsys.readouterr().err
    assert told["plain"] == "half way\nThe run could not go on: no model\n"
    assert told["quiet"] == "The run could not go on: no model\n"
    assert told["loud"] == "def f\nhalf way\nThe run could not go on: no model\n"


@pytest.mark.asyncio(loop_scope="session")
async def test_runs_are_found_by_their_words_and_their_verdicts(
    play: Play, runs: AgentRuns, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = get_scenario("explain_code")
    assert scenario is not None
    played = await play(Task(scenario.task, scenario.code), provider="mock")
    found: dict[str, int] = {}
    for query, verdict in (("", ""), ("CODE", ""), ("nothing", ""), ("", "partly_verified"), ("", "failed")):
        await list_runs(settings, query=query, verdict=verdict, limit=5, as_json=True)
        listed = json.loads(capsys.readouterr().out)["runs"]
        found[f"{query}/{verdict}"] = len(listed)
        assert all(entry["verdict"] == played.outcome["verdict"] for entry in listed)
    assert found == {"/": 1, "CODE/": 1, "nothing/": 0, "/partly_verified": 1, "/failed": 0}
    await list_runs(settings, query="nothing", verdict="", limit=5, as_json=False)
    assert capsys.readouterr().out == "No run carries 'nothing'.\n"
    runs.store.database.execute("UPDATE events SET data = '{}' WHERE kind = 'run_finished'")
    await list_runs(settings, query="", verdict="", limit=5, as_json=True)
    [other] = json.loads(capsys.readouterr().out)["runs"]
    assert (other["status"], other["verdict"]) == ("done", ""), "another version stored it"
