"""Takes what is published about runs from the processes that drive them to the processes that show them, through Redis.

Nothing depends on the relay: a viewer that misses an event finds it in the journal, and a lost piece of streamed text
would have been on the screen for a moment only.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic

from ..bus import EventBus
from ..engine import E, Engine, Envelope, Live, Redact
from ..port import Published
from ..secret import Secret
from .broker import redis_client

_CHANNEL = "runs"
_LINE = 2000
"""How many items may wait to be sent; further ones are dropped."""
_TOGETHER_S = 0.02
"""The seconds for which items are gathered into one message. A message costs both sides more than its content, and a
viewer does not notice the delay."""
_PAUSE_S = 1.0
"""The seconds to wait after Redis failed."""
_logger = logging.getLogger(__name__)


class Relay(Generic[E]):
    """Sends and receives published items over Redis. It is bound to the loop on which it was made."""

    def __init__(self, url: Secret, engine: Engine[E], redact: Redact) -> None:
        """Raises SettingsError if the packages for Redis are missing."""
        self._client, _ = redis_client(url)
        self._engine = engine
        self._redact = redact
        self._line: asyncio.Queue[tuple[str, Published[E]]] = asyncio.Queue(_LINE)
        self._tasks: list[asyncio.Task[None]] = []

    def send_from(self, bus: EventBus[Published[E]]) -> None:
        """Sends everything that is published on this bus, from now on."""
        bus.carry = self._put
        self._begin(self._send)

    def bring_to(self, bus: EventBus[Published[E]]) -> None:
        """Delivers to this bus what other processes send, for runs that somebody watches here."""

        async def listen() -> None:
            async with self._client.pubsub() as heard:
                await heard.subscribe(_CHANNEL)
                try:
                    async for message in heard.listen():
                        if message["type"] == "subscribe":
                            # Not before this: items published until Redis has taken the subscription are not heard
                            # here.
                            bus.is_fed = True
                            continue
                        for run_id, told in json.loads(message["data"]):
                            if run_id in bus:
                                bus.deliver(run_id, self._unpacked(run_id, told))
                finally:
                    bus.is_fed = False

        self._begin(listen)

    def _begin(self, act: Callable[[], Any]) -> None:
        """Repeats `act` for ever, with a pause after each failure."""

        async def for_ever() -> None:
            level = logging.WARNING
            while True:
                try:
                    await act()
                except Exception as error:  # noqa: BLE001 - a dead connection shows in more ways than its library names
                    _logger.log(level, "live text is not relayed, stored events are: %s", error)
                    # One warning is enough, because Celery logs how often it tries to connect.
                    level = logging.DEBUG
                    await asyncio.sleep(_PAUSE_S)

        self._tasks.append(asyncio.create_task(for_ever(), name=f"relay: {act.__name__}"))

    def _put(self, run_id: str, item: Published[E]) -> None:
        """Queues an item to be sent; it is dropped if the queue is full."""
        with suppress(asyncio.QueueFull):
            self._line.put_nowait((run_id, item))

    async def _send(self) -> None:
        """Sends what is in the queue, many items in one message."""
        while True:
            items = [await self._line.get()]
            await asyncio.sleep(_TOGETHER_S)
            items += [self._line.get_nowait() for _ in range(self._line.qsize())]
            told = [(run_id, self._packed(item)) for run_id, item in items]
            await self._client.publish(_CHANNEL, json.dumps(told))

    def _packed(self, item: Published[E]) -> Any:
        """Returns an item as JSON values, redacted."""
        if item is None:
            return None
        kind, data = self._engine.encode(item.event)
        return (item.seq, item.ts) if isinstance(item, Envelope) else None, kind, self._redact(data)

    def _unpacked(self, run_id: str, told: Any) -> Published[E]:
        if told is None:
            return None
        place, kind, data = told
        event = self._engine.decode(kind, data)
        return Envelope(run_id, place[0], place[1], kind, event) if place else Live(event)

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.aclose()
