"""Waiting, retrying and falling back are on the page and in the terminal while they happen: a service holds its answer
back until they were seen there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import aclosing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agent.engine import AgentEngine
from agent.runs import AgentRuns
from agent.state import Task
from agent.task.order import Order
from demo.screens.run import frame
from demo.view.watch import watch
from framework.settings import Settings
from llm import router
from sandbox.types import Sandbox

from .command_line import start
from .conftest import Shared
from .model_server import stream

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
TASK = "Write `half(n)` that returns n // 2."
PATIENCE_S = 120.0
MOMENTS: dict[str, tuple[list[int], str]] = {
    "waiting": ([], "waiting for the first word of openai:first"),
    "retrying": ([503], "openai:first is asked again in 1.0 s"),
    "falling back": ([401], "openai:first gave no answer, the next one is asked"),
}


class Reluctant:
    """Gives each status in turn to one request; every other one waits until `shown` is set. `early`: one was answered
    before."""

    def __init__(self, statuses: list[int]) -> None:
        self.statuses, self.shown, self.early = list(statuses), threading.Event(), False
        self._lock = threading.Lock()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers["content-length"]))
        with self._lock:
            status = self.statuses.pop(0) if self.statuses else 0
        if status:
            handler.send_response(status)
            handler.send_header("retry-after", "1")
            handler.send_header("content-length", "0")
            handler.end_headers()
            return
        self.early |= not self.shown.wait(PATIENCE_S)
        with suppress(OSError):  # whoever asked may have seen enough
            stream(handler, "?", {"prompt_tokens": 1, "completion_tokens": 1})


@contextmanager
def reluctant(statuses: list[int]) -> Iterator[tuple[Reluctant, dict[str, str]]]:
    service = Reluctant(statuses)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

        def do_POST(self) -> None:
            service.answer(self)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    variables = {"LLM_PROVIDER": "openai", "LLM_MODEL": "first", "LLM_FALLBACK": "openai:second"}
    key = {"OPENAI_API_KEY": "k" * 20, "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1"}
    try:
        yield service, {**variables, **key}
    finally:
        service.shown.set()
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_terminal_tells_what_happens_while_it_happens(moment: str, tmp_path: Path) -> None:
    assert router.WAITING_S <= 1.0
    statuses, words = MOMENTS[moment]
    with reluctant(statuses) as (service, variables):
        process = await start(TASK, state=tmp_path, env=variables)
        assert process.stderr is not None
        heard: list[str] = []
        while line := await process.stderr.readline():
            heard.append(line.decode())
            if words in heard[-1]:
                break
        assert words in heard[-1], "".join(heard)
        assert not service.early
        process.kill()
        await process.communicate()


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_page_tells_what_happens_while_it_happens(moment: str, tmp_path: Path, sandbox: Sandbox) -> None:
    statuses, words = MOMENTS[moment]
    with reluctant(statuses) as (service, variables):
        settings = Settings.from_env({"STATE_DIR": str(tmp_path), **variables})
        runs = await AgentRuns.open(settings.state_dir, AgentEngine(settings, Shared(sandbox)))
        run_id = await runs.begin(Order(Task(TASK)))
        async with aclosing(watch(runs, run_id)) as shots:
            async for shot in shots:
                if any(words in str(part) for part in frame(shot)):
                    break
                assert shot.status in ("queued", "running"), shot.status
        assert not service.early
        await runs.aclose()
