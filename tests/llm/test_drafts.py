"""A reply that broke its form was paid for: it is kept before it is asked again, and not asked for a third time."""

from __future__ import annotations

import pytest

from agent.events import codec
from llm.asking import Draft
from llm.meter import Meter

from .conftest import ask
from .scripted import Scripted, router_of, says

QUESTION = ask(schema={"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]})
BROKEN, GOOD = says('{"ok": "maybe"}'), says('{"ok": true}')


class Memory:
    """Keeps drafts as the store does; `killed` ends the process right after one is kept."""

    def __init__(self, *, killed: bool = False) -> None:
        self.kept: list[object] = []
        self._killed = killed

    def recall(self) -> Draft | None:
        return codec.drafts.decode(self.kept[-1]) if self.kept else None  # type: ignore[arg-type]

    async def keep(self, draft: Draft) -> None:
        self.kept.append(codec.drafts.encode(draft))
        if self._killed:
            raise KeyboardInterrupt


async def test_who_is_killed_between_a_broken_reply_and_its_repair_pays_for_neither_twice() -> None:
    undisturbed = await router_of(Scripted("a", BROKEN, GOOD)).ask(QUESTION, Meter(), drafts=Memory())

    memory, first = Memory(killed=True), Scripted("a", BROKEN)
    with pytest.raises(KeyboardInterrupt):
        await router_of(first).ask(QUESTION, Meter(), drafts=memory)
    second = Scripted("a", GOOD)
    answer = await router_of(second).ask(QUESTION, Meter(), drafts=memory)

    assert (len(first.requests), len(second.requests), len(memory.kept)) == (1, 1, 1)
    assert second.requests[0].messages[-2].content == '{"ok": "maybe"}'
    assert [attempt.outcome for attempt in answer.attempts] == ["reask", "ok"]
    for field in ("reply", "usage", "cost_usd", "notes", "provider", "model"):
        assert getattr(answer, field) == getattr(undisturbed, field), field


async def test_a_reply_that_keeps_its_form_needs_no_draft() -> None:
    memory = Memory()
    await router_of(Scripted("a", GOOD)).ask(QUESTION, Meter(), drafts=memory)
    assert memory.kept == []
