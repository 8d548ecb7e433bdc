"""Which runs a mode makes of one suite, and what they are worth together; no sandbox is opened here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import CheckResult, Execution, Isolation, Program
from sandbox.child.proxy.specials import ANSWERED, ANSWERED_THERE
from sandbox.modes import OTHER_SEED, SEED, confirm, join, run_in_mode
from sandbox.runs import ProgramRun
from sandbox.types import SELF_ANSWERED, CheckStatus, Status

WALLS = Isolation("walled", **dict.fromkeys(("network", "files", "memory", "disk", "processes", "environment"), ""))
LIMIT = "the tests subclass a class of the solution"


def ran(status: Status, error: str = "", **checks: CheckStatus) -> Execution:
    told = tuple(CheckResult(name, how, "" if how == "pass" else f"{name} told\nmore") for name, how in checks.items())
    return Execution(status, WALLS, checks=told, error=error)


CLAIM = ran("pass", test_a="pass", test_b="pass")


def test_a_pass_in_two_processes_is_confirmed_unless_there_is_a_doubt() -> None:
    both = ran("pass", test_a="pass", test_b="pass")
    assert join(CLAIM, both, "", {}).confirmed
    assert confirm(both, "").confirmed
    for doubted in (join(CLAIM, both, "own ==", {}), confirm(both, "own ==")):
        assert (doubted.status, doubted.confirmed, doubted.unconfirmed_reason) == ("pass", False, "own ==")


def test_a_failure_in_two_processes_alone_stays_one() -> None:
    failed = ran("fail", test_a="fail")
    assert confirm(failed, "") is failed


def test_a_failure_by_value_takes_the_claim_back() -> None:
    done = join(CLAIM, ran("fail", test_a="pass", test_b="fail"), "", {})
    assert (done.status, done.confirmed) == ("unverifiable", False)
    assert done.error.endswith("test_b: test_b told")
    assert [check.status for check in done.checks] == ["pass", "fail"]


@pytest.mark.parametrize("status", ["fail", "error"])
def test_failures_that_are_all_limits_of_two_processes_leave_the_claim_unconfirmed(status: Status) -> None:
    done = join(CLAIM, ran(status, test_a="pass", test_b="error"), "", {"test_b": LIMIT})
    assert (done.status, done.confirmed, done.unconfirmed_reason) == ("pass", False, LIMIT)


def test_one_failure_by_value_beside_a_limit_is_enough() -> None:
    done = join(CLAIM, ran("fail", test_a="fail", test_b="error"), "", {"test_b": LIMIT})
    assert done.status == "unverifiable"
    assert "test_a" in done.error


def test_a_limit_of_a_check_that_passed_excuses_nothing() -> None:
    assert join(CLAIM, ran("fail", test_a="pass", test_b="fail"), "", {"test_a": LIMIT}).status == "unverifiable"


def test_a_run_that_lost_checks_excuses_nothing() -> None:
    done = join(CLAIM, ran("error", "1 of 2 checks finished", test_b="error"), "", {"test_b": LIMIT})
    assert done.status == "unverifiable"


@pytest.mark.parametrize(("status", "expected"), [("timeout", "pass"), ("crash", "unverifiable")])
def test_a_check_may_wait_in_vain_by_a_limit_but_not_crash_by_one(status: Status, expected: Status) -> None:
    done = join(CLAIM, ran(status, "why it ended", test_a="pass", test_b="error"), "", {"test_b": LIMIT})
    told = LIMIT if expected == "pass" else "why it ended"
    assert (done.status, told in done.error + done.unconfirmed_reason) == (expected, True)


def test_what_never_ran_behind_a_check_that_waited_in_vain_refutes_nothing() -> None:
    split = ran("timeout", "it waited", test_a="timeout", test_b="not_run")
    done = join(CLAIM, split, "", {"test_a": LIMIT})
    assert (done.status, done.confirmed, done.unconfirmed_reason) == ("pass", False, LIMIT)
    assert join(CLAIM, split, "", {}).status == "unverifiable"


def test_a_sandbox_that_failed_says_nothing_about_the_program() -> None:
    done = join(CLAIM, ran("broken", "no worker"), "", {})
    assert (done.status, done.confirmed) == ("pass", False)
    assert done.unconfirmed_reason == "the confirming run could not be made: no worker"


class Runner:
    """Its runs end as was written down beforehand, one after the other."""

    def __init__(self, runs: list[ProgramRun]) -> None:
        self._runs = runs
        self.made: list[str] = []
        """How each was made: in how many processes, and what else is not as usual."""

    async def run(self, program: Program, *, split: bool = False, seed: int = 0, explains: bool = True) -> ProgramRun:
        more = {"other seed": seed == OTHER_SEED, "bare": not explains, "covered": program.coverage}
        assert seed in (SEED, OTHER_SEED)
        self.made.append(" ".join(["two" if split else "one", *(word for word, on in more.items() if on)]))
        return self._runs[len(self.made) - 1]


PLAIN = Program("x = 1", tests="def test_a(): assert x")
SETS = Program("x = [*{1}]", tests="def test_a(): assert x")
PASSED, FAILED = ProgramRun(ran("pass", test_a="pass")), ProgramRun(ran("fail", test_a="fail"))
RAISED = ProgramRun(ran("error", "E: it broke", test_a="error"))
SETTLED = replace(FAILED, settled=True)
DOUBTED, ALSO = replace(PASSED, doubts=["own =="]), replace(PASSED, doubts=["own <", "own =="])
LIMITED, MET = replace(PASSED, limited=True), replace(RAISED, limits={"test_a": LIMIT}, limited=True)
ORDER = "it depends on the order of sets: under another hash seed test_a does not pass"
APART = "the tests pass in one process with the program, but not apart from it: "
WAYS: dict[str, tuple[Program, dict[str, ProgramRun], str, str]] = {
    "a pass": (PLAIN, {"two bare": PASSED}, "pass confirmed", ""),
    "a pass in doubt": (PLAIN, {"two bare": DOUBTED, "one": PASSED}, "pass", "own =="),
    "two doubts": (PLAIN, {"two bare": DOUBTED, "one": ALSO}, "pass", "own <; own =="),
    "a limit in a check that passed": (PLAIN, {"two bare": LIMITED, "one": PASSED}, "pass confirmed", ""),
    "a limit, and no pass in one": (PLAIN, {"two bare": LIMITED, "one": FAILED}, "fail", ""),
    "a limit in a check that did not pass": (PLAIN, {"two bare": MET, "one": PASSED}, "pass", LIMIT),
    "coverage": (
        replace(PLAIN, coverage=True), {"two bare": PASSED, "one covered": PASSED}, "pass confirmed", ""
    ),
    "a settled failure": (PLAIN, {"two bare": SETTLED}, "fail", ""),
    "a failure in both": (PLAIN, {"two bare": FAILED, "one": FAILED}, "fail", ""),
    "a failure by value": (
        PLAIN, {"two bare": FAILED, "one": PASSED, "two": FAILED}, "unverifiable", f"{APART}test_a: test_a told"
    ),
    "a failure by value that comes and goes": (
        PLAIN, {"two bare": FAILED, "one": PASSED, "two": PASSED}, "unverifiable", f"{APART}test_a: test_a told"
    ),
    "an error by itself": (PLAIN, {"two bare": RAISED, "one": PASSED}, "unverifiable", f"{APART}test_a: test_a told"),
    "any order": (SETS, {"two bare": PASSED, "one other seed": PASSED}, "pass confirmed", ""),
    "any order, in doubt": (SETS, {"two bare": DOUBTED, "one other seed": PASSED}, "pass", "own =="),
    "one order": (SETS, {"two bare": PASSED, "one other seed": FAILED, "one": PASSED}, "pass", ORDER),
    "no order": (SETS, {"two bare": PASSED, "one other seed": FAILED, "one": RAISED}, "error", "E: it broke"),
    "a failure where orders show": (SETS, {"two bare": FAILED, "one": FAILED}, "fail", ""),
    "split: a pass": (PLAIN, {"two": PASSED}, "pass confirmed", ""),
    "split: a pass in doubt": (PLAIN, {"two": DOUBTED}, "pass", "own =="),
    "split: any order": (SETS, {"two": PASSED, "two other seed": PASSED}, "pass confirmed", ""),
    "split: one order": (SETS, {"two": PASSED, "two other seed": FAILED}, "pass", ORDER),
    "split: a failure": (PLAIN, {"two": FAILED}, "fail", ""),
    "split: a failure where orders show": (SETS, {"two": FAILED}, "fail", ""),
    "split: a limit in a check that passed": (PLAIN, {"two": LIMITED, "one": PASSED}, "pass confirmed", ""),
    "split: a limit beside a failure": (PLAIN, {"two": replace(FAILED, limited=True)}, "fail", ""),
    "split: a limit in a check that did not pass": (PLAIN, {"two": MET, "one": PASSED}, "pass", LIMIT),
    "split: a limit, and no pass in one": (PLAIN, {"two": MET, "one": FAILED}, "fail", ""),
    "inprocess: a pass": (SETS, {"one": PASSED}, "pass", ""),
    "split: a script": (Program("x = {1}"), {"one": ProgramRun(ran("ok"))}, "ok", ""),
}  # fmt: skip
"""Program, the runs that are made and how each ends, how they end together, and what is told about it."""


@pytest.mark.asyncio
@pytest.mark.parametrize("name", WAYS)
async def test_a_mode_makes_the_runs_that_decide_and_no_other(name: str) -> None:
    program, runs, ends, told = WAYS[name]
    mode: Any = name.partition(": ")[0] if ": " in name else "auto"
    runner = Runner([*runs.values()])
    played: Any = runner
    done = await run_in_mode(played, replace(program, mode=mode))
    assert runner.made == [*runs]
    assert f"{done.status}{' confirmed' * done.confirmed}" == ends
    assert (done.unconfirmed_reason or done.error) == told


HOW: st.SearchStrategy[CheckStatus] = st.sampled_from(["pass", "fail", "error", "skipped"])


@given(
    st.dictionaries(st.sampled_from(["test_a", "test_b", "test_c"]), HOW), st.booleans(), st.sets(st.text()), st.text()
)
def test_nothing_but_a_pass_without_a_doubt_is_confirmed(
    checks: dict[str, CheckStatus], timed_out: bool, limited: set[str], doubt: str
) -> None:
    passes = "pass" in checks.values() and set(checks.values()) <= {"pass", "skipped"}
    status: Status = "timeout" if timed_out else "pass" if passes else "fail"
    passed: dict[str, CheckStatus] = dict.fromkeys(checks, "pass")
    claim = ran("pass", **passed)
    done = join(claim, ran(status, **checks), doubt, dict.fromkeys(limited, LIMIT))
    assert done.confirmed == (status == "pass" and not doubt)
    by_value = [name for name, how in checks.items() if how not in ("pass", "skipped") and name not in limited]
    assert done.status == "unverifiable" or not by_value


def test_the_reason_begins_as_other_rooms_know_it() -> None:
    assert ANSWERED.startswith(SELF_ANSWERED)
    assert ANSWERED_THERE.startswith(SELF_ANSWERED)
