"""Drafting from the prompt: fewer passes, never another word."""

from __future__ import annotations

from typing import Any

import pytest

from llm.local.engine import in_memory
from llm.local.job import Generated, Generation
from llm.local.lookup import PromptLookup
from llm.local.plan import copies_its_prompt
from llm.types import Message

from .conftest import Open, ask

torch: Any = pytest.importorskip("torch", reason="needs the extra `local` (torch)")
pytestmark = pytest.mark.local


class Copying:
    """A processor that makes the model repeat its prompt from a position on, with one word changed."""

    def __init__(self, prompt: tuple[int, ...], changed: int) -> None:
        self._prompt, self._changed = prompt, changed

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        at = input_ids.shape[1] - len(self._prompt)
        token = 50 if at == self._changed else self._prompt[at]
        return torch.full_like(scores, -1e9).index_fill(1, torch.tensor([token]), 0.0)


@pytest.mark.parametrize("changed", [-1, 20])
async def test_a_copy_takes_far_fewer_passes_and_is_the_same(llama: str, open_local: Open, changed: int) -> None:
    await open_local().complete(ask(max_tokens=1), model=llama)
    loaded: Any = in_memory(llama)
    prompt = tuple((number * 37) % 500 + 60 for number in range(120))

    def run(lookup: bool) -> Generated:
        job = Generation(prompt=prompt, max_tokens=60, lookup=lookup)
        return loaded.decode(job, lambda _: None, lambda: False, processors=[Copying(prompt, changed)])

    plain, drafted = run(lookup=False), run(lookup=True)
    assert drafted.text == plain.text
    assert (plain.steps, plain.tokens) == (60, 60)
    assert drafted.steps <= 20


@pytest.mark.parametrize("temperature", [0.0, 1.0])
async def test_free_text_is_the_same_with_drafts(llama: str, open_local: Open, temperature: float) -> None:
    await open_local().complete(ask(max_tokens=1), model=llama)
    loaded: Any = in_memory(llama)
    prompt = tuple(range(100, 130)) * 4
    for seed in range(5):
        jobs = [
            Generation(prompt=(*prompt, seed + 9), max_tokens=80, lookup=lookup, temperature=temperature, seed=seed)
            for lookup in (False, True)
        ]
        plain, drafted = (loaded.decode(job, lambda _: None, lambda: False) for job in jobs)
        assert drafted.text == plain.text


async def test_drafts_and_a_bound_header_go_together(llama: str, open_local: Open) -> None:
    schema = {
        "type": "object",
        "properties": {"why": {"type": "string", "maxLength": 30}, "sure": {"type": "boolean"}},
        "required": ["why", "sure"],
        "additionalProperties": False,
    }
    shown = '{"why": "because", "sure": true}\n```python\nx = 1\n```\n' * 6
    provider = open_local()
    texts: list[str] = []
    for copies in (False, True):
        request = ask(shown, schema=schema, code="required", max_tokens=120, data={"copies": copies})
        completion = await provider.complete(request, model=llama)
        assert completion.schema_mode == "grammar"
        texts.append(completion.text)
    assert texts[0] == texts[1]


def test_the_longest_earlier_match_is_continued() -> None:
    lookup = PromptLookup([1, 2, 3, 4, 5, 6, 9, 9, 3, 4, 7, 7, 1, 2, 3, 4])
    assert lookup.draft(3) == [5, 6, 9], "four equal tokens beat the two nearer ones"


def test_nothing_is_drafted_where_nothing_repeats() -> None:
    lookup = PromptLookup([1, 2, 3, 4])
    assert lookup.draft(5) == []
    lookup.append(2)
    assert lookup.draft(5) == []
    lookup.append(3)
    assert lookup.draft(5) == [4, 2, 3]
    assert lookup.draft(0) == []


def test_drafts_grow_while_they_are_right() -> None:
    lookup = PromptLookup([*range(100), *range(2)])
    first = len(lookup.draft(100))
    lookup.learn(first, first)
    wider = len(lookup.draft(100))
    lookup.learn(wider, 0)
    assert first < wider
    assert len(lookup.draft(100)) == first


@pytest.mark.parametrize(
    ("parts", "copies"),
    [
        ({"code": "required", "messages": (Message("user", "Mend:\n<code>\nx = 1\n</code>"),)}, True),
        ({"code": "edits", "messages": (Message("user", "Mend:\n```python\nx = 1\n```"),)}, True),
        ({"code": "required", "messages": (Message("user", "Write a sort."),)}, False),
        ({"code": "none", "messages": (Message("user", "<code>\nx = 1\n</code>"),)}, False),
        ({"code": "none", "data": {"copies": True}}, True),
    ],
)
def test_what_counts_as_copying(parts: dict[str, Any], copies: bool) -> None:
    assert copies_its_prompt(ask(**parts)) is copies
