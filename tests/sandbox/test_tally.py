"""What the reports and ends of a run's processes make of the run and of its checks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import CheckResult, Limits, Program
from sandbox.child.reporter import NOT_LOADED, SKIPPED_BY_PROGRAM
from sandbox.report import ProcessReport
from sandbox.tally import BUSY, Tally, Todo, death
from tests.sandbox.test_report import HEAD, PASS, PROGRAM, check, reported, verdict
from tests.tables import in_one_test

EXIT = {"cause": "exit"}
ENDINGS: list[tuple[dict[str, Any], str, str]] = [
    ({"cause": "cpu"}, "timeout", "no end within 5 s of computing"),
    ({"cause": "idle"}, "timeout", "it waited for more than 15 s without computing"),
    ({"cause": "budget"}, "timeout", "the time for the whole run was used up"),
    ({"cause": "starved"}, "broken", BUSY),
    ({"cause": "overfull"}, "error", "more files or bytes were written than a run may leave"),
    ({"cause": "forged"}, "error", "the report of the run is not whole"),
    (EXIT | {"exit_code": 3}, "error", "the program ended itself (exit code 3)"),
    (EXIT | {"exit_code": None, "signal": 11}, "crash", "ended by signal 11 (SIGSEGV)"),
    (EXIT | {"exit_code": None, "signal": 77}, "crash", "ended by signal 77 (unknown)"),
    (EXIT | {"exit_code": None, "signal": 24}, "timeout", "no end within 5 s of computing"),
    (EXIT | {"exit_code": None, "signal": 25}, "error", "a file grew beyond 16 MB"),
    (EXIT | {"exit_code": None, "signal": 9, "peak_kb": 255 << 10}, "crash", "ended by signal 9 (SIGKILL)"),
    (EXIT | {"exit_code": None, "signal": 9, "peak_kb": 256 << 10}, "memory",
     "killed when it had taken 256 MB of memory; 512 MB are allowed"),
    ({"cause": "done", "second_signal": 11}, "crash", "ended by signal 11 (SIGSEGV)"),
    ({"cause": "done", "second_code": 4}, "error", "the program ended itself (exit code 4)"),
    (EXIT | {"exit_code": None, "second_code": 4}, "error", "the program ended itself (exit code 4)"),
    ({"cause": "done"}, "error", "the program cannot be asked any more: it left"),
]  # fmt: skip
"""What the worker tells of an end, and what that makes of the run, in a word and in words."""


@pytest.mark.parametrize(("head", "status", "words"), ENDINGS)
def test_how_a_process_ended_is_told(head: dict[str, Any], status: str, words: str) -> None:
    assert death(Limits(timeout=5), HEAD | head, ProcessReport(gone="it left")) == (status, words)
    if "second" not in str(head) and head["cause"] != "done":
        assert verdict(PASS, head) == status, "it outweighs what was reported"


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


AT_A = PASS[:1]
AT_B = PASS[:2]
ALL = "test_a", "test_b"
WHOLE_NOT = "the report of the run is not whole"
BROKE = {"error": {"type": "E", "text": "broke", "place": "line 3"}}
GONE = {"gone": "it left"}
NOT_LOADED_ERROR = {"error": {"type": "E", "kind": "CollectError", "text": "broke", "place": ""}}
ONE_LINES: dict[str, tuple[list[Any], dict[str, Any], str, str, str]] = {
    "a pass": (PASS, {}, "pass", "", "pass pass"),
    "a failure": ([*AT_A, check("test_a", "fail"), PASS[2], PASS[3]], {}, "fail", "", "fail pass"),
    "an error": (
        [*AT_A, check("test_a", "error", message="E: x\nmore"), PASS[2], PASS[3]], {}, "error", "E: x", "error pass"
    ),
    "no memory": (
        [*AT_B, check("test_b", "error", message="MemoryError: x", type="MemoryError"), PASS[3]], {}, "memory",
        "MemoryError: x", "pass error",
    ),
    "a check that hung": (AT_B, {"cause": "cpu"}, "timeout", "test_b: no end within 5 s of computing", "pass timeout"),
    "a check that died": (AT_B, EXIT | {"signal": 11}, "crash", "ended by signal 11 (SIGSEGV)", "pass error"),
    "a check that ate the memory": (
        AT_B, EXIT | {"signal": 9, "peak_kb": 600 << 10}, "memory",
        "killed when it had taken 600 MB of memory; 512 MB are allowed", "pass error",
    ),
    "the solution's end, noticed": (
        [*AT_A, check("test_a", "error", message="gone"), GONE], {"second_code": 3}, "error",
        "the program ended itself (exit code 3)", "error -",
    ),
    "the solution's end, not noticed": (
        [*AT_B, check("test_b"), GONE], {"second_code": 3}, "error", "the program ended itself (exit code 3)",
        "pass error",
    ),
    "the solution's end before any check": (
        [*AT_A, GONE], {"second_code": 3}, "error", "the program ended itself (exit code 3)", "error -"
    ),
    "all time used up": (
        AT_B, {"cause": "budget"}, "timeout",
        "1 of 2 checks did not run: the time for the whole run was used up", "pass not_run",
    ),
    "one check of two": ([*AT_B, {"done": 1}], {}, "error", "1 of 2 checks finished", "pass not_run"),
    "no check": ([{"collected": []}, {"done": 0}], {}, "error", "no check was collected", ""),
    "one name twice": (
        [{"collected": ["test_a", "test_a"]}], {}, "error", "two checks have the same name", "not_run not_run"
    ),
    "a miscount": ([*PASS[:3], {"done": 1}], {}, "error", WHOLE_NOT, "pass pass"),
    "another check than announced": ([*AT_A, PASS[2], PASS[1], PASS[3]], {}, "error", WHOLE_NOT, "not_run not_run"),
    "a forged frame": (PASS, {"cause": "forged"}, "error", WHOLE_NOT, "pass pass"),
    "a forged record and a death": ([*AT_B, [1]], EXIT, "error", WHOLE_NOT, "pass not_run"),
    "an error of the run": ([BROKE], {}, "error", "E: broke (line 3)", "not_run not_run"),
    "an error of the run that was refused": (
        [{"error": {"type": "PermissionError", "text": "", "place": ""}}], {}, "blocked", "PermissionError",
        "not_run not_run",
    ),
    "a suite that is not loaded": ([NOT_LOADED_ERROR], {}, "error", f"{NOT_LOADED}E: broke", "not_run not_run"),
    "a suite that ends the process": (
        [{"loading": True}], EXIT | {"exit_code": 3}, "error", f"{NOT_LOADED}the program ended itself (exit code 3)",
        "not_run not_run",
    ),
    "a program that ends the process": (
        [], EXIT | {"exit_code": 3}, "error", "the program ended itself (exit code 3)", "not_run not_run"
    ),
    "a program that loops while the suite is loaded": (
        [{"loading": True}], {"cause": "cpu", "own": True}, "timeout", "no end within 5 s of computing",
        "not_run not_run",
    ),
    "a loop while loading": ([], {"cause": "cpu"}, "timeout", "no end within 5 s of computing", "not_run not_run"),
    "an end after all checks": (PASS[:3], EXIT | {"exit_code": 3}, "error", "the program ended itself (exit code 3)",
                                "pass pass"),
    "the solution's end while it is loaded": (
        [{"error": {"type": "SolutionEnded", "text": "", "place": ""}}], {"second_signal": 11}, "crash",
        "ended by signal 11 (SIGSEGV)", "not_run not_run",
    ),
    "the solution's end that nobody saw": (
        [{"error": {"type": "SolutionEnded", "text": "x", "place": ""}}], {}, "error", "SolutionEnded: x",
        "not_run not_run",
    ),
    "a check that the program skipped": (
        [*AT_B, check("test_b", "skipped", type=SKIPPED_BY_PROGRAM), PASS[3]], {}, "error",
        "test_b: the program itself skipped it", "pass skipped",
    ),
    "a check that the tests skip": ([*AT_B, check("test_b", "skipped"), PASS[3]], {}, "pass", "", "pass skipped"),
    "nothing asserted": (
        [*AT_A, check("test_a", message="asserts nothing"), check("test_b", "skipped"), PASS[3]], {}, "error",
        "of 2 checks, none passed that asserts something", "pass skipped",
    ),
}  # fmt: skip
"""What one process reported and how it ended; status, line and checks of the run. "-" stands for a check that a fresh
process is to run."""


@in_one_test("name", ONE_LINES)
def test_what_became_of_a_run_is_one_status_one_line_and_one_result_for_each_check(name: str) -> None:
    records, head, status, line, checks = ONE_LINES[name]
    tally = Tally(PROGRAM, ALL)
    todo = tally.add(HEAD | head, reported(records), None)
    assert todo == tuple(at for at, word in enumerate(checks.split()) if word == "-")
    if todo == ():
        assert tally.status() == (status, line)
    told = [check.status for check in tally.checks()]
    assert told == checks.replace("-", "not_run").split()
    messages = [check.message for check in tally.checks() if check.status == "not_run" and not todo]
    assert all(message.startswith("not run: ") and line.rpartition(": ")[2] in message for message in messages)


def test_a_suite_that_changes_between_two_processes_is_no_pass() -> None:
    tally = Tally(PROGRAM)
    assert tally.add(HEAD | {"cause": "cpu"}, reported(AT_A), None) == (1,)
    assert tally.add(HEAD, reported([{"collected": ["test_a", "test_c"]}, check("test_c"), {"done": 1}]), (1,)) == ()
    assert tally.status() == ("error", "the suite holds other checks each time it is loaded")


@pytest.mark.parametrize(("fate", "most", "why"), [("cpu", 5, "had no end"), ("exit", 50, "ended their process")])
def test_so_many_checks_may_be_lost_and_no_more(fate: str, most: int, why: str) -> None:
    enough, processes = play(["pass", *[fate] * (most - 1), "pass"], PROGRAM)
    assert (processes, [check.status for check in enough.checks()].count("not_run")) == (most, 0)
    tally, processes = play([*[fate] * most, "pass", "pass"], PROGRAM)
    assert processes == most
    assert [check.message for check in tally.checks()[most:]] == [f"not run: {most} before it {why}"] * 2


def test_a_loading_that_starved_is_tried_once_more() -> None:
    tally = Tally(PROGRAM, ALL)
    assert (tally.add(HEAD | {"cause": "starved"}, ProcessReport(), None), tally.starving) == (None, True)
    assert tally.add(HEAD | {"cause": "starved"}, ProcessReport(), None) == ()
    assert tally.status() == ("broken", f"2 of 2 checks did not run: {BUSY}")


CALLS = Program("x = 1", calls=("f(1)", "f(2)", "f(3)"))


@pytest.mark.parametrize(
    ("cause", "told", "todo"),
    [
        ({"cause": "cpu"}, "timeout ", (2,)),
        (EXIT | {"signal": 11}, "exception Crash", (2,)),
        (EXIT | {"signal": 9, "peak_kb": 600 << 10}, "exception MemoryError", (2,)),
        ({"cause": "starved"}, "not_run ", (1, 2)),
        ({"cause": "budget"}, "not_run ", ()),
    ],
)
def test_a_call_that_takes_its_process_with_it_costs_itself_only(cause: dict[str, Any], told: str, todo: Todo) -> None:
    tally = Tally(CALLS)
    assert tally.add(HEAD | cause, reported([{"collected": []}, {"output": [0, "value", "1"]}]), None) == todo
    assert [f"{out.kind} {out.text}" for out in tally.outputs()] == ["value 1", told, "not_run "]
    if todo:
        rest = [{"output": [at, "value", "2"]} for at in todo]
        assert tally.add(HEAD, reported([*rest, {"done": len(rest)}]), todo) == ()
        assert (tally.status(), tally.outputs()[2].text) == (("ok", ""), "2")


def test_calls_of_a_program_that_does_not_load_have_no_output() -> None:
    tally = Tally(CALLS)
    assert tally.add(HEAD, reported([BROKE, {"done": 0}]), None) == ()
    assert (tally.status(), {out.kind for out in tally.outputs()}) == (("error", "E: broke (line 3)"), {"not_run"})


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
