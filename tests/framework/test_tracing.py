"""Tracing tells durations, numbers and labels, never content."""

from __future__ import annotations

import contextlib
import sys
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
    parent: str = ""
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

    def start_span(self, name: str, context: Any = None, *, start_time: int, attributes: dict[str, Any]) -> FakeSpan:
        parent = next(iter(context.values())).name if context else ""
        self.spans.append(FakeSpan(name, start_time, attributes, parent))
        return self.spans[-1]


def test_an_event_with_a_duration_is_a_span_and_carries_numbers_and_labels_only() -> None:
    tracer = FakeTracer()
    now = 10 * 10**9
    observer = SpanObserver(tracer, labels=("role",), clock=lambda: now)
    observer.on_start("secret-run")
    call = {"role": "debugger", "prompt": "secret", "tokens": 5, "ok": True, "seconds": 2.5, "notes": ["secret"]}
    observer.on_event("secret-run", "call_made", call, "t:0")
    observer.on_event("secret-run", "noted", {"text": "secret", "role": "x" * 1000}, "t:1")
    observer.on_end("secret-run", ValueError("secret"))
    run, call_span = tracer.spans
    assert (call_span.name, call_span.end_time - call_span.start) == ("call_made", 2.5 * 10**9)
    assert call_span.attributes == {"role": "debugger", "tokens": 5, "ok": True, "seconds": 2.5}
    assert run.marks == [("noted", {"role": "x" * 80})]
    assert (run.end_time, run.status[1]) == (now, "ValueError")
    assert "secret" not in repr(tracer.spans)


def test_calls_tools_and_sandbox_runs_lie_below_their_step_and_steps_below_the_run() -> None:
    tracer, now = FakeTracer(), iter(range(10**9, 10**12, 10**9))
    observer = SpanObserver(
        tracer, ("node", "conclusion.verdict"), lambda: next(now), ("node_started", "node_finished")
    )
    observer.on_start("r")
    for identity, kind, data in (
        ("a:0", "node_started", {"node": "write_code"}),
        ("b:0", "node_started", {"node": "write_tests"}),
        ("a:1", "call_made", {"seconds": 1.0}),
        ("b:1", "checks_ran", {"duration_ms": 500.0}),
        ("a:2", "node_finished", {"node": "write_code", "seconds": 3.0}),
        ("b:2", "tool_used", {"seconds": 0.5, "arguments": {"node": "secret", "verdict": "secret"}}),
        ("gone:7", "node_finished", {"node": "judge", "seconds": 1.0}),
        ("c", "run_finished", {"conclusion": {"verdict": "verified", "code": "secret"}}),
    ):
        observer.on_event("r", kind, data, identity)
    observer.on_end("r", None)
    assert [(span.name, span.parent) for span in tracer.spans] == [
        ("run", ""), ("write_code", "run"), ("write_tests", "run"), ("call_made", "write_code"),
        ("checks_ran", "write_tests"), ("tool_used", "write_tests"),
    ]  # fmt: skip
    assert tracer.spans[0].marks == [
        ("node_finished", {"node": "judge", "seconds": 1.0}), ("run_finished", {"conclusion.verdict": "verified"}),
    ]  # fmt: skip
    assert "secret" not in repr(tracer.spans)
    assert all(span.end_time > span.start for span in tracer.spans), "also the step that was cut short"


async def test_runs_tell_their_observer_what_happens(tmp_path: Path) -> None:
    tracer = FakeTracer()
    runs = await Runs.open(tmp_path, ToyEngine(), observers=[SpanObserver(tracer, (), clock=lambda: 7)])
    run_id = await runs.submit({}, title="t")
    async for _ in runs.follow(run_id):
        pass
    await runs.aclose()
    assert [(span.name, span.end_time, span.status) for span in tracer.spans] == [("run", 7, ())]
    assert [name for name, _ in tracer.spans[0].marks] == ["happened"] * 15 + ["outcome"]


def test_without_configuration_nothing_is_traced() -> None:
    observer, end = start_tracing(Settings.from_env({}).tracing)
    end()
    assert observer is None


def test_a_missing_package_is_one_line_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    settings = Settings.from_env({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"})
    with pytest.raises(
        SettingsError, match=r"^OTEL_EXPORTER_OTLP_ENDPOINT is set, but .* pip install opentelemetry-sdk"
    ):
        start_tracing(settings.tracing)


@contextlib.contextmanager
def collector() -> Iterator[tuple[str, list[tuple[str, str, bytes]]]]:
    """A loopback service that takes whatever is posted: (path, who says so, body)."""
    posts: list[tuple[str, str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            posts.append((self.path, self.headers.get("authorization", ""), body))
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
    yield f"http://127.0.0.1:{server.server_port}", posts
    server.shutdown()
    server.server_close()


async def test_langsmith_gets_names_and_timings_but_no_content(tmp_path: Path) -> None:
    async def breaks(_context: ToyContext, node: str, _task_id: str) -> None:
        if node == "join":
            raise ValueError("content of an error")

    with collector() as (address, posts):
        env = {"LANGSMITH_TRACING": "1", "LANGSMITH_API_KEY": "k", "LANGSMITH_ENDPOINT": address}
        observer, end = start_tracing(Settings.from_env(env).tracing)
        assert observer is None
        try:
            runs = await Runs.open(tmp_path, ToyEngine(breaks))
            run_id = await runs.submit({"ask": True}, title="t")
            async for _ in runs.follow(run_id):
                pass
            await runs.aclose()
            end()
        finally:
            langsmith.configure(client=None, enabled=None, project_name=None)
    sent = b"".join(body for *_, body in posts)
    assert b'"branch"' in sent
    assert b'"ValueError"' in sent
    assert b'{"error":' not in sent
    assert not any(content in sent for content in (b"reply for", b"content of", run_id.encode()))


async def test_langfuse_gets_spans_under_its_address_and_keys_but_no_content(tmp_path: Path) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    with collector() as (address, posts):
        env = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"{address}/api/public/otel",
            "OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Basic%20cGs6c2s=,x-langfuse-ingestion-version=4",
        }
        observer, end = start_tracing(Settings.from_env(env).tracing)
        assert observer is not None
        runs = await Runs.open(tmp_path, ToyEngine(), observers=[observer])
        run_id = await runs.submit({}, title="t")
        async for _ in runs.follow(run_id):
            pass
        await runs.aclose()
        end()
    assert {(path, told) for path, told, _ in posts} == {("/api/public/otel/v1/traces", "Basic cGs6c2s=")}
    sent = b"".join(body for *_, body in posts)
    assert b"happened" in sent
    assert b"reply for" not in sent
