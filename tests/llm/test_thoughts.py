"""Models that think before they answer, and contexts that are smaller than was believed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from llm import errors
from llm.providers import open_provider
from llm.services import SERVICES
from llm.types import Completion, Message, Provider, ProviderSettings, ToolSpec

from .conftest import ask
from .protocols import KEY, SPEAKERS, Llama, Speaker, sse
from .servers import Seen, Sent, Server, json_reply

Connect = Callable[..., Provider]
CLAUDE = SPEAKERS[0]
GROQ = next(speaker for speaker in SPEAKERS if speaker.provider == "groq")
TOOL = ToolSpec("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})
THOUGHT = {"type": "thinking", "thinking": "Where?", "signature": "c2ln"}
USE = {"type": "tool_use", "id": "toolu_0", "name": "look", "input": {"at": "x"}}


def thoughtful_events() -> list[bytes]:
    """A turn that thinks, then calls a tool."""
    head, ping, *plain = CLAUDE.events("", stop="tool", calls=[("look", '{"at": "x"}')])
    thinking = [
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Whe"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "re?"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}},
        {"type": "content_block_stop", "index": 0},
    ]
    behind = [event.replace(b'"index": 0', b'"index": 1') for event in plain]
    return [head, ping, *(sse(event) for event in thinking), *behind]


def first_thoughtful(refused: Callable[[dict[str, Any]], str] = lambda _: "") -> Callable[[Seen], Sent]:
    """Thinks and calls a tool at first; answers once the tool's outcome came."""

    def answer(seen: Seen) -> Sent:
        if words := refused(seen.body):
            return json_reply(CLAUDE.error_body("invalid_request_error", words), 400)
        if len(seen.body["messages"]) > 1:
            return CLAUDE.says("A wall.")(seen)
        if seen.body.get("stream"):
            return Sent(200, CLAUDE.stream_type(), thoughtful_events())
        whole = CLAUDE.body("", stop="tool")
        return json_reply({**whole, "content": [THOUGHT, USE]})

    return answer


async def conversation(provider: Provider, *, streamed: bool) -> Completion:
    question = ask(tools=(TOOL,))
    if streamed:
        items = [item async for item in provider.stream(question, model=CLAUDE.model)]
        assert isinstance(items[-1], Completion)
        first = items[-1]
    else:
        first = await provider.complete(question, model=CLAUDE.model)
    call = first.tool_calls[0]
    told = (Message("assistant", first.text, tool_calls=(call,)), Message("tool", "a wall", tool_call_id=call.id))
    return await provider.complete(ask(messages=(*question.messages, *told), tools=(TOOL,)), model=CLAUDE.model)


@pytest.mark.parametrize("streamed", [True, False])
async def test_thoughts_go_back_with_the_outcome_of_a_tool(connect: Connect, streamed: bool) -> None:
    with Server(first_thoughtful(), check=CLAUDE.check) as server:
        done = await conversation(connect(CLAUDE, server), streamed=streamed)
    assert done.text == "A wall."
    assert server.seen[-1].body["messages"][1] == {"role": "assistant", "content": [THOUGHT, USE]}


async def test_thoughts_that_are_refused_are_left_out(connect: Connect) -> None:
    def refused(body: dict[str, Any]) -> str:
        return "messages.1: `thinking` blocks cannot be modified" if "signature" in str(body) else ""

    with Server(first_thoughtful(refused), check=CLAUDE.check) as server:
        done = await conversation(connect(CLAUDE, server), streamed=True)
    assert done.text == "A wall."
    assert server.seen[-1].body["messages"][1]["content"] == [USE]


async def test_a_turn_without_thoughts_is_written_anew(connect: Connect) -> None:
    with Server(CLAUDE.says("", stop="tool", calls=[("look", "{}")]), check=CLAUDE.check) as server:
        await conversation(connect(CLAUDE, server), streamed=True)
    assert server.seen[-1].body["messages"][1]["content"][0]["type"] == "tool_use"


@pytest.mark.parametrize("name", ["anthropic", "openai", "vllm", "llamacpp", "hf_router"])
def test_room_for_thoughts_does_not_vanish_behind_an_address(name: str) -> None:
    for base_url in ("", SERVICES[name].base_url, "http://127.0.0.1:1/v1", "https://proxy.example/v1"):
        settings = ProviderSettings(key=KEY, base_url=base_url)
        assert open_provider(name, settings).caps("m").thoughts == 8192
    assert open_provider(name, ProviderSettings(key=KEY, options={"thoughts": 99})).caps("m").thoughts == 99


