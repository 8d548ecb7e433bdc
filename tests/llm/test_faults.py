"""What every provider behind HTTP makes of servers that are broken, slow or hostile."""

from __future__ import annotations

import asyncio
import gzip
import re
import traceback
from typing import Any

import pytest

from llm import errors
from llm.providers import open_provider
from llm.types import Completion, ProviderSettings, Usage

from .conftest import SECRET_PROMPT, ask
from .contract import TOOL, Connect, chat_only, drain, fault_of
from .protocols import CORE, KEY, Llama, Speaker, sse
from .servers import Sent, Server, endless, json_reply, until


@pytest.mark.parametrize("speaker", CORE[:-1], ids=lambda speaker: speaker.provider)
async def test_cut_tool_arguments_are_an_invalid_reply_with_usage(speaker: Speaker, connect: Connect) -> None:
    events = speaker.events("", stop="tool", calls=[("look", '{"at": "a')])
    with Server(Sent(200, speaker.stream_type(), events)) as server, pytest.raises(errors.InvalidReply) as raised:
        await drain(connect(speaker, server), speaker, tools=(TOOL,))
    assert raised.value.usage.output == 7 or raised.value.usage == Usage(16, 7, 4)


@pytest.mark.parametrize("clean", [True, False], ids=["closed", "broken"])
@pytest.mark.parametrize("keep", [1, 2])
async def test_a_cut_stream_is_never_a_reply(speaker: Speaker, connect: Connect, keep: int, clean: bool) -> None:
    cut = chat_only(speaker, speaker.breaks("Good day.", keep=keep, clean=clean))
    with Server(cut) as server, pytest.raises(errors.TruncatedStream):
        await drain(connect(speaker, server), speaker)


