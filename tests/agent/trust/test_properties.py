"""What holds for every set of facts, not only for those somebody thought of."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.state import Origin
from agent.trust import (
    CandidateFacts,
    CheckFacts,
    Facts,
    Letter,
    Spent,
    accepted,
    blame,
    clusters,
    decide,
    rank,
    tiers,
    verdict,
)
from sandbox import CallOutput

from .build import DONE

pytestmark = pytest.mark.slow

PROBES = ("p0", "p1", "p2")
LETTERS: st.SearchStrategy[Letter] = st.sampled_from(("P", "P", "P", "P", "F", "E", "T"))
OUTPUTS = st.sampled_from(
    [
        CallOutput("value", "1"),
        CallOutput("value", "2"),
        CallOutput("exception", "ValueError"),
        CallOutput("timeout", ""),
        CallOutput("opaque", ""),
    ]
)
ORIGINS: st.SearchStrategy[Origin] = st.sampled_from(("spec", "adversary", "critic"))


@st.composite
def checks_of(draw: st.DrawFn) -> tuple[CheckFacts, ...]:
    anchors = [CheckFacts(f"t{i}", "task", anchor=True) for i in range(draw(st.integers(0, 3)))]
    others = [
        CheckFacts(
            f"a{i}",
            draw(ORIGINS),
            votes=draw(st.integers(1, 3)),
            is_property=draw(st.booleans()),
            kills=draw(st.integers(0, 1)),
            against=draw(st.sampled_from([None, "c0", "c1"])),
            call=draw(st.sampled_from([None, f"f({i})"])),
            ruling=draw(st.sampled_from([None, None, None, "code", "test", "task"])),
            held_out=draw(st.booleans()),
        )
        for i in range(draw(st.integers(0, 5)))
    ]
    return (*anchors, *others)


@st.composite
def candidate_of(draw: st.DrawFn, number: int, checks: tuple[CheckFacts, ...]) -> CandidateFacts:
    family = draw(st.integers(0, number))
    calls = [*PROBES, *(check.call for check in checks if check.call)]
    skipped = draw(st.booleans()) and draw(st.booleans())
    return CandidateFacts(
        f"c{number}",
        f"c{family}",
        kind="repair" if family != number else "first",
        outcomes={check.id: draw(LETTERS) for check in checks if not (skipped and draw(st.booleans()))},
        outputs={call: draw(OUTPUTS) for call in calls},
        broken=draw(st.sampled_from(["", "", "", "SyntaxError"])),
        size=draw(st.integers(0, 3)),
        signature=draw(st.sampled_from(["", "s"])),
    )


@st.composite
def any_facts(draw: st.DrawFn) -> Facts:
    checks = draw(checks_of())
    pool = tuple(draw(candidate_of(i, checks)) for i in range(draw(st.integers(0, 4))))
    return Facts(checks, pool, PROBES, DONE, suites=draw(st.integers(1, 5)))


quick = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(any_facts(), st.booleans())
def test_verified_means_promises_were_executed_passed_and_confirmed(known: Facts, confirmed: bool) -> None:
    found = verdict(known, confirmed=confirmed)
    if found.word == "verified":
        best = next(c for c in known.candidates if c.id == rank(known)[0])
        promised = [check.id for check in known.checks if check.anchor]
        assert promised
        assert all(best.outcomes.get(i) == "P" for i in promised)
        assert confirmed
        failed = [check.id for check in known.checks if best.outcomes.get(check.id, "P") != "P"]
        assert all(blame(known, best.id, i).fault in ("test", "task") for i in failed)
    assert found.reasons


@quick
@given(any_facts())
def test_taking_away_the_execution_of_any_trusted_check_of_a_verified_program_ends_verified(known: Facts) -> None:
    if verdict(known, confirmed=True).word != "verified":
        return
    best = rank(known)[0]
    tier = tiers(known)
    for check in known.checks:
        if tier[check.id] != "T2":
            pool = tuple(
                replace(c, outcomes={i: v for i, v in c.outcomes.items() if i != check.id}) if c.id == best else c
                for c in known.candidates
            )
            assert verdict(replace(known, candidates=pool), confirmed=True, candidate=best).word != "verified"


@quick
@given(any_facts())
def test_without_any_executed_check_and_peer_nothing_passes(known: Facts) -> None:
    pool = tuple(replace(c, outcomes={}, root="c0") for c in known.candidates)
    assert verdict(replace(known, candidates=pool), confirmed=True).word in ("unverified", "failed")


@quick
@given(any_facts())
def test_a_repair_that_breaks_a_trusted_check_never_outranks_the_one_that_passed_it(known: Facts) -> None:
    order, tier = rank(known), tiers(known)
    for place, after in enumerate(known.candidates):
        for before in known.candidates[:place]:
            broken = [
                check.id
                for check in known.checks
                if check.ruling not in ("test", "task")
                and tier[check.id] != "T2"
                and before.outcomes.get(check.id) == "P"
                and after.outcomes.get(check.id, "P") != "P"
            ]
            if before.root == after.root and broken:
                assert order.index(before.id) < order.index(after.id)


@quick
@given(any_facts())
def test_what_is_accepted_passed_every_promise(known: Facts) -> None:
    for candidate in known.candidates:
        if accepted(known, candidate.id):
            standing = [c.id for c in known.checks if c.anchor]
            assert not candidate.broken
            assert all(candidate.outcomes.get(i) == "P" for i in standing)


@quick
@given(any_facts(), st.randoms(use_true_random=False))
def test_the_order_of_checks_and_probes_changes_neither_ranking_nor_clusters_nor_acceptance(known: Facts, rng) -> None:
    shuffled = replace(
        known, checks=tuple(rng.sample(known.checks, len(known.checks))), probes=tuple(rng.sample(PROBES, 3))
    )
    assert rank(shuffled) == rank(known)
    assert clusters(shuffled) == clusters(known)
    assert [accepted(shuffled, c.id) for c in known.candidates] == [accepted(known, c.id) for c in known.candidates]


@quick
@given(any_facts())
def test_the_loop_always_ends_within_its_bounds(known: Facts) -> None:
    """Every action that changes nothing but what was spent must lead to another one, and at last to the end."""
    spent = Spent()
    for _ in range(60):
        decision = decide(replace(known, spent=spent))
        if decision.action == "conclude":
            return
        assert decision.action != "run_tests"
        spent = _counted(spent, decision.action, decision.attempt, decision.check or decision.call)
    raise AssertionError("the loop did not end")


def _counted(spent: Spent, action: str, attempt: str | None, check: str | None) -> Spent:
    spent = replace(spent, judged=spent.judged + 1)
    match action:
        case "diagnose":
            return replace(spent, repairs={"c0": spent.repairs.get("c0", 0) + 1})
        case "second_attempt" if attempt == "rewrite":
            return replace(spent, rewrites=spent.rewrites + 1)
        case "second_attempt":
            return replace(spent, independents=spent.independents + 1)
        case "arbitrate":
            return replace(spent, arbitrated=spent.arbitrated | {check or ""})
        case "ask_person":
            return replace(spent, asked=True)
        case "write_adversarial_tests":
            return replace(spent, adversary_done=True)
        case "critic":
            return replace(spent, critic_done=True)
        case _:
            return spent


@quick
@given(st.integers(1, 6), st.integers(0, 15), st.booleans(), st.integers(1, 2))
def test_a_right_program_with_planted_wrong_tests_is_never_sent_to_repair_once_another_agrees(
    wrong: int, good: int, with_outputs: bool, examples: int
) -> None:
    checks = (
        CheckFacts("t0", "task", anchor=True, claims=examples),
        *(CheckFacts(f"w{i}", "spec", call=f"f({i})" if with_outputs else None) for i in range(wrong)),
        *(CheckFacts(f"g{i}", "spec", call=f"g({i})") for i in range(good)),
    )
    probes = tuple(f"p{i}" for i in range(20))
    outcomes: dict[str, Letter] = {check.id: "F" if check.id.startswith("w") else "P" for check in checks}
    outputs = {call: CallOutput("value", "7") for call in (*probes, *(check.call for check in checks if check.call))}
    pool = tuple(CandidateFacts(name, name, outcomes=outcomes, outputs=outputs) for name in ("c1", "c2"))
    known = Facts(checks, pool, probes, DONE)
    for _ in range(wrong):
        decision = decide(known)
        assert decision.action == "quarantine"
        ruled = tuple(replace(c, ruling="test") if c.id == decision.check else c for c in known.checks)
        known = replace(known, checks=ruled)
    assert decide(known).action == "conclude"
    enough = wrong <= good if examples > 1 else 2 * wrong < good
    assert verdict(known, confirmed=True).word == ("verified" if enough else "partly_verified")


@quick
@given(any_facts())
def test_an_always_wrong_model_ends_without_a_pass(known: Facts) -> None:
    promised = CheckFacts("promise", "person", anchor=True)
    pool = tuple(replace(c, outcomes={**c.outcomes, "promise": "F"}) for c in known.candidates)
    wrong = replace(known, checks=(promised, *known.checks), candidates=pool)
    assert verdict(wrong, confirmed=True).word == "failed"
    assert not any(accepted(wrong, c.id) for c in pool)
