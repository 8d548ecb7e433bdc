"""Offers the agent to programs: typed endpoints of Gradio for its clients, and tools for agents over MCP."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import wraps
from typing import Any, TypeVar, cast

import gradio as gr
from mcp.server.fastmcp import Context, FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import ValidationError
from starlette.requests import HTTPConnection

from agent.events.conclusion import Outcome
from agent.outcome.narrate import line_of
from agent.task.refusals import REFUSALS
from agent.task.reply import PersonReply
from demo.desk import Desk
from framework.engine import Envelope

from . import owners, wire
from .callers import order_of
from .gate import Gate, one_line

_api: Callable[..., Any] = vars(gr)["api"]
GivenFiles = Mapping[str, str | dict[str, str]] | None
Act = Callable[..., Awaitable[Any]]
G = TypeVar("G", bound=wire.Given)
MCP_PATH = "/gradio_api/mcp"
_INSTRUCTIONS = """Have Python programs written, tested in a sandbox and repaired. A verdict is counted by the executor:
verified and partly_verified are passes, unverified and failed are not."""
"""What an MCP client tells its model about this server."""


class ToolDoor:
    """Does what both kinds of tools have in common, once it knows who calls."""

    def __init__(self, desk: Desk, gate: Gate) -> None:
        self.desk = desk
        self._gate = gate

    async def admit(self, at: HTTPConnection, *, counted: bool = False) -> owners.Caller:
        """Returns who calls. With `counted`, the call counts as a start. Raises Denied, and TooOften for a counted
        call."""
        self._gate.admit(at.headers)
        caller = owners.caller_of(self._gate, at)
        if counted:
            await self._gate.count(caller.headers, caller.address)
        return caller

    async def start(self, at: HTTPConnection, model: str, **given: Any) -> str:
        """Starts a run and returns its id. `model` is a provider, or provider:model. Raises ValidationError, and what
        `order_of`, `Gate.count` and `AgentRuns.begin` raise."""
        provider, _, name = model.partition(":")
        told = _read(wire.NewRun, provider=provider.strip(), model=name.strip(), **given)
        caller = await self.admit(at)
        order = await order_of(told, self.desk, self._gate, caller)
        await self._gate.count(caller.headers, caller.address)
        runs = await self.desk.runs()
        return await runs.begin(order)

    async def answer(self, at: HTTPConnection, run_id: str, **given: Any) -> str:
        told = _read(wire.AnswerBody, **given)
        own = await self.steer(at, run_id)
        reply = PersonReply(told.action, told.text, wire.contents(told.files))
        runs = await self.desk.runs()
        await runs.reply(own, told.question, reply)
        return own

    async def outcome(self, run_id: str) -> Outcome:
        runs = await self.desk.runs()
        return await runs.outcome(run_id)

    async def see(self, at: HTTPConnection, run_id: str) -> str:
        """Returns the id of a run that the caller may see. Raises Denied, UnknownRun."""
        return await owners.readable(self.desk, self._gate, run_id, await self.admit(at))

    async def steer(self, at: HTTPConnection, run_id: str) -> str:
        """Returns the id of a run that the caller may steer. Raises Denied, UnknownRun, NotYours."""
        return await owners.steerable(self.desk, self._gate, run_id, await self.admit(at))


def _refusing(act: Act, kind: Callable[[str], Exception]) -> Act:
    """Returns the tool so that it refuses with the error type that the caller's protocol knows."""

    @wraps(act)
    async def answered(*asked: Any, **named: Any) -> Any:
        try:
            return await act(*asked, **named)
        except REFUSALS as error:
            raise kind(one_line(error)) from error
        except ValidationError as error:
            raise kind(wire.unreadable(error)) from error

    return answered


