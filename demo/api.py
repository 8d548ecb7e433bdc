"""The tools for programs: typed endpoints that Gradio offers over HTTP and, to agents, over MCP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import gradio as gr

from .desk import Desk
from .gate import REFUSALS, Gate, one_line
from .intake import Order, Reply, task_from

_api: Callable[..., Any] = vars(gr)["api"]


class Tools:
    """Each public method is an endpoint; its docstring is what callers and models read."""

    def __init__(self, desk: Desk, gate: Gate) -> None:
        self._desk = desk
        self._gate = gate

    async def solve(
        self,
        request: gr.Request,
        task: str,
        tests: str = "",
        code: str = "",
        model: str = "",
        autonomy: str = "full_auto",
    ) -> dict[str, Any]:
        """Write a Python program for a task, test it in a sandbox, repair it, and return it with counted evidence.

        Args:
            task: What the program should do, in plain words; examples such as "f(2) -> 4" become checks.
            tests: Your own pytest source; these tests decide.
            code: A program to fix or to extend.
            model: A provider, or provider:model; empty leaves it to the server.
            autonomy: full_auto, review_repairs or review_all; the last two may return with an open question.

        Returns:
            The outcome: verdict, verdict_reason, answer, code, tests, evidence, attempts, usage, pending.
        """
        return await self._guarded(request, self._solve(request, _order(task, tests, code, model, autonomy)))

    async def submit(
        self,
        request: gr.Request,
        task: str,
        tests: str = "",
        code: str = "",
        model: str = "",
        autonomy: str = "full_auto",
    ) -> dict[str, Any]:
        """Start a run without waiting for its end.

        Args:
            task: What the program should do, in plain words.
            tests: Your own pytest source; these tests decide.
            code: A program to fix or to extend.
            model: A provider, or provider:model; empty leaves it to the server.
            autonomy: full_auto, review_repairs or review_all; the last two may stop at a question.

        Returns:
            The run id, which is the secret that lets its bearer see and steer the run.
        """
        return await self._guarded(request, self._start(request, _order(task, tests, code, model, autonomy)))

    async def status(self, request: gr.Request, run_id: str) -> dict[str, Any]:
        """The outcome of a run as it stands, with the open question if it waits for one.

        Args:
            run_id: What `submit` returned.
        """
        return await self._guarded(request, self._desk.report(run_id))

    async def answer(
        self, request: gr.Request, run_id: str, question: str, action: str, text: str = ""
    ) -> dict[str, Any]:
        """Answer the open question of a run, once.

        Args:
            run_id: What `submit` returned.
            question: The id of the open question, from `status`.
            action: approve, revise, abort, or tick for one of the offered outputs.
            text: What should be different, or the ticked output.
        """
        return await self._guarded(request, self._answer(run_id, question, action, text))

    async def stop(self, request: gr.Request, run_id: str) -> dict[str, Any]:
        """Stop a run and every program it has started.

        Args:
            run_id: What `submit` returned.
        """
        return await self._guarded(request, self._stop(run_id))

    async def _solve(self, request: gr.Request, order: Order) -> dict[str, Any]:
        started = await self._start(request, order)
        return await self._desk.outcome(started["run_id"])

    async def _start(self, request: gr.Request, order: Order) -> dict[str, Any]:
        self._gate.count(headers_of(request), address_of(request))
        return {"run_id": await self._desk.submit(order)}

    async def _answer(self, run_id: str, question: str, action: str, text: str) -> dict[str, Any]:
        await self._desk.answer(run_id, question, Reply(action, text))
        return {"run_id": run_id, "answered": question}

    async def _stop(self, run_id: str) -> dict[str, Any]:
        return {"run_id": run_id, "stopped": await self._desk.stop(run_id)}

    async def _guarded(self, request: gr.Request, work: Any) -> dict[str, Any]:
        try:
            self._gate.admit(headers_of(request))
            return await work
        except REFUSALS as error:
            raise gr.Error(one_line(error), print_exception=False) from error
        finally:
            # A refused caller's work was never begun.
            work.close()


def _order(task: str, tests: str, code: str, model: str, autonomy: str) -> Order:
    provider, _, name = model.partition(":")
    return Order(task_from(task, code, tests), {"autonomy": autonomy}, provider.strip(), name.strip())


def add_tools(desk: Desk, gate: Gate) -> None:
    """Inside the page's Blocks: each endpoint gets its name, and no limit but the engine's own."""
    tools = Tools(desk, gate)
    for endpoint in (tools.solve, tools.submit, tools.status, tools.answer, tools.stop):
        _api(endpoint, api_name=endpoint.__name__, concurrency_limit=None)


def headers_of(request: gr.Request) -> Mapping[str, str]:
    return cast("Mapping[str, str]", request.headers)


def address_of(request: gr.Request) -> str:
    client = cast(Any, request.client)
    return str(client.host) if client else ""
