"""How the commands end when they are stopped or nobody listens: the right code, one object, nothing left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "sandbox"]
PATIENCE = 60.0
ENDLESS = "while True:\n    pass\n"
STOPS = pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name
)


class Started:
    """A command whose temporary folder is the test's own, so that whatever it leaves is found."""

    def __init__(self, folder: Path, *arguments: str | Path) -> None:
        self.folder = folder / "tmp"
        self.folder.mkdir()
        self.process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            cwd=ROOT,
            env={**os.environ, "TMPDIR": str(self.folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for(self, what: Callable[[], Any]) -> None:
        """Until something is so; the command must not have ended by then."""
        until = time.monotonic() + PATIENCE
        while not what():
            assert time.monotonic() < until
            with pytest.raises(subprocess.TimeoutExpired):
                self.process.wait(0.01)

    def processes(self) -> list[Path]:
        """Workers, and what they started: their command line or their environment names the folder."""
        name = str(self.folder).encode()
        mine = Path(f"/proc/{self.process.pid}")
        return [path for path in Path("/proc").glob("[0-9]*") if path != mine and name in _told(path)]

    def sleeps(self) -> bool:
        """Whether it waits in the kernel, where a signal wakes it: one that comes a moment before is seen later."""
        return Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(") ")[2].startswith("S")

    def stop(self, number: int) -> tuple[int, str, str]:
        """Exit code, stdout and stderr after a signal."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err

    def left_nothing(self) -> bool:
        until = time.monotonic() + PATIENCE
        while self.processes() and time.monotonic() < until:
            os.sched_yield()  # a killed process is still listed until init has reaped it
        return not self.processes() and not list(self.folder.iterdir())


def _told(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
    except OSError:
        return b""


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    path = tmp_path / "endless.py"
    path.write_text(ENDLESS)
    return path


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    all_started: list[Started] = []

    def start(*arguments: str | Path) -> Started:
        all_started.append(Started(tmp_path, *arguments))
        return all_started[-1]

    yield start
    for each in all_started:
        each.process.kill()
        each.process.communicate()


@STOPS
def test_a_run_that_is_stopped_tells_so_in_one_object_and_leaves_nothing(
    started: Callable[..., Started], endless: Path, number: signal.Signals
) -> None:
    command = started("run", endless, "--timeout", "600", "--json")
    command.wait_for(command.processes)
    code, out, err = command.stop(number)
    assert (code, out.count("\n"), err) == (128 + number, 1, f"sandbox: stopped by {number.name}\n")
    record = json.loads(out)
    assert (record["status"], record["error"]) == ("broken", f"stopped by {number.name}")
    assert command.left_nothing()


@STOPS
def test_a_run_is_stopped_while_it_waits_for_its_input(
    started: Callable[..., Started], endless: Path, tmp_path: Path, number: signal.Signals
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = started("run", endless, "--file", pipe, "--json")
    with pipe.open("wb"):  # opens when the command has opened it to read
        command.wait_for(command.sleeps)
        code, out, err = command.stop(number)
    assert (code, json.loads(out)["status"], err) == (128 + number, "broken", f"sandbox: stopped by {number.name}\n")
    assert command.left_nothing()


@STOPS
def test_a_batch_that_is_stopped_has_told_what_was_finished(
    started: Callable[..., Started], number: signal.Signals
) -> None:
    command = started("batch", "-", "--workers", "2")
    lines = [{"id": 1, "solution": "print(1)"}, {"id": 2, "solution": ENDLESS, "timeout": 600}]
    assert command.process.stdin is not None
    assert command.process.stdout is not None
    command.process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
    command.process.stdin.flush()
    first = json.loads(command.process.stdout.readline())
    code, out, err = command.stop(number)
    assert (first["id"], first["stdout"]) == (1, "1\n")
    assert (code, out, err) == (128 + number, "", f"sandbox: stopped by {number.name}\n")
    assert command.left_nothing()


@STOPS
def test_a_doctor_that_is_stopped_tells_so_or_had_finished(
    started: Callable[..., Started], number: signal.Signals
) -> None:
    command = started("doctor", "--json")
    command.wait_for(lambda: list(command.folder.iterdir()))
    code, out, err = command.stop(number)
    assert out.count("\n") == 1
    assert (code, json.loads(out)["error"]) in [(0, None), (128 + number, f"stopped by {number.name}")]
    assert not re.search("Traceback|Exception", err)
    assert command.left_nothing()


def test_a_signal_that_the_parent_ignores_is_ignored(tmp_path: Path) -> None:
    """As `nohup` and a shell's `&` ask for."""
    script = tmp_path / "s.py"
    script.write_text("print(1)\n")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        ["/bin/sh", "-c", 'trap "" HUP INT; exec "$@"', "sh", *COMMAND, "run", script, "--stdin", pipe, "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with pipe.open("wb"):
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, json.loads(out)["status"]) == (0, "ok")


@pytest.fixture
def commands(tmp_path: Path) -> dict[str, list[str]]:
    script, lines = tmp_path / "s.py", tmp_path / "lines.jsonl"
    script.write_text("print(1)\n")
    lines.write_text(f"{json.dumps({'solution': 'print(1)'})}\n" * 3)
    return {
        "run": ["run", str(script)],
        "run --json": ["run", str(script), "--json"],
        "batch": ["batch", str(lines)],
        "doctor": ["doctor"],
        "--help": ["--help"],
    }


NAMES = pytest.mark.parametrize("name", ["run --json", "--help", "run", "batch", "doctor"])


@NAMES
def test_a_reader_that_has_gone_is_met_in_silence(commands: dict[str, list[str]], name: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*COMMAND, *commands[name]],
            cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


@NAMES
@pytest.mark.parametrize("streams", [">&-", "<&- >&- 2>&-"])
def test_closed_streams_are_met_in_silence(commands: dict[str, list[str]], name: str, streams: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {streams}', "sh", *COMMAND, *commands[name]],
        cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (141, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_an_answer_that_cannot_be_written_is_one_line(commands: dict[str, list[str]]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *commands["run"]],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (141, 1)
    assert "No space left" in done.stderr


def test_a_complaint_without_stderr_does_not_go_to_stdout() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", *COMMAND, "run", "/none.py", "--json"],
        cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