async def test_ollama_grants_room_to_models_that_think(connect: Connect) -> None:
    thinker = Llama("ollama", "thinker")
    info = {"capabilities": ["completion", "thinking"], "model_info": {"qwen3.context_length": 12_000}}

    def answer(seen: Seen) -> Sent:
        return json_reply(info) if seen.path == "/api/show" else thinker.says("x")(seen)

    with Server(answer, check=thinker.check) as server:
        provider = connect(thinker, server, effort="minimal")
        await provider.complete(ask(max_tokens=1000), model="thinker")
        await provider.complete(ask(max_tokens=9000), model="thinker")
    first, second = (seen.body for seen in server.seen if "options" in seen.body)
    assert (first["options"], first["think"]) == ({"num_ctx": 12_000, "num_predict": 9192}, "low")
    assert 9000 < second["options"]["num_predict"] < 12_000
    assert provider.caps("thinker").thoughts == 8192


TOO_LONG = [
    "This model's maximum context length is 2048 tokens. However, you requested 6048 tokens (48 in the messages).",
    "the request exceeds the available context size (n_ctx = 2048)",
    "Requested tokens exceed context window of 2048",
]


@pytest.mark.parametrize("words", TOO_LONG)
async def test_a_small_context_is_learnt_and_the_reply_fitted_into_it(connect: Connect, words: str) -> None:
    def answer(seen: Seen) -> Sent:
        if seen.body["max_tokens"] > 1900:
            return json_reply(GROQ.error_body("invalid_request_error", words), 400)
        return GROQ.says("Good day.")(seen)

    with Server(answer, check=GROQ.check) as server:
        provider = connect(GROQ, server)
        done = [await provider.complete(ask(max_tokens=6000), model=GROQ.model) for _ in range(2)]
        assert len(server.seen) == 4
        assert provider.caps(GROQ.model).context == 2048
        long = (Message("user", "word " * 2000),)
        with pytest.raises(errors.ContextTooLong, match="2048"):
            await provider.complete(ask(messages=long), model=GROQ.model)
    assert "2048" in done[1].notes[0]


@pytest.mark.parametrize("counted", [json_reply({"input_tokens": 1500}), json_reply({"error": {}}, 404)])
async def test_claude_counts_the_prompt_where_the_context_is_known_to_be_small(connect: Connect, counted: Sent) -> None:
    def answer(seen: Seen) -> Sent:
        if seen.path.endswith("count_tokens"):
            assert set(seen.body) == {"model", "messages", "system"}
            return counted
        if seen.body["max_tokens"] > 1900:
            return json_reply(CLAUDE.error_body("invalid_request_error", TOO_LONG[0]), 400)
        return CLAUDE.says("Good day.")(seen)

    with Server(answer) as server:
        provider = connect(CLAUDE, server)
        await provider.complete(ask(max_tokens=6000), model=CLAUDE.model)
        await provider.complete(ask(max_tokens=6000), model=CLAUDE.model)
    counts = [seen for seen in server.seen if seen.path.endswith("count_tokens")]
    if counted.status == 200:
        assert (server.seen[-1].body["max_tokens"], len(counts)) == (2048 - 1500, 2)
    else:
        assert (1800 < server.seen[-1].body["max_tokens"] < 1900, len(counts)) == (True, 1)


async def test_effort_is_sent_where_it_is_configured(connect: Connect) -> None:
    with Server(CLAUDE.says("x"), check=CLAUDE.check) as server:
        await connect(CLAUDE, server, effort="low").complete(ask(), model=CLAUDE.model)
    assert server.seen[0].body["output_config"] == {"effort": "low"}


@pytest.mark.parametrize("speaker", SPEAKERS[:2], ids=lambda speaker: speaker.provider)
async def test_a_reply_of_thoughts_alone_is_told_as_cut(speaker: Speaker, connect: Connect) -> None:
    with Server(speaker.says("", stop="length"), check=speaker.check) as server:
        done = await connect(speaker, server).complete(ask(), model=speaker.model)
    assert (done.text, done.finish) == ("", "length")
