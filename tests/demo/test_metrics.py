"""Figures for Prometheus: counted from the events of runs, behind the key, and told to be missing where they are."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from agent.cli.metrics import Metrics
from agent.events.codec import encode_event
from framework.errors import SettingsError

from . import story
from .conftest import Served


def test_they_are_behind_the_key_and_say_what_they_need(served: Served):
    with served.client(key="") as stranger, served.client() as owner:
        assert stranger.get("/metrics").status_code == 401
        answer = owner.get("/metrics")
        assert (answer.status_code, answer.json()) == (
            501,
            {"error": "the figures need a package: pip install prometheus-client"},
        )


def test_a_run_is_counted_by_what_it_told():
    library: Any = pytest.importorskip("prometheus_client")
    metrics = Metrics(library)
    metrics.on_start("run")
    for event in [*story.beginning(), *story.diagnosis(), *story.ending()]:
        metrics.on_event("run", *encode_event(event), "task:0")
    metrics.on_end("run", None)
    mime, text = metrics.exposition({"running": 2})
    assert mime.startswith("text/plain")
    lines = text.decode().splitlines()
    assert 'agent_runs_total{verdict="verified"} 1.0' in lines
    assert 'agent_runs_live{stage="running"} 2.0' in lines
    assert 'agent_runs_live{stage="queued"} 0.0' in lines
    calls = [line for line in lines if line.startswith("agent_model_calls_total{")]
    assert sum(float(line.rpartition(" ")[2]) for line in calls) > 1
    assert any(line.startswith("agent_sandbox_runs_total{") for line in lines)
    assert "merge" not in text.decode()


def test_a_port_that_is_taken_is_one_line():
    library: Any = pytest.importorskip("prometheus_client")
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(SettingsError, match="no figures"),
    ):
        Metrics(library).serve(str(taken.getsockname()[1]))
