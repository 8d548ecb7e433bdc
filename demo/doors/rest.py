"""Serves JSON over HTTP, and the files to which the page links.

Callers start, watch, answer, stop, continue, fork and delete runs here.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, FastAPI, Header, HTTPException, Query, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from fastapi.sse import format_sse_event
from pydantic import ValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.requests import HTTPConnection
from starlette.status import WS_1008_POLICY_VIOLATION, WS_1011_INTERNAL_ERROR

from agent.cli.metrics import MISSING
from agent.events import AgentEvent
from agent.events.codec import encode_event
from agent.events.conclusion import Outcome
from agent.state.findings import VerdictWord
from agent.task.order import Order
from agent.task.refusals import REFUSALS
from agent.task.reply import PersonReply
from agent.task.request import BadInput
from demo.desk import Desk
from demo.look.assets import STATIC
from demo.panels.output import PICTURES
from demo.submission import task_from
from framework.engine import Envelope
from framework.errors import StoreError, UnknownRun
from framework.version import version
from framework.waiting import in_batches
from llm.scenarios import list_scenarios

from . import memory, owners, wire
from .callers import REFUSED, AtDesk, AtGate, Known, Readable, RunRef, Steerable, order_of
from .gate import COOKIE, WAIT_S, Gate, one_line, retry_after
from .owners import Caller

_BEAT_S, _BEAT = 15.0, b": the run goes on\n\n"
"""The seconds without an event after which a comment line is sent, so that both ends see that the connection holds."""
_MAX_REASON_BYTES = 120
"""The bytes of the reason with which a WebSocket is closed."""
_LAST = 2**53
"""No event has a higher number."""
# A file that a program made is shown as a picture or saved, but never run as one of our pages.
_LOCKED = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'"}


def rest_app(desk: Desk, gate: Gate) -> FastAPI:
    """Returns the app for everything that this process answers besides the page."""
    app = FastAPI(
        title="Self-Healing Code Agent",
        version=version(),
        summary="Programs with a verdict that was counted by the executor, never claimed by a model",
        redoc_url=None,
    )
    app.add_middleware(wire.Bounded)
    app.state.desk, app.state.gate = desk, gate
    app.include_router(router)
    app.include_router(memory.router)
    app.include_router(files)
    for kind in (*REFUSALS, RequestValidationError, ValidationError, StarletteHTTPException):
        app.add_exception_handler(kind, _refuse)
    return app


async def _refuse(_: HTTPConnection, error: Exception) -> Response:
    """Turns an error into one line of JSON with its status code."""
    headers: dict[str, str] = retry_after(error)
    if isinstance(error, StarletteHTTPException):
        code, line, headers = error.status_code, str(error.detail), dict(error.headers or {})
    elif isinstance(error, RequestValidationError | ValidationError):
        code, line = 422, wire.unreadable(error)
    else:
        code, line = getattr(error, "http_status", 500), one_line(error)
    return JSONResponse({"error": line}, code, headers)


router = APIRouter(prefix="/api", responses=REFUSED)
files = APIRouter(include_in_schema=False)
"""The links of the page, for browsers that may see a run."""
ONE = "/runs/{run_id}"


@router.get("/health", responses={503: {"model": wire.Health}})
async def health(desk: AtDesk, response: Response) -> wire.Health:
    """Tell whether runs can be started here. It needs no key."""
    workshop = await desk.workshop()
    told = wire.Health.model_validate(await workshop.health())
    if told.status == "down":
        response.status_code, response.headers["Retry-After"] = 503, str(WAIT_S)
    return told


@router.get("/scenarios")
async def scenarios(_: Known) -> wire.Scenarios:
    """List the tasks that the scripted demo model can play."""
    told = [wire.ScenarioRow(name=one.name, task=one.task, shows=one.shows) for one in list_scenarios()]
    return wire.Scenarios(scenarios=told)


@router.get("/runs")
async def list_runs(
    desk: AtDesk,
    caller: Known,
    query: Annotated[str, Query(max_length=300, description="Words of the task, or a part of the id")] = "",
    verdict: VerdictWord | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str, Query(pattern=r"^([0-9.e+]{1,30}~[A-Za-z0-9_-]{1,64})?$")] = "",
) -> wire.RunPage:
    """List your runs, newest first. A page may have fewer than `limit` runs if a verdict is asked for."""
    if not caller.may_list:
        return wire.RunPage(runs=[], cursor=None)
    found, last = await desk.page(caller.owner, query, verdict or "", limit, _place(cursor))
    return wire.RunPage(runs=[wire.entry(one) for one in found], cursor=f"{last[0]!r}~{last[1]}" if last else None)


def _place(cursor: str) -> tuple[float, str] | None:
    created, _, run_id = cursor.partition("~")
    try:
        return (float(created), run_id) if cursor else None
    except ValueError:
        raise BadInput("cursor is not one that a page gave") from None


@router.post("/runs", status_code=201, openapi_extra=wire.NEW_RUN_BODY)
async def submit(
    given: Annotated[wire.NewRun, Depends(wire.handed_in)],
    desk: AtDesk,
    gate: AtGate,
    caller: Known,
    response: Response,
) -> wire.Started:
    """Start a run: of a new task, as a follow-up of another run, or from an attempt of one."""
    return await _start(await order_of(given, desk, gate, caller), desk, gate, caller, response)


async def _start(order: Order, desk: Desk, gate: Gate, caller: Caller, response: Response) -> wire.Started:
    await gate.count(caller.headers, caller.address)
    runs = await desk.runs()
    run_id = await runs.begin(order)
    response.headers["Location"] = f"/api/runs/{run_id}"
    return wire.Started(run_id=run_id)


@router.get(ONE)
async def status(run_id: Readable, desk: AtDesk) -> Outcome:
    """Return a run as it stands."""
    runs = await desk.runs()
    return await runs.outcome(run_id)


@router.delete(ONE, status_code=204)
async def delete(run_id: Steerable, desk: AtDesk) -> None:
    """Delete all that is kept of a run, and stop it first if it is live."""
    runs = await desk.runs()
    await runs.stop(run_id)
    await desk.delete(run_id)


@router.post(ONE + "/stop")
async def stop(run_id: Steerable, desk: AtDesk) -> wire.Stopped:
    """Stop a run and every program it has started; it can be resumed."""
    runs = await desk.runs()
    return wire.Stopped(stopped=await runs.stop(run_id))


@router.post(ONE + "/resume")
async def resume(run_id: Steerable, desk: AtDesk) -> wire.Resumed:
    """Continue a stopped run where it stopped, or start one that never began."""
    runs = await desk.runs()
    await runs.resume(run_id)
    return wire.Resumed()


@router.post(ONE + "/answers")
async def answer(run_id: Steerable, given: wire.AnswerBody, desk: AtDesk) -> wire.Answered:
    """Answer the open question of a run, once."""
    reply = PersonReply(given.action, given.text, wire.contents(given.files))
    runs = await desk.runs()
    await runs.reply(run_id, given.question, reply)
    return wire.Answered(answered=given.question)


@router.post(ONE + "/fork", status_code=201)
async def fork(
    run_id: Readable, given: wire.Edits, desk: AtDesk, gate: AtGate, caller: Known, response: Response
) -> wire.Started:
    """Start a run that begins with an attempt of this one, under its options and with your edits."""
    task, local = task_from(given.task, given.code, given.tests), caller.on_this_machine
    order = Order(task, owner=caller.owner, on_this_machine=local, parent=run_id, attempt=given.attempt)
    return await _start(order, desk, gate, caller, response)


@router.post(ONE + "/share")
async def share(run_id: Steerable, desk: AtDesk, gate: AtGate) -> wire.Shared:
    """Make a link with which anybody may look at this run, and do no more."""
    ref = gate.share(run_id, await desk.shares_ended(run_id))
    return wire.Shared(run_id=ref, link=f"/?run={ref}")


@router.delete(ONE + "/share", status_code=204)
async def end_shares(run_id: Steerable, desk: AtDesk) -> None:
    """Take back every link to this run that was made so far. Whoever is watching by one sees no more."""
    await desk.end_shares(run_id)


_TEXTS = {name: {"type": "string"} for name in ("id", "event", "data")}
_EVENTS = {200: {"content": {"text/event-stream": {"schema": {"type": "object", "properties": _TEXTS}}}}}


@router.get(ONE + "/events", response_class=StreamingResponse, responses=cast("Any", _EVENTS))
async def events(
    ref: RunRef,
    _: Readable,
    desk: AtDesk,
    gate: AtGate,
    last_event_id: Annotated[int, Header(ge=-1, le=_LAST, description="Continue after this event")] = -1,
) -> StreamingResponse:
    """Stream server-sent events: the stored ones, then new ones, until the run ends, asks a question or is stopped. The
    last event is `end`. Its data say why if the run may not be seen any more or cannot be read."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_streamed(desk, gate, ref, last_event_id), media_type="text/event-stream", headers=headers)


