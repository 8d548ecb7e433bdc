"""What the JSON routes are told of who asks: desk, gate, caller, and a run that the caller may see or steer."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Security
from fastapi.security import APIKeyHeader
from starlette.requests import HTTPConnection

from demo.desk import Desk

from . import owners, wire
from .gate import Gate
from .owners import Caller

REFUSED: dict[int | str, dict[str, Any]] = {
    code: {"content": {"application/json": {"schema": wire.Refusal.model_json_schema()}}}
    for code in (400, 401, 403, 404, 409, 413, 415, 422, 429, 503)
}


def _desk(connection: HTTPConnection) -> Desk:
    return connection.app.state.desk


def _gate(connection: HTTPConnection) -> Gate:
    return connection.app.state.gate


class KeyHeader(APIKeyHeader):
    """For OpenAPI; the gate decides, of a socket as of a request."""

    async def __call__(self, connection: HTTPConnection) -> str | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        return connection.headers.get(self.model.name)


def _admitted(
    connection: HTTPConnection, _: Annotated[str | None, Security(KeyHeader(name="X-API-Key", auto_error=False))]
) -> Caller:
    """A program shows the key; a browser, which follows links and opens sockets, may have a pass for it."""
    gate = _gate(connection)
    plain = connection.scope["type"] == "http" and connection.url.path.startswith(("/api/", "/metrics"))
    (gate.admit if plain else gate.enter)(connection.headers)
    return owners.caller_of(gate, connection)


AtDesk = Annotated[Desk, Depends(_desk)]
AtGate = Annotated[Gate, Depends(_gate)]
Known = Annotated[Caller, Depends(_admitted)]
Word = Annotated[str, Path(alias="run_id", max_length=200, description="The id of a run, or what a share gave")]


async def may_read(word: Word, desk: AtDesk, gate: AtGate, caller: Known) -> str:
    return await owners.readable(desk, gate, word, caller)


async def may_steer(word: Word, desk: AtDesk, gate: AtGate, caller: Known) -> str:
    return await owners.steerable(desk, gate, word, caller)


Readable = Annotated[str, Depends(may_read)]
Steerable = Annotated[str, Depends(may_steer)]
