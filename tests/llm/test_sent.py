"""What each wire is sent, and what never leaves: the owner's environment, and a key for another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from llm import errors
from llm.chains import Chains, Target
from llm.meter import Meter
from llm.pool import alone
from llm.providers import open_provider
from llm.router import Router
from llm.services import SERVICES
from llm.types import Message, Provider, ProviderSettings

from .conftest import ask
from .protocols import KEY, SPEAKERS, Chat, Claude, Speaker
from .servers import Server, json_reply

Connect = Callable[..., Provider]
CLAUDE, LLAMA = SPEAKERS[0], SPEAKERS[-1]
OPENAI = next(speaker for speaker in SPEAKERS if speaker.provider == "openai")


async def test_claude_is_asked_with_a_cached_prefix_and_without_sampling(connect: Connect) -> None:
    long = (Message("system", "You help. " * 500), Message("user", "Hello."))
    with Server(CLAUDE.says("x"), check=CLAUDE.check) as server:
        provider = connect(CLAUDE, server)
        done = await provider.complete(ask(messages=long, temperature=0.5, seed=3), model=CLAUDE.model)
    assert server.seen[0].body["system"][-1]["cache_control"] == {"type": "ephemeral"}
    assert done.ignored == ("temperature", "seed")


async def test_a_strict_schema_names_every_property_and_takes_null_for_optional_ones(connect: Connect) -> None:
    schema = {
        "type": "object",
        "properties": {"kind": {"enum": ["a", "b"]}, "note": {"type": "string", "maxLength": 5}},
        "required": ["kind"],
    }
    with Server(OPENAI.says('{"kind": "a", "note": null}'), check=OPENAI.check) as server:
        router = Router(alone({"openai": connect(OPENAI, server)}), Chains((Target("openai", OPENAI.model),)))
        answer = await router.ask(ask(schema=schema), Meter())
    sent = server.seen[0].body["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert sent["schema"]["required"] == ["kind", "note"]
    assert sent["schema"]["properties"]["kind"] == {"enum": ["a", "b"], "type": "string"}
    assert "maxLength" not in str(sent)
    assert dict(answer.reply.header) == {"kind": "a"}


async def test_a_local_grammar_keeps_its_bounds(connect: Connect) -> None:
    llamacpp = Chat("llamacpp", "m", "/v1")
    schema = {"type": "object", "properties": {"note": {"type": "string", "maxLength": 5}}, "required": ["note"]}
    with Server(llamacpp.says('{"note": "x"}'), check=llamacpp.check) as server:
        await connect(llamacpp, server).complete(ask(schema=schema), model="m")
    assert "maxLength" in str(server.seen[0].body["response_format"])


async def test_ollama_sends_a_context_that_holds_the_prompt(connect: Connect) -> None:
    with Server(LLAMA.says("x"), check=LLAMA.check) as server:
        provider = connect(LLAMA, server)
        await provider.complete(ask(), model=LLAMA.model)
        await provider.complete(ask(max_tokens=9000), model=LLAMA.model)
        sizes = [seen.body["options"]["num_ctx"] for seen in server.seen if "options" in seen.body]
        with pytest.raises(errors.ContextTooLong, match="32768"):
            await provider.complete(ask(max_tokens=40_000), model=LLAMA.model)
        assert len([seen for seen in server.seen if seen.path == "/api/show"]) == 1
    assert sizes == [8192, 16384]
    assert provider.caps(LLAMA.model).context == 32768


async def test_ollama_refuses_a_prompt_beyond_the_configured_context(connect: Connect) -> None:
    with Server(LLAMA.says("x"), check=LLAMA.check) as server, pytest.raises(errors.ContextTooLong, match="2000"):
        await connect(LLAMA, server, context=2000).complete(ask(), model=LLAMA.model)


async def test_ollama_warns_of_a_prompt_that_was_cut(connect: Connect) -> None:
    with Server(LLAMA.says("x"), check=LLAMA.check) as server:
        long = ask(messages=(*ask().messages, Message("user", "word " * 2000)))
        done = await connect(LLAMA, server).complete(long, model=LLAMA.model)
    assert any("probably cut" in note for note in done.notes)


async def test_ollama_says_how_to_get_a_missing_model(connect: Connect) -> None:
    missing = json_reply({"error": "model 'nope' not found"}, 404)
    with Server(missing) as server, pytest.raises(errors.ModelMissing, match="ollama pull nope"):
        await connect(LLAMA, server).complete(ask(), model="nope")


ENVIRONMENT = {
    "ANTHROPIC_API_KEY": "owner-secret-1",
    "ANTHROPIC_AUTH_TOKEN": "owner-secret-2",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Owner: owner-secret-3\nAuthorization: Bearer owner-secret-4",
    "OPENAI_API_KEY": "owner-secret-5",
    "OPENAI_ORG_ID": "owner-secret-6",
    "OPENAI_PROJECT_ID": "owner-secret-7",
    "OPENAI_CUSTOM_HEADERS": "X-Owner: owner-secret-8",
    "OLLAMA_API_KEY": "owner-secret-9",
}


async def test_nothing_of_the_owners_environment_reaches_a_service(
    any_speaker: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server(any_speaker.says("x")) as server:
        for name, value in ENVIRONMENT.items():
            monkeypatch.setenv(name, value)
        for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OLLAMA_HOST"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        provider = open_provider(any_speaker.provider, ProviderSettings(base_url=server.url + any_speaker.path))
        await provider.complete(ask(), model=any_speaker.model)
        assert server.seen
        assert "owner-secret" not in str([seen.headers for seen in server.seen])
        assert all("authorization" not in seen.headers for seen in server.seen)


@pytest.mark.parametrize("name", [one.name for one in SERVICES.values() if one.at == "service"])
async def test_a_service_is_not_asked_without_a_key(name: str) -> None:
    with pytest.raises(errors.NoProvider, match="no key"):
        await open_provider(name).complete(ask(), model="m")


async def test_a_provider_serves_several_event_loops() -> None:
    claude = Claude("anthropic", "m")
    with Server(claude.says("x")) as server:
        provider = open_provider("anthropic", ProviderSettings(key=KEY, base_url=server.url))

        def in_a_new_loop() -> str:
            return asyncio.run(provider.complete(ask(), model="m")).text

        assert await asyncio.to_thread(in_a_new_loop) == "x"
        assert (await provider.complete(ask(), model="m")).text == "x"
