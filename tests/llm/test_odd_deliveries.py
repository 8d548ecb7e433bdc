"""Replies and errors that come in odd ways: what can be read is read, what broke is told from a wrong address."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

from llm import errors
from llm.http.chat_api import ChatCollector
from llm.shapes import text
from llm.types import Message

from .conftest import ask
from .contract import Connect, answer_of, chat_only, fault_of
from .protocols import CORE, KEY, Speaker, sse
from .servers import Sent, Server, json_reply

BOM = b"\xef\xbb\xbf"
TEXT = "Good day."


@pytest.mark.parametrize("streamed", [True, False], ids=["stream", "whole"])
async def test_a_byte_order_mark_costs_no_reply(speaker: Speaker, connect: Connect, streamed: bool) -> None:
    whole = b"".join(speaker.events(TEXT)) if streamed else json.dumps(speaker.body(TEXT)).encode()
    kind = speaker.stream_type() if streamed else {"content-type": "application/json"}
    with Server(chat_only(speaker, Sent(200, kind, [BOM + whole]))) as server:
        assert (await answer_of(connect(speaker, server), speaker)).text == TEXT


async def test_an_error_of_any_length_keeps_its_status(speaker: Speaker, connect: Connect) -> None:
    long = Sent(401, {"content-type": "application/json"}, [b'{"error": "no' + b" " * 1_000_000] * 10)
    with Server(chat_only(speaker, long)) as server:
        assert isinstance(await fault_of(connect(speaker, server), speaker), errors.AuthFailed)


async def test_half_a_surrogate_pair_is_no_text_but_can_be_asked_about(speaker: Speaker, connect: Connect) -> None:
    escaped = json.dumps(speaker.body("x\\ud800y")).replace("\\\\ud800", "\\ud800").encode()
    told = Sent(200, {"content-type": "application/json"}, [escaped])
    messages = (Message("user", "half a pair: \ud800"), Message("assistant", "and \udc00"), Message("user", "go on"))
    with Server(chat_only(speaker, told)) as server:
        done = await connect(speaker, server).complete(ask(messages=messages), model=speaker.model)
        assert done.text == "x\ufffdy"
        assert server.seen[-1].body["messages"][0]["content"] == "half a pair: ?"


def test_a_pair_that_comes_in_two_pieces_is_whole_in_the_reply() -> None:
    collector = ChatCollector()
    shown = [collector.take({"choices": [{"delta": {"content": half}}]}) for half in ("\ud83d", "\ude00")]
    assert shown == ["\ufffd", "\ufffd"]
    assert text("".join(collector.texts)) == "\U0001f600"


@pytest.mark.parametrize("where", ["model", "counts"])
async def test_a_service_that_sends_the_key_back_is_not_quoted(speaker: Speaker, connect: Connect, where: str) -> None:
    old = speaker.model.encode() if where == "model" else b": 7"
    new = KEY.encode() if where == "model" else f': "{KEY}"'.encode()
    events = [event.replace(old, new) for event in speaker.events(TEXT)]
    with Server(chat_only(speaker, Sent(200, speaker.stream_type(), events))) as server:
        provider = connect(speaker, server)
        with warnings.catch_warnings(record=True) as said:
            done = await answer_of(provider, speaker)
    assert KEY not in repr(done) + repr([str(one.message) for one in said])


@pytest.mark.parametrize("speaker", CORE[1:], ids=lambda speaker: speaker.provider)
@pytest.mark.parametrize("broken", ['{"id": "1", "cho', "upstream gave up"])
async def test_a_stream_that_turns_into_something_else_broke(speaker: Speaker, connect: Connect, broken: str) -> None:
    event = f"data: {broken}\n\n" if b"data: " in speaker.events(TEXT)[0] else f"{broken}\n"
    sent = Sent(200, speaker.stream_type(), [speaker.events(TEXT)[0], event.encode()])
    with Server(chat_only(speaker, sent)) as server:
        assert isinstance(await fault_of(connect(speaker, server), speaker), errors.TruncatedStream)


@pytest.mark.parametrize("reason", ["stop", "eos", "tool_calls"])
async def test_a_call_is_one_whatever_the_reason_to_stop(connect: Connect, reason: str) -> None:
    speaker, call = CORE[1], {"id": "a", "function": {"name": "look", "arguments": {"at": "x"}}}
    choice = {"message": {"content": None, "tool_calls": [call]}, "finish_reason": reason}
    with Server(json_reply({"choices": [choice]})) as server:
        done = await connect(speaker, server).complete(ask(), model=speaker.model)
    assert (done.finish, done.tool_calls[0].arguments) == ("tool", {"at": "x"})


async def test_only_the_first_choice_is_read(connect: Connect) -> None:
    speaker = CORE[1]
    other: dict[str, Any] = {"choices": [{"index": 1, "delta": {"content": "Another."}, "finish_reason": None}]}
    events = [sse(other), *speaker.events(TEXT), sse(other)]
    with Server(Sent(200, speaker.stream_type(), events)) as server:
        assert (await answer_of(connect(speaker, server), speaker)).text == TEXT
