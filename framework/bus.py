"""Lets parts of one process publish and subscribe inside one event loop. A publisher never waits for a subscriber."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class Inbox(Generic[T]):
    """The queue of one subscriber. When it is full, the oldest item is dropped."""

    def __init__(self, size: int) -> None:
        self._items: deque[T] = deque(maxlen=size)
        self._arrived = asyncio.Event()

    def put(self, item: T) -> None:
        self._items.append(item)
        self._arrived.set()

    async def get(self, patience: float | None = None) -> T | None:
        """Removes and returns the oldest item. Returns None if none arrives within `patience` seconds (None: waits for
        ever)."""
        if not self._items:
            self._arrived.clear()
            try:
                async with asyncio.timeout(patience):
                    await self._arrived.wait()
            except TimeoutError:
                return None
        return self._items.popleft()


class EventBus(Generic[T]):
    """Delivers items by topic. A topic exists from its first subscriber to its last."""

    def __init__(self, inbox_size: int = 1000) -> None:
        self._inbox_size = inbox_size
        self._topics: dict[str, list[Inbox[T]]] = {}
        self.carry: Callable[[str, T], None] | None = None
        """Takes each item that is published here to other processes. It must neither wait nor raise."""
        self.is_fed = False
        """Whether items that other processes publish are delivered here."""

    def __contains__(self, topic: str) -> bool:
        return topic in self._topics

    def publish(self, topic: str, item: T) -> None:
        if self.carry:
            self.carry(topic, item)
        self.deliver(topic, item)

    def deliver(self, topic: str, item: T) -> None:
        """Gives the item to the subscribers in this process only."""
        for inbox in self._topics.get(topic, ()):
            inbox.put(item)

    @contextmanager
    def subscribe(self, topic: str) -> Generator[Inbox[T]]:
        inbox: Inbox[T] = Inbox(self._inbox_size)
        inboxes = self._topics.setdefault(topic, [])
        inboxes.append(inbox)
        try:
            yield inbox
        finally:
            inboxes.remove(inbox)
            if not inboxes:
                self._topics.pop(topic, None)
