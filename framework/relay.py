"""What is published about runs, taken from the processes that drive them to those that show them, through Redis.

Nothing depends on it: whoever misses an event finds it in the journal, and text that is lost was of the moment.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic

from .broker import redis_client
from .bus import EventBus
from .engine import E, Engine, Envelope, Live, Redact
from .port import Published
from .secret import Secret

_CHANNEL = "runs:"
_LINE = 2000
"""Items that wait to be sent; beyond it they are dropped."""
_PAUSE_S = 1.0
"""After Redis failed."""
_logger = logging.getLogger(__name__)


class Relay(Generic[E]):
    """Bound to the loop it was made on."""

    def __init__(self, url: Secret, engine: Engine[E], redact: Redact) -> None:
        """Raises SettingsError where the packages for Redis are missing."""
        self._client, _ = redis_client(url)
        self._engine = engine
        self._redact = redact
        self._line: asyncio.Queue[tuple[str, Published[E]]] = asyncio.Queue(_LINE)
        self._tasks: list[asyncio.Task[None]] = []

    def send_from(self, bus: EventBus[Published[E]]) -> None:
        bus.carry = self._put
        self._begin(self._send)

    def bring_to(self, bus: EventBus[Published[E]]) -> None:
        async def hear() -> None:
            async with self._client.pubsub() as heard:
                await heard.psubscribe(f"{_CHANNEL}*")
                try:
                    async for message in heard.listen():
                        if message["type"] == "psubscribe":
                            # Not before: what is published until Redis has read the wish is not heard here.
                            bus.is_fed = True
                            continue
                        run_id = message["channel"].decode().removeprefix(_CHANNEL)
                        if run_id in bus:
                            bus.deliver(run_id, self._unpacked(run_id, message["data"]))
                finally:
                    bus.is_fed = False

        self._begin(hear)

    def _begin(self, act: Callable[[], Any]) -> None:
        async def for_ever() -> None:
            level = logging.WARNING
            while True:
                try:
                    await act()
                except Exception as error:  # noqa: BLE001 - a dead connection shows in more ways than its library names
                    _logger.log(level, "live text is not relayed, stored events are: %s", error)
                    # Once is enough: Celery tells how often it tries.
                    level = logging.DEBUG
                    await asyncio.sleep(_PAUSE_S)

        self._tasks.append(asyncio.create_task(for_ever(), name=f"relay: {act.__name__}"))

    def _put(self, run_id: str, item: Published[E]) -> None:
        with suppress(asyncio.QueueFull):
            self._line.put_nowait((run_id, item))

    async def _send(self) -> None:
        while True:
            run_id, item = await self._line.get()
            await self._client.publish(f"{_CHANNEL}{run_id}", self._packed(item))

    def _packed(self, item: Published[E]) -> str:
        if item is None:
            return "null"
        kind, data = self._engine.encode(item.event)
        place = (item.seq, item.ts) if isinstance(item, Envelope) else None
        return json.dumps([place, kind, self._redact(data)])

    def _unpacked(self, run_id: str, packed: bytes) -> Published[E]:
        if (told := json.loads(packed)) is None:
            return None
        place, kind, data = told
        event = self._engine.decode(kind, data)
        return Envelope(run_id, place[0], place[1], kind, event) if place else Live(event)

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.aclose()
