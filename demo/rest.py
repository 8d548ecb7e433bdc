"""Plain JSON over HTTP: start a run, watch its events, answer, stop; and the files that the page links to."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import wraps
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from agent.codec import encode_event
from agent.request import BadInput
from framework.errors import UnknownRun

from .assets import STATIC
from .desk import Desk
from .gate import COOKIE, REFUSALS, Gate, one_line, status_of
from .intake import Order, Reply, checked_key, task_from
from .panels.output import PICTURES

MAX_BODY = 20 * 2**20
"""Bytes of a request: ten megabytes of files in base64, and their task."""
_LIMITS = ("max_repairs", "strategies", "budget_usd", "budget_calls", "budget_tokens", "timeout")
_OPTIONS = ("autonomy", "install_packages", *_LIMITS)
_WORDS = ("task", "tests", "code", "provider", "model", "key", "parent", "attempt")
# What a program made is shown as a picture or saved, but never run as a page of ours.
_LOCKED = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'"}
Handler = Callable[[Request], Awaitable[Response]]


def rest_routes(desk: Desk, gate: Gate) -> list[Route]:
    """Routes for the server that also serves the page."""
    rest = Rest(desk, gate)
    one = "/api/runs/{run_id:str}"
    return [
        Route("/api/scenarios", rest.guarded(rest.scenarios), methods=["GET"]),
        Route("/api/runs", rest.guarded(rest.submit), methods=["POST"]),
        Route(one, rest.guarded(rest.status), methods=["GET"]),
        Route(one, rest.guarded(rest.stop), methods=["DELETE"]),
        Route(f"{one}/stop", rest.guarded(rest.stop), methods=["POST"]),
        Route(f"{one}/resume", rest.guarded(rest.resume), methods=["POST"]),
        Route(f"{one}/answers", rest.guarded(rest.answer), methods=["POST"]),
        Route(f"{one}/events", rest.guarded(rest.events), methods=["GET"]),
        Route("/card.png", card, methods=["GET"]),
        Route("/pass", refusing(rest.give_pass), methods=["POST"]),
        Route("/runs/{run_id:str}/bundle.zip", rest.entered(rest.bundle), methods=["GET"]),
        Route("/runs/{run_id:str}/solution.py", rest.entered(rest.solution), methods=["GET"]),
        Route("/runs/{run_id:str}/files/{name:path}", rest.entered(rest.file), methods=["GET"]),
    ]


async def card(_request: Request) -> Response:
    """The picture of a pasted link: the app itself, with nobody's run on it."""
    return FileResponse(STATIC / "pictures" / "run-wide-light.png", media_type="image/png")


def refusing(handler: Handler) -> Handler:
    """Refusals become one line of JSON with their status code."""

    @wraps(handler)
    async def answered(request: Request) -> Response:
        try:
            return await handler(request)
        except REFUSALS as error:
            return JSONResponse({"error": one_line(error)}, status_of(error))

    return answered


