"""Decides for every door (page, REST, WebSocket, MCP and files) who may see and steer a run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from typing import Any, TypeVar

from starlette.requests import HTTPConnection

from demo.desk import Desk
from framework.errors import UnknownRun
from framework.follow import past_outage
from framework.waiting import in_batches

from .gate import ACCOUNT, KEY, Gate, NotYours, account_of

T = TypeVar("T")
_LOOK_S = 1.0
"""The seconds without news after which it is checked whether a share still holds."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. The caller may see and steer the runs that belong to one of `names`."""

    names: tuple[str, ...]
    headers: Mapping[str, str]
    address: str
    on_this_machine: bool
    """Whether the caller is on this machine and no proxy speaks for somebody else."""

    @property
    def owner(self) -> str:
        """The owner of a new run; "" for nobody. Then the run's id alone is the secret that opens it."""
        return self.names[0] if self.names else ""

    @property
    def may_list(self) -> bool:
        """Whether the caller may see a list of runs. Runs without an owner are listed only for a person at this
        machine."""
        return bool(self.names) or self.on_this_machine


def caller_of(gate: Gate, connection: HTTPConnection, browser: str = "") -> Caller:
    """Returns who asks. `browser` is the name that the page keeps in the visitor's browser."""
    session: Mapping[str, Any] = connection.scope.get("session") or {}
    claimed = "" if browser.startswith((ACCOUNT, KEY)) else browser
    key, account = gate.key_owner(connection.headers), account_of(session)
    # A run that is started on the page belongs to the browser, even if a pass opened the page.
    names = (account, claimed, key) if claimed else (key, account)
    address = connection.client.host if connection.client else ""
    on_this_machine = "x-forwarded-for" not in connection.headers and _is_loopback(address)
    return Caller(tuple(filter(None, names)), connection.headers, address, on_this_machine)


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


async def readable(desk: Desk, gate: Gate, ref: str, caller: Caller) -> str:
    """Returns the id of a run that the caller may see, named by its id or a share. Raises UnknownRun, also for a run of
    somebody else, whose existence stays hidden."""
    run_id = ref.partition(".")[0]
    owner = await desk.owner(run_id)
    # Whoever sits at the machine of an app that demands no key could read its database as well.
    local = caller.on_this_machine and not caller.names and not gate.keyed
    if ref == run_id:
        seen = local or owner in ("", *caller.names)
    else:
        seen = gate.is_share(ref, await desk.shares_ended(run_id))
    if owner is None or not seen:
        raise UnknownRun(f"there is no run {run_id}")
    return run_id


async def while_shown(desk: Desk, gate: Gate, ref: str, items: AsyncGenerator[T]) -> AsyncGenerator[T]:
    """Yields what a run tells to a caller who may see it by this ref. Raises UnknownRun as soon as a share is taken
    back."""
    run_id = ref.partition(".")[0]
    if ref == run_id:
        # Items are passed on one by one, so that a slow viewer gets fewer shots instead of late ones.
        async with aclosing(items):
            async for item in items:
                yield item
        return
    async with aclosing(in_batches(items, interval=0, heartbeat=_LOOK_S)) as batches:
        async for batch in batches:
            if not gate.is_share(ref, await past_outage(partial(desk.shares_ended, run_id))):
                raise UnknownRun(f"there is no run {run_id}")
            for item in batch:
                yield item


async def steerable(desk: Desk, gate: Gate, ref: str, caller: Caller) -> str:
    """Returns the id of a run that the caller may also answer, stop and delete. Raises UnknownRun, and NotYours for a
    run that the caller may only see."""
    run_id = await readable(desk, gate, ref, caller)
    may_steer = caller.names if ref != run_id else ("", *caller.names)
    if await desk.owner(run_id) not in may_steer:
        raise NotYours("this run belongs to somebody else; you can look at it, or run it yourself")
    return run_id
