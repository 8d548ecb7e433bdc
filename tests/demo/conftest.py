"""One real server on loopback whose engine plays recorded events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent.task.order import Order
from demo.doors.gate import Gate
from demo.server import Server
from demo.ui import Handlers
from framework.secret import Secret
from framework.settings import Settings

from .player import Player, opener
from .visiting import OPTIONS, Anybody, Slow

API_KEY, OTHER_KEY = "correct-horse-battery", "another-horse-entirely"


@dataclass(frozen=True, slots=True)
class Served:
    address: str
    player: Player
    state_dir: Path
    orders: list[Order]
    """What was asked of the engine."""

    def client(self, key: str = API_KEY) -> httpx.Client:
        return httpx.Client(base_url=self.address, headers={"X-API-Key": key} if key else {}, timeout=20)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    state_dir = tmp_path_factory.mktemp("state")
    settings = Settings.from_env(
        {"STATE_DIR": str(state_dir), "API_KEY": f"{API_KEY},{OTHER_KEY}", "RATE_LIMIT": "1000/minute"}
    )
    player = Player()
    orders: list[Order] = []
    opened: Any = opener(state_dir, player, orders)
    server = Server(settings, Secret("browser secret"), opened)
    address = server.launch("127.0.0.1", None)
    yield Served(address.rstrip("/"), player, state_dir, orders)
    server.page.close()


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def handlers(slow: Slow) -> Handlers:
    return Handlers(slow, Anybody(slow, Gate(OPTIONS)), OPTIONS)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was told in passing."""
    lines: list[str] = []
    monkeypatch.setattr("gradio.Info", lines.append)
    return lines
