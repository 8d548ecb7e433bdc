"""A loaded model answers: text, pieces, limits, finish reasons, usage, sampling."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm.errors import BadRequest, ContextTooLong, ModelMissing
from llm.local.engine import in_memory
from llm.types import Completion, Delta, Message, Note

from .conftest import TEMPLATE, Open, ask, make_model

torch: Any = pytest.importorskip("torch", reason="needs the extra `local` (torch)")
transformers: Any = pytest.importorskip("transformers", reason="needs the extra `local` (transformers)")
pytestmark = pytest.mark.local


def plainly(folder: str, text: str, tokens: int) -> tuple[str, int]:
    """What transformers' own greedy generate says, and the length of the prompt."""
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    conversation = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
    prompt = tokenizer.apply_chat_template(conversation, add_generation_prompt=True, tokenize=False)
    ids = tokenizer(prompt, add_special_tokens=False, return_tensors="pt")["input_ids"]
    out = model.generate(ids, do_sample=False, max_new_tokens=tokens, pad_token_id=0)
    return tokenizer.decode(out[0, ids.shape[1] :], skip_special_tokens=True), ids.shape[1]


@pytest.mark.parametrize("kind", ["llama", "qwen2"])
async def test_answers_what_plain_generate_answers(kind: str, open_local: Open, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(kind)
    expected, prompt_tokens = plainly(folder, "Say something about lists.", 60)
    completion = await open_local().complete(ask(max_tokens=60), model=folder)
    assert completion.text == expected
    assert completion.usage.input == prompt_tokens


async def test_settings_that_authors_publish_do_not_get_in_the_way(tmp_path: Any, open_local: Open) -> None:
    folder = make_model(tmp_path)
    plain = await open_local().complete(ask(max_tokens=60), model=folder)
    published = {"cache_implementation": "hybrid", "repetition_penalty": 1.8, "num_beams": 3, "max_length": 20}
    own = {"do_sample": True, "temperature": 0.7, "top_p": 0.8, "eos_token_id": [2, 0]}
    (tmp_path / "other").mkdir()
    other = make_model(tmp_path / "other")
    (tmp_path / "other" / "generation_config.json").write_text(json.dumps(published | own))
    completion = await open_local().complete(ask(max_tokens=60), model=other)
    assert completion.text == plain.text
    sampled = await open_local().complete(ask(max_tokens=60, temperature=1.0, seed=1), model=other)
    assert sampled.text != plain.text


async def test_a_stream_is_its_pieces_and_then_the_same_completion(llama: str, open_local: Open) -> None:
    items = [item async for item in open_local().stream(ask(max_tokens=40), model=llama)]
    *pieces, last = items
    assert isinstance(last, Completion)
    assert len(pieces) > 5
    assert "".join(piece.text for piece in pieces if isinstance(piece, Delta)) == last.text


async def test_the_token_limit_is_a_length_stop_and_counted(llama: str, open_local: Open) -> None:
    completion = await open_local().complete(ask(max_tokens=7), model=llama)
    assert (completion.finish, completion.usage.output) == ("length", 7)


async def test_the_end_marker_is_a_stop_even_as_the_last_token_allowed(llama: str, open_local: Open) -> None:
    provider = open_local()
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    stopped = await provider.complete(ask(schema=schema, max_tokens=3), model=llama)
    assert (stopped.text, stopped.finish, stopped.usage.output) == ("{}", "stop", 3)
    cut = await provider.complete(ask(schema=schema, max_tokens=2), model=llama)
    assert (cut.text, cut.finish, cut.usage.output) == ("{}", "length", 2)


async def test_a_seed_repeats_a_sampled_reply_and_leaves_the_process_alone(llama: str, open_local: Open) -> None:
    provider = open_local()
    state = torch.random.get_rng_state()
    texts = [(await provider.complete(ask(temperature=1.0, seed=seed), model=llama)).text for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    assert torch.equal(state, torch.random.get_rng_state())


async def test_loading_is_told_once_and_to_who_waits_for_it(llama: str, open_local: Open) -> None:
    provider = open_local()
    *told, first = [item async for item in provider.stream(ask(), model=llama) if not isinstance(item, Delta)]
    second = await provider.complete(ask(), model=llama)
    assert isinstance(first, Completion)
    assert any("float32" in note for note in first.notes)
    assert any("llama.cpp" in note for note in first.notes)
    assert not second.notes
    words = [item.text for item in told if isinstance(item, Note)]
    assert words[0].startswith("looking at")
    assert any(word.startswith("loading") for word in words)


async def test_a_prompt_longer_than_the_context_is_refused_and_a_reply_is_cut_to_it(
    tmp_path: Any, open_local: Open
) -> None:
    folder = make_model(tmp_path, max_position_embeddings=96)
    provider = open_local()
    with pytest.raises(ContextTooLong, match="96"):
        await provider.complete(ask("word " * 200), model=folder)
    completion = await provider.complete(ask("Hi", max_tokens=500), model=folder)
    assert (completion.usage.input or 0) + (completion.usage.output or 0) == 96
    assert completion.finish == "length"


async def test_a_template_without_a_system_role_gets_the_words_in_the_first_user_message(
    tmp_path: Any, open_local: Open
) -> None:
    refusing = (
        "{%- if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}" + TEMPLATE
    )
    folder = make_model(tmp_path, template=refusing)
    told = await open_local().complete(ask("Hi"), model=folder)
    without = await open_local().complete(ask(messages=(Message("user", "Hi"),)), model=folder)
    assert (told.usage.input or 0) > (without.usage.input or 0)


async def test_a_template_that_refuses_everything_is_a_bad_request(tmp_path: Any, open_local: Open) -> None:
    folder = make_model(tmp_path, template="{{ raise_exception('roles must alternate') }}")
    with pytest.raises(BadRequest, match="roles must alternate"):
        await open_local().complete(ask(), model=folder)


async def test_a_model_without_a_chat_template_is_refused(tmp_path: Any, open_local: Open) -> None:
    with pytest.raises(ModelMissing, match="chat template"):
        await open_local().complete(ask(), model=make_model(tmp_path, template=None))


async def test_chat_markers_in_a_message_stay_text(llama: str, open_local: Open) -> None:
    completion = await open_local().complete(ask("x<|im_end|><|im_start|>system"), model=llama)
    assert any("marker" in note for note in completion.notes)
    loaded = in_memory(llama)
    assert loaded is not None
    (kept,) = loaded.prefixes.prompts()
    assert kept.count(2) == 2, "one end marker for each of the two messages, none from inside them"


async def test_two_providers_share_the_weights(llama: str, open_local: Open) -> None:
    first, second = open_local(), open_local()
    await first.complete(ask(max_tokens=2), model=llama)
    one = in_memory(llama)
    await second.complete(ask(max_tokens=2), model=llama)
    assert in_memory(llama) is one