async def test_every_prefix_of_a_stream_is_detected(speaker: Speaker, connect: Connect) -> None:
    whole = b"".join(speaker.events("Good day, this is a reply."))
    end = whole.index(b"\n\n", whole.index(b'"finish_reason": "stop"')) + 2 if b"[DONE]" in whole else len(whole)
    complete = end - isinstance(speaker, Llama)
    sizes = sorted({*range(1, complete, max(1, complete // 40)), *range(complete - 20, complete)})
    answers = [chat_only(speaker, Sent(200, speaker.stream_type(), [whole[:size]])) for size in sizes]
    if isinstance(speaker, Llama):
        answers.insert(0, answers[0])
    with Server(*answers, answers[-1]) as server:
        provider = connect(speaker, server)
        for _ in sizes:
            with pytest.raises(errors.TruncatedStream):
                await drain(provider, speaker)


async def test_an_error_in_the_middle_of_a_stream_is_overload(any_speaker: Speaker, connect: Connect) -> None:
    events = [*any_speaker.events("Good day.")[:2], any_speaker.error_event()]
    broken = chat_only(any_speaker, Sent(200, any_speaker.stream_type(), events))
    with Server(broken) as server, pytest.raises(errors.Overloaded) as raised:
        await drain(connect(any_speaker, server), any_speaker)
    assert KEY not in str(raised.value)
    assert "(in its answer" in str(raised.value)  # the status was 200


IN_THE_MIDDLE = {"object": "error", "message": "prompt is too long: 9 tokens", "code": 400}
ALL_WELL = [
    ({"error": "boom"}, errors.Overloaded, "boom"),
    ({"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}, errors.AuthFailed, "Incorrect"),
    ({"code": 1113, "msg": "Insufficient balance", "success": False}, errors.PaymentRequired, "Insufficient"),
    ({"base_resp": {"status_code": 7, "status_msg": "no luck"}}, errors.AlienReply, "no luck"),
]


@pytest.mark.parametrize(("body", "expected", "words"), ALL_WELL, ids=lambda value: str(value)[:12])
async def test_an_error_that_calls_itself_a_success_is_told_in_its_own_words(
    speaker: Speaker, connect: Connect, body: dict[str, Any], expected: type[errors.LLMError], words: str
) -> None:
    with Server(chat_only(speaker, json_reply(body))) as server:
        error = await fault_of(connect(speaker, server), speaker)
        assert type(error) is expected
        assert words in str(error)


@pytest.mark.parametrize("speaker", CORE[1:3], ids=lambda speaker: speaker.provider)
async def test_an_error_without_a_name_ends_a_stream(speaker: Speaker, connect: Connect) -> None:
    events = [*speaker.events("Good day.")[:2], sse(IN_THE_MIDDLE), b"data: [DONE]\n\n"]
    with Server(Sent(200, speaker.stream_type(), events)) as server, pytest.raises(errors.ContextTooLong):
        await drain(connect(speaker, server), speaker)


@pytest.mark.parametrize("counts", ["null", '"7"', "-1"])
async def test_tokens_that_are_not_counted_cost_no_reply(speaker: Speaker, connect: Connect, counts: str) -> None:
    told = re.compile(rb'("usage": |"(?:prompt_)?eval_count": )(\{[^{}]*(?:\{[^{}]*\})?\}|\d+)')
    whole = told.sub(rb"\1" + counts.encode(), b"".join(speaker.events("Good day.")))
    with Server(chat_only(speaker, Sent(200, speaker.stream_type(), [whole]))) as server:
        items = [item async for item in connect(speaker, server).stream(ask(), model=speaker.model)]
    assert isinstance(items[-1], Completion)
    assert (items[-1].text, items[-1].usage.output) == ("Good day.", None)


STATUS = [
    (400, "bad thing", errors.BadRequest),
    (401, "no", errors.AuthFailed),
    (402, "pay", errors.PaymentRequired),
    (403, "no", errors.AuthFailed),
    (404, "model 'x' not found", errors.ModelMissing),
    (400, "prompt is too long: 300000 tokens > 200000 maximum context length", errors.ContextTooLong),
    (413, "too large", errors.ContextTooLong),
    (422, "what", errors.BadRequest),
    (429, "slow down", errors.RateLimited),
    (500, "oops", errors.Overloaded),
    (502, "<html>bad gateway</html>", errors.Overloaded),
    (503, "later", errors.Overloaded),
    (504, "late", errors.Unreachable),
    (529, "overloaded", errors.Overloaded),
    (418, "teapot", errors.AlienReply),
]


@pytest.mark.parametrize(("status", "message", "expected"), STATUS, ids=lambda value: str(value)[:12])
async def test_each_status_is_its_error(
    speaker: Speaker, connect: Connect, status: int, message: str, expected: type[errors.LLMError]
) -> None:
    said = f"{message} {KEY} {SECRET_PROMPT}"
    sent = json_reply(speaker.error_body("some_error", said), status)
    with Server(chat_only(speaker, sent)) as server:
        error = await fault_of(connect(speaker, server), speaker)
        assert type(error) is expected
        shown = "".join(traceback.format_exception(error))
        assert KEY not in shown
        assert SECRET_PROMPT not in shown
        assert len([seen for seen in server.seen if seen.path != "/api/show"]) == 1


@pytest.mark.parametrize(
    ("told", "seconds"), [("7", 7.0), ("3600", 3600.0), ("soon", None), ("-5", None), ("nan", None)]
)
async def test_a_rate_limit_says_how_long(speaker: Speaker, connect: Connect, told: str, seconds: float | None) -> None:
    with Server(chat_only(speaker, json_reply({"error": {}}, 429, retry_after=told))) as server:
        error = await fault_of(connect(speaker, server), speaker)
    assert isinstance(error, errors.RateLimited)
    assert error.retry_after == seconds


ALIEN = {
    "html": Sent(200, {"content-type": "text/html"}, [b"<html>login</html>"]),
    "other json": json_reply({"status": "ok"}),
    "a list": json_reply([1, 2]),
    "half json": Sent(200, {"content-type": "application/json"}, [b'{"a": ']),
    "no type": Sent(200, {}, [b"hello"]),
    "empty": Sent(204, {"content-type": "application/json"}, []),
    "json null": json_reply(None),
    "not utf-8": Sent(200, {"content-type": "application/json"}, [b"\xff\xfe\x00"]),
    "false gzip": Sent(200, {"content-type": "application/json", "content-encoding": "gzip"}, [b"plain"]),
    "packed flood": Sent(
        200, {"content-type": "text/event-stream", "content-encoding": "gzip"}, [gzip.compress(bytes(20_000_000))]
    ),
    "alien events": Sent(200, {"content-type": "text/event-stream"}, [b"data: <p>\n\n"]),
}


@pytest.mark.parametrize("what", ALIEN)
async def test_an_alien_answer_is_named_as_such(speaker: Speaker, connect: Connect, what: str) -> None:
    with Server(chat_only(speaker, ALIEN[what])) as server:
        error = await fault_of(connect(speaker, server), speaker)
        # Claude's SDK passes over foreign events: what is left looks like a stream that broke before its first one
        passed_over = speaker.provider == "anthropic" and what == "alien events"
        assert isinstance(error, errors.TruncatedStream if passed_over else errors.AlienReply)


@pytest.mark.parametrize("status", [401, 403, 407])
async def test_what_stands_between_is_not_taken_for_the_service(
    speaker: Speaker, connect: Connect, status: int
) -> None:
    page = Sent(status, {"content-type": "text/html"}, [b"<html><title>Attention Required!</title></html>"])
    with Server(chat_only(speaker, page)) as server:
        error = await fault_of(connect(speaker, server), speaker)
    assert isinstance(error, errors.AlienReply)
    assert "key" not in str(error)


async def test_a_port_that_speaks_no_http_is_asked_once(speaker: Speaker) -> None:
    async def alert(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"\x15\x03\x01\x00\x02\x02\x50")
        writer.close()

    async with await asyncio.start_server(alert, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        settings = ProviderSettings(key=KEY, base_url=f"http://127.0.0.1:{port}")
        error = await fault_of(open_provider(speaker.provider, settings), speaker)
    assert isinstance(error, errors.AlienReply)
    assert "no HTTP is spoken there; is it https?" in str(error)


async def test_an_impossible_port_is_asked_once(speaker: Speaker) -> None:
    settings = ProviderSettings(key=KEY, base_url="http://127.0.0.1:99999")
    error = await fault_of(open_provider(speaker.provider, settings), speaker)
    assert isinstance(error, errors.AlienReply)


@pytest.mark.parametrize("reason", ["error", "network_error", "insufficient_system_resource", "abort"])
async def test_a_reply_that_the_service_breaks_off_is_asked_for_again(connect: Connect, reason: str) -> None:
    speaker = CORE[1]
    whole = b"".join(speaker.events("Good day."))
    broken = whole.replace(b'"finish_reason": "stop"', f'"finish_reason": "{reason}"'.encode())
    with Server(Sent(200, speaker.stream_type(), [broken])) as server:
        error = await fault_of(connect(speaker, server), speaker)
    assert isinstance(error, errors.Overloaded)
    assert error.transient


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(speaker: Speaker, connect: Connect, status: int) -> None:
    with Server(speaker.says("stolen")) as thief:
        away = Sent(status, {"location": thief.url + "/v1/messages", "content-type": "text/plain"}, [b""])
        with Server(chat_only(speaker, away)) as server:
            error = await fault_of(connect(speaker, server), speaker)
            assert isinstance(error, errors.AlienReply)
    assert thief.seen == []


async def test_not_even_a_redirect_to_the_same_server_is_followed(speaker: Speaker, connect: Connect) -> None:
    away = Sent(307, {"location": "/elsewhere", "content-type": "text/plain"}, [b""])
    with Server(chat_only(speaker, away)) as server:
        await fault_of(connect(speaker, server), speaker)
        assert all(seen.path != "/elsewhere" for seen in server.seen)


async def test_a_silent_server_is_given_up(speaker: Speaker, connect: Connect) -> None:
    stall = Sent(200, speaker.stream_type(), speaker.events("Good day.")[:2], pause=30)
    with Server(chat_only(speaker, stall)) as server, pytest.raises(errors.Unreachable):
        await drain(connect(speaker, server, stall_s=0.1), speaker)


async def test_a_dripping_server_is_given_up_at_the_deadline(speaker: Speaker, connect: Connect) -> None:
    events = speaker.events("Good day.")
    drip = Sent(
        200, speaker.stream_type(), endless(b"".join(events[:2]), b":\n" if b"data:" in events[0] else b"\n"), 0.01
    )
    with Server(chat_only(speaker, drip)) as server:
        loop = asyncio.get_running_loop()
        began = loop.time()
        with pytest.raises(errors.Unreachable):
            await drain(connect(speaker, server, total_s=0.2), speaker)
        assert loop.time() - began < 3


async def test_a_flood_is_cut_off(speaker: Speaker, connect: Connect) -> None:
    flood = Sent(200, {"content-type": "application/json"}, endless(b"[", b" " * 1_000_000))
    with Server(chat_only(speaker, flood)) as server, pytest.raises(errors.AlienReply):
        await connect(speaker, server).complete(ask(), model=speaker.model)


async def test_a_line_without_an_end_is_cut_off(speaker: Speaker, connect: Connect) -> None:
    flood = Sent(200, speaker.stream_type(), endless(b"data: ", b" " * 1_000_000))
    with Server(chat_only(speaker, flood)) as server, pytest.raises(errors.AlienReply):
        await drain(connect(speaker, server), speaker)


async def test_a_closed_port_is_unreachable(speaker: Speaker, connect: Connect) -> None:
    with Server(Sent()) as server:
        pass
    error = await fault_of(connect(speaker, server), speaker)
    assert isinstance(error, errors.Unreachable)


async def test_cancelling_closes_the_connection(speaker: Speaker, connect: Connect) -> None:
    events = speaker.events("Good day.")
    idle = b": wait\n\n" if b"data:" in events[0] else b"\n"
    slow = Sent(200, speaker.stream_type(), endless(b"".join(events[:2]), idle), 0.005)
    with Server(chat_only(speaker, slow)) as server:
        provider = connect(speaker, server)
        task = asyncio.create_task(provider.complete(ask(), model=speaker.model))
        assert await asyncio.to_thread(until, server.dripping.is_set, 20)
        loop = asyncio.get_running_loop()
        began = loop.time()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(until, server.broken.is_set)
        assert loop.time() - began < 1