class Tools:
    """The endpoints of Gradio's API. Each public method is one; callers read its docstring."""

    def __init__(self, door: ToolDoor) -> None:
        self._door = door

    async def solve(  # noqa: PLR0913 - the arguments of a tool
        self,
        request: gr.Request,
        task: str,
        tests: str = "",
        code: str = "",
        model: str = "",
        autonomy: str = "full_auto",
        parent: str = "",
        files: GivenFiles = None,
        install_packages: bool | None = None,
        web_search: bool | None = None,
    ) -> dict[str, Any]:
        """Write a Python program for a task, test it in a sandbox, repair it, and return it with counted evidence.

        Args:
            task: What the program should do, in plain words; examples such as "f(2) -> 4" become checks.
            tests: Your own pytest source; these tests decide.
            code: A program to fix or to extend.
            model: A provider, or provider:model; empty leaves it to the server.
            autonomy: full_auto, review_repairs or review_all; the last two may return with an open question.
            parent: The id of a run that this one follows on from.
            files: Data of the task, by file name: a text, or {"base64": ...}; a ZIP of modules is a project to work on.
            install_packages: Consent to install what a program lacks.
            web_search: Let the models that write or debug programs search the web, if their service can.

        Returns:
            The outcome: verdict, verdict_reason, answer, code, tests, evidence, attempts, usage, pending.
        """
        wished = {"install_packages": install_packages, "web_search": web_search}
        started = await self.submit(request, task, tests, code, model, autonomy, parent, files, **wished)
        runs = await self._door.desk.runs()
        await runs.ended(started["run_id"])
        return (await self._door.outcome(started["run_id"])).as_json()

    async def submit(  # noqa: PLR0913 - the arguments of a tool
        self,
        request: gr.Request,
        task: str,
        tests: str = "",
        code: str = "",
        model: str = "",
        autonomy: str = "full_auto",
        parent: str = "",
        files: GivenFiles = None,
        install_packages: bool | None = None,
        web_search: bool | None = None,
    ) -> dict[str, Any]:
        """Start a run without waiting for its end, and return its id; the arguments are those of `solve`.

        Args:
            task: What the program should do, in plain words.
        """
        asked = {"task": task, "tests": tests, "code": code, "autonomy": autonomy, "parent": parent, "files": files}
        wished = {"install_packages": install_packages, "web_search": web_search}
        start = self._door.start(_connection(request), model, **asked, **wished)
        return {"run_id": await start}

    async def status(self, request: gr.Request, run_id: str) -> dict[str, Any]:
        """Return the outcome of a run as it stands, with the open question if it waits for an answer.

        Args:
            run_id: What `submit` returned.
        """
        return (await self._door.outcome(await self._door.see(_connection(request), run_id))).as_json()

    async def answer(
        self, request: gr.Request, run_id: str, question: str, action: str, text: str = "", files: GivenFiles = None
    ) -> dict[str, Any]:
        """Answer the open question of a run, once.

        Args:
            run_id: What `submit` returned.
            question: The id of the open question, from `status`.
            action: approve, revise, abort, or tick for one of the offered outputs.
            text: What should be different, or the ticked output.
            files: What was asked for, by file name: a text, or {"base64": ...}.
        """
        given = {"question": question, "action": action, "text": text, "files": files}
        await self._door.answer(_connection(request), run_id, **given)
        return {"run_id": run_id, "answered": question}

    async def stop(self, request: gr.Request, run_id: str) -> dict[str, Any]:
        """Stop a run and every program it has started.

        Args:
            run_id: What `submit` returned.
        """
        own = await self._door.steer(_connection(request), run_id)
        runs = await self._door.desk.runs()
        return {"run_id": run_id, "stopped": await runs.stop(own)}


def add_tools(desk: Desk, gate: Gate) -> None:
    """Adds the endpoints inside the page's Blocks. Each gets its name, and no limit on calls at a time but the engine's
    own."""
    tools = Tools(ToolDoor(desk, gate))
    for endpoint in (tools.solve, tools.submit, tools.status, tools.answer, tools.stop):
        refusing = _refusing(endpoint, lambda line: gr.Error(line, print_exception=False))
        _api(refusing, api_name=endpoint.__name__, concurrency_limit=None)


