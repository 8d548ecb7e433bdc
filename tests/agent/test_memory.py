"""Memory across runs: what is kept, for whom it is found again, who is told, and how it is deleted and exported."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.__main__ import main
from agent.cli.remembered import push
from agent.engine import spec_of
from agent.events import Diagnosed, LessonsLearned
from agent.events.codec import encode_event
from agent.nodes.conclude import _learned
from agent.runs import AgentRuns
from agent.session.memory import KEY, LEAST_SIMILARITY, about, keep, listed, most_similar, similarity
from agent.state import AgentState, Earlier, Task, Turn
from agent.state.steps import Step, Steps
from agent.task.order import Order
from agent.task.request import BadInput
from framework.secret import Secret
from framework.settings import Settings
from framework.storage.records import RunRow
from framework.storage.store import Store
from tests.agent.conftest import Played, follow
from tests.agent.hub_server import Hub
from tests.agent.model_server import ModelServer, fenced
from tests.agent.test_unhelpful_models import RIGHT, TASK, TESTS, usual

SIMILAR = (
    "Write vowel_share(text): how large the share of the vowels in a text is. For example vowel_share('ab') == 0.5."
)
KEYS = ("sk-canary-0123456789abcdef", "ghp_0123456789abcdefghij")
LESSON = "Upper case vowels count, too."


def halves() -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    text = Path(__file__).with_name("tasks_alike.txt").read_text()
    for half in text.split("@ ")[1:]:
        name, *lines = half.strip().splitlines()
        yield name, [tuple(line.split(" || ")) for line in lines]


@pytest.mark.parametrize(("name", "pairs"), [*halves()])
def test_similar_tasks_are_found_and_unlike_ones_are_not(name: str, pairs: list[tuple[str, ...]]) -> None:
    alike = [similarity(*pair) for pair in pairs]
    unlike = [
        similarity(one, other)
        for at, pair in enumerate(pairs)
        for others in pairs[at + 1 :]
        for one in pair
        for other in others
    ]
    assert sum(score >= LEAST_SIMILARITY for score in alike) >= 24, name
    assert (len(alike), len(unlike)) == (25, 1200)
    assert sum(score >= LEAST_SIMILARITY for score in unlike) <= 5, name


@pytest.mark.parametrize("other", ["", "Fix this code", "Write a function that returns a list", "make it faster"])
def test_words_that_every_task_has_make_no_likeness(other: str) -> None:
    assert similarity("Fix this code: write a function that returns a list, and make it faster", other) == 0


def test_a_task_is_about_its_turns_and_the_names_of_its_code() -> None:
    earlier = Earlier("r", "function", (Turn("Write a roman numeral parser.", "verified", ""),))
    found = about(Task("make it faster", "class Numeral:\n    def as_number(self): ...", earlier=earlier))
    assert found == "make it faster Write a roman numeral parser. Numeral as_number"


def record(task: str, *lessons: str) -> dict[str, Any]:
    return {"task": task, "about": task, "verdict": "verified", "lessons": [*lessons]}


def test_few_lessons_come_along_the_nearest_first_and_each_once() -> None:
    kept = {
        "far": record("Draw a histogram of rainfall", "no"),
        "near": record("count the vowels of a text", "a", "b", "c"),
        "nearest": record(TASK, "c", "d"),
        "next": record("vowels of words", "e", "f", "g"),
    }
    found = [(one.run, one.lessons) for one in most_similar(TASK, kept)]
    assert found == [("nearest", ("c", "d")), ("near", ("a", "b")), ("next", ("e",))]
    assert most_similar("Draw a map of the stars", kept) == []


def test_nothing_is_kept_of_a_run_that_learned_nothing() -> None:
    keep(Task(TASK), ["", " "], "verified", None)  # type: ignore[arg-type] - nothing is asked of it


def test_a_run_of_several_steps_learned_what_its_steps_did() -> None:
    steps = Steps("all", {}, (Step("one", lessons=("of step 1",)), Step("two")), at=2)
    state = AgentState(
        task=Task("all"), steps=steps, lessons=["rolling", "a linter on c1: unused", "a reviewer of c1, no"]
    )
    assert _learned(state) == ["of step 1", "rolling"]


QUICK = {"memory": True, "mutation_seconds": 0, "adversary": False, "critic": False, "max_rewrites": 0}


async def live(runs: AgentRuns, server: ModelServer, task: str, owner: str, **options: object) -> Played:
    """A first program that counts no letter, and a repair that is right. The debugger's finding holds secrets."""
    name = "vowel_share" if task == SIMILAR else "count_vowels"
    right = RIGHT.replace("count_vowels", name) + (" / len(text)" if task == SIMILAR else "")
    server.prompts.clear()

    def answer(role: str, times: int) -> str:
        words = server.prompts[-1][1]
        if role == "generator":
            return fenced(right if "The module so far" in words else right.replace("'aeiouAEIOU'", "''"))
        if role == "debugger":
            said = {"explanation": f"{LESSON} {KEYS[1]}", "repair_hint": f"Not {KEYS[0]}."}
            return json.dumps({"fault": "code", "category": "assertion", "confidence": 0.9, **said})
        half = "def test_half():\n    assert vowel_share('ab') == 0.5"
        return fenced(half if task == SIMILAR else TESTS) if role == "spec tester" else usual(role)

    server.answer = answer
    order = Order(Task(task), {**QUICK, **options}, owner=owner, on_this_machine=True)
    return await follow(runs, await runs.begin(order))


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
async def test_lessons_come_along_as_hints_to_whoever_changes_a_program_and_to_nobody_else(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    store = live_runs.store
    first = await live(live_runs, model_server, TASK, "ann", review="always")
    assert first.outcome["evidence"]["memory"] == []
    [kept] = await store.do(listed, store, "ann")
    assert kept["lessons"] == [f"{LESSON} *** Not ***."], "a secret is not kept, and a linter's hint is no lesson"

    second = await live(live_runs, model_server, SIMILAR, "ann")
    [recalled] = second.of("memory_recalled")
    assert [(one.run, one.lessons) for one in recalled.recalled] == [(first.run_id, 1)]
    [told] = second.outcome["evidence"]["memory"]
    assert (told["run"], told["lessons"]) == (first.run_id, 1)
    shown = [str(encode_event(event)) for event in second.events if not isinstance(event, Diagnosed | LessonsLearned)]
    assert not [words for words in shown if TASK in words or LESSON in words], "who sees this run need not see that one"
    assert "1 lesson of 1 earlier run came along as hints." in second.outcome["answer"]
    heard = [words for _, words in model_server.prompts if LESSON in words and "From an earlier run on" in words]
    deaf = [(role, words) for role, words in model_server.prompts if words not in heard]
    assert {role for role, words in model_server.prompts if words in heard} == {"debugger", "generator"}
    assert all("The module so far" in words for words in heard if "You are the generator" in words)
    assert {"spec tester", "generator"} <= {role for role, _ in deaf}, "who writes blind of others hears nothing"

    for owner, on in (("bob", True), ("ann", False)):
        other = await live(live_runs, model_server, SIMILAR, owner, memory=on)
        assert not other.of("memory_recalled")
        assert not any("From an earlier run" in words for _, words in model_server.prompts)
        assert other.outcome["verdict"] == second.outcome["verdict"], "it counts for nothing"
    assert {one["run_id"] for one in await store.do(listed, store, "ann")} == {first.run_id, second.run_id}

    await live_runs.delete(first.run_id)
    assert [one["run_id"] for one in await store.do(listed, store, "ann")] == [second.run_id]


@pytest.mark.parametrize(("set_to", "asked", "on"), [("", None, False), ("on", None, True), ("on", False, False)])
def test_a_run_remembers_where_it_or_the_settings_say_so(set_to: str, asked: bool | None, on: bool) -> None:
    settings = Settings.from_env({"MEMORY": set_to, "LLM_PROVIDER": "mock"})
    assert spec_of(settings, Order(Task(TASK), {"memory": asked})).config.memory is on


@pytest.fixture
def remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command line's state, where two of its runs and one of somebody else remember something."""
    monkeypatch.setenv("STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("HF_TOKEN", raising=False)
    store = Store.open(tmp_path / "state")
    for at, (run_id, owner, task) in enumerate([("aaaa1", "", "Sort"), ("aaaa2", "", "Parse"), ("b", "ann", "Hers")]):
        store.runs.add(RunRow(run_id, float(at), task, {}, False, owner, ""))
        store.memo.remember(run_id, KEY, record(task, f"lesson of {run_id}"))
    store.close()
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code, said = main(["memory", *words]), capsys.readouterr()
    return code, said.out, said.err


def test_the_command_lists_exports_and_deletes_what_is_its_own(
    remembered: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listing = json.loads(told(capsys, "--json")[1])["memory"]
    assert [one["run_id"] for one in listing] == ["aaaa2", "aaaa1"]
    assert [one["task"] for one in json.loads(told(capsys, "LESSON OF AAAA1", "--json")[1])["memory"]] == ["Sort"]
    assert "- lesson of aaaa2" in told(capsys)[1]
    assert json.loads(told(capsys, "--everyone", "--json")[1])["memory"][0]["run_id"] == "b"
    file = remembered / "out.jsonl"
    assert told(capsys, "--export", str(file))[0] == 0
    assert [json.loads(line) for line in file.read_text().splitlines()] == listing
    assert told(capsys, "--export", "-")[1] == file.read_text()
    for words in (["--delete", "b"], ["--delete", "aaaa"], ["--push", "me/data"], ["--export", str(remembered)]):
        code, out, err = told(capsys, *words)
        assert (code, out, err.count("\n")) == (2, "", 1), words
    assert json.loads(told(capsys, "--delete", "aaaa1", "--json")[1]) == {"forgotten": 1}
    assert json.loads(told(capsys, "--delete-all", "--json")[1]) == {"forgotten": 1}
    assert "Nothing is remembered yet" in told(capsys)[1]
    store = Store.open(remembered / "state")
    assert [one["task"] for one in listed(store, "ann")] == ["Hers"]
    store.close()


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    opened = Hub(KEYS[0])
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", opened.url)
    yield opened
    opened.close()


def test_lessons_are_uploaded_to_a_private_data_set(hub: Hub) -> None:
    lines = json.dumps(record(TASK, LESSON)) + "\n"
    assert push(lines, "me/data", Secret(KEYS[0])) == f"{hub.url}/datasets/me/data"
    made = hub.sent[0]
    assert (made["name"], made["type"], made.get("private") or made.get("visibility") == "private") == (
        "data",
        "dataset",
        True,
    )
    [file] = [one["value"] for one in hub.sent if one.get("key") == "file"]
    assert (file["path"], base64.b64decode(file["content"]).decode()) == ("lessons.jsonl", lines)


@pytest.mark.parametrize(("name", "token", "why"), [("me/open", KEYS[0], "is public"), ("me/data", KEYS[1], "401")])
def test_what_cannot_be_uploaded_is_one_line_without_the_token(hub: Hub, name: str, token: str, why: str) -> None:
    with pytest.raises(BadInput, match=why) as caught:
        push("{}\n", name, Secret(token))
    assert "\n" not in str(caught.value)
    assert token not in str(caught.value)
    assert not any(path.endswith("/commit/main") for path in hub.asked)
