"""Reads every setting of the project from the environment, and below it from a `.env` file.

No other module reads the environment.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from typing import Literal, cast
from urllib.parse import SplitResult, quote, unquote, unquote_plus, urlsplit

from dotenv import dotenv_values

from .errors import SettingsError
from .rate import Rate
from .secret import Secret
from .variables import Variables
from .workers.broker import SCHEMES

ROOT = Path(__file__).resolve().parent.parent
INSTALLED = not (ROOT / "pyproject.toml").exists()
"""Whether the project runs as an installed package, whose folder is no place for state or a `.env` file."""
LEVELS = ("container", "namespaces", "walled", "filtered", "limits")
"""The isolation levels of the sandbox, from the strongest to the weakest."""
_LOG_LEVELS = ("debug", "info", "warning", "error")
_PLACEHOLDERS = ("change", "secret", "example", "default", "password", "123456")
_MIN_KEY_LENGTH = 20
"""The characters of an API key that ENVIRONMENT=production demands."""
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """How the web app is served, and who may use it."""

    host: str
    port: int | None
    """The port of the web app; None: 7860, or the next free one."""
    root_path: str | None
    share: bool | None
    api_keys: tuple[Secret, ...]
    """API callers and visitors of the page must show one of these keys, which then owns their runs; (): no key is
    needed."""
    public_page: bool
    """Whether the page is open to everybody although the API demands a key."""
    rate: Rate | None
    """How often one caller may do what costs something, such as starting a run; None: no limit."""
    trusted_proxies: tuple[str, ...]
    """The addresses and networks whose X-Forwarded-For header is believed."""
    sign_in: bool
    """Whether the Space offers to sign in with a Hugging Face account (`hf_oauth: true` in its front matter)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """How many runs a process drives, queues and keeps."""

    running: int = 4
    """Drives that may go on at the same time; further ones queue."""
    queued: int = 60
    """Runs that may wait for a slot."""
    kept: int = 500
    """Stored runs of one owner. The oldest beyond this are deleted, except those that are live or wait for an
    answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TracingSettings:
    """Where traces are sent; None or False: nowhere."""

    otlp_endpoint: str | None
    otlp_headers: Secret | None
    service_name: str
    langsmith: bool
    langsmith_key: Secret | None
    langsmith_endpoint: str | None
    langsmith_project: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of one process."""

    environment: Literal["development", "production"]
    state_dir: Path
    variables: Variables = field(repr=False, compare=False)
    """The variables themselves, for rooms that know further names: `llm.environment` reads the models from them."""
    server: ServerSettings
    tracing: TracingSettings
    sandbox_min_level: str | None
    """The weakest isolation level that free input may run at; None: the agent's default."""
    exec_timeout: float | None
    """The CPU seconds of one step of a program run; None: the agent's default."""
    max_fix_attempts: int | None
    """The repairs of one run; None: the agent's default."""
    install_packages: bool | None
    """Whether packages may be installed for programs if a person consents; None: only if the page is not public."""
    web_search: bool | None
    """Whether services may search the web if a person asks for it; None: only if the page is not public or the person
    brings a key."""
    keep_dialogue: bool
    """Whether the prompts and replies of each role are kept, redacted, for `python -m agent show`."""
    memory: bool
    """Whether runs remember lessons for later runs of the same owner, unless a run says otherwise."""
    database_url: Secret | None
    """The address of a PostgreSQL database; None: SQLite below `state_dir`."""
    runs: RunLimits
    redis_url: Secret | None
    """The address of Redis, which connects the app with the workers that drive its runs (None: the app drives them),
    and `evaluation run` with its own workers."""
    visitor_keys_secret: Secret | None
    """The key that encrypts visitors' keys on their way to the workers. If it is None, visitors cannot bring keys to an
    app with workers."""
    log_level: str
    on_space: bool
    zero_gpu: bool

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> Settings:
        """Returns the settings from `env`, by default the process environment and below it the project's `.env` file,
        or the file that ENV_FILE names. Raises SettingsError with a message in one line."""
        return cls.read(Variables(_environment() if env is None else env))

    @classmethod
    def read(cls, variables: Variables) -> Settings:
        on_space = variables.text("SPACE_ID") is not None or variables.text("SYSTEM") == "spaces"
        redis = variables.url("REDIS_URL", SCHEMES)
        database = _database_url(variables)
        settings = cls(
            environment=cast(
                Literal["development", "production"],
                variables.choice("ENVIRONMENT", ("development", "production")) or "development",
            ),
            state_dir=_state_dir(variables.text("STATE_DIR"), on_space),
            variables=variables,
            server=_server(variables, on_space),
            tracing=_tracing(variables),
            sandbox_min_level=variables.choice("SANDBOX_MIN_LEVEL", LEVELS),
            exec_timeout=variables.number("EXEC_TIMEOUT", 0.1, 600),
            max_fix_attempts=variables.whole("MAX_FIX_ATTEMPTS", 0, 20),
            install_packages=variables.flag("INSTALL_PACKAGES"),
            web_search=variables.flag("WEB_SEARCH"),
            keep_dialogue=variables.flag("KEEP_DIALOGUE") is not False,
            memory=variables.flag("MEMORY") or False,
            redis_url=Secret(redis) if redis else None,
            visitor_keys_secret=_visitor_keys_secret(variables),
            database_url=Secret(database) if database else None,
            runs=_run_limits(variables),
            log_level=variables.choice("LOG_LEVEL", _LOG_LEVELS) or "warning",
            on_space=on_space,
            zero_gpu=variables.flag("SPACES_ZERO_GPU") or False,
        )
        if settings.environment == "production":
            _check_production(settings)
        return settings

    @property
    def may_install(self) -> bool:
        """Whether packages may be installed. Only the owner can decide to what strangers may consent."""
        return not self._public if self.install_packages is None else self.install_packages

    def may_search(self, own_key: bool = False) -> bool:
        """Returns whether a run may search the web. The key that asks pays for a search, so strangers may search at the
        owner's cost only if the owner says so."""
        return (own_key or not self._public) if self.web_search is None else self.web_search

    @property
    def _public(self) -> bool:
        """Whether anybody who finds the address may start runs."""
        server = self.server
        reached = server.host not in _LOOPBACK or bool(server.share) or self.on_space
        return server.public_page or (reached and not server.api_keys)

    def secrets(self) -> list[Secret]:
        """Returns every secret that must never be shown, passwords inside addresses included."""
        named = [
            self.visitor_keys_secret,
            *self.server.api_keys,
            self.tracing.langsmith_key,
            self.tracing.otlp_headers,
        ]
        services = [secret for secret in (self.redis_url, self.database_url) if secret]
        named += services
        addresses = [*self.variables.addresses("_BASE_URL").values(), *(secret.reveal() for secret in services)]
        passwords = [Secret(word) for parts in map(urlsplit, addresses) for word in _passwords(parts)]
        keys = [*self.variables.secrets("_API_KEY"), *self.variables.secrets("HF_TOKEN")]
        return list(dict.fromkeys([*keys, *(secret for secret in named if secret), *passwords]))


