"""What later questions to the same role begin with is marked for the service's cache, where it is long enough."""

from __future__ import annotations

from typing import Any

from llm.providers.anthropic import CACHED, mark_stable
from llm.types import Message

TASK = "<task>\n" + "word " * 400 + "\n</task>"
REST = "\n\nThe module so far: x = 1"


def sent_for(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}]


def test_the_part_that_stays_is_marked_and_nothing_is_lost() -> None:
    sent = sent_for(TASK + REST)
    mark_stable(sent, [Message("system", "s"), Message("user", TASK + REST, stable=len(TASK))], 600)
    assert sent[0]["content"] == [{"type": "text", "text": TASK, **CACHED}, {"type": "text", "text": REST}]


def test_a_short_question_is_sent_as_it_is() -> None:
    sent = sent_for("<task>\nt\n</task>" + REST)
    mark_stable(sent, [Message("user", "<task>\nt\n</task>" + REST, stable=17)], 600)
    assert sent == sent_for("<task>\nt\n</task>" + REST)


def test_a_question_without_a_stable_part_is_sent_as_it_is() -> None:
    sent = sent_for(TASK + REST)
    mark_stable(sent, [Message("user", TASK + REST)], 600)
    assert sent == sent_for(TASK + REST)