async def _streamed(desk: Desk, gate: Gate, ref: str, after: int) -> AsyncGenerator[bytes]:
    end: dict[str, str] = {}
    try:
        shown = in_batches(_visible_events(desk, gate, ref, after), interval=0, heartbeat=_BEAT_S)
        async with aclosing(shown) as batches:
            async for batch in batches:
                told = (format_sse_event(data_str=_as_json(one), id=str(one.seq)) for one in batch)
                yield b"".join(told) or _BEAT
    except (UnknownRun, StoreError) as error:
        end = {"error": one_line(error)}
    yield format_sse_event(event="end", data_str=json.dumps(end))


async def _visible_events(desk: Desk, gate: Gate, ref: str, after: int) -> AsyncGenerator[Envelope[AgentEvent]]:
    runs = await desk.runs()
    events = runs.follow(ref.partition(".")[0], after)
    async with aclosing(owners.while_shown(desk, gate, ref, events)) as shown:
        async for told in shown:
            if isinstance(told, Envelope):
                yield told


@router.websocket(ONE + "/events")
async def socket(
    socket: WebSocket,
    ref: RunRef,
    _: Readable,
    desk: AtDesk,
    gate: AtGate,
    after: Annotated[int, Query(ge=-1, le=_LAST)] = -1,
) -> None:
    """Send the same events over a WebSocket, one JSON object in each message. The server closes it when the stream
    would end."""
    wire.same_site(socket)
    await socket.accept()
    try:
        async with aclosing(_visible_events(desk, gate, ref, after)) as envelopes:
            async for envelope in envelopes:
                await socket.send_text(_as_json(envelope))
    except (UnknownRun, StoreError) as error:
        code = WS_1008_POLICY_VIOLATION if isinstance(error, UnknownRun) else WS_1011_INTERNAL_ERROR
        await socket.close(code, one_line(error).encode()[:_MAX_REASON_BYTES].decode(errors="ignore"))
    else:
        await socket.close()


