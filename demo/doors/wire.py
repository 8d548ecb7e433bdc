"""Defines what the JSON routes take and give. Pydantic checks it, and OpenAPI shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from fastapi import HTTPException, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, RootModel, TypeAdapter, ValidationError
from starlette.datastructures import UploadFile
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.config import Autonomy, When
from agent.events.conclusion import Outcome
from agent.state import RunStatus
from agent.state.findings import VerdictWord
from agent.task.request import MAX_FILES
from demo.view.summary import Summary

from .gate import NotYours

MAX_BODY = 20 * 2**20
"""The bytes of a request: ten megabytes of files in base64, and their task."""
_FORM, _JSON = "multipart/form-data", "application/json"

Words = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
"""A text; null counts as ""."""


class Bounded:
    """Stops reading a request that is too large; whoever reads it then gets HTTP status 413."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        left = MAX_BODY

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, f"The request is larger than {MAX_BODY // 2**20} MB")
            return message

        await self._app(scope, counted, send)


class Given(BaseModel):
    """The base of everything that is taken. It refuses unknown fields and values of the wrong type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class EncodedFile(Given):
    """The bytes of a file that is no text."""

    model_config = ConfigDict(extra="forbid", strict=True, val_json_bytes="base64")
    base64: bytes = Field(json_schema_extra={"contentEncoding": "base64"})


Files = Mapping[str, str | EncodedFile]


def contents(files: Files) -> dict[str, bytes]:
    return {name: one.encode() if isinstance(one, str) else one.base64 for name, one in files.items()}


class NewRun(Given):
    """A task, and how it is to be worked on. A field that is left out is as the server is configured."""

    task: Words = Field("", description="What the program should do; examples such as f(2) -> 4 become checks")
    tests: Words = Field("", description="Your own pytest source; it decides")
    code: Words = Field("", description="A program to fix or to extend")
    files: Files = Field({}, description="Data by file name: a text, or base64")
    provider: Words = ""
    model: Words = ""
    key: Words = Field("", description="Your own key for the provider; it is used for this run and kept nowhere")
    parent: Words = Field("", description="The run that this one follows on from")
    attempt: Words = Field("", description="Begin anew with this attempt of the parent")
    autonomy: Autonomy | None = None
    install_packages: bool | None = Field(None, description="Consent to install what a program lacks")
    max_repairs: int | None = None
    memory: bool | None = Field(None, description="Bring lessons of your similar tasks along, and keep those learned")
    review: When | None = Field(None, description="Whether a reviewer reads a program before it is run")
    web_search: bool | None = Field(
        None, description="Let writers and debuggers search the web, where their service can"
    )
    strategies: int | None = None
    budget_usd: float | None = None
    budget_calls: int | None = None
    budget_tokens: int | None = None
    timeout: float | None = Field(None, description="Seconds of the whole run")


async def handed_in(request: Request) -> NewRun:
    """Reads a run from JSON, or from a form with files. Raises ValidationError, HTTPException for any other content
    type, and NotYours."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == _JSON:
        return NewRun.model_validate_json(await request.body())
    if kind != _FORM:
        raise HTTPException(415, f"send {_JSON} or {_FORM}")
    same_site(request)
    async with request.form(max_files=MAX_FILES) as form:
        given: dict[str, Any] = {name: value for name, value in form.items() if isinstance(value, str)}
        sent = [one for one in form.getlist("files") if isinstance(one, UploadFile)]
        data = {one.filename or "": await one.read() for one in sent}
    uploaded = {name: EncodedFile(base64=content) for name, content in data.items()}
    return NewRun.model_validate({**given, "files": uploaded}, strict=False)


def unreadable(error: RequestValidationError | ValidationError) -> str:
    """Returns what is wrong with the input, in one line. If a value may be a text or an object, the deepest error is
    told, which belongs to the form that was meant."""
    found = max(error.errors(), key=lambda each: len(each["loc"]))
    where = ".".join(str(part) for part in found["loc"] if part not in ("body", "query", "path", "header"))
    return f"{where}: {found['msg']}" if where else str(found["msg"])


