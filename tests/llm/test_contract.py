"""One contract for every provider behind HTTP, against honest servers that are strict."""

from __future__ import annotations

import gc
import logging
import sys
from contextlib import aclosing
from typing import Any, cast
from unittest.mock import Mock

import pytest

from llm.types import Completion, Delta, Message, ToolCall

from .conftest import SECRET_PROMPT, ask
from .contract import OK_USAGE, SCHEMA, TOOL, Connect, answer_of, chat_only
from .protocols import KEY, SPEAKERS, Speaker
from .servers import Sent, Server, json_reply


async def test_text_arrives_whole_with_its_usage(any_speaker: Speaker, connect: Connect) -> None:
    with Server(any_speaker.says("Good day ☀."), check=any_speaker.check) as server:
        done = await answer_of(connect(any_speaker, server), any_speaker)
        assert (done.text, done.finish) == ("Good day ☀.", "stop")
        assert (done.usage.input, done.usage.output) == OK_USAGE
        assert (done.provider, done.model) == (any_speaker.provider, any_speaker.model)


@pytest.mark.parametrize("last", [Delta, Completion])
async def test_a_call_leaves_no_generator_half_read(any_speaker: Speaker, connect: Connect, last: type) -> None:
    """The event loop would close those of all libraries at once when it ends, and trip over them."""
    left: list[str] = []
    before = sys.get_asyncgen_hooks()
    gc.freeze()  # what was there before is not looked through with what this call leaves
    sys.set_asyncgen_hooks(finalizer=lambda generator: left.append(str(generator)))
    try:
        with Server(any_speaker.says("Good day, and what a long one.")) as server:
            stream = connect(any_speaker, server).stream(ask(), model=any_speaker.model)
            async with aclosing(cast(Any, stream)) as items:
                async for item in items:
                    if isinstance(item, last):
                        break
            del stream, items
            gc.collect()
    finally:
        sys.set_asyncgen_hooks(*before)
    assert not left


async def test_the_pieces_of_a_reply_do_not_each_read_the_environment(
    any_speaker: Speaker, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Mock(return_value="")
    monkeypatch.setattr("llm.http.remote.proxy_for", asked)
    with Server(any_speaker.says("Good day, and what a long one."), check=any_speaker.check) as server:
        await answer_of(connect(any_speaker, server), any_speaker)
    assert asked.call_count <= 4, "of the call and of its answer"


async def test_cached_tokens_are_counted_within_the_prompt(connect: Connect) -> None:
    for speaker in SPEAKERS[:2]:
        with Server(speaker.says("x"), check=speaker.check) as server:
            done = await connect(speaker, server).complete(ask(), model=speaker.model)
            assert (done.usage.input, done.usage.cached) == (16, 4)


async def test_a_schema_is_sent_only_where_the_reply_is_the_object_alone(
    any_speaker: Speaker, connect: Connect
) -> None:
    with Server(any_speaker.says('{"word": "yes"}'), check=any_speaker.check) as server:
        provider = connect(any_speaker, server)
        alone = await provider.complete(ask(schema=SCHEMA), model=any_speaker.model)
        with_code = await provider.complete(ask(schema=SCHEMA, code="required"), model=any_speaker.model)
        bodies = [seen.body for seen in server.seen if "messages" in seen.body]
    assert alone.schema_mode == ("object" if any_speaker.provider == "deepseek" else "native")
    assert with_code.schema_mode == "prompt"
    assert [bool({"format", "response_format", "output_config"} & set(body)) for body in bodies] == [True, False]


async def test_a_length_stop_is_told_apart(any_speaker: Speaker, connect: Connect) -> None:
    with Server(any_speaker.says("half a rep", stop="length"), check=any_speaker.check) as server:
        done = await answer_of(connect(any_speaker, server), any_speaker)
        assert done.finish == "length"
        assert (done.usage.input, done.usage.output) == OK_USAGE


@pytest.mark.parametrize("speaker", SPEAKERS[:2], ids=lambda speaker: speaker.provider)
async def test_a_refusal_is_told_apart(speaker: Speaker, connect: Connect) -> None:
    with Server(speaker.says("No.", stop="refusal"), check=speaker.check) as server:
        done = await answer_of(connect(speaker, server), speaker)
        assert done.finish == "refusal"


async def test_tool_calls_come_with_their_arguments(any_speaker: Speaker, connect: Connect) -> None:
    says = any_speaker.says("", stop="tool", calls=[("look", '{"at": "a{b"}'), ("look", '{"at": "2"}')])
    with Server(says, check=any_speaker.check) as server:
        done = await answer_of(connect(any_speaker, server), any_speaker, tools=(TOOL,))
        assert done.finish == "tool"
        assert [(call.name, dict(call.arguments)) for call in done.tool_calls] == [
            ("look", {"at": "a{b"}),
            ("look", {"at": "2"}),
        ]
        assert len({call.id for call in done.tool_calls}) == 2


async def test_a_conversation_with_tools_is_written_as_the_service_wants(
    any_speaker: Speaker, connect: Connect
) -> None:
    call = ToolCall("c1", "look", {"at": "x"})
    messages = (
        Message("system", "You help."),
        Message("user", "Look."),
        Message("assistant", "I look.", tool_calls=(call,)),
        Message("tool", "a wall", tool_call_id="c1"),
    )
    with Server(any_speaker.says("A wall."), check=any_speaker.check) as server:
        done = await connect(any_speaker, server).complete(
            ask(messages=messages, tools=(TOOL,)), model=any_speaker.model
        )
        sent = str(server.seen[-1].body)
    assert done.text == "A wall."
    assert "a wall" in sent
    assert "Tools" not in sent


async def test_nothing_secret_is_logged(speaker: Speaker, connect: Connect, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger().setLevel(logging.DEBUG)
    with Server(speaker.says("Good day."), check=speaker.check) as server:
        provider = connect(speaker, server)
        await answer_of(provider, speaker)
        shown = caplog.text + repr(provider) + repr(vars(provider).get("_settings"))
    assert KEY not in shown
    assert SECRET_PROMPT not in shown


async def test_a_reply_in_one_piece_serves_a_stream(speaker: Speaker, connect: Connect) -> None:
    with Server(chat_only(speaker, json_reply(speaker.body("Good day.")))) as server:
        done = await answer_of(connect(speaker, server), speaker)
        assert done.text == "Good day."


async def test_split_bytes_are_put_together(speaker: Speaker, connect: Connect) -> None:
    data = b"".join(speaker.events("Grüße ☀"))
    with Server(
        chat_only(speaker, Sent(200, speaker.stream_type(), [data[i : i + 1] for i in range(len(data))]))
    ) as server:
        items = [item async for item in connect(speaker, server).stream(ask(), model=speaker.model)]
    assert isinstance(items[-1], Completion)
    assert items[-1].text == "Grüße ☀"
