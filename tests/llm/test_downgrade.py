"""What a service refuses is left out, remembered and told; keys and headers go nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from llm import errors
from llm.chains import Chains, Target
from llm.meter import Meter
from llm.pool import alone
from llm.providers import open_provider
from llm.router import Router
from llm.types import Completion, Provider, ProviderSettings, ToolSpec

from .conftest import ask
from .protocols import KEY, SPEAKERS, Llama, Speaker
from .servers import Seen, Sent, Server, json_reply

Connect = Callable[..., Provider]
CLAUDE, LLAMA = SPEAKERS[0], SPEAKERS[-1]
GROQ = next(speaker for speaker in SPEAKERS if speaker.provider == "groq")
OPENAI = next(speaker for speaker in SPEAKERS if speaker.provider == "openai")
SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
TOOL = ToolSpec("look", "Looks.", {"type": "object", "properties": {}})
GOOD = '{"ok": true}'


def refusing(speaker: Speaker, unless: Callable[[dict[str, Any]], str], status: int, text: str = GOOD) -> Any:
    """A service that refuses what `unless` names, in its own words."""
    honest = speaker.says(text)

    def answer(seen: Seen) -> Sent:
        words = "" if seen.path == "/api/show" else unless(seen.body)
        return json_reply(speaker.error_body("invalid_request_error", words), status) if words else honest(seen)

    return answer


def no_schema(body: dict[str, Any]) -> str:
    kind = body.get("response_format", {}).get("type")
    return "This model does not support response format `json_schema`" if kind == "json_schema" else ""


def no_format(body: dict[str, Any]) -> str:
    return "response_format is not supported" if "response_format" in body else ""


@pytest.mark.parametrize("status", [400, 422, 500])
@pytest.mark.parametrize(("refused", "modes"), [(no_schema, ["object"] * 2), (no_format, ["prompt"] * 2)])
async def test_a_refused_schema_is_lowered_and_remembered(
    connect: Connect, status: int, refused: Callable[[dict[str, Any]], str], modes: list[str]
) -> None:
    with Server(refusing(GROQ, refused, status), check=GROQ.check) as server:
        provider = connect(GROQ, server)
        done = [await provider.complete(ask(schema=SCHEMA), model=GROQ.model) for _ in modes]
        sent = [seen.body.get("response_format", {}).get("type") for seen in server.seen]
        await provider.complete(ask(schema=SCHEMA), model="another-model")
    assert [completion.schema_mode for completion in done] == modes
    assert any("reply schema" in note or "reply format" in note for note in done[1].notes)
    assert sent.count("json_schema") == 1
    assert server.seen[len(sent)].body["response_format"]["type"] == "json_schema"
    assert provider.caps(GROQ.model).schema == modes[0]


async def test_a_500_that_names_nothing_is_overload(connect: Connect) -> None:
    with Server(refusing(GROQ, lambda _: "internal error", 500)) as server:
        with pytest.raises(errors.Overloaded):
            await connect(GROQ, server).complete(ask(schema=SCHEMA), model=GROQ.model)
        assert len(server.seen) == 1


@pytest.mark.parametrize("part", ["temperature", "seed", "stream_options"])
async def test_a_refused_part_is_left_out_and_told(connect: Connect, part: str) -> None:
    refused = refusing(GROQ, lambda body: f"Unsupported parameter: '{part}'" if part in body else "", 400)
    with Server(refused, check=GROQ.check) as server:
        provider, request = connect(GROQ, server), ask(temperature=0.2, seed=1)
        items = [item async for item in provider.stream(request, model=GROQ.model)]
    done = items[-1]
    assert isinstance(done, Completion)
    assert part not in server.seen[-1].body
    assert done.notes == (f"the service does not take {part}",)
    assert (part in done.ignored) == (part != "stream_options")


async def test_a_refused_stream_is_read_whole(connect: Connect) -> None:
    def refused(body: dict[str, Any]) -> str:
        return "Unsupported value: 'stream' is for verified organizations" if "stream" in body else ""

    with Server(refusing(OPENAI, refused, 400), check=OPENAI.check) as server:
        provider = connect(OPENAI, server)
        done = [await provider.complete(ask(), model=OPENAI.model) for _ in range(2)]
    assert [completion.text for completion in done] == [GOOD, GOOD]
    assert [{"stream", "stream_options"} & set(seen.body) for seen in server.seen[1:]] == [set(), set()]


async def test_claudes_effort_is_left_out_where_its_place_is_unknown(connect: Connect) -> None:
    def refused(body: dict[str, Any]) -> str:
        return "output_config: Extra inputs are not permitted" if "output_config" in body else ""

    with Server(refusing(CLAUDE, refused, 400), check=CLAUDE.check) as server:
        provider = connect(CLAUDE, server, effort="high")
        for _ in range(2):
            assert (await provider.complete(ask(schema=SCHEMA), model=CLAUDE.model)).text == GOOD
    assert ["output_config" in seen.body for seen in server.seen] == [True, True, False, False]


async def test_the_limit_is_called_as_the_service_wants(connect: Connect) -> None:
    def refused(body: dict[str, Any]) -> str:
        words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
        return words if "max_tokens" in body else ""

    with Server(refusing(GROQ, refused, 400)) as server:
        provider = connect(GROQ, server)
        for _ in range(2):
            await provider.complete(ask(), model=GROQ.model)
    assert ["max_tokens" in seen.body for seen in server.seen] == [True, False, False]


def limit_of(body: dict[str, Any]) -> int:
    return body.get("max_tokens") or body.get("max_completion_tokens") or body["options"]["num_predict"]


def shows(speaker: Speaker, answer: Any) -> Any:
    """What comes before an Ollama's chat is answered honestly."""
    return lambda seen: speaker.shown() if isinstance(speaker, Llama) and seen.path == "/api/show" else answer(seen)


