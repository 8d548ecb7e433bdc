"""The environment, the table of services, and what follows from one line of it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from agent.models import WRITER, check_provider, choose, llm_settings
from agent.task.request import BadInput
from demo.options import options_from
from framework.errors import SettingsError
from framework.secret import Secret
from framework.settings import Settings
from llm import errors, providers
from llm.chains import Target
from llm.choose import LLMSettings
from llm.environment import read_settings
from llm.meter import Meter
from llm.services import SERVICES, Service
from prompts import ROLES

from .conftest import ask
from .protocols import Chat
from .servers import Server

HAIKU, SONNET = Target("anthropic", "claude-haiku-5-5"), Target("anthropic", "claude-sonnet-5-5")


def read(**environment: str) -> LLMSettings:
    return read_settings(Settings.from_env(environment).variables, roles=ROLES)


def test_every_variable_arrives_where_it_belongs() -> None:
    settings = read(
        LLM_PROVIDER="Anthropic",
        LLM_MODEL="some-model",
        LLM_ROLE_DEBUGGER="ollama:qwen3:8b, Groq:m",
        LLM_FALLBACK="groq:a,openai:b",
        ANTHROPIC_API_KEY="a-key",
        ANTHROPIC_BASE_URL="http://localhost:8000/",
        HF_TOKEN="hf-key",
        OLLAMA_MODEL="llama",
        OLLAMA_CONTEXT="32768",
        LLM_EFFORT="low",
        LLM_STALL_S="5",
        OPENAI_STALL_S="7.5",
        USE_4BIT="yes",
    )
    assert (settings.provider, settings.model) == ("anthropic", "some-model")
    assert settings.roles["debugger"] == (Target("ollama", "qwen3:8b"), Target("groq", "m"))
    assert settings.fallback == (Target("groq", "a"), Target("openai", "b"))
    assert settings.keys == {"anthropic": "a-key", "huggingface": "hf-key", "hf_router": "hf-key"}
    assert settings.base_urls == {"anthropic": "http://localhost:8000"}
    assert settings.models == {"ollama": "llama"}
    assert settings.options["ollama"] == {"context": 32768, "effort": "low", "stall_s": 5.0}
    assert settings.options["openai"] == {"effort": "low", "stall_s": 7.5}
    assert settings.options["huggingface"]["use_4bit"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LLM_PROVIDER", "gpt"),
        ("LLM_ROLE_CRITIC", "anthropic"),
        ("LLM_ROLE_CRITIC", "nobody:model"),
        ("LLM_ROLE_CRITIK", "groq:model"),
        ("LLM_FALLBACK", "groq:a,nobody:b"),
        ("LLM_STRONG", "groq"),
        ("OPENAI_BASE_URL", "localhost:8000"),
        ("OPENAI_BASE_URL", "http://localhost:99999"),
        ("OPENAI_API_KEY", "two words"),
        ("USE_4BIT", "maybe"),
        ("LLM_MODEL", "a\nb"),
        ("LLM_CONTEXT", "many"),
        ("GROQ_THOUGHTS", "-1"),
        ("LLM_EFFORT", "some"),
        ("LLM_STALL_S", "0"),
    ],
)
def test_an_unusable_value_is_one_line_that_names_its_variable(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        read(**{name: value})
    assert str(caught.value).startswith(name)
    assert "\n" not in str(caught.value)
    assert "two words" not in str(caught.value)


def test_variables_of_other_programs_are_left_alone() -> None:
    settings = read(VITE_BASE_URL="/app", GITHUB_API_KEY="two words", NEXT_BASE_URL="ftp://x")
    assert settings == LLMSettings()


def page(**environment: str) -> Mapping[str, str]:
    """Name -> label of what the page offers."""
    options = options_from(Settings.from_env(environment), Secret("s"))
    return {name: label for label, name in options.providers}


def test_the_page_offers_every_real_service_of_the_table() -> None:
    offered = page(GROQ_API_KEY="k")
    assert {name for name, one in SERVICES.items() if not one.pretend} | {"mock", ""} == set(offered)
    assert (offered["groq"], offered["gemini"]) == ("Groq", "Gemini: needs your key")


def test_an_address_of_another_program_configures_nothing() -> None:
    assert "" not in page(SOMETHING_BASE_URL="https://else.example")


def test_a_public_page_offers_no_server_of_ones_own() -> None:
    assert not {"ollama", "vllm", "llamacpp", "huggingface"} & set(page(SPACE_ID="me/app"))


async def answered(environment: Mapping[str, str], spec: Mapping[str, str | None]) -> tuple[str, str, float | None]:
    """Who wrote a generator's reply, and what it cost."""
    settings = Settings.from_env(environment)
    check_provider(settings, spec.get("provider"))
    chosen = await choose(settings, spec.get("provider"), spec.get("model"))
    answer = await chosen.router.ask(ask(role=WRITER), Meter())
    return answer.provider, answer.model, answer.cost_usd


