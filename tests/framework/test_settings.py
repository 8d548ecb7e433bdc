"""Settings: read from the environment alone, strictly, and documented one by one."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, unquote_plus, urlsplit

import pytest

from framework.errors import SettingsError
from framework.rate import Rate
from framework.secret import Secret
from framework.settings import LEVELS, ROOT, Settings
from framework.variables import Variables
from framework.workers.broker import celery_address
from llm.choose import LLMSettings
from llm.environment import read_settings
from llm.services import SERVICES
from prompts import ROLES

ONE_SERVICES = ("MODEL", "CONTEXT", "THOUGHTS", "EFFORT", "STALL_S", "TOTAL_S")
"""Documented once for all services: the service's name stands before them."""
STRONG = "q7Zp2vXc9LmN4bRt8sWd"


def test_nothing_set_gives_usable_defaults() -> None:
    settings = Settings.from_env({})
    assert (settings.environment, settings.state_dir) == ("development", ROOT / ".state")
    assert (settings.server.host, settings.server.port, settings.server.api_keys) == ("127.0.0.1", None, ())
    assert settings.server.rate == Rate(30, 60.0)
    assert (settings.tracing.langsmith, settings.tracing.otlp_endpoint) == (False, None)
    assert settings.secrets() == []


def test_an_installed_copy_keeps_nothing_in_the_folder_of_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("framework.settings.INSTALLED", True)
    monkeypatch.delenv("ENV_FILE")
    monkeypatch.delenv("STATE_DIR")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("LOG_LEVEL=error\n")
    settings = Settings.from_env()
    assert (settings.log_level, settings.state_dir) == ("error", tmp_path / "home/.local/state/code-agent")


def test_every_variable_arrives_where_it_belongs() -> None:
    settings = Settings.from_env(
        {
            "ANTHROPIC_API_KEY": "a-key",
            "HF_TOKEN": "hf-key",
            "ACME_BASE_URL": "https://me:word-pass@acme.example/v1",
            "STATE_DIR": "/somewhere",
            "SANDBOX_MIN_LEVEL": "walled",
            "EXEC_TIMEOUT": "2.5",
            "MAX_FIX_ATTEMPTS": "3",
            "RATE_LIMIT": "5/hour",
            "PORT": "8080",
            "GRADIO_SERVER_PORT": "9090",
            "GRADIO_SHARE": "false",
            "REDIS_URL": "redis://:pass%2Fword@localhost:6379/0",
            "DATABASE_URL": "postgresql:///db?host=/run&password=data-word",
            "LANGCHAIN_TRACING_V2": "true",
            "LANGSMITH_API_KEY": "ls-key",
        }
    )
    assert (settings.state_dir, settings.sandbox_min_level) == (Path("/somewhere"), "walled")
    assert (settings.exec_timeout, settings.max_fix_attempts) == (2.5, 3)
    assert (settings.server.port, settings.server.share, settings.server.rate) == (8080, False, Rate(5, 3600.0))
    assert settings.tracing.langsmith
    revealed = {secret.reveal() for secret in settings.secrets()}
    addresses = {"redis://:pass%2Fword@localhost:6379/0", "postgresql:///db?host=/run&password=data-word"}
    passwords = {"pass%2Fword", "pass/word", "word-pass", "data-word"}
    assert revealed == {"a-key", "hf-key", "ls-key"} | addresses | passwords


@pytest.mark.parametrize("written", ["p@ss+word", "p%40ss%2bword"])
def test_a_password_in_a_query_is_a_secret_however_it_is_written(written: str) -> None:
    address = f"unix:///run/redis.sock?db=1&password={written}"
    revealed = {secret.reveal() for secret in Settings.from_env({"REDIS_URL": address}).secrets()}
    celerys = urlsplit(celery_address(Secret(address))).password
    assert {written, unquote(written), unquote_plus(written), celerys} <= revealed


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SANDBOX_MIN_LEVEL", "none"),
        ("EXEC_TIMEOUT", "0"),
        ("EXEC_TIMEOUT", "nan"),
        ("MAX_FIX_ATTEMPTS", "2.5"),
        ("MAX_FIX_ATTEMPTS", "-1"),
        ("RATE_LIMIT", "many"),
        ("PORT", "0"),
        ("PORT", "eighty"),
        ("ENVIRONMENT", "staging"),
        ("DATABASE_URL", "mysql://localhost/db"),
        ("RUNS_RUNNING", "0"),
        ("RUNS_QUEUED", "-1"),
        ("RUNS_KEPT", "many"),
        ("REDIS_URL", "http://localhost"),
        ("REDIS_URL", "unix://"),
        ("LOG_LEVEL", "loud"),
    ],
)
def test_an_unusable_value_is_one_line_that_names_its_variable(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({name: value})
    assert str(caught.value).startswith(name)
    assert "\n" not in str(caught.value)


def test_an_empty_value_means_unset() -> None:
    assert Settings.from_env({"ENVIRONMENT": "  ", "PORT": "", "API_KEY": ""}) == Settings.from_env({})


@pytest.mark.parametrize(
    "key", ["", "short", "changeme-changeme-changeme", "aaaaaaaaaaaaaaaaaaaaaaaa", "my-secret-my-secret-1"]
)
def test_production_needs_a_strong_key(key: str) -> None:
    with pytest.raises(SettingsError, match=r"^API_KEY is (missing|too weak)"):
        Settings.from_env({"ENVIRONMENT": "production", "API_KEY": key})
    assert Settings.from_env({"API_KEY": key}).environment == "development"


@pytest.mark.parametrize(("name", "value"), [("SANDBOX_MIN_LEVEL", "limits"), ("RATE_LIMIT", "off")])
def test_production_refuses_what_is_fine_at_home(name: str, value: str) -> None:
    at_home = {"API_KEY": STRONG, name: value}
    Settings.from_env(at_home)
    with pytest.raises(SettingsError, match=name):
        Settings.from_env({**at_home, "ENVIRONMENT": "production"})
    assert Settings.from_env({"API_KEY": STRONG, "ENVIRONMENT": "production"}).environment == "production"


def test_langsmith_without_its_key_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"^LANGSMITH_API_KEY"):
        Settings.from_env({"LANGSMITH_TRACING": "true"})


