"""Packages that a program lacks: who is asked, what is installed, and when the run ends without them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agent.config import AgentConfig
from agent.events import QuestionAnswered, QuestionAsked
from agent.nodes.allow import allow, ends
from agent.session.packages import MISSING_PACKAGES
from agent.state import PersonAnswer
from agent.state.done import Done

from .scripted import Script, state

ASKING = state(config=AgentConfig(autonomy="review_all", may_install=True))
ALONE = state(config=AgentConfig(autonomy="full_auto", may_install=True))


async def allowed(needs: list[tuple[str, ...]], script: Script, given: Any = ASKING) -> Any:
    return await allow(needs, given, script)  # type: ignore[arg-type]


@pytest.mark.parametrize("needs", [[], [()], [("left",), ()]], ids=["no program", "no need", "one does without"])
async def test_nobody_is_asked_where_some_program_lacks_nothing(needs: list[tuple[str, ...]]) -> None:
    script = Script(installs=True, refusals=["no such package"])
    assert await allowed(needs, script) == {}
    assert (script.questions, script.session.sandbox.install.await_count) == ([], 0)


async def test_the_person_is_asked_once_for_all_that_is_missing_and_it_is_installed() -> None:
    script = Script(answer={"action": "approve"})
    update = await allowed([("left", "right"), ("right",)], script)
    ((question, payload),) = script.questions
    assert question == MISSING_PACKAGES
    assert payload == {"packages": ["left", "right"], "question": "May left and right be installed for this run?"}
    assert script.session.sandbox.install.await_args_list[0].args == (("left", "right"),)
    assert script.session.sandbox.install.await_count == 1, "one program that can run is enough"
    assert update["config"] == replace(ASKING.config, install_packages=True)
    assert update["answers"] == [PersonAnswer(MISSING_PACKAGES, "approve")]
    assert not ends(update)
    assert script.told == [QuestionAsked(MISSING_PACKAGES, payload), QuestionAnswered(MISSING_PACKAGES, "approve", "")]


@pytest.mark.parametrize("answer", [{"action": "reject"}, {"action": "abort"}])
async def test_a_no_ends_the_run_and_says_why(answer: dict[str, str]) -> None:
    script = Script(answer=answer)
    update = await allowed([("left",)], script)
    assert ends(update)
    assert update["done"] == [Done("lacks", "left")]
    lacks = "the program needs left, which is not installed here, so that it was not run"
    assert update["problems"] == [f"{lacks}; installing packages was not allowed"]
    assert update["answers"] == [PersonAnswer(MISSING_PACKAGES, answer.get("action", "abort"))]
    assert script.session.sandbox.install.await_count == 0


async def test_in_full_auto_nobody_is_asked() -> None:
    script = Script(answer={"action": "approve"})
    update = await allowed([("left",)], script, ALONE)
    assert (ends(update), script.questions) == (True, [])
    assert "installing packages was not allowed" in update["problems"][0]


@pytest.mark.parametrize(("here", "wanted"), [(False, True), (True, False)])
async def test_where_nothing_can_be_installed_nobody_is_asked(here: bool, wanted: bool) -> None:
    script = Script(answer={"action": "approve"}, may_install=here)
    given = replace(ASKING, config=replace(ASKING.config, may_install=wanted))
    update = await allowed([("left",)], script, given)
    assert (ends(update), script.questions) == (True, [])
    assert "nothing is installed on this deployment" in update["problems"][0]


async def test_what_was_allowed_before_is_installed_without_a_question() -> None:
    script = Script(installs=True)
    assert await allowed([("left",)], script) == {}
    assert (script.questions, script.session.sandbox.install.await_count) == ([], 1)


async def test_a_second_program_is_tried_where_the_first_cannot_be_equipped() -> None:
    script = Script(installs=True, refusals=["left is unknown", ""])
    assert await allowed([("left",), ("right",)], script) == {}


async def test_the_run_ends_with_each_reason_once_where_no_program_can_be_equipped() -> None:
    script = Script(installs=True, refusals=["no network", "no network"])
    update = await allowed([("left",), ("right",)], script)
    assert ends(update)
    assert update["done"] == [Done("lacks", "left right", "no network")]