def _passwords(parts: SplitResult) -> list[str]:
    """Returns the passwords of an address in each form that could be shown: as written, decoded, and as
    `celery_address` writes them. Some readers take a plus in a query for a blank."""
    written = [parts.password or "", *re.findall(r"(?:^|&)password=([^&]*)", parts.query)]
    meant = [*map(unquote, written), *map(unquote_plus, written)]
    return [word for word in (*written, *meant, *(quote(word, safe="") for word in meant)) if word]


def _environment() -> dict[str, str]:
    """Returns the process environment over the variables of the `.env` file. Raises SettingsError."""
    process = dict(os.environ)  # noqa: TID251 - the one place that reads it
    named = process.get("ENV_FILE")
    file = Path(named) if named else (Path.cwd() if INSTALLED else ROOT) / ".env"
    if named and not file.exists():
        raise SettingsError(f"ENV_FILE={named!r} does not exist")
    stored = {name: value for name, value in dotenv_values(file, interpolate=False).items() if value}
    return {**stored, **process}


def _database_url(variables: Variables) -> str | None:
    """Returns the address of the database; None if unset. It may lack a host, for a socket on this machine. The error
    does not repeat it, because it may hold a password."""
    value = variables.text("DATABASE_URL")
    if value and not value.startswith(("postgresql://", "postgres://")):
        raise SettingsError(
            "DATABASE_URL is no address that starts with postgresql://; without it state is kept in SQLite"
        )
    return value


def _visitor_keys_secret(variables: Variables) -> Secret | None:
    value = variables.secret("VISITOR_KEYS_SECRET")
    if value and not re.fullmatch(r"[\w-]{43}=", value.reveal(), re.ASCII):
        raise SettingsError(
            "VISITOR_KEYS_SECRET is not 32 random bytes in URL-safe base64; take the output of: "
            "python -c 'import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode())'"
        )
    return value


def _run_limits(variables: Variables) -> RunLimits:
    given = {
        "running": variables.whole("RUNS_RUNNING", 1, 1000),
        "queued": variables.whole("RUNS_QUEUED", 0, 100_000),
        "kept": variables.whole("RUNS_KEPT", 1, 10_000_000),
    }
    return RunLimits(**{name: number for name, number in given.items() if number is not None})


