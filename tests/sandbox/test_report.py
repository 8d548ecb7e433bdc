"""Only genuine records count, and what is counted decides."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import Program
from sandbox.report import read_report
from sandbox.verdict import judge

NONCE = bytes(range(16))
PROGRAM = Program(solution="x = 1", tests="def test_a(): ...")
HEAD: dict[str, Any] = {"cause": "done", "exit_code": 0, "signal": None, "second_signal": None, "report_cut": False}


def frame(record: Any, nonce: bytes = NONCE) -> bytes:
    text = json.dumps(record).encode()
    return struct.pack("<IB16s", len(text), 0, nonce) + text


def check(name: str, status: str = "pass", **more: Any) -> dict[str, Any]:
    return {"check": name, "status": status, "message": "", **more}


PASS = [{"collected": ["test_a", "test_b"]}, check("test_a"), check("test_b"), {"done": 2}]


def verdict(records: list[Any], head: dict[str, Any] | None = None, program: Program = PROGRAM) -> str:
    return judge(program, HEAD | (head or {}), read_report(b"".join(map(frame, records)), NONCE.hex()))[0]


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
        ([*PASS[:3], check("test_c", "fail"), {"done": 3}], "fail"),
        ([{"collected": ["test_a"]}, check("test_a", "skip"), {"done": 1}], "error"),
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
        ({"cause": "timeout"}, "timeout"),
        ({"cause": "overfull"}, "error"),
        ({"cause": "exit", "signal": 11}, "crash"),
        ({"cause": "exit", "signal": 9}, "memory"),
        ({"cause": "exit", "signal": 24}, "timeout"),
        ({"cause": "exit", "signal": 25}, "error"),
        ({"report_cut": True}, "error"),
    ],
)
def test_how_a_run_ended_outweighs_what_it_reported(head: dict[str, Any], status: str) -> None:
    assert verdict(PASS, head) == status


def test_records_with_another_nonce_do_not_count() -> None:
    forged = b"".join(frame(record, bytes(16)) for record in PASS)
    for data in (forged, frame(PASS[0]) + forged, b"".join(map(frame, PASS)) + forged):
        assert judge(PROGRAM, HEAD, read_report(data, NONCE.hex()))[0] == "error"


def test_a_script_ends_by_its_exit_code_alone() -> None:
    script = replace(PROGRAM, tests=None)
    assert verdict([], {"cause": "exit"}, script) == "ok"
    assert verdict([], {"cause": "exit", "exit_code": 3}, script) == "error"


@given(st.binary(max_size=300))
def test_no_bytes_harm_the_reader_or_pass(data: bytes) -> None:
    assert judge(PROGRAM, HEAD, read_report(data, NONCE.hex()))[0] == "error"


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_no_record_harms_the_reader(value: Any) -> None:
    for name in ("collected", "check", "output", "error", "missing", "coverage", "unconfirmable", "needs", "done"):
        read_report(frame({name: value}), NONCE.hex())