def _as_json(envelope: Envelope[AgentEvent]) -> str:
    kind, data = encode_event(envelope.event)
    return json.dumps({"seq": envelope.seq, "ts": envelope.ts, "kind": kind, **data}, ensure_ascii=False)


_ZIP = {200: {"content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}}}}


@router.get(ONE + "/bundle", response_class=Response, responses=cast("Any", _ZIP))
@files.get(ONE + "/bundle.zip")
async def bundle(run_id: Readable, desk: AtDesk) -> Response:
    """Download the run as a ZIP: program, tests, evidence, journal, and a page that replays it."""
    headers = {"Content-Disposition": f'attachment; filename="run-{run_id[:8]}.zip"', **_LOCKED}
    return Response(await desk.bundle(run_id), media_type="application/zip", headers=headers)


@files.get(ONE + "/solution.py")
async def solution(run_id: Readable, desk: AtDesk) -> Response:
    runs = await desk.runs()
    code = (await runs.outcome(run_id)).code
    headers = {"Content-Disposition": 'attachment; filename="solution.py"', **_LOCKED}
    return Response(code, media_type="text/x-python", headers=headers)


_ANY = {200: {"content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}}}


@router.get(ONE + "/files/{name:path}", response_class=Response, responses=cast("Any", _ANY))
@files.get(ONE + "/files/{name:path}")
async def file(run_id: Readable, name: str, desk: AtDesk, save: bool = False) -> Response:
    """Return a file that the program made: a picture to look at, anything else only to be saved."""
    store = (await desk.runs()).store
    stored = await store.do(store.blobs.load, run_id, name)
    if stored is None:
        raise UnknownRun("there is no such file")
    mime, data = stored
    shown = mime in PICTURES and not save
    headers = _LOCKED if shown else {"Content-Disposition": "attachment", **_LOCKED}
    return Response(data, media_type=mime if mime in PICTURES else "application/octet-stream", headers=headers)


@files.get("/metrics")
async def metrics(desk: AtDesk, _: Known) -> Response:
    """Returns the metrics for Prometheus."""
    workshop = await desk.workshop()
    told = await workshop.metrics()
    if told is None:
        raise HTTPException(501, MISSING)
    return Response(told[1], media_type=told[0])


@files.get("/card.png")
async def card() -> FileResponse:
    """Returns the picture for a pasted link: the app itself, with nobody's run on it."""
    return FileResponse(STATIC / "pictures" / "run-wide-light.png", media_type="image/png")


@files.post("/pass")
async def give_pass(given: wire.PageKey, gate: AtGate, request: Request) -> JSONResponse:
    """Returns a cookie with the pass in return for the key, which is not kept."""
    await gate.count({}, request.client.host if request.client else "")
    pass_ = gate.exchange(given.key.strip())
    response = JSONResponse({"entered": True})
    secure = request.headers.get("x-forwarded-proto", request.url.scheme) == "https"
    # Inside the frame of a Space the page is a third party, for which browsers send only secure cookies.
    response.set_cookie(COOKIE, pass_, httponly=True, secure=secure, samesite="none" if secure else "lax")
    return response
