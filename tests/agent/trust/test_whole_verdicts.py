"""Whole verdicts, every sentence and count of them: what a person reads, and what a chance is looked up by."""

from __future__ import annotations

from typing import Any

from agent.state.findings import Finding
from agent.trust import Facts, Grounds, Verdict, verdict
from sandbox import CallOutput
from tests.tables import in_one_test

from .build import anchor, check, facts, program

TWO = [anchor(), check("a")]
PAIR = [check("a"), check("b")]
CONFIRMED = [anchor(), check("a", votes=2), check("b")]
ONE_EXAMPLE = [anchor(claims=1), check("a"), check("b", ruling="test", ruled_by="arbiter")]
MISSING = [anchor(), anchor("t1")]
ASIDE = [anchor(), check("a", ruling="test"), check("b", ruling="test"), check("c")]
READ = [anchor(), check("a"), check("r", "adversary", call="f(1)", expected=CallOutput("value", "3"), ruling="task",
                                    is_reading=True)]  # fmt: skip
READ_SOMEHOW = [anchor(), check("a"), check("r", "adversary", ruling="task", is_reading=True)]
UNCLEAR = [anchor(), check("a"), check("q", call="f(1)", ruling="task", ruled_by="arbiter")]
REPORTED = [check("s", "symptom", anchor=True)]
TWENTY = {f"f({number})": str(number) for number in range(20)}
LATE = CallOutput("timeout", "")
DEMANDS = (
    Finding("no loops", "forbidden", "kept", "looked"),
    Finding("fast", "faster", "open", "too short"),
    Finding("sorted", "order", "open", "no list"),
)
BROKEN = (Finding("no imports", "forbidden", "broken", "line 2"), *DEMANDS)
OWN, FURTHER, NO_EXAMPLE = (
    "1 of 1 checks of the task itself pass",
    "1 of 1 further checks pass",
    "no check of the task itself was executed",
)
TRIED, LEFT = "1 of 2 other demands that could be tried hold", ("not shown: 'fast' (too short)", "not checked: 'sorted' (no list)")  # fmt: skip  # noqa: E501
UNSURE: dict[str, Any] = {"signs": ("a sign",), "confirmed": False, "unconfirmed_reason": "slow"}


def grounds(*, clear: bool = False, examples: int = 1, checks: int = 1, **more: Any) -> Grounds:
    told = {"failed": False, "agrees": False, "differs": False, "disputed": False, **more}
    return Grounds(clear=clear, examples=examples, checks=checks, **told)


def both(checks: list[Any], letters: str, *answers: dict[str, Any]) -> list[Any]:
    """A program for each of the answers, all of which pass and fail the same."""
    return [program(f"c{place}", letters, checks, answers=told) for place, told in enumerate(answers, 1)]


def alone(checks: list[Any], letters: str, **more: Any) -> Facts:
    return facts(checks, [program("c1", letters, checks, **more)])


