"""Tracing tells durations, numbers and labels, never content."""

from __future__ import annotations

import contextlib
import importlib.util
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import langsmith
import pytest

from framework.errors import SettingsError
from framework.runs import Runs
from framework.settings import Settings
from framework.tracing import SpanObserver, start_tracing

from .toy import ToyContext, ToyEngine


@dataclass
class FakeSpan:
    name: str
    start: int
    attributes: dict[str, Any]
    end_time: int = 0
    marks: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    status: tuple[Any, ...] = ()

    def add_event(self, name: str, attributes: dict[str, Any], _time: int) -> None:
        self.marks.append((name, attributes))

    def set_status(self, *status: Any) -> None:
        self.status = status

    def end(self, time: int) -> None:
        self.end_time = time


class FakeTracer:
    def __init__(self) -> None:
        self.spans: list[FakeSpan] = []

    def start_span(self, name: str, _context: Any = None, *, start_time: int, attributes: dict[str, Any]) -> FakeSpan:
        self.spans.append(FakeSpan(name, start_time, attributes))
        return self.spans[-1]


def test_an_event_with_a_duration_is_a_span_and_carries_numbers_and_labels_only() -> None:
    tracer = FakeTracer()
    now = 10 * 10**9
    observer = SpanObserver(tracer, labels=("role",), clock=lambda: now)
    observer.on_start("secret-run")
    call = {"role": "debugger", "prompt": "secret", "tokens": 5, "ok": True, "seconds": 2.5, "notes": ["secret"]}
    observer.on_event("secret-run", "call_made", call)
    observer.on_event("secret-run", "noted", {"text": "secret", "role": "x" * 1000})
    observer.on_end("secret-run", ValueError("secret"))
    run, call_span = tracer.spans
    assert (call_span.name, call_span.end_time - call_span.start) == ("call_made", 2.5 * 10**9)
    assert call_span.attributes == {"role": "debugger", "tokens": 5, "ok": True, "seconds": 2.5}
    assert run.marks == [("noted", {"role": "x" * 80})]
    assert (run.end_time, run.status[1]) == (now, "ValueError")
    assert "secret" not in repr(tracer.spans)


async def test_runs_tell_their_observer_what_happens(tmp_path: Path) -> None:
    tracer = FakeTracer()
    runs = await Runs.open(tmp_path, ToyEngine(), observer=SpanObserver(tracer, (), clock=lambda: 7))
    run_id = await runs.submit({}, title="t")
    async for _ in runs.tail(run_id):
        pass
    await runs.aclose()
    assert [(span.name, span.end_time, span.status) for span in tracer.spans] == [("run", 7, ())]
    assert [name for name, _ in tracer.spans[0].marks] == ["happened"] * 15 + ["outcome"]


def test_without_configuration_nothing_is_traced() -> None:
    observer, end = start_tracing(Settings.from_env({}).tracing)
    end()
    assert observer is None


@pytest.mark.skipif(importlib.util.find_spec("opentelemetry.sdk") is not None, reason="the packages are installed")
def test_a_missing_package_is_one_line_that_says_what_to_install() -> None:
    settings = Settings.from_env({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"})
    with pytest.raises(
        SettingsError, match=r"^OTEL_EXPORTER_OTLP_ENDPOINT is set, but .* pip install opentelemetry-sdk"
    ):
        start_tracing(settings.tracing)


@contextlib.contextmanager
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """A loopback service that takes whatever is posted."""
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(202)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", bodies
    server.shutdown()
    server.server_close()


async def test_langsmith_gets_names_and_timings_but_no_content(tmp_path: Path) -> None:
    async def breaks(_context: ToyContext, node: str, _task_id: str) -> None:
        if node == "join":
            raise ValueError("content of an error")

    with collector() as (address, bodies):
        env = {"LANGSMITH_TRACING": "1", "LANGSMITH_API_KEY": "k", "LANGSMITH_ENDPOINT": address}
        observer, end = start_tracing(Settings.from_env(env).tracing)
        try:
            runs = await Runs.open(tmp_path, ToyEngine(breaks), observer=observer)
            run_id = await runs.submit({"ask": True}, title="t")
            async for _ in runs.tail(run_id):
                pass
            await runs.aclose()
            end()
        finally:
            langsmith.configure(client=None, enabled=None, project_name=None)
    sent = b"".join(bodies)
    assert b'"branch"' in sent
    assert b'"ValueError"' in sent
    assert b'{"error":' not in sent
    assert not any(content in sent for content in (b"reply for", b"content of", run_id.encode()))
