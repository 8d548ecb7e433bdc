"""Whatever a model or a person wrote is text on every panel, never markup."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from agent.events import (
    AgentEvent,
    CandidateWritten,
    CheckListed,
    CheckRuled,
    ChecksRan,
    CriticSpoke,
    Diagnosed,
    LessonsLearned,
    MemoryRecalled,
    Noted,
    PlanMade,
    RunFailed,
    RunFinished,
    SuiteWritten,
    TextStreamed,
    ToolUsed,
)
from agent.events.conclusion import Brought, CheckEvidence, Evidence, SetAside
from demo.panels.bar import title_panel
from demo.panels.folds import folds_panel
from demo.panels.history import history_panel
from demo.panels.matrix import proof_panel
from demo.panels.output import output_panel
from demo.panels.pause import pause_panel
from demo.panels.program import program_panel
from demo.panels.strip import verdict_strip
from demo.panels.timeline import timeline_panel
from demo.replay import replay_page
from demo.view.shot import Shot
from demo.view.summary import summarise
from framework.engine import Envelope, Pending
from framework.storage.records import RunRow, StoredFile

from . import story
from .reading import handlers_of, tags_of, text_of
from .story import fold_all

EVIL = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\"'`${alert(3)}{{x}}&"


def test_nothing_written_by_a_model_becomes_markup():
    view = fold_all(_evil_events())
    proposal = dict.fromkeys(("diff", "strategy", "note"), EVIL)
    words = dict.fromkeys(("question", "plan", "explanation", "call", "reason"), EVIL)
    asked = {**words, "examples": [EVIL], "failures": [EVIL], "proposals": [proposal, proposal]}
    pending = Pending(EVIL, "review_repair", asked)
    shot = Shot("r" + EVIL, view, "waiting", pending, (StoredFile(EVIL, "image/png", 3),))
    panels = [
        title_panel(shot),
        verdict_strip(replace(shot, pending=None)),
        verdict_strip(Shot("r", fold_all([RunFailed(EVIL, 1)], view))),
        program_panel(shot),
        proof_panel(view),
        timeline_panel(view),
        folds_panel(view),
        output_panel(shot),
        pause_panel(shot),
        history_panel([summarise(RunRow(EVIL, 0.0, EVIL, {}, False, "", ""), "done", [])], 90.0),
    ]
    for panel in panels:
        assert tags_of(str(panel)).isdisjoint({"script", "iframe", "object", "link"}), panel
        assert not handlers_of(str(panel)), panel
    assert sum("alert(1)" in str(panel) for panel in panels) == len(panels)


def test_the_replay_page_holds_only_its_own_script():
    page = replay_page([Envelope("r", number, 5.0 + number, "", event) for number, event in enumerate(_evil_events())])
    assert page.count("<script") == 1
    assert not handlers_of(page)
    assert "default-src &#39;none&#39;" in page
    assert "Scripted demo model" in page


def test_nothing_that_a_panel_shows_steers_how_it_is_read():
    """A program that reads from right to left, or hides a line behind an escape sequence, reads as it is written."""
    steering = "\u202e\u2066\x1b[8m\x9b"
    view = fold_all(_evil_events(steering + "if allowed:"))
    shot = Shot("r", view, "done")
    for panel in (title_panel(shot), program_panel(shot), proof_panel(view), timeline_panel(view), folds_panel(view)):
        told = str(panel)
        assert not {one for one in steering if not one.isprintable()} & set(told)
        assert r"\u202e\u2066\x1b[8m\x9b" in text_of(told)


def _evil_events(evil: str = EVIL) -> list[AgentEvent]:
    ran = next(event for event in story.beginning() if isinstance(event, ChecksRan))
    anything = cast(Any, evil)
    evidence = Evidence(
        checks=(
            CheckEvidence(
                name=evil, tier=anything, origin=anything, outcome="fail", message=evil, held_out=False, sentence=evil
            ),
        ),
        quarantined=(SetAside(name=evil, reason=evil),),
        clauses=(),
        isolation={"level": evil, "network": evil},
        confirmed=False,
        assumptions=(evil,),
    )
    outcome = replace(story.outcome(), answer=evil, verdict_reason=evil, code=evil, evidence=evidence)
    return [
        *story.beginning(task=evil),
        PlanMade(evil),
        Noted(evil),
        SuiteWritten("evil", "spec", (CheckListed("evil.x", evil, evil, False),), evil),
        CandidateWritten("c9", "repair", "c1", evil, evil, evil, evil),
        replace(ran, candidate="c9", outcomes={"evil.x": evil}, messages={"evil.x": evil}, error=evil, stdout=evil),
        ToolUsed(evil, {evil: evil}, evil),
        Diagnosed("c9", "code", "other", 0.5, evil, evil),
        CheckRuled("evil.x", "test", anything, evil),
        LessonsLearned((evil,)),
        MemoryRecalled((Brought(evil, "verified", 0.5, 1),)),
        CriticSpoke(evil, evil, True),
        RunFinished(outcome),
        TextStreamed(evil, evil),
    ]
