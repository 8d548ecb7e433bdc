"""Gives the routes what they depend on: desk, gate, caller, order, and a run that the caller may see or steer."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Security
from fastapi.security import APIKeyHeader
from starlette.requests import HTTPConnection

from agent.config import OFFERED
from agent.task.order import Order
from demo.desk import Desk
from demo.submission import checked_key, task_from

from . import owners, wire
from .gate import Gate
from .owners import Caller

REFUSED: dict[int | str, dict[str, Any]] = {
    code: {"content": {"application/json": {"schema": wire.RefusalBody.model_json_schema()}}}
    for code in (400, 401, 403, 404, 409, 413, 415, 422, 429, 503)
}
"""OpenAPI's description of what a route answers if it refuses."""


def _desk(connection: HTTPConnection) -> Desk:
    return connection.app.state.desk


def _gate(connection: HTTPConnection) -> Gate:
    return connection.app.state.gate


class KeyHeader(APIKeyHeader):
    """Shows OpenAPI that a key may be sent in a header. The gate decides, for a WebSocket as for a request."""

    async def __call__(self, connection: HTTPConnection) -> str | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        return connection.headers.get(self.model.name)


def _admitted(
    connection: HTTPConnection, _: Annotated[str | None, Security(KeyHeader(name="X-API-Key", auto_error=False))]
) -> Caller:
    """Returns the caller of a request. A program must show the key; a browser, which follows links and opens sockets,
    may show a pass instead. Raises Denied."""
    gate = _gate(connection)
    plain = connection.scope["type"] == "http" and connection.url.path.startswith(("/api/", "/metrics"))
    (gate.admit if plain else gate.enter)(connection.headers)
    return owners.caller_of(gate, connection)


AtDesk = Annotated[Desk, Depends(_desk)]
AtGate = Annotated[Gate, Depends(_gate)]
Known = Annotated[Caller, Depends(_admitted)]
RunRef = Annotated[str, Path(alias="run_id", max_length=200, description="The id of a run, or what a share gave")]
"""The id of a run or a share, from the address."""


async def order_of(given: wire.NewRun, desk: Desk, gate: Gate, caller: Caller) -> Order:
    """Returns the order that the caller hands in. Raises BadInput, and UnknownRun for a parent that the caller may not
    see."""
    task = task_from(given.task, given.code, given.tests, wire.contents(given.files))
    parent = await owners.readable(desk, gate, given.parent, caller) if given.parent else ""
    options = {name: getattr(given, name) for name in OFFERED if getattr(given, name) is not None}
    key = checked_key(given.key, given.provider)
    attempt = given.attempt or None
    return Order(task, options, given.provider, given.model, key, caller.owner, caller.on_this_machine, parent, attempt)


async def may_read(ref: RunRef, desk: AtDesk, gate: AtGate, caller: Known) -> str:
    return await owners.readable(desk, gate, ref, caller)


async def may_steer(ref: RunRef, desk: AtDesk, gate: AtGate, caller: Known) -> str:
    return await owners.steerable(desk, gate, ref, caller)


Readable = Annotated[str, Depends(may_read)]
Steerable = Annotated[str, Depends(may_steer)]
