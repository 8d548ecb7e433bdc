"""Tasks of several steps: each is verified before the next is written, and a later failure opens one earlier step."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agent.by_output.leaving import Left
from agent.examples import read_brief
from agent.examples.types import Demand, Leaving
from agent.nodes.next_step import _kept
from agent.outcome.final import evidence_of_steps, verdict_of_steps, word_for
from agent.runs import AgentRuns
from agent.state import AgentState, Candidate, Earlier, Task
from agent.state.steps import Step, Steps
from agent.task.order import Order
from agent.task.steps import may_have_steps, program_of, reopened, steps_of
from agent.trust import Verdict
from llm.replies.files import join_files, split_files
from sandbox.types import Artifact
from tests.agent.conftest import follow
from tests.agent.model_server import ModelServer, fenced

TASK = (
    "Create a CSV file ages.csv with sample ages, then read it and calculate the mean age, then write it to mean.json"
)
STAGES = [
    {"task": "Write ages.csv with sample ages", "files": [{"name": "ages.csv", "columns": ["name", "age"]}]},
    {"task": "Read ages.csv and calculate the mean age", "values": ["mean age"]},
    {"task": "Write the mean age of ages.csv to mean.json", "files": [{"name": "mean.json", "columns": ["mean"]}]},
]
MAKE = "open('ages.csv', 'w').write('name,age\\nAnn,{}\\nBob,30\\n')"
BAD, GOOD = MAKE.format("old"), MAKE.format("40")
READ = "import csv\nages = [int(row['age']) for row in csv.DictReader(open('ages.csv'))]\n"
MEAN = f"{READ}print('mean age', sum(ages) / len(ages))"
OTHER = "import pandas\nprint('mean age:', pandas.read_csv('ages.csv')['age'].mean())"
STORE = f"{READ}import json\njson.dump({{'mean': sum(ages) / len(ages)}}, open('mean.json', 'w'))"
STORED = f"{READ}import statistics\nopen('mean.json', 'w').write('{{\"mean\": %s}}' % statistics.mean(ages))"
NAMELESS = GOOD.replace("Ann", "").replace("Bob", "")
NAMED = f"import csv\nif '' in [r['name'] for r in csv.DictReader(open('ages.csv'))]:\n    raise ValueError\n{STORE}"
NEEDY = "import greeting\nprint('mean age', 3)"
CODE_FAULT = '{"fault": "code", "explanation": "a word is no number", "confidence": 0.9}'


def ran(stdout: str = "", *told: str, fate: str = "ok") -> Any:
    """A run that printed this and left behind what is told."""
    execution = SimpleNamespace(stdout=stdout)
    return SimpleNamespace(fate=fate, lacks="it broke", execution=execution, artifacts=[], left=list(map(Left, told)))


async def played(runs: AgentRuns, server: ModelServer, programs: list[str], **options: Any) -> Any:
    """A run in which the generator gives these programs, one after the other."""
    replies = {"planner": json.dumps({"plan": "in three", "steps": STAGES}), "debugger": CODE_FAULT}
    server.answer = lambda role, times: replies.get(role) or fenced(programs[min(times, len(programs) - 1)])
    order = Order(Task(TASK), {"max_repairs": 0, "max_rewrites": 0, **options})
    return await follow(runs, await runs.begin(order))


def words(outcome: dict[str, Any]) -> list[str]:
    return [step["verdict"] for step in outcome["evidence"]["steps"]]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("programs", "failing", "written_again"),
    [
        ([BAD, MEAN, GOOD, OTHER, STORE, STORED], 2, 2),
        ([NAMELESS, MEAN, OTHER, NAMED, GOOD, STORED], 3, 4),
    ],
    ids=["of the next step", "of the last step, with one between"],
)
async def test_a_failure_opens_the_step_whose_file_it_reads_and_what_follows_is_tried_as_it_was(
    programs: list[str], failing: int, written_again: int, live_runs: AgentRuns, model_server: ModelServer
) -> None:
    outcome = (await played(live_runs, model_server, programs)).outcome
    assert words(outcome) == ["partly_verified"] * 3, outcome["verdict_reason"]
    assert outcome["verdict"] == "partly_verified"
    opened = [step["reopened"] for step in outcome["evidence"]["steps"]]
    assert "ValueError" in opened[0]
    assert not any(opened[1:])
    calls = outcome["usage"]["by_role"]["generator"]["calls"]
    assert calls == len(programs), "what reads the file is not written a second time"
    told = [text for role, text in model_server.prompts if role == "generator"]
    assert f"It was done once, and what it left behind made step {failing} fail" in told[written_again]
    assert "'age': whole number" in told[-1], "each step is told what the files of those before it hold"
    assert "mean age" in outcome["evidence"]["script_output"]
    assert {one["name"] for one in outcome["artifacts"]} == {"ages.csv", "mean.json"}
    assert sorted(outcome["files"]) == ["main.py", "step_1.py", "step_2.py", "step_3.py"]


@pytest.mark.slow
@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("programs", "options", "expected", "said"),
    [
        ([BAD, MEAN, BAD], {}, ["partly_verified", "failed", "unverified"], "step 3: not done"),
        (["print('no file')"], {}, ["failed", "unverified", "unverified"], "ages.csv was not written"),
        (
            [GOOD],
            {"budget_calls": 2},
            ["partly_verified", "unverified", "unverified"],
            "step 2: not done",
        ),
        ([GOOD, NEEDY], {}, ["partly_verified", "unverified", "unverified"], "it needs greeting, which is not"),
    ],
)
async def test_what_passed_is_kept_where_a_step_fails_or_the_budget_ends(
    live_runs: AgentRuns,
    model_server: ModelServer,
    programs: list[str],
    options: dict[str, Any],
    expected: list[str],
    said: str,
) -> None:
    outcome = (await played(live_runs, model_server, programs, **options)).outcome
    assert words(outcome) == expected
    assert outcome["verdict"] == max(expected, key=["partly_verified", "unverified", "failed"].index)
    assert said in outcome["verdict_reason"]
    made = [one["name"] for one in outcome["artifacts"]]
    assert made == (["ages.csv"] if expected[0] == "partly_verified" and NEEDY not in programs else [])
    assert BAD in outcome["code"] or GOOD in outcome["code"] or expected[0] == "failed"


def state_of(text: str, code: str | None = None) -> AgentState:
    return AgentState(task=Task(text, code), brief=read_brief(text, code, ()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Create a CSV, read it, calculate statistics", True),
        ("Create a CSV with sample data, then read it and calculate statistics", True),
        ("Erzeuge eine CSV-Datei mit Beispieldaten, lies sie dann ein und berechne den Mittelwert", True),
        ("Crée un fichier CSV, puis lis-le et calcule la moyenne", True),
        ("Crea un archivo CSV, luego léelo y calcula la media", True),
        ("创建一个CSV文件,然后读取它并计算平均值", True),
        ("Generate 100 random numbers and plot a histogram", False),
        ("Write first_then(xs) that sorts, then reverses a list", False),
    ],
)
def test_code_tells_where_the_planner_is_asked_for_steps(text: str, expected: bool) -> None:
    assert may_have_steps(state_of(text)) == expected


def test_what_follows_on_from_an_earlier_run_is_one_script() -> None:
    followed = state_of(TASK)
    earlier = Earlier("run", "script", (), ())
    assert may_have_steps(followed)
    assert not may_have_steps(replace(followed, task=replace(followed.task, earlier=earlier)))


@pytest.mark.parametrize(
    "stages",
    [
        [],
        STAGES[:1],
        [*STAGES[:1], {"task": "think about it"}],
        [{"task": "escape", "files": [{"name": "../a.csv"}]}, *STAGES[1:]],
        STAGES[:2],
    ],
    ids=["none", "one", "nothing left", "a path", "a file of the task is forgotten"],
)
def test_steps_that_leave_nothing_to_look_at_are_one_script(stages: list[dict[str, Any]]) -> None:
    assert steps_of(state_of(TASK), STAGES) is not None
    assert steps_of(state_of(TASK), stages) is None


@pytest.mark.parametrize(
    ("told", "data", "word"),
    [
        ("Write a.csv with sample ages", b"age\n3\n", "partly_verified"),
        ("Write a.csv with 2 sample rows, Ann 34 and Bob 29", b"name,age\nAnn,34\nBob,29\n", "partly_verified"),
        ("Write a.csv with 3 random numbers", b"value\n0.1\n0.2\n0.4\n", "partly_verified"),
        ("Write a.csv with 2 random numbers from 1 to 1,000", b"value\n17\n204\n", "partly_verified"),
        ("Write a.csv with 2 random numbers from 1 to 100", b"value\n17\n204\n", "unverified"),
        ("Write a.csv with sample rows, Ann 34 and Bob 29", b"name,age\nAnn,30\n", "unverified"),
        ("Write a.csv with sample rows, Ann 34 and Bob 29", b"name,age\nAnn,34\nBob,92\n", "unverified"),
    ],
)
def test_a_file_of_the_authors_own_data_holds_what_the_task_says(told: str, data: bytes, word: str) -> None:
    files = [Artifact("a.csv", "text/csv", data)]
    shown: Any = SimpleNamespace(fate="ok", artifacts=files, left=[Left("a.csv: text")])
    demand = Demand(by_chance=True, leaves=(Leaving("a.csv"),))
    assert word_for(Step(told, demand.leaves), Verdict("unverified", ()), demand, shown)[0] == word


AGES, MEANS = "ages.csv: table, 100 rows", "ages.csv: table, 90 rows"
FIRST = Step("", word="verified", seen=(AGES, "printed: mean: 3"), left={"ages.csv": b""})


@pytest.mark.parametrize(
    ("second", "whole", "reasons"),
    [
        ((), ran("mean: 3", AGES), 2),
        ((), ran("mean: 4", AGES, "printed: mean: 4"), 3),
        ((), ran("mean: 3", MEANS), 3),
        ((), ran("it broke", fate="crash"), 3),
        ((MEANS,), ran("mean: 3", MEANS), 2),
        ((MEANS,), ran("mean: 3", AGES), 3),
        (("printed: the mean: 7",), ran("mean: 3\nthe mean: 7", AGES, "printed: mean: 3"), 2),
    ],
    ids=["alike", "a value", "a file", "a crash", "a file written twice", "the second of two", "a name printed twice"],
)
def test_what_the_whole_does_otherwise_than_its_steps_is_told(
    second: tuple[str, ...], whole: Any, reasons: int
) -> None:
    left = {"data/Ages.csv": b""} if MEANS in second else {}
    found = verdict_of_steps(Steps("", {}, (FIRST, replace(FIRST, seen=second, left=left))), whole, ())
    assert (found.word, len(found.reasons)) == ("verified" if whole.fate == "ok" else "failed", reasons)


@pytest.mark.parametrize(
    ("word", "told"),
    [("partly_verified", AGES), ("unverified", "programs differ"), ("failed", "programs differ")],
)
def test_a_step_that_did_not_pass_is_told_with_its_reason_although_it_left_something(word: Any, told: str) -> None:
    step = Step("", word=word, reason="programs differ", seen=(AGES,))
    (said,) = verdict_of_steps(Steps("", {}, (step,)), ran("", AGES), ()).reasons
    assert said == f"step 1: {word.replace('_', ' ')} ({told})"


def test_nothing_that_was_found_before_is_told_of_steps_that_are_open_again() -> None:
    failed = replace(FIRST, word="failed", reason="no such column")
    again = reopened(Steps("", {}, (FIRST, failed), at=1), 0)
    assert verdict_of_steps(again, ran(), ()).reasons == ("step 1: not done", "step 2: not done")
    assert [(one.reason, one.left) for one in evidence_of_steps(again)] == [("not done", ())] * 2
    assert "no such column" in again.parts[0].blamed


@pytest.mark.asyncio
@pytest.mark.parametrize(("before", "word"), [("", "failed"), (MEAN, "unverified")])
async def test_a_step_that_gets_no_new_program_keeps_the_one_it_had(
    before: str, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = await kept(monkeypatch, Step("", code=before, blamed="step 2 failed" if before else ""))
    assert (done.code, done.word, done.reason) == (before, word, "no program was written")


@pytest.mark.parametrize(
    ("end", "printed"),
    [("import sys\nsys.exit(0)", [1, 2]), ("raise SystemExit", [1, 2]), ("import sys\nsys.exit('no data')", [1])],
)
def test_a_step_that_ends_itself_ends_the_others_only_where_it_went_wrong(
    end: str, printed: list[int], tmp_path: Path
) -> None:
    assert outputs_of([f"print(1)\n{end}", "print(2)"], tmp_path) == printed


def test_a_step_of_several_files_is_joined_with_the_others(tmp_path: Path) -> None:
    several = join_files({"main.py": "import three\nprint(three.THREE)", "three.py": "THREE = 3"})
    assert outputs_of(["print(1)\n# file: ages.csv\nprint(2)", several, "print(4)"], tmp_path) == [1, 2, 3, 4]


def outputs_of(codes: list[str], folder: Path) -> list[int]:
    """The numbers that the joined program of these steps prints, one a line."""
    joined = program_of(Steps("", {}, tuple(Step("", code=code) for code in codes)))
    for path, content in (split_files(joined) or {}).items():
        (folder / path).write_text(content)
    ran = subprocess.run([sys.executable, "main.py"], cwd=folder, capture_output=True, text=True, check=False)
    return [int(line) for line in ran.stdout.split()]


MADE_UP = "try:\n    text = open('ages.csv').read()\nexcept OSError:\n    text = ['Ann', 'Bob']\nprint('mean age', 3)"


@pytest.mark.asyncio
async def test_signs_of_cheating_in_a_step_are_told_of_it_and_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    done = await kept(monkeypatch, Step("", values=("mean age",)), MADE_UP)
    assert "line 3: data is made up" in done.reason
    whole = verdict_of_steps(Steps("", {}, (replace(done, word="verified"),)), ran(), ["line 3: data is made up"])
    assert (whole.word, whole.reasons[-1]) == ("partly_verified", "line 3: data is made up")


async def kept(monkeypatch: pytest.MonkeyPatch, step: Step, *codes: str) -> Step:
    """What becomes of an open step for which these programs were written."""

    async def show(*_: Any) -> Any:
        return ran()

    monkeypatch.setitem(_kept.__globals__, "show", show)
    written = [Candidate(f"c{place}", code, "first", None, f"c{place}") for place, code in enumerate(codes, 1)]
    state = replace(state_of(TASK), candidates=written)
    context: Any = SimpleNamespace(emit=lambda _: None)
    return (await _kept(state, Steps(TASK, {}, (step,), at=0), context)).parts[0]


@pytest.mark.parametrize(
    ("fate", "lacks", "error", "size", "told"),
    [
        ("missing output", "no a.csv", "", 0, ("failed", "no a.csv")),
        ("crash", "", "KeyError: 'a'", 0, ("failed", "KeyError: 'a'")),
        ("timeout", "", "", 0, ("failed", "timeout")),
        ("ok", "", "", 20_000_001, ("failed", "it left more than 20,000,000 bytes behind")),
        ("ok", "", "", 20_000_000, ("verified", "all; well")),
    ],
)
def test_a_step_fails_by_how_it_ended_or_by_what_it_leaves(
    fate: str, lacks: str, error: str, size: int, told: tuple[str, str]
) -> None:
    files = [Artifact("a.csv", "text/csv", bytes(size)), Artifact("a.py", "text/x-python", bytes(9))]
    shown: Any = SimpleNamespace(
        fate=fate, artifacts=files, left=[], lacks=lacks, execution=SimpleNamespace(error=error)
    )
    assert word_for(Step("Write a.csv"), Verdict("verified", ("all", "well")), Demand(), shown) == told
