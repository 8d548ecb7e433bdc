"""A worker that answers what was written down beforehand, for tests of those who ask it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator
from typing import Any

from sandbox import Isolation
from sandbox.link import Frame
from sandbox.runs import ProgramRunner
from sandbox.worker.frames import HEADER

NONCE = bytes(16)
WALLS = Isolation("walled", **dict.fromkeys(("network", "files", "memory", "disk", "processes", "environment"), ""))
PASSED: list[Any] = [
    {"collected": ["test_a"]}, {"check": "test_a", "status": "pass", "message": ""}, {"done": 1},
]  # fmt: skip


def ended(cause: str, records: list[Any], out: bytes = b"", err: bytes = b"", **more: Any) -> Frame:
    """What a worker answers for a process that ended so and reported these records; `more` are facts of its head."""
    texts = [json.dumps(record).encode() for record in records]
    told = b"".join(HEADER.pack(len(text), 0, NONCE) + text for text in texts)
    head = {
        "cause": cause, "nonce": NONCE.hex(), "exit_code": 0, "signal": None, "second_signal": None,
        "second_code": None, "own": False, "peak_kb": 1, "cpu_ms": 1, "ms": 1, "truncated": False, "changed": False,
        "artifacts": [], "sizes": [len(out), len(err), len(told)],
    }  # fmt: skip
    return Frame(head | more, out + err + told)


class Workers:
    """A pool whose workers give these answers, or raise these errors, one after the other."""

    def __init__(self, *answers: Frame | Exception) -> None:
        self._answers = answers
        self.asked: list[tuple[Any, ...]] = []
        """Flavour, folders and seed of each worker that was asked for."""
        self.heads: list[dict[str, Any]] = []
        self.bodies: list[bytes] = []

    @contextlib.asynccontextmanager
    async def worker(self, *kind: Any) -> AsyncGenerator[Workers]:
        self.asked.append(kind)
        yield self

    async def request(self, head: dict[str, Any], body: bytes, _patience: float) -> Frame:
        self.heads.append(head)
        self.bodies.append(body)
        answer = self._answers[len(self.heads) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def runner(self, environments: Any = None) -> ProgramRunner:
        played: Any = self
        return ProgramRunner(played, WALLS, environments)
