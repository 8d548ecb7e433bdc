"""Of which processes a run is made, and how what they did is summed up; the workers are played."""

from __future__ import annotations

import marshal
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox import Limits, Program, SandboxBroken
from sandbox.link import Frame
from sandbox.report import read_records
from sandbox.types import Linked
from tests.sandbox.played import PASSED, Workers, ended

pytestmark = pytest.mark.asyncio

SUITE = Program("x = 1", tests="def test_a(): assert x\ndef test_b(): assert x\n")
ONE = Program("x = 1", tests="def test_a(): assert x\n")
LOST, GONE = SandboxBroken("a worker died"), SandboxBroken("another died")
DONE = ended("done", PASSED)


def needing(flavour: str) -> Frame:
    return ended("done", [{"needs": flavour}])


@pytest.mark.parametrize(
    ("answers", "flavours", "status", "error"),
    [
        ([DONE], ["bare"], "pass", ""),
        ([LOST, DONE], ["bare", "bare"], "pass", ""),
        ([LOST, GONE], ["bare", "bare"], "broken", "another died"),
        ([needing("pytest"), DONE], ["bare", "pytest"], "pass", ""),
        ([needing("pytest"), LOST, DONE], ["bare", "pytest", "pytest"], "pass", ""),
        ([needing("pytest"), needing("data"), needing("bare")], ["bare", "pytest", "data"], "broken",
         "no kind of worker fits this program"),
        ([ended("done", [{"needs": "bare"}, *PASSED])], ["bare"], "pass", ""),
        ([ended("done", [{"needs": "more"}, *PASSED])], ["bare"], "pass", ""),
    ],
)  # fmt: skip
async def test_a_process_is_made_anew_where_its_worker_failed_once_or_does_not_fit(
    answers: list[Any], flavours: list[str], status: str, error: str
) -> None:
    workers = Workers(*answers)
    done = await workers.runner().run(ONE, seed=7)
    assert (done.execution.status, done.execution.error) == (status, error)
    assert workers.asked == [(flavour, (), 7) for flavour in flavours]


def checked(*told: tuple[str, str, str], **more: Any) -> Frame:
    records = [{"check": name, "status": status, "message": message} for name, status, message in told]
    return ended("done", [{"collected": ["test_a", "test_b"]}, *records, {"done": len(told)}], **more)


FAILED = (("test_a", "pass", "says no more"), ("test_b", "fail", "assert x == 2"))


async def test_failed_assertions_are_run_once_more_for_their_values() -> None:
    workers = Workers(checked(*FAILED), checked(("test_b", "fail", "1 == 2")))
    done = await workers.runner().run(replace(SUITE, coverage=True))
    assert [check.message for check in done.execution.checks] == ["says no more", "1 == 2"]
    told = marshal.loads(workers.bodies[1][: workers.heads[1]["sizes"][0]])
    assert (told["wanted"], told["explain"], told["coverage"]) == ((1,), True, False)
    assert workers.asked[1][0] == "pytest"


@pytest.mark.parametrize(
    ("program", "told", "explains", "again"),
    [
        (SUITE, checked(*FAILED, cpu_ms=30_000), True, True),
        (SUITE, checked(*FAILED, cpu_ms=30_001), True, False),
        (replace(SUITE, fail_fast=True), checked(*FAILED), True, False),
        (SUITE, checked(*FAILED), False, False),
        (SUITE, checked(FAILED[0], ("test_b", "pass", "")), True, False),
    ],
)
async def test_values_are_asked_for_only_where_that_is_worth_its_time(
    program: Program, told: Frame, explains: bool, again: bool
) -> None:
    other = ("test_b", "pass", "")  # another outcome than before is no explanation of it
    workers = Workers(told, checked(other))
    done = await workers.runner().run(program, explains=explains)
    assert len(workers.heads) == 1 + again
    assert [check.status for check in done.execution.checks] == [check["status"] for check in _checks(told)]
    assert [check.message for check in done.execution.checks] == [check["message"] for check in _checks(told)]


def _checks(frame: Frame) -> list[dict[str, Any]]:
    return [record for record in read_records(frame.parts()[2], frame.head["nonce"])[0] if "check" in record]


HUNG = [{"collected": ["test_a", "test_b"]}, {"unconfirmable": "own =="}, {"unconfirmable": "own <"},
        {"limit": ["test_b", "a thread"]}]  # fmt: skip
