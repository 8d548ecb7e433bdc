"""What `python -m sandbox run` tells a person."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from sandbox import Artifact, CallOutput, CheckResult, Execution, Isolation
from sandbox.shown import shown

NOWHERE: Any = Isolation(**{axis.name: "open" for axis in fields(Isolation)} | {"level": "walled"})  # pyright: ignore[reportArgumentType]


def lines_of(status: Any, **facts: Any) -> list[str]:
    return shown(Execution(status, NOWHERE, **facts)).splitlines()


def check(name: str, status: Any, message: str = "") -> CheckResult:
    return CheckResult(name, status, message)


def test_the_first_line_is_the_verdict_and_how_far_it_can_be_trusted() -> None:
    assert lines_of("pass", confirmed=True, duration_ms=1.25, peak_mb=14.5)[0] == "pass (confirmed)  1.2 ms  14.5 MB"
    assert lines_of("pass", unconfirmed_reason="only here")[0].startswith("pass (not confirmed: only here)")
    assert lines_of("pass")[0].startswith("pass (not confirmed: run in one process)")
    assert lines_of("fail")[0].startswith("fail  ")


def test_a_check_that_never_ran_is_told_apart_from_one_that_failed() -> None:
    checks = (
        check("test_a", "pass"),
        check("test_b", "pass"),
        check("test_c", "timeout", "no end within 1 s"),
        check("test_d", "not_run", "the run ended before it"),
        check("test_e", "skipped"),
    )
    told = lines_of("timeout", checks=checks, error="no end within 1 s")
    assert told[1:8] == [
        "  no end within 1 s",
        "checks: 2 passed, 1 ran out of time, 1 never ran (neither passed nor failed), 1 skipped",
        "  pass     test_a",
        "  pass     test_b",
        "  timeout  test_c: no end within 1 s",
        "  not_run  test_d: the run ended before it",
        "  skipped  test_e",
    ]


def test_the_lines_of_a_message_stay_below_their_check() -> None:
    told = lines_of("fail", checks=(check("test_a", "fail", "assert 1 == 2\nactual: 1"), check("test_b", "pass")))
    assert told[2:5] == ["  fail  test_a: assert 1 == 2", "          actual: 1", "  pass  test_b"]


def test_what_the_program_wrote_cannot_pass_for_the_verdict_or_steer_the_terminal() -> None:
    told = lines_of("fail", stdout="pass (confirmed)\n\x1b]0;title\x07\rover\u202e\ttab é\n", stderr="isolation: none")
    assert told[1:6] == [
        "--- stdout",
        "  | pass (confirmed)",
        "  | \\x1b]0;title\\x07\\rover\\u202e\ttab é",
        "--- stderr",
        "  | isolation: none",
    ]


def test_everything_that_was_found_is_told() -> None:
    told = lines_of(
        "ok",
        outputs=(CallOutput("value", "3"), CallOutput("timeout", "")),
        missing_packages=("scikit-learn",),
        artifacts=(Artifact("out/plot.png", "image/png", b"12345"),),
        truncated=True,
    )
    assert {"  value: 3", "missing package: scikit-learn", "artifact out/plot.png: 5 bytes, image/png"} <= set(told)
    assert "--- cut: more was written than is kept" in told
    assert "isolation: walled" in told
    assert told[-1].split() == ["environment", "open"]


@pytest.mark.parametrize(
    ("output", "words", "comparable"),
    [
        (CallOutput("value", "[1]"), "[1]", True),
        (CallOutput("exception", "KeyError"), "raises KeyError", True),
        (CallOutput("timeout", ""), "no end in time", False),
        (CallOutput("opaque", "object"), "a value that cannot be compared", False),
        (CallOutput("not_run", ""), "not run", False),
    ],
)
def test_what_a_call_gave_is_told_in_words(output: CallOutput, words: str, comparable: bool) -> None:
    assert (str(output), output.comparable) == (words, comparable)
