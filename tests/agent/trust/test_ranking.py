"""Best so far, acceptance, and when nothing more needs to be written."""

from __future__ import annotations

from dataclasses import replace

from agent.state.findings import Finding, Standing
from agent.trust import CandidateFacts, accepted, clusters, rank, settled
from sandbox import CallOutput

from .build import anchor, check, facts, program

CHECKS = [anchor("t0"), anchor("t1"), check("a"), check("b")]


def test_anchors_come_before_everything_else() -> None:
    given = facts(CHECKS, [program("c1", "PFPP", CHECKS), program("c2", "PPFF", CHECKS)])
    assert rank(given) == ("c2", "c1")


def test_the_last_program_is_not_returned_because_it_is_last() -> None:
    given = facts(CHECKS, [program("c1", "PPPP", CHECKS), program("c2", "PPPF", CHECKS)])
    assert rank(given)[0] == "c1"


def test_agreement_on_generated_inputs_outweighs_one_unconfirmed_check() -> None:
    checks = [anchor(), check("a"), check("b"), check("c")]
    pool = [
        program("c1", "PPPP", checks, "xxxx"),
        program("c2", "PPPF", checks, "yyyy"),
        program("c3", "PPPF", checks, "yyyy"),
    ]
    assert rank(facts(checks, pool))[0] == "c2"


def test_copies_of_one_family_do_not_agree_themselves_to_the_top() -> None:
    checks = [anchor(), check("a"), check("b"), check("c")]
    family = [
        program(f"c{i}", "PPPF", checks, "yyyy", root="c1", kind="repair" if i > 1 else "first") for i in (1, 2, 3)
    ]
    assert rank(facts(checks, [*family, program("c4", "PPPP", checks, "xxxx")]))[0] == "c4"


def test_shorter_code_wins_a_tie_and_then_the_earlier_program() -> None:
    given = facts(
        CHECKS, [program(name, "PPPP", CHECKS, size=size) for name, size in (("c1", 9), ("c2", 5), ("c3", 5))]
    )
    assert rank(given) == ("c2", "c3", "c1")


def test_a_program_that_cannot_run_is_last() -> None:
    given = facts(CHECKS, [program("c1", "....", CHECKS, broken="crash"), program("c2", "FFFF", CHECKS)])
    assert rank(given) == ("c2", "c1")


def test_a_program_that_broke_off_speaks_for_no_other_even_where_none_keeps_the_promises() -> None:
    """What it put out before it broke is no second opinion; without it the two others are equal and the first leads."""
    checks = [anchor(), check("a"), check("b")]
    pool = [program("c1", "FPP", checks, "xxxx"), program("c2", "FPP", checks, "yyyy")]
    agrees = program("c3", "FPP", checks, "yyyy")
    assert rank(facts(checks, [*pool, agrees]))[0] == "c2"
    assert rank(facts(checks, [*pool, replace(agrees, broken="crash")]))[0] == "c1"
    assert rank(facts(checks, [*pool, replace(agrees, executed=False)]))[0] == "c1"


def test_a_script_that_ran_and_lacks_something_is_before_one_that_crashed() -> None:
    crashed = program("c1", "", [], broken="KeyError: 'Salary'", size=3)
    lacking = program("c2", "", [], broken="missing output: no picture was drawn", root="c1", kind="repair", size=9)
    assert rank(facts([], [crashed, lacking])) == ("c2", "c1")


def test_a_repair_that_breaks_a_passed_promise_stays_below_what_it_repairs() -> None:
    parent = program("c1", "PFFF", CHECKS)
    repair = program("c2", "FPPP", CHECKS, root="c1", kind="repair")
    assert rank(facts(CHECKS, [parent, repair])) == ("c1", "c2")


def test_a_repair_that_loses_what_another_program_keeps_too_stays_below_what_it_repairs() -> None:
    checks = [anchor(), check("k", "kept", call="f(1)", against="c1")]
    given = program("c1", "FP", checks, kind="given", fingerprint="old")
    repair = program("c2", "PF", checks, kind="repair", root="c1", fingerprint="new")
    other = program("c3", "PP", checks)
    order = rank(facts(checks, [given, repair, other]))
    assert order.index("c1") < order.index("c2")
    alone = rank(facts(checks, [given, repair]))
    assert alone.index("c2") < alone.index("c1"), "what nobody else keeps may well be the fault"


