"""Opens Redis and Celery with the time limits that this project wants.

Both packages are loaded only if REDIS_URL is set.
"""

from __future__ import annotations

import importlib
import socket
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from ..errors import SettingsError
from ..secret import Secret

CONNECT_S = 5
"""The seconds that connecting to Redis may take."""
_KEEPALIVE = {"TCP_KEEPIDLE": CONNECT_S, "TCP_KEEPINTVL": CONNECT_S, "TCP_KEEPCNT": 2}
"""The keepalive options of a connection. A subscriber only listens and never sends, so that only these keepalives show
it that the other machine is gone."""
_PATIENCE = {
    "socket_connect_timeout": CONNECT_S,
    "socket_timeout": 15,
    "socket_keepalive": True,
    "socket_keepalive_options": {getattr(socket, k): v for k, v in _KEEPALIVE.items() if hasattr(socket, k)},
}
"""The limits, in seconds, for reaching Redis and for its answers. Only a subscriber waits longer than
`socket_timeout`."""
SCHEMES = ("redis", "rediss", "unix")
"""The schemes that REDIS_URL may have. The path of a `unix` address is that of a socket on this machine."""
_NEEDED = "REDIS_URL needs Celery and Redis's client: pip install 'celery[redis]'"


def redis_client(url: Secret) -> tuple[Any, tuple[type[Exception], ...]]:
    """Returns a Redis client for asyncio, and the exceptions that it raises while Redis cannot be used. Raises
    SettingsError if the package is missing."""
    try:
        redis: Any = importlib.import_module("redis.asyncio")
    except ModuleNotFoundError:
        raise SettingsError(_NEEDED) from None
    local = urlsplit(url.reveal()).scheme == "unix"
    patience = {name: limit for name, limit in _PATIENCE.items() if not local or "keepalive" not in name}
    client = redis.Redis.from_url(url.reveal(), **patience)
    return client, (redis.RedisError, OSError)


def celery_address(url: Secret) -> str:
    """Returns the address in Celery's notation, which has a scheme of its own for a socket on this machine."""
    parts = urlsplit(url.reveal())
    if parts.scheme != "unix":
        return url.reveal()
    asked = {name: words[0] for name, words in parse_qs(parts.query).items()}
    user = parts.username or quote(asked.get("username", ""), safe="")
    password = parts.password or quote(asked.get("password", ""), safe="")
    number = urlencode({"virtual_host": asked.get("db", "0")})
    return f"redis+socket://{user}:{password}@{parts.path}?{number}"


def celery_app(name: str, url: Secret, *, visibility_s: int, **settings: Any) -> Any:
    """Returns a Celery application that loses no message. A worker acknowledges a message only when its work is done;
    Celery delivers it again if that has not happened after `visibility_s` seconds, and no worker reserves messages
    ahead. Raises SettingsError if a package is missing."""
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