async def test_any_compatible_endpoint_is_added_by_the_environment_alone() -> None:
    acme = Chat("acme", "big", "/v1")
    with Server(acme.says("x"), check=acme.check) as server:
        own = {"ACME_BASE_URL": f"{server.url}/v1", "ACME_API_KEY": "sk-canary-0123456789abcdef"}
        named = {**own, "ACME_MODEL": "big"}
        assert await answered({**own, "LLM_PROVIDER": "acme", "LLM_MODEL": "big"}, {}) == ("acme", "big", None)
        assert await answered(named, {"provider": "acme"}) == ("acme", "big", None)
        role = {**named, "LLM_PROVIDER": "mock", "LLM_ROLE_GENERATOR": "acme:huge"}
        assert await answered(role, {}) == ("acme", "huge", None)
    assert [seen.body["model"] for seen in server.seen] == ["big", "big", "huge"]
    assert page(**named)["acme"] == "acme"
    assert "acme" not in page(**own)


def test_an_endpoint_without_an_address_is_no_provider() -> None:
    with pytest.raises(BadInput, match="'acme'"):
        check_provider(Settings.from_env({"ACME_API_KEY": "k"}), "acme")


FILE = """
from llm.types import Caps, Completion, Delta, Provider, Usage

class Acme(Provider):
    def __init__(self, name, settings):
        self.name, self._settings = name, settings

    def caps(self, model):
        return Caps()

    async def stream(self, request, *, model):
        said = f"{self._settings.key} at {self._settings.base_url}"
        yield Delta(said)
        yield Completion(said, "stop", Usage(1, 1), self.name, model)
"""
LINE = Service(
    name="acme", label="Acme", wire="acme_file:Acme", base_url="https://acme.example", model="big", strong="huge",
    price_id="groq", concurrent=2,
)  # fmt: skip


@pytest.fixture
def one_file_and_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the README asks of somebody who adds a service of another protocol."""
    (tmp_path / "acme_file.py").write_text(FILE)
    monkeypatch.setattr(providers, "__path__", [*providers.__path__, str(tmp_path)])
    monkeypatch.setitem(SERVICES, LINE.name, LINE)
    importlib.invalidate_caches()
    yield
    sys.modules.pop("llm.providers.acme_file", None)


@pytest.mark.usefixtures("one_file_and_one_line")
async def test_one_file_and_one_line_make_a_service() -> None:
    key = {"ACME_API_KEY": "k"}
    with pytest.raises(errors.NoProvider, match="ACME_API_KEY"):
        await answered({"LLM_PROVIDER": "acme"}, {})
    assert (await answered({**key, "LLM_PROVIDER": "acme"}, {}))[:2] == ("acme", "big")
    assert (await answered({**key, "LLM_PROVIDER": "acme", "ACME_MODEL": "mine"}, {}))[:2] == ("acme", "mine")
    assert (await answered({**key, "LLM_PROVIDER": "mock", "LLM_ROLE_GENERATOR": "acme:m"}, {}))[:2] == ("acme", "m")
    assert (await answered(key, {"provider": "acme", "model": "other"}))[:2] == ("acme", "other")
    assert page(**key)["acme"] == "Acme"
    assert page()["acme"] == "Acme: needs your key"
    chosen = await choose(Settings.from_env({**key, "LLM_PROVIDER": "acme"}))
    assert chosen.router.chains.chain(WRITER, escalate=1)[0] == Target("acme", "huge")
    assert "acme" in llm_settings(Settings.from_env({})).services
