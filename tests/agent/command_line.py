"""Starts `python -m agent` as a person does: another process, a clean environment."""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_PORTS = iter(random.sample(range(20_000 + 500 * (_WORKER % 24), 20_500 + 500 * (_WORKER % 24)), 500))


def free_port() -> int:
    """Below those that the system gives to whoever names none, no worker's twice and no other worker's: it stays free
    until it is used."""
    for port in _PORTS:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("no port is free")


class Ended:
    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code, self.out, self.err = code, out.decode(), err.decode()

    def json(self) -> dict[str, Any]:
        lines = self.out.strip().splitlines()
        assert len(lines) == 1, self.out
        return json.loads(lines[0])


async def start(
    *arguments: str, state: Path, env: Mapping[str, str] | None = None, module: str = "agent"
) -> asyncio.subprocess.Process:
    clean = {"PATH": "/usr/bin:/bin", "STATE_DIR": str(state), "ENV_FILE": "/dev/null", "HOME": str(state)}
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *arguments,
        cwd=ROOT, env={**clean, **(env or {})},
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def agent(
    *arguments: str, state: Path, env: Mapping[str, str] | None = None, stdin: bytes = b"", module: str = "agent"
) -> Ended:
    process = await start(*arguments, state=state, env=env, module=module)
    out, err = await process.communicate(stdin)
    assert process.returncode is not None
    return Ended(process.returncode, out, err)