LIMITS = [
    (GROQ, "`max_tokens` must be less than or equal to `4096`, the maximum value for `max_tokens` is less than the "),
    (OPENAI, "max_tokens is too large: 14192. This model supports at most 4096 completion tokens."),
    (CLAUDE, "max_tokens: 14192 > 4096, which is the maximum allowed number of output tokens for claude-haiku-5-5"),
    (LLAMA, "num_predict must be at most 4096"),
    (GROQ, "max_tokens: that is more than this model writes"),
]


@pytest.mark.parametrize(("speaker", "words"), LIMITS, ids=lambda value: getattr(value, "provider", "")[:8])
async def test_a_limit_of_the_reply_is_learnt_and_the_question_goes_on(
    connect: Connect, speaker: Speaker, words: str
) -> None:
    refused = refusing(speaker, lambda body: words if limit_of(body) > 4096 else "", 400)
    with Server(shows(speaker, refused), check=speaker.check) as server:
        provider = connect(speaker, server)
        for _ in range(2):
            done = await provider.complete(ask(max_tokens=6000), model=speaker.model)
    limits = [limit_of(seen.body) for seen in server.seen if "messages" in seen.body]
    assert done.text == GOOD
    assert limits[-1] == limits[-2] <= 4096
    assert any("at most" in note for note in done.notes)


NAMES = [
    "Unrecognized request argument supplied: max_completion_tokens",
    "body.max_completion_tokens: Extra inputs are not permitted",
    "Unknown parameter: 'max_completion_tokens'.",
]


@pytest.mark.parametrize("words", NAMES)
async def test_the_limits_name_is_learnt_in_any_wording(connect: Connect, words: str) -> None:
    refused = refusing(OPENAI, lambda body: words if "max_completion_tokens" in body else "", 400)
    with Server(refused) as server:
        provider = connect(OPENAI, server)
        for _ in range(2):
            await provider.complete(ask(), model=OPENAI.model)
    assert ["max_tokens" in seen.body for seen in server.seen] == [False, True, True]


ONCE = [
    (404, {"content-type": "application/json"}, b'{"detail": "Not Found"}', errors.AlienReply),
    (404, {"content-type": "text/html"}, b"<html><title>Nothing here</title></html>", errors.AlienReply),
    (302, {"location": "https://elsewhere.example"}, b"", errors.AlienReply),
    (200, {"content-type": "text/html"}, b"<html>log in</html>", errors.AlienReply),
    (400, {"content-type": "application/json"}, b'{"error": {"message": "no"}}', errors.BadRequest),
    (
        500,
        {"content-type": "application/json"},
        b'{"error": "model requires more system memory (5 GiB) than is "}',
        None,
    ),
]


@pytest.mark.parametrize(("status", "headers", "body", "kind"), ONCE, ids=lambda value: str(value)[:12])
async def test_what_stays_as_it_is_is_asked_once(
    connect: Connect, status: int, headers: dict[str, str], body: bytes, kind: type[Exception] | None
) -> None:
    if kind is None:
        body, kind = body.replace(b"than is ", b"than is available"), errors.ModelMissing
    with Server(Sent(status, headers, [body])) as server:
        router = Router(alone({"groq": connect(GROQ, server)}), Chains((Target("groq", "m"),)))
        with pytest.raises(kind) as raised:
            await router.ask(ask(), Meter())
    assert len(server.seen) == 1
    assert f"groq:m at {server.url}/v1: " in str(raised.value)
    assert "; " in str(raised.value) or kind is errors.BadRequest


