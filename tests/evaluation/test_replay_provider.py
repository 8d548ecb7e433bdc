"""The replay provider answers with what was recorded, in a seeded order, and says what it only simulates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.recorded.provider import simulated_parts
from llm.errors import BadReply, NoProvider, NoScenario
from llm.providers import open_provider
from llm.replies.structured import read_reply
from llm.types import Completion, Message, ProviderSettings, Request
from prompts import load_prompt
from tests.llm.recorded import ALSO_RIGHT, ASSERTS, FALSE, FAMILY, OFF, PROMPT, RIGHT, SUITES, write

ORDER_LENGTH = 3


async def ask(folder: Path, role: str = "generator", *, model: str = "recorded", **more: Any) -> Completion:
    options = {"data": str(folder), **more.pop("options", {})}
    prompt = load_prompt(role)
    request = Request(
        role=role,
        task=more.pop("task", PROMPT),
        question=more.pop("question", "first"),
        messages=(Message("user", "write it"),),
        schema=prompt.schema,
        code=prompt.code,
        data=more,
    )
    completion = await open_provider("replay", ProviderSettings(options=options)).complete(request, model=model)
    assert read_reply(completion, request).salvaged == (), "every answer keeps the role's own contract to the letter"
    return completion


async def programs(folder: Path, model: str) -> list[str]:
    texts = [(await ask(folder, model=model, written=number)).text for number in range(ORDER_LENGTH)]
    return [text.removeprefix("```python\n").removesuffix("\n```") for text in texts]


async def test_programs_come_in_a_seeded_order_without_replacement(tmp_path: Path) -> None:
    write(tmp_path)
    orders = {seed: await programs(tmp_path, f"{FAMILY}@{seed}") for seed in range(8)}
    assert all(sorted(order) == sorted([RIGHT, ALSO_RIGHT, OFF]) for order in orders.values())
    assert len({tuple(order) for order in orders.values()}) > 2
    assert await programs(tmp_path, f"{FAMILY}@3") == orders[3]


async def test_nothing_is_remembered_between_calls(tmp_path: Path) -> None:
    write(tmp_path)
    backwards = [(await ask(tmp_path, written=number)).text for number in (2, 1, 0)]
    assert backwards[::-1] == [(await ask(tmp_path, written=number)).text for number in (0, 1, 2)]


async def test_used_up_recordings_are_declined(tmp_path: Path) -> None:
    with pytest.raises(BadReply, match="only 3 programs"):
        await ask(write(tmp_path), written=3)


async def test_logs_that_kept_only_solved_programs_are_no_attempts(tmp_path: Path) -> None:
    with pytest.raises(BadReply, match="only 0 programs of gpt-4-0314a"):
        await ask(write(tmp_path), model="gpt-4-0314a", written=0)


async def test_programs_that_do_not_parse_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, [RIGHT, "def broken(:", ALSO_RIGHT])
    assert "broken" not in " ".join([(await ask(tmp_path, written=number)).text for number in (0, 1)])
    with pytest.raises(BadReply, match="only 2 programs"):
        await ask(tmp_path, written=2)


async def test_a_program_that_holds_fences_arrives_whole(tmp_path: Path) -> None:
    code = 'def count_vowels(text):\n    """\n    ```python\n    1\n    ```\n    """\n    return 2'
    assert code in (await ask(write(tmp_path, [code]), written=0)).text


async def test_the_spec_tester_states_one_stored_suite(tmp_path: Path) -> None:
    suites = {name: [f"assert count_vowels('{'a' * place}') == {place}"] for place, name in enumerate(SUITES)}
    write(tmp_path, suites=suites)
    for seed, name in enumerate(SUITES):
        told = await ask(tmp_path, "spec_tester", model=f"{FAMILY}@{seed}")
        assert told.text == f"```python\ndef test_1():\n    {suites[name][0]}\n```"
        assert told.notes == (f"recorded: suite {name}",)
    chosen = await ask(tmp_path, "spec_tester", options={"suite": SUITES[4]})
    assert suites[SUITES[4]][0] in chosen.text


@pytest.mark.parametrize(
    ("value", "changed"), [("True", "False"), ("3", "4"), ("'a'", "'a?'"), ("[1]", "[1, 0]"), ("(1, 2)", None)]
)
async def test_a_planted_test_states_another_value_for_a_call(tmp_path: Path, value: str, changed: str | None) -> None:
    write(tmp_path, suites={SUITES[0]: [f"assert count_vowels('x') == {value}"]})
    told = await ask(tmp_path, "spec_tester", options={"plant": True})
    assert f"assert count_vowels('x') == {value}\n" in told.text
    assert (f"assert count_vowels('x') == {changed}\n" in told.text) is (changed is not None)
    assert "test_2" not in (await ask(tmp_path, "spec_tester")).text


async def test_the_adversary_gives_inputs_of_another_suite_and_no_expected_value(tmp_path: Path) -> None:
    write(tmp_path, suites={SUITES[0]: ASSERTS, SUITES[1]: ["assert count_vowels('oo') == 2"]})
    told = await ask(tmp_path, "adversarial_tester")
    assert json.loads(told.text) == {"inputs": ["count_vowels('oo')"]}


async def test_a_missing_suite_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, suites={SUITES[3]: ASSERTS})
    assert ASSERTS[0] in (await ask(tmp_path, "spec_tester")).text
    with pytest.raises(BadReply, match="no second suite"):
        await ask(tmp_path, "adversarial_tester")


@pytest.mark.parametrize("task", ["", "def count_vowels(text):", "Write count_vowels(text)."])
async def test_a_task_that_was_not_recorded_is_refused(tmp_path: Path, task: str) -> None:
    with pytest.raises(NoScenario, match="no recording of this task"):
        await ask(write(tmp_path), task=task, written=0)


async def test_a_longer_text_around_the_prompt_is_recognised(tmp_path: Path) -> None:
    told = await ask(write(tmp_path), task=f"Please:\n{PROMPT}\nThank you.", written=0)
    assert "def count_vowels" in told.text


async def fault(folder: Path, candidate: int, accuracy: float, question: str = "debug:1:1") -> str:
    told = await ask(folder, "debugger", options={"accuracy": accuracy}, candidate=f"c{candidate}", question=question)
    return str(json.loads(told.text)["fault"])


async def test_an_accurate_debugger_blames_exactly_the_wrong_programs(tmp_path: Path) -> None:
    write(tmp_path)
    order = await programs(tmp_path, FAMILY)
    for place, code in enumerate(order, 1):
        assert await fault(tmp_path, place, 1.0) == ("code" if code == OFF else "test")
        assert await fault(tmp_path, place, 0.0) == ("test" if code == OFF else "code")


async def test_accuracy_is_the_share_of_true_answers(tmp_path: Path) -> None:
    write(tmp_path, [OFF])
    told = [await fault(tmp_path, 1, 0.8, f"debug:{step}:1") for step in range(300)]
    assert 0.72 < told.count("code") / 300 < 0.88
    assert told == [await fault(tmp_path, 1, 0.8, f"debug:{step}:1") for step in range(300)]


async def ruling(folder: Path, accuracy: float, outputs: list[str], call: str = "count_vowels('banana')") -> Any:
    told = await ask(folder, "arbiter", options={"accuracy": accuracy}, call=call, outputs=outputs)
    return json.loads(told.text)


async def test_the_arbiter_knows_which_stored_values_are_right(tmp_path: Path) -> None:
    write(tmp_path, suites={SUITES[0]: (*ASSERTS, FALSE)})
    assert (await ruling(tmp_path, 1.0, ["3", "4"]))["expected"] == "3"
    assert (await ruling(tmp_path, 0.0, ["3", "4"]))["expected"] == "4"
    right = await ruling(tmp_path, 1.0, ["5", "6"], "count_vowels('aeiou')")
    assert right["expected"] == "5"
    assert right["quote"] in PROMPT


async def test_an_arbiter_without_any_record_says_that_it_cannot_tell(tmp_path: Path) -> None:
    told = await ruling(write(tmp_path), 1.0, ["1", "2"], "count_vowels('never stored')")
    assert told["ambiguous"] is True
    assert told["expected"] == ""


@pytest.mark.parametrize("role", ["debugger", "arbiter", "critic", "planner", "memory_summarizer"])
async def test_simulated_roles_are_labelled(tmp_path: Path, role: str) -> None:
    told = await ask(write(tmp_path), role, candidate="c1")
    assert told.notes[0].startswith("simulated: ")


def test_the_accuracy_stands_in_what_reports_say() -> None:
    assert any("65 %" in line for line in simulated_parts(0.65))
    assert "planted" in simulated_parts(plant=True)[0]
    assert not any("planted" in line for line in simulated_parts())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda folder: (folder / "humaneval.jsonl").unlink(), "cannot read .*humaneval.jsonl"),
        (lambda folder: (folder / "model_tests.jsonl").write_text("[1]\n"), "not as they should be"),
        (lambda folder: (folder / "first_attempts.jsonl").write_text("{}\n"), "not as they should be"),
        (lambda folder: (folder / "first_attempts.jsonl").write_text("{"), "not as they should be"),
    ],
)
def test_recordings_that_cannot_be_read_are_one_line(tmp_path: Path, change: Any, said: str) -> None:
    change(write(tmp_path))
    with pytest.raises(NoProvider, match=said) as caught:
        open_provider("replay", ProviderSettings(options={"data": str(tmp_path)}))
    assert "\n" not in str(caught.value)


def test_without_a_folder_there_is_nothing_to_replay() -> None:
    with pytest.raises(NoProvider, match="--data DIR"):
        open_provider("replay")
