"""What each kind of evidence adds: the same model and budget in every arm, by a live protocol, and told in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.__main__ import main
from evaluation.arms import ARMS
from evaluation.commands.ablate import BUDGET, EVIDENCE, comparison
from evaluation.suites import SUITES
from evaluation.trials import TrialStore
from tests.evaluation.made import HEADER, trial
from tests.evaluation.mediocre import Mediocre, MediocreService, of_problems, of_recordings
from tests.llm.recorded import write

NAMES = "age_on,version_order"
PROBLEMS = SUITES["bundled"].load(None)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[MediocreService]:
    with MediocreService(Mediocre(of_problems(PROBLEMS), 0.6)) as serving:
        names = {"LLM_PROVIDER": "openai", "LLM_MODEL": "mediocre", "OPENAI_API_KEY": "sk-0123456789abcdef"}
        for name, value in {**names, "OPENAI_BASE_URL": serving.url}.items():
            monkeypatch.setenv(name, value)
        yield serving


def test_every_kind_of_evidence_has_an_arm_that_changes_one_thing() -> None:
    assert len(set(EVIDENCE)) == 8
    assert all(len(ARMS[arm][1]) == 1 for arm in EVIDENCE)


def test_arms_are_compared_with_the_whole_loop_in_words() -> None:
    names = [f"p{number}" for number in range(20)]
    found = {
        "full": [trial(name, final=True) for name in names],
        "no_critic": [trial(name, final=True) for name in names],
        "no_examples": [trial(name, final=True, verdict="unverified") for name in names],
    }
    text = comparison({**HEADER, "budget_tokens": 9000}, found)
    assert "Budget: 9000 tokens for each trial." in text
    assert "Holm's correction for 4 comparisons" in text
    assert "| no_examples | 20 | 0 | 100.0 | 0.0 | - | 0.0 | - | 5.00 | 150 | 0.0 |" in text
    assert "(no_examples), accepted and right: 100.0 points lower: a difference can be seen with 20 problems." in text
    assert "(no_critic), accepted and right: no difference can be seen with 20 problems." in text


@pytest.mark.parametrize("without", ["no_such", "full", "no_critic,none"])
def test_an_unknown_arm_is_one_line(without: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["ablate", "--suite", "bundled", "--without", without])
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def ask(model: Mediocre, role: str, task: str) -> str:
    return model(json.dumps([{"role": "system", "content": f"You are the {role}"}, {"role": "user", "content": task}]))


def test_the_model_is_as_good_as_it_is_told_to_be(tmp_path: Path) -> None:
    problem = PROBLEMS[0]
    for quality, programs in ((1.0, problem.right), (0.0, [wrong.code for wrong in problem.wrong])):
        model = Mediocre(of_problems(PROBLEMS), quality)
        assert {ask(model, "generator", problem.task) for _ in range(40)} == {
            f"```python\n{p}\n```\n" for p in programs
        }
    recorded = Mediocre(of_recordings(str(write(tmp_path))), 1.0)
    task = (tmp_path / "humaneval.jsonl").read_text().splitlines()[0]
    assert "def count_vowels" in ask(recorded, "generator", json.loads(task)["prompt"])
    assert "assert count_vowels" in ask(recorded, "spec tester", json.loads(task)["prompt"])
    assert ask(recorded, "generator", "Write something else.") == "I do not know."


@pytest.mark.slow
def test_a_live_model_is_asked_in_every_arm_and_nothing_twice_and_judged_afterwards(
    service: MediocreService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["ablate", "--suite", "bundled", "--task-ids", NAMES, "--without", "no_examples,no_critic"]
    command += ["--out", str(tmp_path)]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert f"Budget: {BUDGET} tokens" in text
    assert "SIMULATED" not in text
    for arm in ("full", "no_examples", "no_critic"):
        assert f"| {arm} | 2 | 0 |" in text
        header, trials = TrialStore(tmp_path / arm).header(), TrialStore(tmp_path / arm).read()
        assert (header["arm"], header["model"], header["budget_tokens"]) == (arm, "mediocre", BUDGET)
        assert all(each.input_tokens + each.output_tokens > 0 and each.calls > 0 for each in trials)
    asked = len(service.read)
    assert main([*command, "--resume"]) == 0
    assert capsys.readouterr().out == text
    assert len(service.read) == asked
    assert main(["judge", str(tmp_path / "full")]) == 0
    assert len(service.read) == asked + 26
    assert "| openai:mediocre, prompt v1, code | 2 |" in capsys.readouterr().out
    ratings = TrialStore(tmp_path / "full").ratings()
    assert {each.key for each in ratings if each.label is None} == {"age_on#0", "version_order#0"}
