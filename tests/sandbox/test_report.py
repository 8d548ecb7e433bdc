"""Only genuine records count, and what is counted decides."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import CheckResult, Limits, Program
from sandbox.report import ProcessReport, read_report
from sandbox.tally import Tally, Todo, of_script

NONCE = bytes(range(16))
PROGRAM = Program(solution="x = 1", tests="def test_a(): ...")
HEAD: dict[str, Any] = {
    "cause": "done", "exit_code": 0, "signal": None, "second_signal": None, "second_code": None,
    "own": False, "peak_kb": 0,
}  # fmt: skip


def frame(record: Any, nonce: bytes = NONCE) -> bytes:
    text = json.dumps(record).encode()
    return struct.pack("<IB16s", len(text), 0, nonce) + text


def check(name: str, status: str = "pass", **more: Any) -> dict[str, Any]:
    return {"check": name, "status": status, "message": "", **more}


PASS = [{"collected": ["test_a", "test_b"]}, check("test_a"), check("test_b"), {"done": 2}]


def reported(records: list[Any]) -> ProcessReport:
    return read_report(b"".join(map(frame, records)), NONCE.hex())


def verdict(records: list[Any], head: dict[str, Any] | None = None) -> str:
    tally = Tally(PROGRAM)
    tally.add(HEAD | (head or {}), reported(records), None)
    return tally.status()[0]


def test_all_collected_checks_passed_is_a_pass() -> None:
    assert verdict(PASS) == "pass"


@pytest.mark.parametrize("left_out", range(len(PASS)))
def test_taking_any_record_away_ends_the_pass(left_out: int) -> None:
    assert verdict(PASS[:left_out] + PASS[left_out + 1 :]) == "error"


@pytest.mark.parametrize(
    ("records", "status"),
    [
        ([{"collected": []}, {"done": 0}], "error"),
        ([{"collected": ["test_a"]}, check("test_a"), {"done": 2}], "error"),
        ([{"collected": ["test_a"]}, check("test_a"), check("test_a"), {"done": 2}], "error"),
        ([{"collected": ["test_a", "test_a"]}, check("test_a"), check("test_a"), {"done": 2}], "error"),
        ([*PASS[:2], check("test_b", "fail"), {"done": 2}], "fail"),
        ([*PASS[:3], check("test_c"), {"done": 3}], "error"),
        ([PASS[0], PASS[2], PASS[1], PASS[3]], "error"),
        ([{"collected": ["test_a"]}, check("test_a", "skipped"), {"done": 1}], "error"),
        ([{"collected": ["test_a"]}, check("test_a", "not_run"), {"done": 1}], "error"),
        ([{"collected": ["test_a"]}, check("test_a", "error", type="PermissionError"), {"done": 1}], "blocked"),
        ([{"collected": ["test_a"]}, check("test_a", "error", type="MemoryError"), {"done": 1}], "memory"),
        ([{"error": {"type": "ValueError", "text": "x", "place": "here"}}, *PASS], "error"),
        ([*PASS, {"check": "test_d", "status": "great"}], "error"),
        ([*PASS, [1]], "error"),
    ],
)
def test_counts_and_kinds_decide(records: list[Any], status: str) -> None:
    assert verdict(records) == status


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ({"cause": "cpu"}, "timeout"),
        ({"cause": "idle"}, "timeout"),
        ({"cause": "starved"}, "broken"),
        ({"cause": "overfull"}, "error"),
        ({"cause": "forged"}, "error"),
        ({"cause": "exit", "signal": 11}, "crash"),
        ({"cause": "exit", "signal": 9}, "crash"),
        ({"cause": "exit", "signal": 9, "peak_kb": 500 << 10}, "memory"),
        ({"cause": "exit", "signal": 24}, "timeout"),
        ({"cause": "exit", "signal": 25}, "error"),
    ],
)
def test_how_a_run_ended_outweighs_what_it_reported(head: dict[str, Any], status: str) -> None:
    assert verdict(PASS, head) == status


def test_records_with_another_nonce_do_not_count() -> None:
    forged = b"".join(frame(record, bytes(16)) for record in PASS)
    for data in (forged, frame(PASS[0]) + forged, b"".join(map(frame, PASS)) + forged):
        tally = Tally(PROGRAM)
        tally.add(HEAD, read_report(data, NONCE.hex()), None)
        assert tally.status()[0] == "error"


def test_a_script_ends_by_its_exit_code_alone() -> None:
    head = HEAD | {"cause": "exit"}
    assert of_script(Limits(), head, ProcessReport())[0] == "ok"
    assert of_script(Limits(), head | {"exit_code": 3}, ProcessReport())[0] == "error"
    assert of_script(Limits(), HEAD | {"cause": "done"}, ProcessReport())[0] == "error"


@given(st.binary(max_size=300))
def test_no_bytes_harm_the_reader_or_pass(data: bytes) -> None:
    tally = Tally(PROGRAM)
    tally.add(HEAD, read_report(data, NONCE.hex()), None)
    assert tally.status()[0] == "error"


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_no_record_harms_the_reader(value: Any) -> None:
    for name in (
        "collected",
        "check",
        "output",
        "error",
        "missing",
        "coverage",
        "unconfirmable",
        "needs",
        "gone",
        "done",
    ):
        read_report(frame({name: value}), NONCE.hex())


CAUSES = ("cpu", "idle", "exit", "starved", "budget", "overfull")
ENDS = st.sampled_from(("pass", "fail", "error", "skipped", *CAUSES))


def play(fates: list[str], program: Program) -> tuple[Tally, int]:
    """Run a suite whose checks end like that (again and again, where they are tried again); the processes it took."""
    names = [f"test_{at}" for at in range(len(fates))]
    tally, todo, processes = Tally(program), None, 0
    wanted: Todo = None
    while todo != ():
        processes += 1
        order = range(len(fates)) if wanted is None else wanted
        records: list[Any] = [{"collected": names}]
        head = HEAD
        for at in order:
            if fates[at] in CAUSES:
                head = HEAD | {"cause": fates[at]}
                break
            records.append(check(names[at], fates[at]))
        else:
            records.append({"done": len(records) - 1})
        todo = wanted = tally.add(head, reported(records), wanted)
    return tally, processes


@given(st.lists(ENDS, min_size=1, max_size=12))
def test_every_check_has_one_result_and_none_is_better_than_what_it_did(fates: list[str]) -> None:
    tally, processes = play(fates, PROGRAM)
    checks = tally.checks()
    assert [one.name for one in checks] == [f"test_{at}" for at in range(len(fates))]
    expected = {
        "cpu": "timeout",
        "idle": "timeout",
        "exit": "error",
        "overfull": "error",
        "starved": "not_run",
        "budget": "not_run",
    }
    for fate, one in zip(fates, checks, strict=True):
        assert one.status in (expected.get(fate, fate), "not_run"), (fate, one)
    assert (tally.status()[0] == "pass") == (set(fates) == {"pass"})
    assert processes <= 2 + len(fates)


@pytest.mark.parametrize("fate", ["cpu", "idle", "exit", "overfull"])
@pytest.mark.parametrize("at", range(3))
def test_a_check_that_takes_its_process_with_it_costs_itself_only(fate: str, at: int) -> None:
    fates = ["pass", "pass", "pass"]
    fates[at] = fate
    tally, processes = play(fates, PROGRAM)
    assert [one.status for one in tally.checks()].count("pass") == 2
    assert processes == (1 if at == 2 else 2)


def test_a_starved_check_is_tried_once_more_and_then_says_nothing() -> None:
    tally, processes = play(["pass", "starved", "pass"], PROGRAM)
    assert processes == 2
    assert [one.status for one in tally.checks()] == ["pass", "not_run", "not_run"]
    assert tally.status()[0] == "broken"


def test_a_suite_that_cannot_be_loaded_lists_its_checks_as_not_run() -> None:
    tally = Tally(PROGRAM, ["test_a", "test_b"])
    tally.add(HEAD | {"cause": "cpu"}, ProcessReport(), None)
    assert [(one.name, one.status) for one in tally.checks()] == [("test_a", "not_run"), ("test_b", "not_run")]
    assert tally.status() == ("timeout", "no end within 5 s of computing")


@pytest.mark.parametrize(
    ("own", "other", "settled"),
    [("cpu", "pass", True), ("idle", "skipped", True), ("exit", "pass", True), ("overfull", "pass", True),
     ("cpu", "fail", False), ("cpu", "error", False), ("starved", "pass", False), ("budget", "pass", False)],
)  # fmt: skip
def test_a_run_is_settled_where_all_that_did_not_pass_ended_in_the_programs_own_code(
    own: str, other: str, settled: bool
) -> None:
    for head, expected in ((HEAD | {"own": True}, settled), (HEAD, False)):
        tally = Tally(PROGRAM)
        collected = {"collected": ["test_a", "test_b"]}
        todo = tally.add(head | {"cause": own}, reported([collected, check("test_a", other)]), None)
        assert todo in ((), (1,))
        assert tally.settled == expected


def test_a_loading_without_an_end_is_settled_and_a_report_that_is_not_whole_is_not() -> None:
    for cause, settled in (("cpu", True), ("exit", True), ("forged", False)):
        tally = Tally(PROGRAM)
        tally.add(HEAD | {"own": True, "cause": cause}, ProcessReport(), None)
        assert tally.settled == settled


def test_what_a_check_did_before_it_waited_in_vain_is_said_of_that_check() -> None:
    report = reported([PASS[0], {"limit": ["", "first"]}, check("test_a"), {"limit": ["", "second"]}])
    Tally(PROGRAM).add(HEAD | {"cause": "idle"}, report, None)
    assert report.limits == {"test_b": "second"}


def test_where_a_mutant_is_only_to_be_killed_the_first_loss_is_enough() -> None:
    tally, processes = play(["pass", "cpu", "pass"], replace(PROGRAM, fail_fast=True))
    assert processes == 1
    assert tally.checks()[2] == CheckResult("test_2", "not_run", "not run: a check before it did not pass")
