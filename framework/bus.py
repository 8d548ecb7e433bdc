"""Publish and subscribe inside one event loop; a publisher never waits for anybody."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class Inbox(Generic[T]):
    """A subscriber's queue; when full, the oldest item is dropped."""

    def __init__(self, size: int) -> None:
        self._items: deque[T] = deque(maxlen=size)
        self._arrived = asyncio.Event()
        self.dropped = 0

    def put(self, item: T) -> None:
        self.dropped += len(self._items) == self._items.maxlen
        self._items.append(item)
        self._arrived.set()

    async def get(self, patience: float | None = None) -> T | None:
        """The oldest item; None when `patience` seconds pass without one."""
        if not self._items:
            self._arrived.clear()
            try:
                async with asyncio.timeout(patience):
                    await self._arrived.wait()
            except TimeoutError:
                return None
        return self._items.popleft()


class EventBus(Generic[T]):
    """Items by topic. Topics come into being with their first subscriber and vanish with the last."""

    def __init__(self, inbox_size: int = 1000) -> None:
        self._inbox_size = inbox_size
        self._topics: dict[str, list[Inbox[T]]] = {}
        self.carry: Callable[[str, T], None] | None = None
        """Takes what is published here to other processes; neither waits nor raises."""
        self.is_fed = False
        """Whether what other processes publish is delivered here."""

    def __contains__(self, topic: str) -> bool:
        """Whether anybody listens in this process."""
        return topic in self._topics

    def publish(self, topic: str, item: T) -> None:
        if self.carry:
            self.carry(topic, item)
        self.deliver(topic, item)

    def deliver(self, topic: str, item: T) -> None:
        """To the subscribers of this process alone."""
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
