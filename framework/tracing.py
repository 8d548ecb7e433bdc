"""Traces runs if it is configured: OpenTelemetry spans made from events, and LangSmith without any content.

Neither receives prompts, code, replies or run ids: spans carry numbers, flags and the few words named as labels.
"""

from __future__ import annotations

import hashlib
import importlib
import re
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import unquote

from .errors import SettingsError
from .settings import TracingSettings

_MAX_LABEL = 80
"""Characters of a label that are sent."""
_NANO = 1_000_000_000


@dataclass(slots=True)
class _OpenSpans:
    """The spans of a run that have not ended."""

    run: Any
    steps: dict[str, Any] = field(default_factory=dict[str, Any])


class SpanObserver:
    """Makes a span of each drive of a run, below it one of each step, and below that one of each event that took time:
    a model call, a tool, an execution in the sandbox. Other events are marks in the span of their step.

    `tracer` is an OpenTelemetry tracer; `clock` returns Unix nanoseconds. `labels` are keys of event data whose words
    may be sent; "conclusion.verdict" is a key inside another. `steps` are the kinds of the events with which a step
    begins and ends; the first label in the beginning event names the span.
    """

    def __init__(
        self, tracer: Any, labels: Collection[str], clock: Callable[[], int], steps: tuple[str, str] = ("", "")
    ) -> None:
        self._tracer = tracer
        self._labels = labels
        self._clock = clock
        self._begins, self._ends = steps
        self._open: dict[str, _OpenSpans] = {}

    def on_start(self, run_id: str) -> None:
        digest = hashlib.sha256(run_id.encode()).hexdigest()[:12]
        self._open[run_id] = _OpenSpans(
            self._tracer.start_span("run", start_time=self._clock(), attributes={"run": digest})
        )

    def on_event(self, run_id: str, kind: str, data: Mapping[str, Any], identity: str) -> None:
        now, attributes, step = self._clock(), self._attributes(data), identity.rpartition(":")[0]
        spans = self._open[run_id]
        if kind == self._begins:
            name = next((str(value) for key, value in attributes.items() if key in self._labels), kind)
            spans.steps[step] = self._below(spans.run, name, now, attributes)
        elif kind == self._ends:
            # A step that continues after a stop does not report its beginning again.
            spans.steps.pop(step).end(now) if step in spans.steps else spans.run.add_event(kind, attributes, now)
        elif (seconds := _seconds(data)) is not None:
            parent = spans.steps.get(step, spans.run)
            self._below(parent, kind, now - int(seconds * _NANO), attributes).end(now)
        else:
            spans.steps.get(step, spans.run).add_event(kind, attributes, now)

    def _below(self, parent: Any, name: str, began: int, attributes: Mapping[str, Any]) -> Any:
        trace: Any = importlib.import_module("opentelemetry.trace")
        return self._tracer.start_span(
            name, trace.set_span_in_context(parent), start_time=began, attributes=dict(attributes)
        )

    def on_end(self, run_id: str, error: BaseException | None) -> None:
        spans, now = self._open.pop(run_id), self._clock()
        for step in spans.steps.values():
            step.end(now)
        if error is not None:
            trace: Any = importlib.import_module("opentelemetry.trace")
            spans.run.set_status(trace.StatusCode.ERROR, type(error).__name__)
        spans.run.end(now)

    def _attributes(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the numbers and flags in the data, and the words of the labels."""
        found: dict[str, Any] = {key: one for key, one in data.items() if isinstance(one, bool | int | float)}
        for label in self._labels:
            name, _, inner = label.partition(".")
            word = data.get(name)
            word = cast("Mapping[str, Any]", word).get(inner) if inner and isinstance(word, Mapping) else word
            if isinstance(word, str):
                found[label] = word[:_MAX_LABEL]
        return found


def _seconds(data: Mapping[str, Any]) -> float | None:
    """Returns the seconds that the event's subject took; None for an event that marks a moment."""
    told = data.get("seconds")
    if told is None and isinstance(data.get("duration_ms"), int | float):
        told = data["duration_ms"] / 1000
    return float(told) if isinstance(told, int | float) and told >= 0 else None


def start_tracing(
    settings: TracingSettings, labels: Collection[str] = (), steps: tuple[str, str] = ("", "")
) -> tuple[SpanObserver | None, Callable[[], None]]:
    """Starts what the settings ask for. Returns (observer for `Runs.open`, or None, function that flushes and ends the
    tracing). It must be called before the first run.

    `labels` are keys of event data whose words may be sent; for `steps` see SpanObserver. Raises SettingsError for a
    missing package.
    """
    ends = [_start_langsmith(settings)] if settings.langsmith else []
    observer = None
    if settings.otlp_endpoint is not None:
        observer, end_otel = _start_otel(settings, labels, steps)
        ends.append(end_otel)

    def end_all() -> None:
        for end in ends:
            end()

    return observer, end_all


def _start_otel(
    settings: TracingSettings, labels: Collection[str], steps: tuple[str, str]
) -> tuple[SpanObserver, Callable[[], None]]:
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
    return SpanObserver(provider.get_tracer(__name__), labels, time.time_ns, steps), provider.shutdown


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
    """Returns only the class of an error: "ValueError('...') Traceback ..." becomes "ValueError". LangSmith calls this
    for error texts alone, because everything else is hidden before."""
    match = re.match(r"[A-Za-z_][\w.]{0,79}", str(content.get("error", "")))
    return {"error": match[0] if match else "error"}