REST = [{"collected": ["test_a", "test_b"]}, {"check": "test_b", "status": "pass", "message": ""},
        {"unconfirmable": "own =="}, {"missing": ["yaml"]}, {"done": 1}]  # fmt: skip


async def test_what_the_processes_of_a_run_did_is_summed_up() -> None:
    first = ended("cpu", HUNG, b"one", b"e1", cpu_ms=5000, ms=6000, peak_kb=2100, signal=9, exit_code=None)
    second = ended("done", REST, b"two", b"e2", cpu_ms=250.1236, ms=300.1236, peak_kb=1024, changed=True)
    workers = Workers(first, second)
    done = await workers.runner().run(SUITE, explains=False)
    told = done.execution
    assert (told.status, [check.status for check in told.checks]) == ("timeout", ["timeout", "pass"])
    assert (told.stdout, told.stderr, told.truncated) == ("onetwo", "e1e2", False)
    assert (told.duration_ms, told.cpu_ms, told.peak_mb) == (6300.124, 5250.124, 2.1)
    assert (told.exit_code, told.signal, told.coverage) == (0, None, None)
    assert told.missing_packages == ("pyyaml",)
    assert done.doubts == ["own ==", "the program changed a data file that it was given"]
    assert (done.limits, done.limited, done.settled) == ({"test_b": "a thread"}, True, False)
    assert marshal.loads(workers.bodies[1][: workers.heads[1]["sizes"][0]])["wanted"] == (1,)
    assert workers.heads[1]["limits"]["times"]["run_cpu"] == pytest.approx(55), "what the first one used is gone"


async def test_checks_of_a_suite_that_never_loads_are_told_by_its_source() -> None:
    done = (await Workers(ended("cpu", [])).runner().run(SUITE)).execution
    assert [(check.name, check.status) for check in done.checks] == [("test_a", "not_run"), ("test_b", "not_run")]


async def test_calls_are_no_checks() -> None:
    called = ended("done", [{"output": [0, "value", "1"]}, {"done": 1}])
    done = (await Workers(called).runner().run(replace(ONE, tests=None, calls=("f()",)))).execution
    assert (done.status, done.checks, [out.text for out in done.outputs]) == ("ok", (), ["1"])


@pytest.mark.parametrize(
    ("out", "err", "told", "cut"),
    [(b"x" * 1024, b"", False, False), (b"x" * 1025, b"", False, True), (b"", b"x" * 1025, False, True),
     (b"", b"", True, True)],
)  # fmt: skip
async def test_more_output_than_is_kept_is_told_as_cut(out: bytes, err: bytes, told: bool, cut: bool) -> None:
    workers = Workers(ended("exit", [], out, err, truncated=told))
    done = (await workers.runner().run(Program("x = 1", limits=Limits(output_kb=1)))).execution
    assert (done.truncated, len(done.stdout), len(done.stderr)) == (cut, len(out[:1024]), len(err[:1024]))


async def test_coverage_and_files_are_those_of_a_run_in_one_process() -> None:
    measured = {"branches": 4, "branches_taken": 3, "lines": 9, "lines_run": 8, "missing": [5]}
    frame = ended("done", [*PASSED, {"coverage": measured}], artifacts=[["a.txt", 2]])
    done = (await Workers(Frame(frame.head, frame.body + b"hi")).runner().run(ONE)).execution
    assert done.coverage is not None
    assert (done.coverage.branches_taken, done.coverage.missing) == (3, (5,))
    assert [(one.name, one.data) for one in done.artifacts] == [("a.txt", b"hi")]


async def test_a_run_may_read_its_linked_files_and_the_packages_it_asked_for() -> None:
    files = {name: Linked(path, 1, "") for name, path in (("a", "/z/a"), ("b", "/y/b"), ("c", "/z/a"))}

    async def folder_for(packages: Any) -> str:
        return f"/installed/{packages[0]}"

    def installed(packages: Any) -> tuple[str, ...]:
        return tuple(packages)

    environments = SimpleNamespace(folder_for=folder_for, installed=installed)
    workers = Workers(DONE, DONE)
    await workers.runner().run(replace(ONE, files=files))
    done = await workers.runner(environments).run(replace(ONE, files=files, packages=("six",)))
    assert [paths for _, paths, _ in workers.asked] == [("/y/b", "/z/a"), ("/installed/six", "/y/b", "/z/a")]
    assert done.execution.installed == ("six",)
    with pytest.raises(ValueError, match="without a folder"):
        await workers.runner().run(replace(ONE, packages=("six",)))