@pytest.mark.parametrize("env", [{"SPACE_ID": "me/app"}, {"SYSTEM": "spaces"}])
def test_a_space_serves_everyone_and_keeps_its_state_on_the_local_disk(env: dict[str, str]) -> None:
    settings = Settings.from_env({**env, "SPACES_ZERO_GPU": "true"})
    assert (settings.on_space, settings.zero_gpu, settings.server.host) == (True, True, "0.0.0.0")
    assert ROOT not in settings.state_dir.parents


def test_by_default_the_process_comes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.env").write_text("# mine\nLLM_MODEL=file\nOLLAMA_MODEL='a b'\nHF_MODEL=${HOME}\nPORT=\n")
    monkeypatch.setenv("ENV_FILE", str(tmp_path / "mine.env"))
    monkeypatch.setenv("LLM_MODEL", "process")
    read = Settings.from_env().variables
    assert [read.text(name) for name in ("LLM_MODEL", "OLLAMA_MODEL", "HF_MODEL")] == ["process", "a b", "${HOME}"]
    monkeypatch.setenv("ENV_FILE", str(tmp_path / "none.env"))
    with pytest.raises(SettingsError, match=r"^ENV_FILE=.* does not exist"):
        Settings.from_env()


@pytest.mark.parametrize(
    ("env", "allowed"),
    [
        ({}, True),
        ({"GRADIO_SERVER_NAME": "0.0.0.0", "API_KEY": "a-key-that-is-long-enough"}, True),
        ({"GRADIO_SERVER_NAME": "0.0.0.0"}, False),
        ({"GRADIO_SHARE": "1"}, False),
        ({"SPACE_ID": "me/space"}, False),
        ({"PUBLIC_PAGE": "on", "API_KEY": "a-key-that-is-long-enough"}, False),
        ({"PUBLIC_PAGE": "on", "API_KEY": "a-key-that-is-long-enough", "INSTALL_PACKAGES": "on"}, True),
        ({"INSTALL_PACKAGES": "off"}, False),
    ],
)
def test_strangers_have_packages_installed_only_where_the_owner_says_so(env: dict[str, str], allowed: bool) -> None:
    assert Settings.from_env(env).may_install == allowed


@pytest.mark.parametrize(
    ("env", "owners", "visitors"),
    [
        ({}, True, True),
        ({"WEB_SEARCH": "off"}, False, False),
        ({"SPACE_ID": "me/space"}, False, True),
        ({"SPACE_ID": "me/space", "WEB_SEARCH": "on"}, True, True),
        ({"GRADIO_SERVER_NAME": "0.0.0.0", "WEB_SEARCH": "off"}, False, False),
    ],
)
def test_strangers_have_the_web_searched_at_the_owners_cost_only_where_the_owner_says_so(
    env: dict[str, str], owners: bool, visitors: bool
) -> None:
    settings = Settings.from_env(env)
    assert (settings.may_search(), settings.may_search(own_key=True)) == (owners, visitors)


def test_printing_settings_shows_no_secret() -> None:
    env = {"API_KEY": STRONG, "GROQ_API_KEY": "groq-key", "GROQ_BASE_URL": "http://me:pass-word@localhost"}
    shown = repr(Settings.from_env(env))
    assert not any(secret in shown for secret in (STRONG, "groq-key", "pass-word"))


def test_the_words_of_other_rooms_are_the_same() -> None:
    from sandbox.types import LEVELS as SANDBOX_LEVELS

    assert LEVELS == SANDBOX_LEVELS


def documented() -> dict[str, str]:
    text = (ROOT / ".env.example").read_text()
    return dict(re.findall(r"^#? ?([A-Z][A-Z0-9_]+)=(.*)$", text, re.MULTILINE))


def test_the_example_file_documents_exactly_the_variables_that_are_read() -> None:
    variables = Variables({})
    Settings.read(variables)
    read_settings(variables, roles=ROLES)
    own = {f"{service.prefix}_{part}" for service in SERVICES.values() for part in ONE_SERVICES}
    named = {"OLLAMA_MODEL", "HF_MODEL"}
    read, told = variables.asked - own | named, documented().keys()
    assert not read - told, f".env.example wants a line for {', '.join(sorted(read - told))}"
    assert not told - read, f"nothing reads {', '.join(sorted(told - read))} of .env.example"


def test_the_example_file_as_it_stands_changes_nothing() -> None:
    lines = [
        line.partition("=") for line in (ROOT / ".env.example").read_text().splitlines() if line and line[0] != "#"
    ]
    assert Settings.from_env({name: value for name, _, value in lines}) == Settings.from_env({})


def test_the_values_shown_in_the_example_file_are_the_defaults() -> None:
    shown = Settings.from_env(documented())
    assert shown == Settings.from_env({})
    assert read_settings(shown.variables, roles=ROLES) == LLMSettings(options={"huggingface": {"use_4bit": False}})


def test_secrets_are_compared_by_what_they_hide() -> None:
    assert Secret("a") == Secret("a") != Secret("b")
    assert Secret("***") != "***"