def _state_dir(text: str | None, on_space: bool) -> Path:
    if text:
        return Path(text).expanduser().absolute()
    # A Space's checkout may belong to another user, and a Space loses its disk at a restart wherever the state lies.
    if on_space:
        return Path(tempfile.gettempdir()) / "self-healing-code-agent"
    return Path.home() / ".local/state/code-agent" if INSTALLED else ROOT / ".state"


def _server(variables: Variables, on_space: bool) -> ServerSettings:
    gradio_port = variables.whole("GRADIO_SERVER_PORT", 1, 65535)
    return ServerSettings(
        host=variables.text("GRADIO_SERVER_NAME") or ("0.0.0.0" if on_space else "127.0.0.1"),
        port=variables.whole("PORT", 1, 65535) or gradio_port,
        root_path=variables.text("GRADIO_ROOT_PATH"),
        share=variables.flag("GRADIO_SHARE"),
        api_keys=_api_keys(variables),
        public_page=variables.flag("PUBLIC_PAGE") or False,
        rate=_rate(variables),
        trusted_proxies=_proxies(variables, on_space),
        sign_in=on_space and variables.text("OAUTH_CLIENT_ID") is not None,
    )


def _api_keys(variables: Variables) -> tuple[Secret, ...]:
    given = variables.secret("API_KEY")
    words = [word.strip() for word in given.reveal().split(",")] if given else []
    return tuple(Secret(word) for word in words if word)


def _proxies(variables: Variables, on_space: bool) -> tuple[str, ...]:
    """Returns the trusted proxies. On a Space only its own proxy, which has a private address, can reach the app."""
    named = variables.text("TRUSTED_PROXIES")
    if named is None:
        return _PRIVATE if on_space else ()
    words = tuple(word.strip() for word in named.split(",") if word.strip())
    for word in words:
        try:
            ip_network(word)
        except ValueError as error:
            raise SettingsError(f"TRUSTED_PROXIES: {error}") from None
    return words


def trust_proxies(proxies: Sequence[str]) -> None:
    """Sets the variable from which Uvicorn, which Gradio starts, reads whose X-Forwarded-For counts; Gradio offers no
    argument for it."""
    os.environ["FORWARDED_ALLOW_IPS"] = ",".join(proxies)  # noqa: TID251 - written, for a library that reads it


def _rate(variables: Variables) -> Rate | None:
    value = variables.text("RATE_LIMIT") or "30/minute"
    if value.lower() == "off":
        return None
    try:
        return Rate.parse(value)
    except ValueError as error:
        raise SettingsError(f"RATE_LIMIT={error}, nor off") from error


def _tracing(variables: Variables) -> TracingSettings:
    flags = [variables.flag("LANGSMITH_TRACING"), variables.flag("LANGCHAIN_TRACING_V2")]
    langsmith_key = variables.secret("LANGSMITH_API_KEY")
    if any(flags) and langsmith_key is None:
        raise SettingsError("LANGSMITH_API_KEY is missing, but LANGSMITH_TRACING or LANGCHAIN_TRACING_V2 is on")
    headers = variables.text("OTEL_EXPORTER_OTLP_HEADERS")
    return TracingSettings(
        otlp_endpoint=variables.url("OTEL_EXPORTER_OTLP_ENDPOINT"),
        otlp_headers=Secret(headers) if headers else None,
        service_name=variables.text("OTEL_SERVICE_NAME") or "self-healing-code-agent",
        langsmith=any(flags),
        langsmith_key=langsmith_key,
        langsmith_endpoint=variables.url("LANGSMITH_ENDPOINT"),
        langsmith_project=variables.text("LANGSMITH_PROJECT"),
    )


def _check_production(settings: Settings) -> None:
    """Raises SettingsError for settings that are too weak for ENVIRONMENT=production."""
    if not settings.server.api_keys:
        raise SettingsError("API_KEY is missing, but ENVIRONMENT=production needs one")
    if any(map(_weak, settings.server.api_keys)):
        raise SettingsError(
            f"API_KEY is too weak for ENVIRONMENT=production: take {_MIN_KEY_LENGTH} or more random characters, "
            "e.g. from: python -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    if settings.sandbox_min_level == "limits":
        raise SettingsError("SANDBOX_MIN_LEVEL=limits is no isolation; ENVIRONMENT=production needs filtered or better")
    if settings.server.rate is None:
        raise SettingsError("RATE_LIMIT=off is refused in ENVIRONMENT=production")


def _weak(secret: Secret) -> bool:
    key = secret.reveal()
    return len(key) < _MIN_KEY_LENGTH or len(set(key)) < 8 or any(word in key.lower() for word in _PLACEHOLDERS)
