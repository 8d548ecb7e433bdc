"""How long the app takes to its first answer beside the smallest page: `python -m tests.benches.screen [ROUNDS]`."""

from __future__ import annotations

import http.client
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.agent.command_line import free_port

ROOT = Path(__file__).resolve().parents[2]
HELLO = """
import gradio as gr
with gr.Blocks(analytics_enabled=False) as page:
    gr.Textbox(label="Hello")
page.launch(server_name="127.0.0.1", server_port={port}, quiet=True)
"""
_PATIENCE = 120.0
KINDS = ("wall", "cpu")


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds from the start of the process to the first HTTP 200 of its page."""

    wall: float
    cpu: float
    """Hardly hangs on what else the machine does, as the wall does."""


def first_answer(command: list[str], port: int) -> Took:
    began, spent = time.perf_counter(), _cpu_of_children()
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while not _answers(port):
                if process.poll() is not None or time.perf_counter() - began > _PATIENCE:
                    raise SystemExit(f"no answer from: {' '.join(command)}")
                time.sleep(0.005)
            wall = time.perf_counter() - began
        finally:
            process.kill()
    return Took(wall, _cpu_of_children() - spent)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def measure(rounds: int) -> dict[str, object]:
    """Both in turn, so that other load on the machine meets both."""
    hello: list[Took] = []
    app: list[Took] = []
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "hello.py"
        for _ in range(rounds):
            port = free_port()
            script.write_text(HELLO.format(port=port), encoding="utf-8")
            hello.append(first_answer([sys.executable, str(script)], port))
            port = free_port()
            app.append(first_answer([sys.executable, "app.py", "--port", str(port)], port))
    return {kind: _ratios([getattr(one, kind) for one in hello], [getattr(one, kind) for one in app]) for kind in KINDS}


def _ratios(hello: list[float], app: list[float]) -> dict[str, object]:
    return {
        "hello_seconds": [round(one, 2) for one in hello],
        "app_seconds": [round(one, 2) for one in app],
        "ratio_of_medians": round(statistics.median(app) / statistics.median(hello), 3),
        "ratio_of_fastest": round(min(app) / min(hello), 3),
    }


if __name__ == "__main__":
    found = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    sys.stdout.write(json.dumps(found, indent=2) + "\n")
