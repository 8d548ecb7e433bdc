"""Run apart from pytest: each line of input is a job; a fork loads its program, runs its tests, evaluates its calls."""

import asyncio
import contextlib
import inspect
import io
import json
import os
import signal
import subprocess
import sys
import tempfile

import pytest  # noqa: F401 - loaded once, so that the forks need not

SECONDS = 5


def attempt(action) -> str:
    """What went wrong, or an empty text."""
    signal.alarm(SECONDS)
    try:
        outcome = action()
        if inspect.iscoroutine(outcome):
            asyncio.run(outcome)
    except BaseException as error:  # noqa: BLE001 - a program that is tried may raise anything
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return ""


def evaluated(call: str, names: dict) -> str:
    signal.alarm(SECONDS)
    try:
        return f"={eval(call, dict(names))!r}"
    except BaseException as error:  # noqa: BLE001 - a program that is tried may raise anything
        return f"!{type(error).__name__}"
    finally:
        signal.alarm(0)


def service(program: str):
    """`run_program` of the sandbox, as far as the scenarios use it."""

    def run_program(stdin: str = "") -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-I", "-c", program], input=stdin, capture_output=True, text=True)

    return run_program


def main(job: dict) -> dict:
    names = {"__name__": "solution"}
    fault = attempt(lambda: exec(compile(job["program"], "solution.py", "exec"), names))
    if fault:
        return {"error": fault, "tests": {}, "calls": []}
    known = {**names, "run_program": service(job["program"])}
    fault = attempt(lambda: exec(compile(job["tests"], "tests.py", "exec"), known))
    tests = {name: value for name, value in known.items() if name.startswith("test_")}
    return {
        "error": fault,
        "tests": {name: attempt(test) for name, test in tests.items()},
        "calls": [evaluated(call, names) for call in job["calls"]],
    }


def forked(job: str) -> str:
    """The report of one job, from a process of its own."""
    source, target = os.pipe()
    if child := os.fork():
        os.close(target)
        with os.fdopen(source) as pipe:
            report = pipe.read()
        os.waitpid(child, 0)
        return report
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with contextlib.redirect_stdout(io.StringIO()):
            report = main(json.loads(job))
        os.chdir("/")
    with os.fdopen(target, "w") as pipe:
        json.dump(report, pipe)
    os._exit(0)


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("took too long")))
    for line in sys.stdin:
        print(forked(line), flush=True)
