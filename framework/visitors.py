"""Keeps keys that visitors bring, each for one run and for some hours.

They lie in this process, or encrypted in Redis for the workers, and reach neither database nor journal. Whoever fetches
a key masks it in all that is stored and logged.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

from .errors import SettingsError, StoreError
from .secret import Secret
from .workers.broker import redis_client

KEPT_S = 12 * 3600
"""The most seconds for which a run may use its visitor's key."""
_NAME = "visitor-key:"


class KeysHere:
    """Keeps keys in the memory of this process."""

    def __init__(self) -> None:
        self._keys: dict[str, Secret] = {}

    async def keep(self, run_id: str, key: Secret) -> None:
        self._keys[run_id] = key

    async def fetch(self, run_id: str) -> Secret | None:
        return self._keys.get(run_id)

    async def forget(self, run_id: str) -> None:
        self._keys.pop(run_id, None)

    async def aclose(self) -> None:
        self._keys.clear()


class SealedKeys:
    """Keeps keys in Redis, encrypted, readable only by processes that have the same secret. Each method raises
    StoreError if Redis cannot be reached."""

    def __init__(self, url: Secret, secret: Secret) -> None:
        """Takes a Fernet key as `secret`. Raises SettingsError if a package is missing."""
        try:
            fernet: Any = importlib.import_module("cryptography.fernet")
        except ModuleNotFoundError:
            raise SettingsError("VISITOR_KEYS_SECRET needs: pip install cryptography") from None
        self._seal = fernet.Fernet(secret.reveal())
        self._unreadable: type[Exception] = fernet.InvalidToken
        self._client, self._failures = redis_client(url)

    async def keep(self, run_id: str, key: Secret) -> None:
        # The run's id is encrypted with the key, so that nobody who can write to Redis can give the key to another run.
        sealed = self._seal.encrypt(json.dumps([run_id, key.reveal()]).encode())
        await self._ask("set", _NAME + run_id, sealed, ex=KEPT_S)

    async def fetch(self, run_id: str) -> Secret | None:
        sealed = await self._ask("get", _NAME + run_id)
        if sealed is None:
            return None
        try:
            meant, key = json.loads(self._seal.decrypt(sealed, ttl=KEPT_S))
        except self._unreadable:
            return None
        return Secret(key) if meant == run_id else None

    async def forget(self, run_id: str) -> None:
        await self._ask("delete", _NAME + run_id)

    async def _ask(self, command: str, *arguments: Any, **options: Any) -> Any:
        try:
            return await getattr(self._client, command)(*arguments, **options)
        except self._failures as error:
            raise StoreError(f"the keys of visitors are out of reach: {error}") from None

    async def aclose(self) -> None:
        await self._client.aclose()


VisitorKeys = KeysHere | SealedKeys
"""Keeps keys by run id."""
