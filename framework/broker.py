"""Redis and Celery as this project uses them; both are loaded only where REDIS_URL is set."""

from __future__ import annotations

import importlib
import socket
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from .errors import SettingsError
from .secret import Secret

CONNECT_S = 5
"""Seconds."""
_KEEPALIVE = {"TCP_KEEPIDLE": CONNECT_S, "TCP_KEEPINTVL": CONNECT_S, "TCP_KEEPCNT": 2}
"""Whoever listens for news asks nothing: that the other machine is gone shows to them by these alone."""
_PATIENCE = {
    "socket_connect_timeout": CONNECT_S,
    "socket_timeout": 15,
    "socket_keepalive": True,
    "socket_keepalive_options": {getattr(socket, k): v for k, v in _KEEPALIVE.items() if hasattr(socket, k)},
}
"""How long Redis may take to be reached, and to answer; only who listens for news waits longer."""
SCHEMES = ("redis", "rediss", "unix")
"""Of an address; the last one's path is that of a socket of this machine."""
_NEEDED = "REDIS_URL needs Celery and Redis's client: pip install 'celery[redis]'"


def redis_client(url: Secret) -> tuple[Any, tuple[type[Exception], ...]]:
    """A client for asyncio, and what it raises while Redis cannot be used. Raises SettingsError."""
    try:
        redis: Any = importlib.import_module("redis.asyncio")
    except ModuleNotFoundError:
        raise SettingsError(_NEEDED) from None
    local = urlsplit(url.reveal()).scheme == "unix"
    patience = {name: limit for name, limit in _PATIENCE.items() if not local or "keepalive" not in name}
    client = redis.Redis.from_url(url.reveal(), **patience)
    return client, (redis.RedisError, OSError)


def celery_address(url: Secret) -> str:
    """As Celery writes it; it has another way to say that it is a socket of this machine."""
    parts = urlsplit(url.reveal())
    if parts.scheme != "unix":
        return url.reveal()
    asked = {name: words[0] for name, words in parse_qs(parts.query).items()}
    user = parts.username or quote(asked.get("username", ""), safe="")
    password = parts.password or quote(asked.get("password", ""), safe="")
    number = urlencode({"virtual_host": asked.get("db", "0")})
    return f"redis+socket://{user}:{password}@{parts.path}?{number}"


def celery_app(name: str, url: Secret, *, visibility_s: int, **settings: Any) -> Any:
    """A Celery application that loses nothing: a message is acknowledged when its work is done, delivered again after
    `visibility_s` seconds without that, and no worker takes one ahead. Raises SettingsError."""
    try:
        celery: Any = importlib.import_module("celery")
        importlib.import_module("redis")
    except ModuleNotFoundError:
        raise SettingsError(_NEEDED) from None
    app = celery.Celery(name, broker=celery_address(url), set_as_current=False)
    transport = {**_PATIENCE, "max_retries": 1, "visibility_timeout": visibility_s}
    app.conf.update(
        task_default_queue=name,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options=transport,
        **settings,
    )
    return app
