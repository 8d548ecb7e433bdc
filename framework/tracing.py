"""Optional tracing, off unless configured: OpenTelemetry spans made from events, and LangSmith without any content.

Neither receives prompts, code, replies or run ids: spans carry numbers, flags and the few words named as labels.
"""

from __future__ import annotations

import hashlib
import importlib
import re
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any
from urllib.parse import unquote

from .engine import Observer
from .errors import SettingsError
from .settings import TracingSettings

_MAX_LABEL = 80
_NANO = 1_000_000_000


class SpanObserver:
    """One span per drive of a run; an event with `seconds` becomes a span of that length below it, others a mark in it.

    `tracer` is an OpenTelemetry tracer, `clock` gives Unix nanoseconds.
    """

    def __init__(self, tracer: Any, labels: Collection[str], clock: Callable[[], int]) -> None:
        self._tracer = tracer
        self._labels = labels
        self._clock = clock
        self._spans: dict[str, Any] = {}

    def on_start(self, run_id: str) -> None:
        digest = hashlib.sha256(run_id.encode()).hexdigest()[:12]
        self._spans[run_id] = self._tracer.start_span("run", start_time=self._clock(), attributes={"run": digest})

    def on_event(self, run_id: str, kind: str, data: Mapping[str, Any]) -> None:
        parent = self._spans[run_id]
        attributes = self._attributes(data)
        seconds = data.get("seconds")
        if isinstance(seconds, int | float) and seconds >= 0:
            trace: Any = importlib.import_module("opentelemetry.trace")
            now = self._clock()
            context = trace.set_span_in_context(parent)
            span = self._tracer.start_span(kind, context, start_time=now - int(seconds * _NANO), attributes=attributes)
            span.end(now)
        else:
            parent.add_event(kind, attributes, self._clock())

    def on_end(self, run_id: str, error: BaseException | None) -> None:
        span = self._spans.pop(run_id)
        if error is not None:
            trace: Any = importlib.import_module("opentelemetry.trace")
            span.set_status(trace.StatusCode.ERROR, type(error).__name__)
        span.end(self._clock())

    def _attributes(self, data: Mapping[str, Any]) -> dict[str, Any]:
        return {
            key: value[:_MAX_LABEL] if isinstance(value, str) else value
            for key, value in data.items()
            if isinstance(value, bool | int | float) or (isinstance(value, str) and key in self._labels)
        }


class Several:
    """Tells several observers the same."""

    def __init__(self, *observers: Observer | None) -> None:
        self._observers = [one for one in observers if one is not None]

    def on_start(self, run_id: str) -> None:
        for one in self._observers:
            one.on_start(run_id)

    def on_event(self, run_id: str, kind: str, data: Mapping[str, Any]) -> None:
        for one in self._observers:
            one.on_event(run_id, kind, data)

    def on_end(self, run_id: str, error: BaseException | None) -> None:
        for one in self._observers:
            one.on_end(run_id, error)


def start_tracing(
    settings: TracingSettings, labels: Collection[str] = ()
) -> tuple[SpanObserver | None, Callable[[], None]]:
    """(observer for `Runs.open` or None, a function that flushes and ends the tracing); call it before the first run.

    `labels`: keys of event data whose words may be sent. Raises SettingsError if a package is missing.
    """
    ends = [_start_langsmith(settings)] if settings.langsmith else []
    observer = None
    if settings.otlp_endpoint is not None:
        observer, end_otel = _start_otel(settings, labels)
        ends.append(end_otel)

    def end_all() -> None:
        for end in ends:
            end()

    return observer, end_all


def _start_otel(settings: TracingSettings, labels: Collection[str]) -> tuple[SpanObserver, Callable[[], None]]:
    try:
        sdk: Any = importlib.import_module("opentelemetry.sdk.trace")
        export: Any = importlib.import_module("opentelemetry.sdk.trace.export")
        resources: Any = importlib.import_module("opentelemetry.sdk.resources")
        otlp: Any = importlib.import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    except ImportError as error:
        raise SettingsError(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, but its packages are missing: "
            "pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"
        ) from error
    provider = sdk.TracerProvider(resource=resources.Resource.create({"service.name": settings.service_name}))
    exporter = otlp.OTLPSpanExporter(f"{settings.otlp_endpoint}/v1/traces", headers=_headers(settings))
    provider.add_span_processor(export.BatchSpanProcessor(exporter))
    return SpanObserver(provider.get_tracer(__name__), labels, time.time_ns), provider.shutdown


def _headers(settings: TracingSettings) -> dict[str, str]:
    text = settings.otlp_headers.reveal() if settings.otlp_headers else ""
    pairs = (part.partition("=") for part in text.split(",") if part.strip())
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}


def _start_langsmith(settings: TracingSettings) -> Callable[[], None]:
    try:
        langsmith: Any = importlib.import_module("langsmith")
    except ImportError as error:
        raise SettingsError("LANGSMITH_TRACING is on, but its package is missing: pip install langsmith") from error
    assert settings.langsmith_key is not None
    client = langsmith.Client(
        api_url=settings.langsmith_endpoint,
        api_key=settings.langsmith_key.reveal(),
        hide_inputs=True,
        hide_outputs=True,
        hide_metadata=True,
        anonymizer=_error_class_only,
    )
    langsmith.configure(client=client, enabled=True, project_name=settings.langsmith_project or settings.service_name)
    return client.flush


def _error_class_only(content: dict[str, Any]) -> dict[str, Any]:
    """Called for error texts alone (the rest is hidden before): "ValueError('...') Traceback ..." -> "ValueError"."""
    match = re.match(r"[A-Za-z_][\w.]{0,79}", str(content.get("error", "")))
    return {"error": match[0] if match else "error"}
