"""A run as the engine would tell it: a wrong first program, a wrong check found out, a repair, a verdict."""

from __future__ import annotations

from collections.abc import Iterable

from agent.events import (
    AgentEvent,
    CallMade,
    CandidateWritten,
    CheckListed,
    CheckRuled,
    ChecksRan,
    CriticSpoke,
    Diagnosed,
    Judged,
    LessonsLearned,
    MemoryRecalled,
    MutationMeasured,
    NodeFinished,
    NodeStarted,
    RunFinished,
    RunStarted,
    SuiteWritten,
    TaskClassified,
    TextStreamed,
    ToolUsed,
    TournamentHeld,
)
from agent.events.conclusion import Brought, CheckEvidence, Conclusion, Evidence, MadeFile, MutationScore, SetAside
from agent.state import Origin, Tier
from demo.view.fold import RunView, fold
from demo.view.shot import Shot
from framework.engine import Status
from sandbox.types import Coverage

TASK = "Write merge(intervals): merge overlapping intervals.\nmerge([[1, 3], [2, 6]]) -> [[1, 6]]"
WRONG = (
    "def merge(intervals):\n    merged = []\n    for start, end in intervals:\n"
    "        merged.append([start, end])\n    return merged\n"
)
RIGHT = (
    "def merge(intervals):\n    merged = []\n    for start, end in sorted(intervals):\n"
    "        if merged and start <= merged[-1][1]:\n            merged[-1][1] = max(merged[-1][1], end)\n"
    "        else:\n            merged.append([start, end])\n    return merged\n"
)
DIFF = (
    "--- c1\n+++ c2\n@@ -2,5 +2,8 @@\n     merged = []\n-    for start, end in intervals:\n"
    "-        merged.append([start, end])\n+    for start, end in sorted(intervals):\n"
    "+        if merged and start <= merged[-1][1]:\n+            merged[-1][1] = max(merged[-1][1], end)\n"
    "+        else:\n+            merged.append([start, end])\n     return merged"
)
CHECKS = ("task.test_example_1", "spec:1.test_touching", "spec:1.test_unsorted", "spec:1.test_wrong_reading")


def beginning(*, scripted: bool = True, task: str = TASK) -> list[AgentEvent]:
    """Up to the first execution, which fails."""
    return [
        RunStarted(
            task,
            "mock" if scripted else "ollama",
            "demo",
            scripted,
            {"autonomy": "full_auto"},
            {"level": "walled", "network": "refused"},
        ),
        NodeStarted("intake"),
        TaskClassified("function", False, "merge(intervals)", ("merge([[1, 3], [2, 6]]) -> [[1, 6]]",)),
        SuiteWritten(
            "task",
            "task",
            (_listed(CHECKS[0], "assert merge([[1, 3], [2, 6]]) == [[1, 6]]"),),
            "from solution import *",
        ),
        NodeFinished("intake", 0.01),
        NodeStarted("write_spec_tests"),
        NodeStarted("write_code"),
        TextStreamed("generator", "def merge(intervals):\n"),
        CallMade("spec_tester", "first", "mock", "demo", 812, 301, 0.0, 0.42),
        SuiteWritten(
            "spec:1",
            "spec",
            (
                _listed(CHECKS[1], "assert merge([[1, 2], [2, 3]]) == [[1, 3]]"),
                _listed(CHECKS[2], "assert merge([[5, 6], [1, 2]]) == [[1, 2], [5, 6]]", held_out=True),
                _listed(CHECKS[3], "assert merge([[1, 2], [3, 4]]) == [[1, 4]]"),
            ),
            "",
        ),
        NodeFinished("write_spec_tests", 0.44),
        CallMade("generator", "first", "mock", "demo", 640, 120, 0.0, 0.51),
        CandidateWritten("c1", "first", None, "", WRONG, "", "Copies every interval."),
        NodeFinished("write_code", 0.53),
        NodeStarted("run_tests"),
        ChecksRan(
            "c1",
            "fail",
            {CHECKS[0]: "fail", CHECKS[1]: "fail", CHECKS[2]: "pass", CHECKS[3]: "fail"},
            {CHECKS[0]: "assert [[1, 3], [2, 6]] == [[1, 6]]", CHECKS[1]: "assert [[1, 2], [2, 3]] == [[1, 3]]"},
            "",
            False,
            31.0,
            18.2,
            "",
            "",
            (),
        ),
        NodeFinished("run_tests", 0.05),
    ]