class AgentTools:
    """The tools of the MCP server. Each public method is one, and answers with JSON by the schema of its return
    type."""

    def __init__(self, door: ToolDoor) -> None:
        self._door = door

    async def solve_task(  # noqa: PLR0913 - the arguments of a tool
        self,
        ctx: Context[Any, Any, Any],
        task: str,
        tests: str = "",
        code: str = "",
        model: str = "",
        autonomy: str = "full_auto",
        parent: str = "",
        attempt: str = "",
        files: GivenFiles = None,
        install_packages: bool | None = None,
        web_search: bool | None = None,
    ) -> wire.RunBody:
        """Have a Python program written for a task, tested in a sandbox and repaired, and get it with counted evidence.

        task: what the program should do, in plain words; examples such as "f(2) -> 4" become checks.
        tests: your own pytest source, which decides. code: a program to fix or to extend.
        model: a provider, or provider:model; empty leaves it to the server.
        autonomy: full_auto, review_repairs or review_all; with the last two the answer may hold an open question
        (`pending`) for `answer_run`. parent: the id of a run that this one follows on from. attempt: begin anew with
        this attempt of the parent, under its options; task, code and tests are then your edits.
        files: data of the task, by file name: a text, or {"base64": ...}; a ZIP of modules is a project to work on.
        install_packages: consent to install what a program lacks. web_search: let the models that write or debug
        programs search the web, if their service can.
        """
        asked = {"task": task, "tests": tests, "code": code, "autonomy": autonomy, "files": files}
        begun = {"parent": parent, "attempt": attempt}
        wished = {"install_packages": install_packages, "web_search": web_search}
        return await self._followed(ctx, await self._door.start(_request_of(ctx), model, **asked, **begun, **wished))

    async def run_code(self, ctx: Context[Any, Any, Any], code: str, tests: str = "") -> dict[str, Any]:
        """Run a Python program in the sandbox, with pytest tests of yours that may call what it defines.

        The answer is what `python -m sandbox run --json` tells: status, checks, stdout, stderr, isolation.
        """
        await self._door.admit(_request_of(ctx), counted=True)
        workshop = await self._door.desk.workshop()
        return dict(await workshop.run_code(code, tests))

    async def get_run(self, ctx: Context[Any, Any, Any], run_id: str) -> wire.RunBody:
        """Return a run of yours as it stands. `verdict` is null while it may still conclude; `pending` is its open
        question."""
        return wire.RunBody(await self._door.outcome(await self._door.see(_request_of(ctx), run_id)))

    async def answer_run(
        self,
        ctx: Context[Any, Any, Any],
        run_id: str,
        question: str,
        action: str,
        text: str = "",
        files: GivenFiles = None,
    ) -> wire.RunBody:
        """Answer the open question of a run of yours and wait until it ends or asks again.

        question: the id in `pending`. action: approve, revise (with what should be different in text), tick (with the
        chosen output in text), edit (with the whole program in text) or abort, as the question allows. files: what was
        asked for, by file name: a text, or {"base64": ...}.
        """
        told = (await self._door.outcome(await self._door.steer(_request_of(ctx), run_id))).events
        given = {"question": question, "action": action, "text": text, "files": files}
        return await self._followed(ctx, await self._door.answer(_request_of(ctx), run_id, **given), told - 1)

    async def stop_run(self, ctx: Context[Any, Any, Any], run_id: str) -> wire.Stopped:
        """Stop a run of yours and every program it has started."""
        own = await self._door.steer(_request_of(ctx), run_id)
        runs = await self._door.desk.runs()
        return wire.Stopped(stopped=await runs.stop(own))

    async def _followed(self, ctx: Context[Any, Any, Any], run_id: str, after: int = -1) -> wire.RunBody:
        """Reports progress to the caller until the run ends or asks a question. Returns the run."""
        runs = await self._door.desk.runs()
        async with aclosing(runs.follow(run_id, after)) as events:
            async for told in events:
                if isinstance(told, Envelope) and (line := line_of(told.event)):
                    await ctx.report_progress(told.seq + 1, message=line)
        return wire.RunBody(await self._door.outcome(run_id))


def agent_server(desk: Desk, gate: Gate) -> FastMCP[Any]:
    """Returns the MCP server, at the address where Gradio's own would be."""
    server: FastMCP[Any] = FastMCP(
        "Self-Healing Code Agent",
        instructions=_INSTRUCTIONS,
        stateless_http=True,
        streamable_http_path=MCP_PATH + "/",
        log_level="WARNING",
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    tools = AgentTools(ToolDoor(desk, gate))
    for tool in (tools.solve_task, tools.run_code, tools.get_run, tools.answer_run, tools.stop_run):
        server.add_tool(_refusing(tool, ToolError))
    return server


def _read(kind: type[G], **given: Any) -> G:
    """Returns the model of that kind with the given values; None counts as not given. Raises ValidationError."""
    return kind.model_validate_json(json.dumps({name: value for name, value in given.items() if value is not None}))


def _request_of(ctx: Context[Any, Any, Any]) -> HTTPConnection:
    return cast(HTTPConnection, ctx.request_context.request)


def _connection(request: gr.Request) -> HTTPConnection:
    return cast(HTTPConnection, request.request)


def headers_of(request: gr.Request) -> Mapping[str, str]:
    return cast("Mapping[str, str]", request.headers)


def address_of(request: gr.Request) -> str:
    client = cast(Any, request.client)
    return str(client.host) if client else ""
