"""Figures for Prometheus: what the runs driven by this process do, and how many runs are live in all processes.

Each process serves its own figures, as Prometheus expects: the app at /metrics, a worker at the port that it is
given."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from framework.errors import SettingsError

MISSING = "the figures need a package: pip install prometheus-client"


class Metrics:
    """Counts the events of runs, as their observer. Labels hold only verdicts, statuses, providers and models; no text
    of a run gets out."""

    def __init__(self, library: ModuleType) -> None:
        self._library: Any = library
        self._registry: Any = self._library.CollectorRegistry()
        self._ended = self._counter("runs", "Runs that concluded, by verdict, or could not go on", "verdict")
        self._calls = self._counter("model_calls", "Paid model calls", "provider", "model")
        self._tokens = self._counter("tokens", "Tokens of model calls", "direction")
        self._waited = self._counter("model_seconds", "Seconds of model calls")
        self._executed = self._counter("sandbox_runs", "Programs that were run against a suite of checks", "status")
        self._ran = self._counter("sandbox_seconds", "Seconds of those")
        self._live: Any = self._library.Gauge(
            "agent_runs_live", "Runs that are queued or at work in any process", ["stage"], registry=self._registry
        )

    def _counter(self, name: str, words: str, *labels: str) -> Any:
        return self._library.Counter(f"agent_{name}", words, labels, registry=self._registry)

    def on_start(self, run_id: str) -> None:
        """Counts nothing: a run that starts has no result yet."""

    def on_event(self, run_id: str, kind: str, data: Mapping[str, Any], identity: str) -> None:  # noqa: ARG002 - an observer
        match kind:
            case "call_made":
                self._calls.labels(data["provider"], data["model"]).inc(data["attempts"])
                self._tokens.labels("input").inc(data["input_tokens"] or 0)
                self._tokens.labels("output").inc(data["output_tokens"] or 0)
                self._waited.inc(data["seconds"])
            case "checks_ran":
                self._executed.labels(data["status"]).inc()
                self._ran.inc(data["duration_ms"] / 1000)
            case "run_finished":
                self._ended.labels(data["conclusion"]["verdict"]).inc()
            case "run_failed":
                self._ended.labels("none").inc()
            case _:
                pass

    def on_end(self, run_id: str, error: BaseException | None) -> None:
        """Counts nothing: the run's last event was counted already."""

    def exposition(self, live: Mapping[str, int]) -> tuple[str, bytes]:
        """Returns (content type, text) for Prometheus. `live` holds how many runs are queued and running."""
        for stage in ("queued", "running"):
            self._live.labels(stage).set(live.get(stage, 0))
        return self._library.CONTENT_TYPE_LATEST, self._library.generate_latest(self._registry)

    def serve(self, address: str) -> None:
        """Serves the figures at [HOST:]PORT to whoever asks; without a host, only to this machine. Raises
        SettingsError."""
        host, _, port = address.rpartition(":")
        try:
            self._library.start_http_server(int(port), addr=host or "127.0.0.1", registry=self._registry)
        except (ValueError, OSError, OverflowError) as error:
            raise SettingsError(f"no figures can be served at {address}: {error}") from error


def open_metrics() -> Metrics | None:
    """Returns None when the package prometheus-client is not installed."""
    try:
        return Metrics(importlib.import_module("prometheus_client"))
    except ModuleNotFoundError:
        return None