async def test_a_server_that_is_not_started_says_what_to_start(connect: Connect) -> None:
    with Server(Sent()) as server:
        pass
    with pytest.raises(
        errors.NotThere, match=r"ollama:m at http://127\S+: nothing answers there; start `ollama serve`\.$"
    ):
        await connect(LLAMA, server).complete(ask(), model="m")
    with pytest.raises(errors.NotThere, match="there is no such host; check GROQ_BASE_URL"):
        await open_provider("groq", ProviderSettings(base_url="http://no-such-host.invalid")).complete(ask(), model="m")


async def test_a_mistyped_model_is_answered_with_the_one_that_was_meant(connect: Connect) -> None:
    missing = json_reply({"error": {"message": "no", "code": "model_not_found"}}, 404)
    with Server(missing) as server, pytest.raises(errors.ModelMissing, match=r"did you mean gpt-5\.4-mini\?"):
        await connect(OPENAI, server).complete(ask(), model="gpt-5.4-mni")


async def test_a_proxy_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(Sent()) as server:
        pass
    monkeypatch.setenv("HTTP_PROXY", server.url.replace("//", "//me:secret@"))
    monkeypatch.setenv("http_proxy", server.url.replace("//", "//me:secret@"))
    provider = open_provider("groq", ProviderSettings(base_url="http://model.example"))
    port = server.url.rpartition(":")[2]
    with pytest.raises(errors.NotThere, match=rf"model.example through the proxy 127.0.0.1:{port}: nothing answers"):
        await provider.complete(ask(), model="m")


@pytest.mark.parametrize("status", [429, 503, 529])
async def test_the_wait_that_a_header_asks_for_is_kept_at_each_status(connect: Connect, status: int) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    busy = json_reply({"error": {"message": "busy"}}, status, retry_after="3")
    with Server(busy, GROQ.says("x")) as server:
        router = Router(alone({"groq": connect(GROQ, server)}), Chains((Target("groq", "m"),)), sleep=sleep)
        assert (await router.ask(ask(), Meter())).text == "x"
    assert slept == [3]


@pytest.mark.parametrize("speaker", [GROQ, LLAMA], ids=lambda speaker: speaker.provider)
async def test_refused_tools_are_told_in_words(connect: Connect, speaker: Speaker) -> None:
    text = '{"tool": "look", "arguments": {}}'
    refused = refusing(speaker, lambda body: "this model does not support tools" if "tools" in body else "", 400, text)
    if isinstance(speaker, Llama):
        inner = refused
        refused = lambda seen: speaker.shown() if seen.path == "/api/show" else inner(seen)  # noqa: E731
    with Server(refused, check=speaker.check) as server:
        provider = connect(speaker, server)
        router = Router(alone({speaker.provider: provider}), Chains((Target(speaker.provider, speaker.model),)))
        for _ in range(2):
            answer = await router.ask(ask(tools=(TOOL,)), Meter())
            assert [call.name for call in answer.reply.tool_calls] == ["look"]
    assert ["tools" in seen.body for seen in server.seen if "messages" in seen.body] == [True, False, False]
    assert provider.caps(speaker.model).tools is False


async def test_an_endpoint_without_output_config_is_told_in_words(connect: Connect) -> None:
    refused = refusing(CLAUDE, lambda body: "output_config: Extra inputs" if "output_config" in body else "", 400)
    with Server(refused, check=CLAUDE.check) as server:
        provider = connect(CLAUDE, server)
        done = [await provider.complete(ask(schema=SCHEMA), model=CLAUDE.model) for _ in range(2)]
    assert [completion.schema_mode for completion in done] == ["prompt", "prompt"]
    assert len(server.seen) == 3


async def test_an_endpoint_that_caches_nothing_gets_a_plain_prompt(connect: Connect) -> None:
    def refused(body: dict[str, Any]) -> str:
        return "cache_control: Extra inputs are not permitted" if "cache_control" in str(body) else ""

    with Server(refusing(CLAUDE, refused, 400), check=CLAUDE.check) as server:
        done = await connect(CLAUDE, server).complete(ask(tools=(TOOL,)), model=CLAUDE.model)
    assert done.notes == ("the service caches no prompts",)
    assert len(server.seen) == 2


async def test_an_endpoint_of_the_older_kind_gets_the_key_its_way(connect: Connect) -> None:
    def older(seen: Seen) -> Sent:
        if seen.headers.get("x-api-key") != KEY:
            return json_reply(CLAUDE.error_body("authentication_error", "x-api-key header is required"), 401)
        return CLAUDE.says("x")(seen)

    with Server(older) as server:
        provider = connect(CLAUDE, server)
        for _ in range(2):
            assert (await provider.complete(ask(), model=CLAUDE.model)).text == "x"
    assert ["authorization" in seen.headers for seen in server.seen] == [True, False, False]
