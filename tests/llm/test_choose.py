"""From settings to who is asked, and what is said about it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from llm import errors
from llm.chains import Chains, Target
from llm.choose import (
    LLMSettings,
    LocalSearch,
    build_router,
    choose,
    for_user,
    ollama_models,
    preferred,
)
from llm.costs import table_price
from llm.meter import PaidCall
from llm.providers import open_provider
from llm.services import SERVICES
from llm.types import ProviderSettings, Usage

from .servers import Sent, Server, json_reply

ROOT = Path(__file__).parents[2]
HAIKU, SONNET = Target("anthropic", "claude-haiku-5-5"), Target("anthropic", "claude-sonnet-5-5")


def around(*models: str, torch: bool = False) -> LocalSearch:
    return LocalSearch(ollama=lambda _: models or None, has_torch=lambda: torch)


def chosen(settings: LLMSettings, search: LocalSearch | None = None) -> Chains:
    return choose(settings, search or around())


def test_with_a_claude_key_alone_claude_does_everything() -> None:
    chains = chosen(LLMSettings(keys={"anthropic": "k"}))
    assert chains.chain("generator") == (HAIKU,)
    assert chains.chain("debugger", escalate=1) == (SONNET, HAIKU)
    assert "anthropic:claude-haiku-5-5" in chains.said


def test_a_local_model_writes_and_claude_judges() -> None:
    chains = chosen(LLMSettings(keys={"anthropic": "k"}), around("llama3.2", "qwen2.5-coder:7b"))
    local = Target("ollama", "qwen2.5-coder:7b")
    assert chains.chain("generator") == (local, HAIKU)
    assert {chains.chain(role)[0] for role in ("planner", "spec_tester", "critic", "arbiter", "debugger")} == {HAIKU}
    assert chains.chain("generator", escalate=1)[0] == HAIKU
    assert chains.chain("generator", escalate=2)[0] == SONNET
    assert "writes the programs" in chains.said


def test_a_configured_local_model_needs_torch() -> None:
    settings = LLMSettings(models={"huggingface": "some/model"})
    assert chosen(settings, around(torch=True)).default == (Target("huggingface", "some/model"),)
    with pytest.raises(errors.NoProvider):
        chosen(settings)


def test_with_nothing_there_one_line_says_what_to_set() -> None:
    with pytest.raises(errors.NoProvider) as raised:
        chosen(LLMSettings())
    assert "ANTHROPIC_API_KEY" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_demo_model_is_never_chosen_by_itself() -> None:
    chains = chosen(LLMSettings(provider="mock", roles={"critic": (Target("ollama", "m"),)}))
    assert chains.chain("generator")[0].provider == "mock"
    assert chains.chain("critic") == (Target("ollama", "m"),)


def test_a_role_of_its_own_falls_back_to_the_others() -> None:
    chains = chosen(
        LLMSettings(keys={"anthropic": "k", "groq": "g"}, roles={"critic": (Target("groq", "some/model:free"),)})
    )
    assert chains.chain("critic")[:2] == (Target("groq", "some/model:free"), HAIKU)
    assert "every other role" in chains.said
    assert "groq:some/model:free as critic" in chains.said


def test_a_named_provider_is_the_only_one() -> None:
    chains = chosen(LLMSettings(provider="groq", model="m", keys={"groq": "g", "anthropic": "k"}), around("x"))
    assert chains.chain("generator") == chains.chain("critic") == (Target("groq", "m"),)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (LLMSettings(provider="anthropic"), "ANTHROPIC_API_KEY"),
        (LLMSettings(provider="hf_router"), "HF_TOKEN"),
        (LLMSettings(provider="ollama"), "OLLAMA_MODEL"),
        (LLMSettings(provider="huggingface"), "HF_MODEL"),
        (LLMSettings(provider="vllm"), "LLM_MODEL"),
        (LLMSettings(provider="nobody"), "there are: anthropic"),
        (LLMSettings(provider="mock", roles={"critic": (Target("openai", "m"),)}), "OPENAI_API_KEY"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_missing_is_said(settings: LLMSettings, words: str) -> None:
    with pytest.raises(errors.NoProvider, match=words):
        chosen(settings)


def test_a_persons_key_takes_the_place_of_the_owners_and_no_other_key_is_left() -> None:
    owner = LLMSettings(keys={"openai": "owner", "anthropic": "owner"}, base_urls={"openai": "https://own.example/v1"})
    assert for_user(owner, provider="openai").keys == {"openai": "owner"}
    own = for_user(owner, provider="openai", key="mine")
    assert (own.keys, own.base_urls) == ({"openai": "mine"}, owner.base_urls)
    assert for_user(owner, provider="groq").keys == {}


def test_settings_do_not_show_their_keys() -> None:
    assert "secret" not in repr(LLMSettings(keys={"openai": "secret"})) + repr(ProviderSettings(key="secret"))


async def test_a_router_is_built_from_settings() -> None:
    router = build_router(LLMSettings(keys={"anthropic": "k"}), around("m"))
    assert router.chains.chain("generator")[0] == Target("ollama", "m")


@pytest.mark.parametrize("text", ["", "groq", "groq:", ":m"])
def test_a_target_needs_both_parts(text: str) -> None:
    with pytest.raises(errors.NoProvider, match="provider:model"):
        Target.parse(text)


def test_a_models_name_may_hold_colons() -> None:
    assert Target.parse("ollama:qwen2.5:7b") == Target("ollama", "qwen2.5:7b")


def test_ollama_is_found_when_it_answers() -> None:
    with Server(json_reply({"models": [{"name": "nomic-embed-text"}, {"name": "llama3"}]})) as server:
        assert ollama_models(server.url) == ("nomic-embed-text", "llama3")
    assert ollama_models(server.url) is None
    for strange in (json_reply([]), json_reply({"models": "x"}), Sent(200, {}, [b"<html>"])):
        with Server(strange) as server:
            assert not ollama_models(server.url)


def test_a_code_model_is_preferred() -> None:
    assert preferred(["nomic-embed-text", "llama3", "qwen2.5-coder"]) == "qwen2.5-coder"
    assert preferred(["nomic-embed-text"]) == ""


def test_an_unknown_provider_is_answered_with_those_that_exist() -> None:
    with pytest.raises(errors.NoProvider, match=", ".join(sorted(SERVICES))):
        open_provider("nope")


def test_a_missing_package_says_what_to_install() -> None:
    code = (
        "import asyncio, sys; sys.modules['anthropic'] = None\n"
        "from llm.providers import open_provider\nfrom llm.types import *\n"
        "provider = open_provider('anthropic', ProviderSettings(key='k'))\n"
        "request = Request('r', 't', 's', (Message('user', 'x'),))\n"
        "try: asyncio.run(provider.complete(request, model='m'))\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.startswith("NoProvider")
    assert "pip install anthropic" in done.stdout


def test_importing_the_room_loads_no_client_library() -> None:
    code = (
        "import json, sys, llm, llm.router, llm.choose, llm.providers\n"
        "heavy = {'anthropic', 'httpx', 'httpx2', 'torch', 'transformers', 'genai_prices', 'jsonschema'}\n"
        "heavy.add('pydantic')\n"
        "print(json.dumps(sorted(heavy & set(sys.modules))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert json.loads(done.stdout) == []


def test_prices_include_cached_tokens_and_tiers() -> None:
    usage = Usage(input=10_000, output=100, cached=9_000, cache_write=500)
    assert table_price("anthropic", "claude-haiku-5-5", usage) == pytest.approx(0.0002525)
    assert table_price("anthropic", "claude-haiku-5-5", Usage(200_000, 0)) == pytest.approx(0.1)


@pytest.mark.parametrize(("provider", "model"), [("openai", "gpt-of-tomorrow"), ("hf_router", "x"), ("nobody", "x")])
def test_an_unknown_price_is_none(provider: str, model: str) -> None:
    assert table_price(provider, model, Usage(1000, 1000)) is None


def test_models_on_this_machine_cost_nothing() -> None:
    assert table_price("ollama", "x", Usage(1000, 1000)) == table_price("huggingface", "x", Usage()) == 0.0


def test_a_settled_call_survives_json() -> None:
    call = PaidCall("planner", "first", "a:m", Usage(1, 2, 3, 4, True), None)
    assert PaidCall.from_row(json.loads(json.dumps(call.row()))) == call