def same_site(connection: HTTPConnection) -> None:
    """Raises NotYours for a request from a page of another site, which may send a form and open a socket without
    asking, unlike JSON."""
    site, origin = connection.headers.get("sec-fetch-site"), connection.headers.get("origin")
    hosts = (connection.headers.get("host"), connection.headers.get("x-forwarded-host"))
    if site == "cross-site" or (not site and origin and urlsplit(origin).netloc not in hosts):
        raise NotYours("a page of another site may neither start nor watch runs here")


def _body_schema() -> dict[str, Any]:
    one = {"schema": NewRun.model_json_schema(ref_template="#/components/schemas/{model}")}
    inline = {key: value for key, value in one["schema"].items() if key != "$defs"}
    upload = {"type": "array", "items": {"type": "string", "format": "binary"}}
    form = {**inline, "properties": {**inline["properties"], "files": upload}}
    return {"requestBody": {"required": True, "content": {_JSON: {"schema": inline}, _FORM: {"schema": form}}}}


NEW_RUN_BODY = _body_schema()
"""OpenAPI's description of both content types of the same body."""


class AnswerBody(Given):
    """An answer to the open question of a run."""

    question: str = Field(description="Its id, from `pending`")
    action: str = Field(description="approve, revise, abort, tick or edit, as the question allows")
    text: Words = ""
    files: Files = {}


class Edits(Given):
    """What a fork changes. A field that is left out stays as it was."""

    attempt: Words = Field("", description="The attempt to begin with; empty: the best one")
    task: Words = ""
    code: Words = ""
    tests: Words = ""


class PageKey(Given):
    key: str


class Started(BaseModel):
    run_id: str


class Stopped(BaseModel):
    stopped: bool = Field(description="false: it was not running")


class Resumed(BaseModel):
    resumed: Literal[True] = True


class Answered(BaseModel):
    answered: str


class Shared(BaseModel):
    run_id: str = Field(description="Shows the run to whoever has it, and lets nobody steer it")
    link: str


class RefusalBody(BaseModel):
    error: str = Field(description="One line for a person")


class RunEntry(BaseModel):
    """A run in a list."""

    run_id: str
    title: str
    created: float = Field(description="Unix time")
    status: RunStatus
    verdict: VerdictWord | None
    model: str
    scripted: bool
    kind: str
    calls: int
    tokens: int
    cost_usd: float | None
    seconds: float
    attempts: int
    error: str


def entry(one: Summary) -> RunEntry:
    status = "stopped" if one.status == "new" else one.status
    return RunEntry.model_validate({**asdict(one), "status": status, "verdict": one.verdict or None})


class RunPage(BaseModel):
    runs: list[RunEntry]
    cursor: str | None = Field(description="For the next page; null: there is none")


class Remembered(BaseModel):
    """What one run learned."""

    run_id: str
    created: float = Field(description="Unix time")
    task: str
    verdict: VerdictWord
    lessons: list[str]


class MemoryList(BaseModel):
    memory: list[Remembered]


class Forgotten(BaseModel):
    forgotten: int = Field(description="Runs that remember nothing any more")


class RunBody(RootModel[Outcome]):
    """A run as it stands; what `python -m agent --json` prints."""

    @classmethod
    def model_json_schema(cls, *_: Any, **options: Any) -> dict[str, Any]:
        """Returns the schema with the fields at its top, where MCP looks for them."""
        return TypeAdapter(Outcome).json_schema(**options)


class ScenarioRow(BaseModel):
    name: str
    task: str
    shows: str


class Scenarios(BaseModel):
    scenarios: list[ScenarioRow]


class Part(BaseModel):
    ok: bool
    detail: str


class Health(BaseModel):
    status: Literal["ok", "degraded", "down"] = Field(description="down: no run can be started or read")
    version: str
    database: Part
    sandbox: Part
    models: Part
    broker: Part | None = Field(description="null: none is configured")
