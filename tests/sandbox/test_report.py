"""Only genuine records count, and what is counted decides."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import Limits, Program
from sandbox.report import ProcessReport, read_report
from sandbox.tally import Tally, of_script

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


def test_records_with_another_nonce_do_not_count() -> None:
    forged = b"".join(frame(record, bytes(16)) for record in PASS)
    for data in (forged, frame(PASS[0]) + forged, b"".join(map(frame, PASS)) + forged):
        tally = Tally(PROGRAM)
        tally.add(HEAD, read_report(data, NONCE.hex()), None)
        assert tally.status()[0] == "error"


def test_each_kind_of_record_has_its_place_in_the_report() -> None:
    measured = {"branches": 4, "branches_taken": 3, "lines": 9, "lines_run": 8, "missing": [5, 6]}
    kinds = ("value", "exception", "timeout", "opaque")
    records: list[Any] = [
        {"loading": True}, {"needs": "pytest"}, {"gone": "it left"}, {"missing": ["a"]}, {"missing": ["b"]},
        {"unconfirmable": "own =="}, {"coverage": measured}, {"limit": ["test_a", "a thread"]}, {"unheard": 1},
        *({"output": [at, kind, "text"]} for at, kind in enumerate(kinds)), {"output": [0, "opaque", "once more"]},
        check("test_a", "fail", type="AssertionError", message="x" * 5000), check("test_b", type="odd"),
    ]  # fmt: skip
    report = reported(records)
    assert (report.forged, report.loading, report.needs, report.gone) == (False, True, "pytest", "it left")
    assert (report.missing, report.doubts, report.limits, report.limited) == (
        ["a", "b"], ["own =="], {"test_a": "a thread"}, True,
    )  # fmt: skip
    assert [(out.kind, out.text) for out in report.outputs.values()] == [(kind, "text") for kind in kinds]
    assert report.coverage is not None
    assert (report.coverage.branches, report.coverage.lines_run, report.coverage.missing) == (4, 8, (5, 6))
    assert (len(report.checks[0].message), report.kinds) == (4000, ["AssertionError", ""])


@pytest.mark.parametrize(
    ("told", "kind", "words"),
    [
        ({"type": "E", "text": "x", "place": "line 3"}, "E", "E: x (line 3)"),
        ({"type": "E", "text": "", "place": ""}, "E", "E"),
        ({"type": "E", "kind": "CollectError", "text": "x"}, "CollectError", "E: x"),
        ({}, "", ""),
    ],
)
def test_an_error_is_told_by_its_class_its_text_and_its_place(told: Any, kind: str, words: str) -> None:
    report = reported([{"error": told}])
    assert (report.error_type, report.error) == (kind, words)


@pytest.mark.parametrize(
    "record", [{"output": [0, "great", ""]}, {"output": [0]}, {"error": 1}, {"coverage": {}}, {"limit": 3}]
)
def test_what_no_child_writes_is_forged(record: Any) -> None:
    report = reported([record, {"needs": "pytest"}])
    assert (report.forged, report.needs) == (True, "")


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
