"""What a task or its program needs and nobody installed: known before anything is run, and a matter of consent."""

from __future__ import annotations

import dataclasses
import io
import zipfile

import pytest

from agent.config import AgentConfig
from agent.engine import spec_of
from agent.runs import AgentRuns
from agent.session.packages import may_do_without, needs_of_program, unmet
from agent.state import AgentState, Task
from agent.task.order import Order
from agent.task.request import BadInput
from llm.replies.files import join_files
from sandbox.packages import lacking
from sandbox.types import Program
from tests.agent.conftest import follow
from tests.agent.model_server import ModelServer
from tests.agent.test_flags import live, writes
from tests.agent.test_unhelpful_models import RIGHT, TASK

pytestmark = pytest.mark.slow

NEEDY = f"import greeting\n\n\n{RIGHT.replace('return ', 'return greeting.same(')})"


def test_what_is_missing_is_read_from_the_text() -> None:
    code = "import os, numpy, nothing_a.b\nfrom nothing_b import c\nfrom . import d\nimport mine\n"
    code += "def f():\n    import cv2\n"
    guarded = "try:\n    import nothing_c\nexcept ImportError:\n    nothing_c = None\n"
    found = lacking([code, guarded, "import broken ("], own=["mine"])
    assert set(found) == {"nothing-a", "nothing-b", "opencv-python-headless"}


def workbook() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("xl/workbook.xml", "")
    return data.getvalue()


@pytest.mark.parametrize(
    ("task", "name"),
    [
        (Task("Fit a line using statsmodels and print the slope of y = 2x over 1..9"), "statsmodels"),
        (Task("Fit a line without using statsmodels and print the slope of y = 2x over 1..9"), ""),
        (Task("Write f(text) that counts how often the word statsmodels occurs"), ""),
        (Task("Fix this code", code="import nothing_d\n\ndef f(x):\n    return x\n"), "nothing-d"),
        (Task("Fix this code", code="def f(x):\n    import nothing_d\n    return x\n"), ""),
        (Task("Fix this", code=join_files({"a/__init__.py": "", "a/b.py": "import nothing_d\n"})), ""),
        (Task("The mean of each column of pay.xlsx", files={"pay.xlsx": workbook()}), "openpyxl"),
        (Task("The mean of each column of pay.csv", files={"pay.csv": workbook()}), "openpyxl"),
        (Task("How many files does a.xlsx hold?", files={"a.xlsx": b"PK\x03\x04 no workbook"}), ""),
        (Task("The mean of each column of a.parquet", files={"a.parquet": b"PAR1...."}), "pyarrow"),
        (Task("The mean of each column of a.csv", files={"a.csv": b"a\n1\n"}), ""),
        (Task("Write the squares of 1 to 10 to squares.xlsx"), "openpyxl"),
        (Task("Lege eine Tabelle der Quadratzahlen bis 100 als quadrate.parquet an"), "pyarrow"),
        (Task("Write the squares of 1 to 10 to squares.csv"), ""),
        (Task("Print the names of the first 100 columns of an Excel sheet"), ""),
    ],
)
def test_what_the_task_itself_needs_is_known_before_any_call(task: Task, name: str) -> None:
    if name in ("openpyxl", "pyarrow", "statsmodels") and not lacking([f"import {name}"]):
        pytest.skip("it is installed here")
    told = unmet(task, AgentConfig())
    assert bool(told) == bool(name)
    assert f"needs {name}" in told or not name
    assert unmet(task, AgentConfig(install_packages=True)) == ""


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("read_excel('a.xlsx')", "openpyxl"),
        ("DataFrame().to_parquet('a')", "pyarrow"),
        ("read_excel('a.xls', engine='xlrd')", ""),
        ("read_csv('a.csv')", ""),
    ],
)
def test_what_pandas_imports_when_it_is_called_is_known_too(call: str, name: str) -> None:
    if name and not lacking([f"import {name}"]):
        pytest.skip("it is installed here")
    code = f"import pandas as pd\nprint(pd.{call})\n"
    assert needs_of_program(Program(solution=code), "") == ((name,) if name else ())
    guarded = f"import pandas as pd\ntry:\n    print(pd.{call})\nexcept ImportError:\n    print('none')\n"
    assert needs_of_program(Program(solution=guarded), "") == ()