class Rest:
    def __init__(self, desk: Desk, gate: Gate) -> None:
        self._desk = desk
        self._gate = gate

    def guarded(self, handler: Handler) -> Handler:
        """Only for callers that show the API key, where one is demanded."""

        async def admitted(request: Request) -> Response:
            self._gate.admit(request.headers)
            return await handler(request)

        return refusing(admitted)

    def entered(self, handler: Handler) -> Handler:
        """Only for browsers that may see the page: these addresses are its links."""

        async def admitted(request: Request) -> Response:
            self._gate.enter(request.headers)
            return await handler(request)

        return refusing(admitted)

    async def give_pass(self, request: Request) -> Response:
        """A cookie in return for the key, which itself is kept nowhere."""
        self._gate.count(request.headers, request.client.host if request.client else "")
        pass_ = self._gate.exchange(_text(await _body(request), "key").strip())
        response = JSONResponse({"entered": True})
        secure = request.headers.get("x-forwarded-proto", request.url.scheme) == "https"
        # Inside the frame of a Space the page is a third party: only a secure cookie may be sent there.
        response.set_cookie(COOKIE, pass_, httponly=True, secure=secure, samesite="none" if secure else "lax")
        return response

    async def scenarios(self, _request: Request) -> Response:
        found = (await self._desk.workshop()).scenarios()
        return JSONResponse({"scenarios": [{"name": one.name, "task": one.task, "shows": one.shows} for one in found]})

    async def submit(self, request: Request) -> Response:
        order = order_from(await _body(request))
        self._gate.count(request.headers, request.client.host if request.client else "")
        run_id = await self._desk.submit(order)
        return JSONResponse({"run_id": run_id}, 201, {"Location": f"/api/runs/{run_id}"})

    async def status(self, request: Request) -> Response:
        return JSONResponse(await self._desk.report(request.path_params["run_id"]))

    async def stop(self, request: Request) -> Response:
        return JSONResponse({"stopped": await self._desk.stop(request.path_params["run_id"])})

    async def resume(self, request: Request) -> Response:
        await self._desk.resume(request.path_params["run_id"])
        return JSONResponse({"resumed": True})

    async def answer(self, request: Request) -> Response:
        given = await _body(request)
        question, action, text = (_text(given, name) for name in ("question", "action", "text"))
        await self._desk.answer(request.path_params["run_id"], question, Reply(action, text, _files(given)))
        return JSONResponse({"answered": question})

    async def events(self, request: Request) -> Response:
        """Server-sent events; Last-Event-ID continues where a lost connection stopped."""
        run_id = request.path_params["run_id"]
        if not await self._desk.knows(run_id):
            raise UnknownRun(f"there is no run {run_id}")
        seen = request.headers.get("last-event-id", "")
        after = int(seen) if seen.isdecimal() else -1
        return StreamingResponse(
            self._stream(run_id, after), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    async def _stream(self, run_id: str, after: int) -> AsyncGenerator[str]:
        async with aclosing(self._desk.tail(run_id, after)) as envelopes:
            async for envelope in envelopes:
                kind, data = encode_event(envelope.event)
                told = json.dumps({"seq": envelope.seq, "ts": envelope.ts, "kind": kind, **data}, ensure_ascii=False)
                yield f"id: {envelope.seq}\ndata: {told}\n\n"
        yield "event: end\ndata: {}\n\n"

    async def bundle(self, request: Request) -> Response:
        run_id = request.path_params["run_id"]
        if not await self._desk.knows(run_id):
            raise UnknownRun(f"there is no run {run_id}")
        headers = {"Content-Disposition": f'attachment; filename="run-{run_id[:8]}.zip"', **_LOCKED}
        return Response(await self._desk.bundle(run_id), media_type="application/zip", headers=headers)

    async def solution(self, request: Request) -> Response:
        report = await self._desk.report(request.path_params["run_id"])
        headers = {"Content-Disposition": 'attachment; filename="solution.py"', **_LOCKED}
        return Response(str(report["code"]), media_type="text/x-python", headers=headers)

    async def file(self, request: Request) -> Response:
        name = request.path_params["name"]
        stored = await self._desk.file(request.path_params["run_id"], name)
        if stored is None:
            raise UnknownRun("there is no such file")
        mime, data = stored
        shown = mime in PICTURES and "save" not in request.query_params
        headers = _LOCKED if shown else {"Content-Disposition": "attachment", **_LOCKED}
        return Response(data, media_type=mime if mime in PICTURES else "application/octet-stream", headers=headers)


def order_from(given: dict[str, Any]) -> Order:
    """Raises BadInput for fields that are unknown or of the wrong type."""
    unknown = set(given) - {*_OPTIONS, *_WORDS, "files"}
    if unknown:
        raise BadInput(f"unknown field: {', '.join(sorted(unknown))}")
    task, tests, code, provider, model, key, parent, attempt = (_text(given, name) for name in _WORDS)
    files = _files(given)
    options = {name: given[name] for name in _OPTIONS if given.get(name) is not None}
    for name, value in options.items():
        if isinstance(value, bool) or not isinstance(value, str if name == "autonomy" else int | float):
            raise BadInput(f"{name} has the wrong type")
    asked = task_from(task, code, tests, files)
    return Order(asked, options, provider, model, checked_key(key, provider), parent=parent, attempt=attempt)


async def _body(request: Request) -> dict[str, Any]:
    # A page of another site cannot send this type without the server's leave.
    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise BadInput("send JSON with Content-Type: application/json")
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY:
            raise BadInput(f"the request is larger than {MAX_BODY // 2**20} MB")
    try:
        return _mapping(json.loads(bytes(body)))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the request is not a JSON object: {error}") from error


def _mapping(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadInput("a JSON object is needed")
    return cast("dict[str, Any]", value)


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{name} must be a text")
    return value or ""


def _files(given: dict[str, Any]) -> dict[str, bytes]:
    return {name: _file(name, value) for name, value in _mapping(given.get("files") or {}).items()}


def _file(name: str, value: object) -> bytes:
    """A text as it stands, or {"base64": ...}."""
    if isinstance(value, str):
        return value.encode()
    try:
        return base64.b64decode(_text(_mapping(value), "base64"), validate=True)
    except binascii.Error:
        raise BadInput(f"the file {name} is not valid base64") from None
