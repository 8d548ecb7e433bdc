"""What two runs of one suite are worth together; no sandbox is opened here."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import CheckResult, Execution, Isolation
from sandbox.child.proxy.specials import ANSWERED, ANSWERED_THERE
from sandbox.modes import confirm, join
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
    assert "no worker" in done.unconfirmed_reason


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
