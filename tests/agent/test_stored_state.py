"""A state that another version stored in another form is told from one that this version can go on with."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from agent.events.codec import decode_event, unreadable
from agent.state import AgentState, Check, Suite, Task
from agent.state.done import Done
from framework.engine import Unreadable
from framework.errors import OtherVersion

OWN = Suite("spec:1", "spec", "", (Check("spec:1:test_a", "test_a", "spec", "def test_a(): ..."),))
STATE = AgentState(task=Task("double a number", files={"a.csv": b"1"}), suites=[OWN], done=[Done("failed", "plan")])


def values(**changed: Any) -> dict[str, Any]:
    return {**{one.name: getattr(STATE, one.name) for one in fields(STATE)}, **changed}


def test_a_state_of_this_version_can_be_read() -> None:
    assert unreadable(values()) == ""


@pytest.mark.parametrize(
    ("field", "stored"),
    [
        pytest.param("done", ["failed:plan"], id="texts where records are by now"),
        pytest.param("suites", [Unreadable("agent.state.Suite")], id="a class that is gone"),
        pytest.param("suites", [Suite("spec:1", "spec", "", ("def test_a(): ...",))], id="another type within"),  # type: ignore[arg-type]
        pytest.param("brief", Unreadable("agent.state.Brief"), id="one value"),
    ],
)
def test_what_has_another_form_is_named(field: str, stored: Any) -> None:
    assert unreadable(values(**{field: stored})) == field


def test_an_event_of_another_version_is_refused_in_one_line() -> None:
    with pytest.raises(OtherVersion, match="another version of this program stored the run"):
        decode_event("run_finished", {"outcome": {"verdict": "verified"}})