def test_a_module_whose_file_the_task_names_is_no_package() -> None:
    program = Program(solution="from storage import load\nimport beside\n")
    assert needs_of_program(program, "Write todo.py, which keeps its items by storage.py.") == ("beside",)
    assert needs_of_program(program, "Write a program with some storage.") == ("storage", "beside")


@pytest.mark.parametrize(
    ("text", "names", "may"),
    [
        ("Erstelle eine Excel-Datei mit zehn Namen", ("openpyxl",), False),
        ("Create an Excel file with ten names", ("xlsxwriter",), False),
        ("Print ten names", ("openpyxl",), True),
        ("Print ten names with rich", ("rich",), False),
    ],
)
def test_only_what_the_task_does_not_speak_of_is_done_without(text: str, names: tuple[str, ...], may: bool) -> None:
    assert may_do_without(AgentState(task=Task(text)), names) is may


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("words", "programs"), [(" Use the package greeting.", 1), ("", 2)])
async def test_without_consent_there_is_one_honest_end(
    words: str, programs: int, model_server: ModelServer, live_runs: AgentRuns
) -> None:
    """What the task does not name is the author's own idea: the author is told once, and nobody else is asked."""
    writes(model_server, NEEDY)
    refused = (await live(live_runs, TASK + words)).outcome
    assert (refused["verdict"], refused["status"]) == ("unverified", "done")
    assert refused["verdict_reason"] == "it needs greeting, which is not installed here"
    assert "installing packages was not allowed" in refused["answer"]
    assert "--" not in refused["answer"], "the door through which it came may have no flags"
    assert "import greeting" in refused["code"]
    assert set(model_server.asked) == {"generator", "spec tester"}
    assert model_server.asked["generator"] == programs


@pytest.mark.asyncio(loop_scope="session")
async def test_an_author_who_is_told_may_do_without(model_server: ModelServer, live_runs: AgentRuns) -> None:
    writes(model_server, NEEDY, RIGHT)
    played = await live(live_runs)
    assert played.outcome["verdict"] in ("verified", "partly_verified"), played.outcome["answer"]
    assert "debugger" not in model_server.asked, "what is missing is known"
    (found,) = played.of("diagnosed")
    assert (found.category, found.repair_hint.startswith("Do without greeting")) == ("import", True)
    assert "Do without greeting" in [text for role, text in model_server.prompts if role == "generator"][1]


@pytest.mark.asyncio(loop_scope="session")
async def test_with_consent_it_is_installed_and_told_with_version_and_hash(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    writes(model_server, NEEDY)
    played = await live(live_runs, install_packages=True, independent_attempts=0)
    assert played.outcome["verdict"] in ("verified", "partly_verified"), played.outcome["answer"]
    (pin,) = played.outcome["evidence"]["packages"]
    assert pin.startswith("greeting==1.0 sha256:")
    assert any(pin in event.text for event in played.of("noted"))


GONE = "import no_such_package_here\n\n\n" + RIGHT


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("words", "programs"), [(" Use the package no_such_package_here.", 1), ("", 2)])
async def test_what_cannot_be_installed_ends_the_run_as_without_consent(
    words: str, programs: int, model_server: ModelServer, live_runs: AgentRuns
) -> None:
    writes(model_server, GONE)
    ended = (await live(live_runs, TASK + words, install_packages=True)).outcome
    assert (ended["verdict"], ended["status"]) == ("unverified", "done")
    reason = ended["verdict_reason"]
    assert reason.startswith("it needs no-such-package-here, which is not installed here: cannot install")
    assert "\n" not in reason
    assert "not allowed" not in ended["answer"]
    assert set(model_server.asked) == {"generator", "spec tester"}
    assert model_server.asked["generator"] == programs