def test_a_failed_promise_is_never_accepted_and_a_lone_disputed_check_never_rejects() -> None:
    given = facts(CHECKS, [program("c1", "PPFP", CHECKS), program("c2", "PFPP", CHECKS)])
    assert (accepted(given, "c1"), accepted(given, "c2")) == (True, False)


def test_a_promise_that_was_not_executed_does_not_count_as_kept() -> None:
    assert not accepted(facts(CHECKS, [program("c1", "P.PP", CHECKS)]), "c1")


def test_a_program_with_much_less_support_than_the_best_is_not_accepted() -> None:
    checks = [anchor(), *(check(name) for name in "abcd")]
    pool = [
        program("c1", "PPPPP", checks, "xx"),
        program("c2", "PPPPP", checks, "xx"),
        program("c3", "PFFFF", checks, "yy"),
    ]
    given = facts(checks, pool)
    assert [accepted(given, c) for c in ("c1", "c2", "c3")] == [True, True, False]


def test_a_program_against_which_somebody_has_ruled_is_not_accepted() -> None:
    ruled = [*CHECKS[:3], check("b", ruling="code")]
    open_ = [*CHECKS[:3], check("b")]
    for checks, is_accepted in ((ruled, False), (open_, True)):
        assert accepted(facts(checks, [program("c1", "PPPF", checks)]), "c1") is is_accepted


def test_what_is_not_accepted_is_not_settled() -> None:
    assert not settled(facts(CHECKS, [program("c1", "PFPP", CHECKS)]), "c1")


def test_with_anchors_a_program_that_fails_nothing_is_settled_alone() -> None:
    assert settled(facts(CHECKS, [program("c1", "PPPP", CHECKS)]), "c1")


def test_a_failing_check_of_the_only_suite_leaves_it_open_but_one_of_five_suites_does_not() -> None:
    pool = [program("c1", "PPFP", CHECKS)]
    assert not settled(facts(CHECKS, pool, suites=1), "c1")
    assert settled(facts(CHECKS, pool, suites=5), "c1")


def test_a_check_that_two_of_five_suites_state_leaves_it_open() -> None:
    checks = [anchor(), check("a", votes=2), check("b"), check("c")]
    assert not settled(facts(checks, [program("c1", "PFPP", checks)], suites=5), "c1")


def test_without_anchors_only_an_independent_program_that_behaves_the_same_settles() -> None:
    bare = [check("a")]
    alone = program("c1", "P", bare, "xyz")
    assert not settled(facts(bare, [alone]), "c1")
    assert not settled(facts(bare, [alone, program("c2", "P", bare, "xyw")]), "c1")
    assert not settled(facts(bare, [alone, program("c2", "P", bare, "xyz", root="c1")]), "c1")
    assert settled(facts(bare, [alone, program("c2", "P", bare, "xyz")]), "c1")


def test_clusters_group_equal_behaviour_most_families_first() -> None:
    pool = [
        program("c1", "", [], "x"),
        program("c2", "", [], "y"),
        program("c3", "", [], "y"),
        program("c4", "", [], "x", root="c1"),
    ]
    assert clusters(facts([], pool)) == (("c2", "c3"), ("c1", "c4"))


def test_what_times_out_forms_no_cluster_with_others() -> None:
    pool = [program(name, "", [], answers={"p0": CallOutput("timeout", "")}) for name in ("c1", "c2")]
    assert clusters(facts([], pool)) == (("c1",), ("c2",))


def test_a_program_with_the_mark_of_the_named_algorithm_comes_before_a_shorter_one_without() -> None:
    def own(name: str, size: int, standing: Standing, kind: str = "algorithm") -> CandidateFacts:
        return program(name, "PPPP", CHECKS, size=size, clauses=(Finding("my merge sort", kind, standing, ""),))

    assert rank(facts(CHECKS, [own("c1", 3, "open"), own("c2", 9, "kept")])) == ("c2", "c1")
    timed = [own("c1", 3, "open", "complexity"), own("c2", 9, "kept", "complexity")]
    assert rank(facts(CHECKS, timed)) == ("c1", "c2"), "a busy machine leaves a measured claim open"
