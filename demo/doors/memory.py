"""Offers what finished runs remember over REST.

An owner, and nobody else, may list it, download it as JSON lines, and delete it.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response

from agent.session.memory import as_lines

from . import wire
from .callers import REFUSED, AtDesk, Known, Steerable

router = APIRouter(prefix="/api", responses=REFUSED)


@router.get("/memory")
async def remembered(
    desk: AtDesk,
    caller: Known,
    query: Annotated[str, Query(max_length=300, description="Words of the task or of a lesson")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> wire.MemoryList:
    """List what your runs learned for later ones, newest first."""
    found = await desk.memory(caller.owner, query, limit) if caller.may_list else []
    return wire.MemoryList.model_validate({"memory": found})


_LINES: dict[int | str, dict[str, Any]] = {200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}}


@router.get("/memory.jsonl", response_class=Response, responses=_LINES)
async def export(desk: AtDesk, caller: Known) -> Response:
    """Download everything that your runs learned, as JSON lines."""
    found = await desk.memory(caller.owner) if caller.may_list else []
    headers = {"Content-Disposition": 'attachment; filename="lessons.jsonl"'}
    return Response(as_lines(found), media_type="application/x-ndjson", headers=headers)


@router.delete("/memory")
async def forget_all(desk: AtDesk, caller: Known) -> wire.Forgotten:
    """Forget what all of your runs learned; the runs stay."""
    return wire.Forgotten(forgotten=await desk.forget(caller.owner) if caller.may_list else 0)


@router.delete("/memory/{run_id}")
async def forget(run_id: Steerable, desk: AtDesk) -> wire.Forgotten:
    """Forget what one run learned."""
    return wire.Forgotten(forgotten=await desk.forget(await desk.owner(run_id) or "", run_id))
