"""What the tests' side tells besides: which thread of theirs asks, and at once what they let go, if it is its turn."""

from __future__ import annotations

from threading import current_thread, main_thread
from typing import Any

from .peer import LinkLost, Peer


class ThreadedPeer(Peer):
    """A side of several threads."""

    def __init__(self, first: int) -> None:
        super().__init__(first)
        self._threads: Any = None
        self.lost: str = ""
        """Why the other side can no longer be asked; from then on nothing passes."""

    def thread(self) -> list[Any]:
        if current_thread() is main_thread():
            return []
        if self._threads is None:
            from .threads import Numbers  # noqa: PLC0415 - few tests have threads of their own

            self._threads = Numbers()
        return self._threads.of_this()

    def add_extras(self, extras: dict[str, Any]) -> None:
        super().add_extras(extras)
        if self._threads is not None and self._threads.ended:
            extras["ended"] = [*self._threads.ended]

    def sent(self, extras: dict[str, Any]) -> None:
        super().sent(extras)
        for number in extras.get("ended", ()):
            self._threads.ended.remove(number)

    def bury(self) -> None:
        """Tell at once, unless a message is on its way, with which it goes."""
        if self.lost or not self._lock.acquire(blocking=False):
            return
        try:
            if self.wire.has_turn and not self.busy:
                self.call({"op": "bury"}, (), {})
        except LinkLost:
            pass
        finally:
            self._lock.release()