CASES: dict[str, tuple[Facts, dict[str, Any], Verdict]] = {
    "all is well": (alone(TWO, "PP"), {}, Verdict("verified", (OWN, FURTHER), None, grounds(clear=True))),
    "a check that two suites state": (
        alone(CONFIRMED, "PPP"), {},
        Verdict("verified", (OWN, "1 of 1 confirmed checks pass", FURTHER), None, grounds(clear=True, checks=2)),
    ),
    "one example, a program that agrees, and a check set aside": (
        facts(ONE_EXAMPLE, both(ONE_EXAMPLE, "PPF", TWENTY, TWENTY), valid=tuple(TWENTY)), {},
        Verdict(
            "partly_verified",
            (
                OWN, FURTHER, "compared with 1 independent program: 20 of 20 inputs equal",
                "1 model-written check was set aside as wrong or undecidable",
                "the task gives only one example, which is too little beside these model-written checks: 1 pass, 1 set aside",  # noqa: E501
            ),
            {"equal": 20, "different": 0, "no_answer": 0},
            grounds(clear=True, agrees=True, disputed=True, set_aside=1, few=True),
        ),
    ),
    "programs that a check has refuted": (
        facts(TWO, [program("c1", "PP", TWO), program("c2", "PE", TWO), program("c3", "PF", TWO)]), {},
        Verdict(
            "verified", (OWN, FURTHER, "2 independent programs failed checks that this one passes"), None,
            grounds(clear=True),
        ),
    ),
    "a program that answers nothing": (
        facts(TWO, both(TWO, "PP", {"p0": LATE}, {"p0": LATE})), {},
        Verdict(
            "verified", (OWN, FURTHER, "1 independent program answered no input that could be compared"),
            {"equal": 0, "different": 0, "no_answer": 1}, grounds(clear=True),
        ),
    ),
    "programs that are equal but for something": (
        facts(TWO, both(TWO, "PP", TWENTY, TWENTY), apart_from="rounding", valid=tuple(TWENTY)), {},
        Verdict(
            "verified",
            (OWN, FURTHER, "compared with 1 independent program: 20 of 20 inputs equal apart from rounding"),
            {"equal": 20, "different": 0, "no_answer": 0}, grounds(clear=True, agrees=True),
        ),
    ),
    "an example that did not run": (
        alone(MISSING, "P."), {},
        Verdict("unverified", ("t1 was not executed", OWN), None, grounds(checks=0, disputed=True)),
    ),
    "a check that nobody has settled": (
        alone(TWO, "PF"), {},
        Verdict(
            "partly_verified",
            (
                OWN, "0 of 1 further checks pass", "a fails and nobody has settled it",
                "only the task's own checks speak for it: no further check passes, and no independent program was found that answers 20 inputs (or all that there can be) with the same value",  # noqa: E501
            ),
            None, grounds(checks=0, disputed=True),
        ),
    ),
    "such a check, which another program fails, too": (
        facts(PAIR, both(PAIR, "PF", {"p0": "1"}, {"p0": "1"})), {},
        Verdict(
            "partly_verified",
            (
                NO_EXAMPLE, "1 of 2 further checks pass", "compared with 1 independent program: 1 of 1 inputs equal",
                "b fails in 1 independent program as well, so that it may be wrong; nobody has settled it",
                "no example to check against was read from the task",
            ),
            {"equal": 1, "different": 0, "no_answer": 0}, grounds(examples=0, disputed=True),
        ),
    ),
    "such a check of two suites": (
        alone(CONFIRMED, "PFP"), {},
        Verdict(
            "unverified", ("a is not settled", OWN, "1 of 2 further checks pass"), None, grounds(disputed=True),
        ),
    ),
    "another reading": (
        alone(READ, "PPF", answers={"f(1)": "2"}), {},
        Verdict(
            "partly_verified",
            (OWN, FURTHER, "no example says what f(1) gives: this program gives 2, another reading of the task 3"),
            None, grounds(disputed=True),
        ),
    ),
    "another reading without a value": (
        alone(READ_SOMEHOW, "PPF"), {},
        Verdict(
            "partly_verified",
            (
                OWN, FURTHER,
                "no example says what r gives: this program does otherwise, another reading of the task something else",
            ),
            None, grounds(disputed=True),
        ),
    ),
    "what the task does not say": (
        alone(UNCLEAR, "PPF", answers={"f(1)": "1"}), {},
        Verdict(
            "partly_verified",
            (
                OWN, FURTHER, "1 model-written check was set aside as wrong or undecidable",
                "nothing settles what f(1) gives; the program gives 1",
            ),
            None, grounds(disputed=True, set_aside=1),
        ),
    ),
    "more set aside than kept": (
        alone(ASIDE, "PFFP"), {},
        Verdict(
            "partly_verified",
            (
                OWN, FURTHER, "2 model-written checks were set aside as wrong or undecidable",
                "more model-written checks were set aside than the 1 that it passes",
            ),
            None, grounds(disputed=True, set_aside=2),
        ),
    ),
    "demands that were not decided": (
        alone(TWO, "PP", clauses=DEMANDS), {},
        Verdict("partly_verified", (OWN, FURTHER, TRIED.replace("2", "1"), *LEFT), None, grounds()),
    ),
    "signs, and no second pass": (
        alone(TWO, "PP"), UNSURE, Verdict("partly_verified", (OWN, FURTHER, "a sign", "slow"), None, grounds()),
    ),
    "objects that judge themselves": (
        alone(TWO, "PP", clauses=DEMANDS), {**UNSURE, "self_judged": True},
        Verdict("unverified", (OWN, FURTHER, TRIED.replace("2", "1"), "a sign", *LEFT, "slow"), None, grounds()),
    ),
    "a broken promise and a broken demand": (
        alone(TWO, "FP", clauses=BROKEN), {},
        Verdict(
            "failed",
            (
                "t0 fails and the code is at fault", "the task says 'no imports', but: line 2",
                "0 of 1 checks of the task itself pass", FURTHER, TRIED, *LEFT,
            ),
            None, grounds(failed=True, examples=0),
        ),
    ),
    "a broken demand": (
        alone(TWO, "PP", clauses=BROKEN), {},
        Verdict("failed", ("the task says 'no imports', but: line 2", OWN, FURTHER, TRIED, *LEFT), None, None),
    ),
    "what cannot run": (
        alone(TWO, "..", broken="SyntaxError"), {}, Verdict("failed", ("the program could not run: SyntaxError",)),
    ),
    "what lost a name": (alone(TWO, "PP", lost="f is gone"), {}, Verdict("failed", ("f is gone",))),
    "nothing written": (facts(TWO, []), {"candidate": None}, Verdict("failed", ("no program was written",))),
    "no example, and programs agree": (
        facts(TWO[1:], both(TWO[1:], "P", {"p0": "1"}, {"p0": "1"})), {},
        Verdict(
            "partly_verified",
            (
                NO_EXAMPLE, FURTHER, "compared with 1 independent program: 1 of 1 inputs equal",
                "no example to check against was read from the task",
            ),
            {"equal": 1, "different": 0, "no_answer": 0}, grounds(examples=0),
        ),
    ),
    "no example, and programs agree that judge themselves": (
        facts(TWO[1:], both(TWO[1:], "P", {"p0": "1"}, {"p0": "1"})), {"self_judged": True},
        Verdict(
            "unverified", (NO_EXAMPLE, FURTHER, "compared with 1 independent program: 1 of 1 inputs equal"),
            {"equal": 1, "different": 0, "no_answer": 0}, grounds(examples=0),
        ),
    ),
    "a reported fault that no longer shows": (
        facts(REPORTED, [
            program("c0", "F", REPORTED, kind="given", fingerprint="old"),
            program("c1", "P", REPORTED, kind="repair", root="c0", fingerprint="new"),
        ]), {},
        Verdict(
            "unverified",
            (
                "neither an example of the task nor an independent program speaks for it",
                "1 of 1 reported faults no longer show",
            ),
            None, grounds(examples=0, checks=0),
        ),
    ),
    "no example and nobody else": (
        alone(TWO[1:], "P"), {},
        Verdict(
            "unverified",
            ("neither an example of the task nor an independent program speaks for it", NO_EXAMPLE, FURTHER),
            None, grounds(examples=0),
        ),
    ),
}  # fmt: skip


@in_one_test("name", CASES)
def test_each_verdict_is_the_word_every_reason_and_every_count(name: str) -> None:
    given, more, wanted = CASES[name]
    assert verdict(given, **{"confirmed": True, "candidate": "c1", **more}) == wanted
