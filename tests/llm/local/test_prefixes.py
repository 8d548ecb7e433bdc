"""Kept prompts: the same tokens as without, never those of another prompt, never more memory than allowed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from llm.local.engine import in_memory
from llm.local.job import Generation

from .conftest import Open, ask, make_model

torch: Any = pytest.importorskip("torch", reason="needs the extra `local` (torch)")
pytestmark = pytest.mark.local


def loaded_model(folder: str) -> Any:
    loaded = in_memory(folder)
    assert loaded is not None
    return loaded


def run(loaded: Any, prompt: tuple[int, ...], **parts: Any) -> Any:
    return loaded.decode(Generation(prompt=prompt, max_tokens=12, **parts), lambda _: None, lambda: False)


async def test_a_shared_beginning_is_computed_once_and_changes_nothing(llama: str, open_local: Open) -> None:
    warm, cold = open_local(), open_local(prefix_mb=0)
    long = "The rules are long and always the same. " * 20
    first = await warm.complete(ask(long + "First question"), model=llama)
    second = await warm.complete(ask(long + "Second question"), model=llama)
    assert first.usage.cached == 0
    assert (second.usage.cached or 0) > 0.8 * (second.usage.input or 0)
    plain = await cold.complete(ask(long + "Second question"), model=llama)
    assert plain.usage.cached == 0
    assert second.text == plain.text


@pytest.mark.parametrize("kind", ["Llama", "Qwen2", "Mistral", "Gemma3Text", "Lfm2"])
async def test_any_mix_of_shared_and_own_tokens_gives_the_cold_reply(
    kind: str, tmp_path: Any, open_local: Open
) -> None:
    """Mistral and Gemma here forget what is more than 64 tokens back, and Lfm2 sums the past up: what is kept of them
    cannot always be shortened, or not be used at all."""
    own: dict[str, Any] = {"sliding_window": 64} if kind in ("Mistral", "Gemma3Text") else {}
    own |= {"layer_types": ["conv", "full_attention"]} if kind == "Lfm2" else {}
    folder = make_model(tmp_path, kind, **own)
    provider = open_local()
    await provider.complete(ask(max_tokens=1), model=folder)
    loaded = loaded_model(folder)
    choose = random.Random(5)
    stem = tuple(choose.randrange(3, 600) for _ in range(150))
    reused = 0
    for length in (150, 149, 20, 100, 150, 60, 1):
        prompt = stem[:length] + tuple(choose.randrange(3, 600) for _ in range(choose.choice([0, 1, 30])))
        lookup = length % 2 == 0
        warm = run(loaded, prompt, lookup=lookup)
        reused += warm.reused
        kept, loaded.prefixes = loaded.prefixes, type(loaded.prefixes)(0)
        cold = run(loaded, prompt, lookup=lookup)
        loaded.prefixes = kept
        assert (warm.text, warm.tokens) == (cold.text, cold.tokens), length
    assert (reused > 0) is loaded.rewindable is (kind != "Lfm2")


async def test_a_follow_up_reuses_the_reply_too(llama: str, open_local: Open) -> None:
    await open_local().complete(ask(max_tokens=1), model=llama)
    loaded = loaded_model(llama)
    prompt = tuple(range(100, 160))
    run(loaded, prompt)
    (kept,) = [ids for ids in loaded.prefixes.prompts() if ids[:60] == prompt]
    assert len(kept) == 60 + 12 - 1, "the last token was sampled, but not read"
    assert run(loaded, (*kept, 7, 8)).reused == len(kept)


async def test_another_prompt_is_never_taken_for_this_one(llama: str, open_local: Open) -> None:
    await open_local().complete(ask(max_tokens=1), model=llama)
    loaded = loaded_model(llama)
    prompt = tuple(range(100, 200))
    run(loaded, prompt)
    changed_early = (*prompt[:5], 3, *prompt[6:])
    assert run(loaded, changed_early).reused == 0
    changed_late = (*prompt[:90], 3, *prompt[91:])
    assert run(loaded, changed_late).reused == 90
    assert run(loaded, prompt[:50]).reused == 49, "the last token of a prompt is always read"


async def test_memory_is_bounded_and_the_oldest_goes_first(llama: str, open_local: Open) -> None:
    await open_local().complete(ask(max_tokens=1), model=llama)
    store_type = type(loaded_model(llama).prefixes)
    loaded = loaded_model(llama)
    a_token = 2 * 2 * 2 * 16 * 4  # layers, keys and values, heads, width, bytes
    loaded.prefixes = store_type(300 * a_token)
    prompts = [(number, *range(100, 199)) for number in (10, 11, 12, 13)]
    for prompt in prompts:
        run(loaded, prompt)
        assert loaded.prefixes.bytes <= 300 * a_token
    assert [ids[0] for ids in loaded.prefixes.prompts()] == [12, 13]
    run(loaded, tuple(range(3, 403)))
    assert [ids[0] for ids in loaded.prefixes.prompts()] == [12, 13], "what is too large alone is not kept"


async def test_a_longer_prompt_takes_the_place_of_the_one_it_continues(llama: str, open_local: Open) -> None:
    await open_local().complete(ask(max_tokens=1), model=llama)
    loaded = loaded_model(llama)
    loaded.prefixes = type(loaded.prefixes)(1 << 20)
    run(loaded, tuple(range(100, 150)))
    (kept,) = loaded.prefixes.prompts()
    run(loaded, (*kept, 5))
    assert len(loaded.prefixes.prompts()) == 1


async def test_using_a_kept_prompt_does_not_change_it(llama: str, open_local: Open) -> None:
    await open_local().complete(ask(max_tokens=1), model=llama)
    loaded = loaded_model(llama)
    stem = tuple(range(100, 180))
    texts = [run(loaded, (*stem, last)).text for last in (5, 6, 5, 7, 5)]
    assert texts[0] == texts[2] == texts[4]
