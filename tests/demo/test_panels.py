"""The panels: everything that a model or a person wrote is text, and every figure is one that was counted."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from agent.events import (
    AgentEvent,
    CandidateWritten,
    CheckListed,
    CheckRuled,
    ChecksRan,
    CriticSpoke,
    Diagnosed,
    LessonsLearned,
    Noted,
    PlanMade,
    RunFailed,
    RunFinished,
    SuiteWritten,
    TextStreamed,
    ToolUsed,
)
from demo.panels.code import choices, diff_panel, shown_code
from demo.panels.evidence import evidence_card
from demo.panels.files import files_panel
from demo.panels.history import history_panel
from demo.panels.lists import learning_panel, suites_panel
from demo.panels.matrix import matrix
from demo.panels.pause import options_to_tick, pause_panel
from demo.panels.timeline import live_text, status_line, timeline_lines
from demo.replay import replay_page
from demo.screen import changed, frame
from demo.shot import LeftFile, Shot
from demo.view import RunView, fold_all
from framework.engine import Envelope, Pending
from framework.records import RunRow

from . import story

EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\"'`${alert(3)}{{x}}&"


def test_nothing_written_by_a_model_becomes_markup():
    view = fold_all(_evil_events())
    pending = Pending(
        EVIL, EVIL, {name: EVIL for name in ("plan", "explanation", "call", "reason", "failures", "code")}
    )
    shot = Shot("r" + EVIL, view, "waiting", pending, (LeftFile(EVIL, "image/png", 3),))
    panels = [
        evidence_card(view),
        evidence_card(fold_all([RunFailed(EVIL, 1)], view)),
        timeline_lines(view),
        live_text(view),
        matrix(view),
        suites_panel(view),
        learning_panel(view),
        diff_panel(view),
        files_panel(shot),
        pause_panel(shot),
        history_panel([(RunRow(EVIL, 0.0, EVIL, {}, True, "", ""), "done")]),
    ]
    for panel in panels:
        assert _tags(str(panel)).isdisjoint({"script", "iframe", "object", "link"}), panel
        assert not _handlers(str(panel)), panel
    assert sum("alert(1)" in str(panel) for panel in panels) == len(panels)


def test_the_replay_page_holds_only_its_own_script():
    page = replay_page([Envelope("r", number, 5.0 + number, "", event) for number, event in enumerate(_evil_events())])
    assert page.count("<script") == 1
    assert not _handlers(page)
    assert "default-src &#39;none&#39;" in page
    assert "Scripted demo model" in page


def test_the_card_tells_verdict_reason_and_every_figure():
    words = _text(evidence_card(fold_all(story.whole())))
    for expected in (
        "Verified",
        "1 promised and 2 confirmed checks pass",
        "Checks passed 3 / 3",
        "Held out 1 / 1",
        "Mutants killed 7 / 8",
        "Coverage 4/4 branches",
        "Confirmed yes",
        "T0 promised by you or by the task 1 of 1 pass 1 read from the task by code",
        "spec:1.test_wrong_reading : agreement: two independent programs give",
        "Network refused",
        "Scripted demo model",
        "no cost",
    ):
        assert expected in words


@pytest.mark.parametrize(
    ("verdict", "word"),
    [
        ("verified", "Verified"),
        ("partly_verified", "Partly verified"),
        ("unverified", "Unverified"),
        ("failed", "Failed"),
    ],
)
def test_each_verdict_has_its_word(verdict: str, word: str):
    view = fold_all([*story.beginning(), RunFinished({**story.outcome(), "verdict": verdict})])
    assert f"<h2>{word}</h2>" in evidence_card(view)


def test_before_the_end_no_verdict_is_shown():
    card = evidence_card(fold_all(story.beginning()))
    assert "<h2>Running</h2>" in card
    assert not re.search(r"<h2>(Verified|Partly|Unverified|Failed)", card)


def test_an_outcome_without_executed_checks_shows_zero_of_zero():
    empty = {**story.outcome(), "verdict": "unverified", "evidence": {"checks": [], "quarantined": []}}
    words = _text(evidence_card(fold_all([*story.beginning(), RunFinished(empty)])))
    assert "Unverified" in words
    assert "Checks passed 0 / 0" in words


def test_a_run_of_a_real_model_has_no_scripted_badge():
    view = fold_all([*story.beginning(scripted=False), RunFinished(story.outcome())])
    assert "cripted demo model" not in evidence_card(view) + timeline_lines(view)


def test_the_matrix_has_a_row_per_check_and_a_column_per_attempt():
    html = matrix(fold_all(story.whole()))
    rows = [row for row in re.findall(r"<tr.*?</tr>", html) if 'scope="row"' in row]
    assert [_text(row) for row in rows] == [
        "test_example_1 T0 read from the task by code fail pass",
        "test_touching T1 from the task alone fail pass",
        "test_unsorted T1 from the task alone held out pass pass",
        "test_wrong_reading T2 from the task alone set aside fail fail",
    ]


def test_a_regression_is_marked_in_its_cell():
    events = [event for event in story.whole() if not (isinstance(event, ChecksRan) and event.status == "pass")]
    assert "fail, passed before" in _text(matrix(fold_all(events)))
    assert "passed before" not in _text(matrix(fold_all(story.whole())))


def test_the_handed_back_program_is_shown_until_a_version_is_picked():
    view = fold_all(story.whole())
    assert shown_code(view) == story.RIGHT
    assert shown_code(view, "c1") == story.WRONG
    assert [value for _, value in choices(view)] == ["", "c1", "c2"]
    assert "diff-add" in diff_panel(view)
    assert "No earlier program" in diff_panel(view, "c1")


def test_boxes_that_had_nothing_to_do_are_left_out_of_the_timeline():
    words = _text(timeline_lines(fold_all(story.whole())))
    assert words.startswith("Run started scripted demo model Read the task")
    assert "Verdict: Verified" in words


def test_the_status_line_is_announced():
    assert 'role="status"' in status_line(RunView())
    assert "2 runs before yours" in status_line(RunView(), 2)


def test_only_changed_panels_are_sent_again():
    before = frame(Shot("r", fold_all(story.beginning()), "running"))
    after = frame(Shot("r", fold_all([TextStreamed("generator", "x")], fold_all(story.beginning())), "running"))
    sent = [value for value in changed(before, after) if value != {"__type__": "update"}]
    assert len(sent) == 1
    assert "Generator is writing" in str(sent[0])


def test_an_ambiguous_task_offers_its_outputs():
    assert options_to_tick(Pending("q", "ambiguous", {"call": "f(1)", "options": ["1", "2"]})) == ["1", "2"]
    assert options_to_tick(Pending("q", "review_plan", {"plan": "x"})) == []


def test_pictures_are_shown_and_other_files_only_offered():
    files = (LeftFile("plot.png", "image/png", 900), LeftFile("page.html", "text/html", 20))
    html = files_panel(Shot("abc", fold_all(story.whole()), "done", None, files))
    assert html.count("<img") == 1
    assert 'src="runs/abc/files/plot.png"' in html
    assert 'href="runs/abc/files/page.html?save=1"' in html


def _evil_events() -> list[AgentEvent]:
    ran = next(event for event in story.beginning() if isinstance(event, ChecksRan))
    outcome = {**story.outcome(), "answer": EVIL, "verdict_reason": EVIL, "code": EVIL}
    outcome["evidence"] = {
        "checks": [{"name": EVIL, "tier": EVIL, "origin": EVIL, "outcome": "fail", "message": EVIL}],
        "quarantined": [{"name": EVIL, "reason": EVIL}],
        "isolation": {"level": EVIL, "network": EVIL},
        "assumptions": [EVIL],
    }
    return [
        *story.beginning(task=EVIL),
        PlanMade(EVIL),
        Noted(EVIL),
        SuiteWritten("evil", "spec", (CheckListed("evil.x", EVIL, EVIL, False),), EVIL),
        CandidateWritten("c9", "repair", "c1", EVIL, EVIL, EVIL, EVIL),
        replace(ran, candidate="c9", outcomes={"evil.x": EVIL}, messages={"evil.x": EVIL}, error=EVIL, stdout=EVIL),
        ToolUsed(EVIL, {EVIL: EVIL}, EVIL),
        Diagnosed("c9", "code", "other", 0.5, EVIL, EVIL),
        CheckRuled("evil.x", "test", EVIL, EVIL),
        LessonsLearned((EVIL,)),
        CriticSpoke(EVIL, EVIL, True),
        RunFinished(outcome),
        TextStreamed(EVIL, EVIL),
    ]


class _Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [
            name for name, value in attrs if name.startswith("on") or (value or "").startswith("javascript")
        ]

    def handle_data(self, data: str) -> None:
        self.words.append(data.strip())


def _tags(html: str) -> set[str]:
    return set(_Reader(html).tags)


def _handlers(html: str) -> list[str]:
    return _Reader(html).handlers


def _text(html: str) -> str:
    return " ".join(word for word in _Reader(html).words if word)