def diagnosis() -> list[AgentEvent]:
    return [
        NodeStarted("diagnose"),
        ToolUsed("run_snippet", {"code": "print(merge([[1, 3], [2, 6]]))"}, "[[1, 3], [2, 6]]"),
        CallMade("debugger", "1", "mock", "demo", 1320, 210, 0.0, 0.6, notes=("1 retry after a timeout",)),
        Diagnosed(
            "c1", "code", "assertion", 0.9, "Neighbours are never compared.", "Sort, then extend the last interval."
        ),
        NodeFinished("diagnose", 0.7),
        MemoryRecalled((Brought("r0", "verified", 0.5, 1),)),
        LessonsLearned(("Sort before merging; compare each interval with the last merged one.",)),
    ]


def ending() -> list[AgentEvent]:
    return [
        NodeStarted("repair"),
        CandidateWritten("c2", "repair", "c1", "minimal", RIGHT, DIFF, "Sorts and extends."),
        TournamentHeld(("c2", "c1"), (("c2",), ("c1",)), 12),
        NodeFinished("repair", 0.5),
        NodeStarted("run_tests"),
        ChecksRan(
            "c2",
            "fail",
            {CHECKS[0]: "pass", CHECKS[1]: "pass", CHECKS[2]: "fail", CHECKS[3]: "fail"},
            {CHECKS[3]: "assert [[1, 2], [3, 4]] == [[1, 4]]", CHECKS[2]: "assert 1 == 2"},
            "",
            False,
            29.0,
            18.0,
            "",
            "",
            (),
        ),
        ChecksRan(
            "c2", "pass", {CHECKS[2]: "pass"}, {}, "", True, 28.0, 18.0, "merged 2 intervals\n", "", ("plot.png",)
        ),
        NodeFinished("run_tests", 0.06),
        CheckRuled(CHECKS[3], "test", "agreement", "two independent programs give [[1, 2], [3, 4]]"),
        CriticSpoke("Empty input is not handled.", "merge([])", False),
        MutationMeasured(7, 8, ("- <= + <",)),
        Judged(
            "conclude",
            "all trusted checks pass",
            "c2",
            {CHECKS[0]: "T0", CHECKS[1]: "T1", CHECKS[2]: "T1", CHECKS[3]: "T2"},
        ),
        NodeStarted("conclude"),
        NodeFinished("conclude", 0.02),
        RunFinished(outcome()),
    ]


def outcome() -> Conclusion:
    rows: list[tuple[Tier, Origin, str, bool]] = [
        ("T0", "task", CHECKS[0], False), ("T1", "spec", CHECKS[1], False), ("T1", "spec", CHECKS[2], True),
    ]  # fmt: skip
    return Conclusion(
        verdict="verified",
        verdict_reason="1 promised and 2 confirmed checks pass; confirmed in the split runner",
        stop_reason="all trusted checks pass",
        answer="merge sorts the intervals and joins those that touch or overlap.",
        candidate="c2",
        code=RIGHT,
        tests="from solution import *\n\ndef test_example_1():\n    assert merge([[1, 3], [2, 6]]) == [[1, 6]]\n",
        artifacts=(MadeFile(name="plot.png", mime="image/png"),),
        evidence=Evidence(
            checks=tuple(
                CheckEvidence(
                    name=name, tier=tier, origin=origin, outcome="pass", message="", held_out=held, sentence=""
                )
                for tier, origin, name, held in rows
            ),
            quarantined=(SetAside(name=CHECKS[3], reason="agreement: two independent programs give [[1, 2], [3, 4]]"),),
            clauses=(),
            mutation=MutationScore(killed=7, total=8, survivors=("- <= + <",)),
            coverage=Coverage(branches=4, branches_taken=4, lines=8, lines_run=8, missing=()),
            isolation={
                "level": "walled",
                "network": "refused",
                "files": "own folder only",
                "memory": "512 MB",
                "processes": "refused",
                "environment": "empty",
            },
            confirmed=True,
            packages=("cowsay 6.1",),
            style="formatted by ruff; all 3 checks came out as before",
        ),
    )


def whole() -> list[AgentEvent]:
    return [*beginning(), *diagnosis(), *ending()]


def _listed(check: str, statement: str, *, held_out: bool = False) -> CheckListed:
    name = check.rsplit(".", 1)[-1]
    return CheckListed(check, name, f"def {name}():\n    {statement}\n", held_out)


def fold_all(events: Iterable[AgentEvent], view: RunView | None = None) -> RunView:
    """The view after events that all happened when the run began."""
    view = view or RunView()
    for event in events:
        view = fold(view, event)
    return view


def shot_of(events: Iterable[AgentEvent], status: Status = "done") -> Shot:
    """The screen's state after these events."""
    return Shot("r", fold_all(events), status)
