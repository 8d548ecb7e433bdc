"""A service's own search of the web: asked for where it may be, read, counted, left out where it is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from llm.calling import NO_SEARCH
from llm.chains import Chains, Target
from llm.costs import table_price
from llm.meter import Meter
from llm.pool import alone
from llm.router import Router
from llm.services import SERVICES
from llm.types import Answer, Message, Provider, Search, ToolSpec, Usage

from .conftest import ask
from .protocols import SPEAKERS, Chat, Speaker, sse
from .servers import Seen, Sent, Server, json_reply

Connect = Callable[..., Provider]
CLAUDE = SPEAKERS[0]
OPENAI, GROQ = (next(one for one in SPEAKERS if one.provider == name) for name in ("openai", "groq"))
ROUTER = Chat("openrouter", "m", "/api/v1")
TOOL = ToolSpec("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})
CLAUDES = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
PAGE = {"type": "web_search_result", "title": "Heaps", "url": "https://docs.example/heap", "encrypted_content": "e"}
LOOKED = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "heapq merge"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [PAGE]}
FAILED = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
}


def claude_says(*blocks: dict[str, Any], stop: str = "end_turn") -> Sent:
    """A streamed turn of whole blocks, as the service frames them."""
    counted = {"input_tokens": 10, "output_tokens": 1}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": CLAUDE.model, "content": []}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**message, "usage": counted}}]
    for index, block in enumerate(blocks):
        empty = {"text": {"text": ""}, "server_tool_use": {"input": {}}, "tool_use": {"input": {}}}
        start = {**block, **empty.get(block["type"], {})}
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        if block["type"] == "text":
            delta: dict[str, Any] = {"type": "text_delta", "text": block["text"]}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        elif "input" in block:
            written = {"type": "input_json_delta", "partial_json": str(block["input"]).replace("'", '"')}
            events.append({"type": "content_block_delta", "index": index, "delta": written})
        events.append({"type": "content_block_stop", "index": index})
    searched = sum(block["type"] == "server_tool_use" for block in blocks)
    usage = {"output_tokens": 7, "server_tool_use": {"web_search_requests": searched, "web_fetch_requests": 0}}
    events += [{"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage}, {"type": "message_stop"}]
    return Sent(200, CLAUDE.stream_type(), [sse(event) for event in events])


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def tools_of(seen: Seen) -> list[Any]:
    return [tool.get("type") or tool.get("name") for tool in seen.body.get("tools", ())]


async def answered(provider: Provider, speaker: Speaker, **changes: Any) -> Answer:
    router = Router(alone({speaker.provider: provider}), Chains((Target(speaker.provider, speaker.model),)))
    return await router.ask(ask(**changes), Meter())


async def test_claude_searches_where_it_may_and_tells_what_for(connect: Connect) -> None:
    turn = (text("Let me look."), LOOKED, FOUND, text("It "), text("merges."))
    with Server(claude_says(*turn), check=CLAUDE.check) as server:
        provider = connect(CLAUDE, server)
        answer = await answered(provider, CLAUDE, search=True, tools=(TOOL,))
        await answered(provider, CLAUDE, tools=(TOOL,))
    assert server.seen[0].body["tools"][1:] == [CLAUDES]
    assert tools_of(server.seen[1]) == ["look"], "nobody searches who did not ask for it"
    assert answer.text == "Let me look.\n\n\n\nIt merges.", "what stands behind a search begins a line of its own"
    assert answer.searches == (Search("heapq merge", (("Heaps", "https://docs.example/heap"),)),)
    assert answer.usage.searches == 1
    assert not any(NO_SEARCH in note for note in answer.notes)


async def test_a_search_that_found_nothing_says_why(connect: Connect) -> None:
    with Server(claude_says(LOOKED, FAILED, text("I know it anyway.")), check=CLAUDE.check) as server:
        answer = await answered(connect(CLAUDE, server), CLAUDE, search=True)
    assert answer.searches == (Search("heapq merge", (), "max_uses_exceeded"),)
    assert answer.text == "I know it anyway."


async def test_a_turn_that_the_service_pauses_is_sent_back_and_counts_once(connect: Connect) -> None:
    paused = claude_says(text("Looking."), LOOKED, FOUND, stop="pause_turn")
    with Server(paused, claude_says(text("Done.")), check=CLAUDE.check) as server:
        answer = await answered(connect(CLAUDE, server), CLAUDE, search=True)
    sent = server.seen[1].body["messages"][-1]
    assert sent == {"role": "assistant", "content": [text("Looking."), LOOKED, FOUND]}
    assert (answer.text, answer.usage.input, answer.usage.output) == ("Looking.\n\nDone.", 20, 14)
    assert (len(answer.searches), answer.usage.searches) == (1, 1)


async def test_what_was_found_goes_back_with_the_outcome_of_a_tool(connect: Connect) -> None:
    use = {"type": "tool_use", "id": "toolu_0", "name": "look", "input": {"at": "x"}}
    with Server(claude_says(LOOKED, FOUND, use, stop="tool_use"), check=CLAUDE.check) as server:
        provider, question = connect(CLAUDE, server), ask(tools=(TOOL,), search=True)
        first = await provider.complete(question, model=CLAUDE.model)
        told = (
            Message("assistant", "", tool_calls=first.tool_calls),
            Message("tool", "a wall", tool_call_id="toolu_0"),
        )
        await provider.complete(ask(messages=(*question.messages, *told), tools=(TOOL,)), model=CLAUDE.model)
    assert server.seen[1].body["messages"][1]["content"] == [LOOKED, FOUND, use]


REFUSALS = [
    "web search is not enabled for your organization",
    "tools.1: Input tag 'web_search_20250305' found using 'type' does not match any of the expected tags",
    "tools.1.input_schema: Field required",
]


@pytest.mark.parametrize("words", REFUSALS)
async def test_a_refused_search_is_left_out_and_the_other_tools_stay(connect: Connect, words: str) -> None:
    def answer(seen: Seen) -> Sent:
        if "web_search_20250305" in tools_of(seen):
            return json_reply(CLAUDE.error_body("invalid_request_error", words), 400)
        return CLAUDE.says("Good day.")(seen)

    with Server(answer, check=CLAUDE.check) as server:
        provider = connect(CLAUDE, server)
        told = await answered(provider, CLAUDE, search=True, tools=(TOOL,))
    assert [tools_of(seen) for seen in server.seen] == [["look", "web_search_20250305"], ["look"]]
    assert f"anthropic:{CLAUDE.model} {NO_SEARCH}" in told.notes
    assert provider.caps(CLAUDE.model).tools


def cites(speaker: Speaker, seen: Seen, urls: Sequence[str]) -> Sent:
    chunks = speaker.events("See there.")
    pages = [{"type": "url_citation", "url_citation": {"url": url, "title": "Docs", "start_index": 0}} for url in urls]
    delta = {"choices": [{"index": 0, "delta": {"annotations": pages}, "finish_reason": None}]}
    return Sent(200, speaker.stream_type(), [chunks[0], sse(delta), *chunks[1:]])


@pytest.mark.parametrize(
    ("speaker", "sent"),
    [
        (OPENAI, {"web_search_options": {}}),
        (ROUTER, {"tools": [{"type": "openrouter:web_search", "parameters": {"max_results": 5}}]}),
    ],
)
async def test_chat_services_are_asked_in_their_own_words_and_name_the_pages(
    connect: Connect, speaker: Speaker, sent: dict[str, Any]
) -> None:
    url = "https://docs.example/a"
    with Server(lambda seen: cites(speaker, seen, [url, url])) as server:
        provider = connect(speaker, server)
        answer = await answered(provider, speaker, search=True)
        await answered(provider, speaker)
    assert sent.items() <= server.seen[0].body.items()
    assert not sent.keys() & server.seen[1].body.keys()
    assert answer.searches == (Search("", (("Docs", url),)),)
    assert answer.usage.searches == 1


async def test_a_model_that_does_not_search_is_asked_without(connect: Connect) -> None:
    def answer(seen: Seen) -> Sent:
        if "web_search_options" in seen.body:
            return json_reply(OPENAI.error_body("x", "Web search options not supported with this model."), 400)
        return OPENAI.says("Good day.")(seen)

    with Server(answer, check=OPENAI.check) as server:
        told = await answered(connect(OPENAI, server), OPENAI, search=True)
    assert (len(server.seen), told.text) == (2, "Good day.")
    assert f"openai:{OPENAI.model} {NO_SEARCH}" in told.notes


async def test_a_service_without_a_search_is_sent_nothing_and_it_is_said(connect: Connect) -> None:
    with Server(GROQ.says("Good day."), check=GROQ.check) as server:
        told = await answered(connect(GROQ, server), GROQ, search=True)
    assert [note for note in told.notes if NO_SEARCH in note] == [f"groq:{GROQ.model} {NO_SEARCH}"]
    assert told.searches == ()


def test_searches_are_paid_for() -> None:
    model, tokens = SERVICES["anthropic"].model, (1000, 10)
    plain, searched = (table_price("anthropic", model, Usage(*tokens, searches=many)) for many in (0, 2))
    assert plain is not None
    assert searched == pytest.approx(plain + 0.02)
    model = SERVICES["openrouter"].model
    assert table_price("openrouter", model, Usage(*tokens)) is not None
    assert table_price("openrouter", model, Usage(*tokens, searches=1)) is None, "what a search costs there is unknown"