@pytest.mark.asyncio(loop_scope="session")
async def test_what_the_task_needs_and_cannot_be_installed_is_told_before_any_model_is_asked(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    writes(model_server, RIGHT)
    ended = (await live(live_runs, f"{TASK} Use xgboost.", install_packages=True)).outcome
    assert ended["verdict_reason"].startswith("it needs xgboost, which is not installed here: cannot install xgboost")
    assert not model_server.asked


@pytest.mark.asyncio(loop_scope="session")
async def test_an_author_may_do_without_what_could_not_be_installed(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    writes(model_server, GONE, RIGHT)
    played = await live(live_runs, install_packages=True)
    assert played.outcome["verdict"] in ("verified", "partly_verified"), played.outcome["answer"]
    assert "no-such-package-here could not be installed" in played.outcome["answer"]
    assert "debugger" not in model_server.asked, "what is missing is known"


@pytest.mark.asyncio(loop_scope="session")
async def test_what_the_person_allowed_and_could_not_be_installed_ends_the_run(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    writes(model_server, GONE)
    asked = await live(live_runs, autonomy="review_repairs")
    await live_runs.answer(asked.run_id, asked.outcome["pending"]["id"], {"action": "approve"})
    ended = (await follow(live_runs, asked.run_id)).outcome
    assert (ended["verdict"], ended["status"]) == ("unverified", "done")
    assert "cannot install no-such-package-here" in ended["verdict_reason"]
    assert model_server.asked["generator"] == 1


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("action", ["approve", "abort"])
async def test_in_a_review_mode_the_person_is_asked_once(
    action: str, model_server: ModelServer, live_runs: AgentRuns
) -> None:
    writes(model_server, NEEDY)
    order = Order(Task(TASK), {"autonomy": "review_repairs", "independent_attempts": 0})
    asked = await follow(live_runs, await live_runs.begin(order))
    assert asked.outcome["pending"]["kind"] == "missing_packages"
    assert asked.outcome["pending"]["payload"]["packages"] == ["greeting"]
    await live_runs.answer(asked.run_id, asked.outcome["pending"]["id"], {"action": action})
    after = await follow(live_runs, asked.run_id)
    assert len(after.of("question_asked")) == 1
    verdicts = {"approve": ("verified", "partly_verified"), "abort": ("unverified",)}
    assert after.outcome["verdict"] in verdicts[action], after.outcome["answer"]
    assert bool(after.outcome["evidence"]["packages"]) == (action == "approve")


@pytest.mark.asyncio(loop_scope="session")
async def test_what_was_submitted_before_the_owner_forbade_it_installs_nothing(
    model_server: ModelServer, live_runs: AgentRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes(model_server, NEEDY)
    order = Order(Task(TASK), {"install_packages": True, "independent_attempts": 0})
    allowing = live_runs.engine.settings
    monkeypatch.setattr("agent.runs.spec_of", lambda _, given, key_id: spec_of(allowing, given, key_id))
    monkeypatch.setattr(live_runs.engine, "settings", dataclasses.replace(allowing, install_packages=False))
    ended = await follow(live_runs, await live_runs.begin(order))
    assert not ended.outcome["evidence"]["packages"]
    assert "nothing is installed on this deployment" in ended.outcome["answer"]


@pytest.mark.asyncio(loop_scope="session")
async def test_a_missing_file_and_a_missing_package_are_two_questions(
    model_server: ModelServer, live_runs: AgentRuns
) -> None:
    task = Task("Read heights.csv and fit a model using xgboost; print its accuracy.")
    order = Order(task, {"autonomy": "review_repairs"})
    asked = await follow(live_runs, await live_runs.begin(order))
    assert asked.outcome["pending"]["kind"] == "missing_file"
    await live_runs.answer(asked.run_id, asked.outcome["pending"]["id"], {"action": "approve"})
    again = await follow(live_runs, asked.run_id)
    assert again.outcome["pending"]["kind"] == "missing_packages", "going on without the file is no consent"
    await live_runs.answer(asked.run_id, again.outcome["pending"]["id"], {"action": "abort"})
    ended = await follow(live_runs, asked.run_id)
    assert ended.outcome["verdict"] == "unverified"
    assert "xgboost" in ended.outcome["answer"]


@pytest.mark.asyncio(loop_scope="session")
async def test_where_the_owner_installs_nothing_no_consent_helps(
    model_server: ModelServer, live_runs: AgentRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = dataclasses.replace(live_runs.engine.settings, install_packages=False)
    monkeypatch.setattr(live_runs.engine, "settings", settings)
    with pytest.raises(BadInput, match="no packages are installed"):
        spec_of(settings, Order(Task(TASK), {"install_packages": True}))
    writes(model_server, NEEDY)
    order = Order(Task(TASK), {"autonomy": "review_repairs", "may_install": True})
    ended = await follow(live_runs, await live_runs.begin(order))
    assert ended.outcome["status"] == "done", "nobody is asked"
    assert "nothing is installed on this deployment" in ended.outcome["answer"]
