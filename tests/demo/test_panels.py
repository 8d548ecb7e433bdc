"""The panels: everything that a model or a person wrote is text, and every figure is one that was counted."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import get_args

import pytest

from agent.events import (
    AgentEvent,
    CandidateWritten,
    ChecksRan,
    RunFailed,
    RunFinished,
    TextStreamed,
)
from agent.events.conclusion import ClauseEvidence, MutationScore
from agent.outcome.words import decisive_first, reads_well, sentence
from agent.state import AttemptKind
from demo.panels.bar import actions_panel, status_line
from demo.panels.folds import folds_panel
from demo.panels.gallery import gallery
from demo.panels.matrix import matrix
from demo.panels.output import output_panel
from demo.panels.program import program_panel, shown_code
from demo.panels.story import story_panel
from demo.panels.strip import verdict_strip
from demo.panels.unchecked import unchecked
from demo.screens.player import played, shot_after
from demo.screens.run import changed, frame
from demo.view.fold import RunView
from demo.view.names import attempt_names, check_words, in_words, short_name
from demo.view.phases import phase_progress
from demo.view.shot import Shot
from framework.engine import Envelope
from framework.storage.records import StoredFile
from llm.scenarios import list_scenarios

from . import story
from .reading import text_of
from .story import fold_all, shot_of


def test_the_folds_hold_every_figure_and_everything_once():
    words = text_of(folds_panel(fold_all(story.whole())))
    for expected in (
        "Checks passed 3 of 3",
        "Never shown to a repair 1 of 1",
        "Planted faults found by the checks 7 of 8",
        "Covered 4/4 branches",
        "Run again in separate processes confirmed",
        "Installed for it cowsay 6.1",
        "Layout formatted by ruff; all 3 checks came out as before",
        "Network refused",
        "no cost",
        "two independent programs give [[1, 2], [3, 4]]",
        "1 small change to the program that no check would notice",
    ):
        assert words.count(expected) == 1, expected


def test_the_matrix_has_a_row_per_check_and_a_cell_per_attempt():
    html = matrix(fold_all(story.whole()))
    rows = re.findall(r"<summary.*?</summary>", html)
    assert [text_of(row) for row in rows] == [
        "Your examples 0/1 pass for First try. 1/1 pass for Repair 1.",
        "merge([[1, 3], [2, 6]]) -> [[1, 6]] First try: fails. Repair 1: passes.",
        "Confirmed 1/2 pass for First try. 2/2 pass for Repair 1.",
        "Touching First try: fails. Repair 1: passes.",
        "Unsorted held out First try: passes. Repair 1: passes.",
        "Model's own First try: none counts. Repair 1: none counts.",
        "Wrong reading set aside First try: fails. Repair 1: fails.",
    ]
    opened = re.findall(r'<details class="matrix-group" open[^>]*group-(T.)', html)
    assert opened == ["T0", "T2"], "what decides, and what was set aside and is to be explained; the rest is counted"


def test_a_row_of_the_matrix_opens_what_was_expected():
    assert "assert [[1, 3], [2, 6]] == [[1, 6]]" in text_of(matrix(fold_all(story.whole())))


def test_a_regression_is_marked_in_its_cell():
    events = [event for event in story.whole() if not (isinstance(event, ChecksRan) and event.status == "pass")]
    assert "fails, passed before" in text_of(matrix(fold_all(events)))
    assert "passed before" not in text_of(matrix(fold_all(story.whole())))


def test_attempts_are_tabs_and_the_handed_back_one_is_open():
    shot = shot_of(story.whole())
    assert shown_code(shot.view) == story.RIGHT
    html = program_panel(shot)
    opened = re.findall(r'<input[^>]*id="tab-([^"]*)"[^>]* checked', html)
    assert opened == ["c2", "c2-code"]
    words = text_of(html)
    # One of the four checks was found wrong, and counts for nobody.
    assert "First try 1/3" in words
    assert "Repair 1 3/3" in words
    assert "diff-add" in html


def test_what_is_being_written_fills_the_box_of_the_program():
    events = [*story.beginning(), TextStreamed("generator", "def merge(")]
    html = program_panel(shot_of(events, "running"))
    assert _open_tab(html) == "live"
    assert "def merge(" in html


@pytest.mark.parametrize(("role", "text", "shown"), [("generator", "def", "live"), ("debugger", '{"fault"', "c1")])
def test_a_program_gives_way_to_code_that_is_written_and_to_nothing_else(role: str, text: str, shown: str):
    events = [*story.beginning(), CandidateWritten("c1", "first", None, "", story.WRONG, "", "")]
    for streamed, opened in (("", "c1"), (text, shown)):
        html = program_panel(shot_of([*events, TextStreamed(role, streamed)], "running"))
        assert _open_tab(html) == opened


def test_the_story_tells_what_failed_why_and_what_changed():
    words = text_of(story_panel(fold_all(story.whole())))
    assert "Cause: Neighbours are never compared." in words
    assert "Changed: Sorts and extends." in words
    assert "and 1 more" in words


def test_actual_and_expected_stand_side_by_side():
    ran = next(event for event in story.beginning() if isinstance(event, ChecksRan))
    told = {story.CHECKS[0]: "assert 2 == 3\n  actual: 2\n  expected: 3\n  test_solution.py:1"}
    view = fold_all([*story.beginning(), replace(ran, messages=told)])
    assert "gave 2 expected 3" in text_of(story_panel(view))


def test_the_stepper_tells_what_was_not_needed():
    found = {stage.name: stage.state for stage in phase_progress(fold_all(story.whole()))}
    assert found == {"Understand": "done", "Write": "done", "Run": "done", "Repair": "done", "Prove": "done"}
    assert {stage.state for stage in phase_progress(fold_all(story.beginning()))} == {"done", "now", "todo"}


def test_programs_and_checks_have_names_for_people():
    view = fold_all(story.whole())
    names = attempt_names(view)
    assert names == {"c1": "First try", "c2": "Repair 1"}
    assert in_words(names, "c2 repairs program c1, not c3") == "“Repair 1” repairs “First try”, not c3"
    assert check_words(view, "adversary:1.test_property_every_numeral") == "Every numeral"


def test_every_kind_of_program_has_a_name():
    one = next(event for event in story.whole() if isinstance(event, CandidateWritten))
    for attempt in get_args(AttemptKind):
        assert attempt_names(fold_all([replace(one, attempt=attempt), replace(one, candidate="c9", attempt=attempt)]))


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Repair 2", "R2"), ("Slow and sure", "Slow"), ("Opinion 3", "Op. 3"), ("Fresh start 2", "Fresh 2"),
        ("Step 2", "S2"), ("Step 1: second opinion", "S1 2nd op."), ("All steps", "All"),
    ],
)  # fmt: skip
def test_names_of_programs_fit_over_a_narrow_column(name: str, short: str):
    assert short_name(name) == short


def test_programs_of_a_task_in_steps_are_named_by_their_step():
    written = (
        (1, "first"), (1, "repair"), (2, "first"), (2, "independent"), (1, "first"), (2, "first"), (0, "first")
    )  # fmt: skip
    one = next(event for event in story.whole() if isinstance(event, CandidateWritten))
    events = [
        replace(one, candidate=f"c{place}", attempt=attempt, step=step) for place, (step, attempt) in enumerate(written)
    ]
    assert list(attempt_names(fold_all(events)).values()) == [
        "Step 1", "Step 1: repair 1", "Step 2", "Step 2: second opinion", "Step 1: first try 2", "Step 2: first try 2",
        "All steps",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 of 1 checks of the task itself pass", "the one check of the task itself passes"),
        ("3 of 3 checks of the task itself pass", "all 3 checks of the task itself pass"),
        ("1 of 1 other demands that could be tried hold", "the one other demand that could be tried holds"),
        ("3 of 3 other demands that could be tried hold", "all 3 other demands that could be tried hold"),
        ("compared with 1 independent program: 1 of 1 inputs equal", "an independent program gives the same result"),
        ("2 of 3 checks pass", "2 of 3 checks pass"),
    ],
)
def test_counts_read_well(text: str, told: str):
    assert reads_well(text) == told


def test_what_decided_stands_before_what_passed():
    assert decisive_first("2 of 2 checks pass; 24 differ") == "24 differ; 2 of 2 checks pass"


def _whole_run() -> tuple[list[Envelope[AgentEvent]], Shot]:
    events = [Envelope("r", number, 5.0 + number, "", event) for number, event in enumerate(story.whole())]
    return events, Shot("r", fold_all(story.whole()), "done")


def test_a_replay_shows_the_run_as_it_stood_after_any_event():
    events, last = _whole_run()
    assert shot_after(events, 0, last).view.lifecycle == "new"
    assert shot_after(events, len(events) - 1, last).view.lifecycle == "running"
    assert shot_after(events, len(events), last) is last


async def test_a_replay_that_is_ended_says_the_end_itself_and_last():
    """A frame of it that is still on its way would else stand on the page for good."""
    events, last = _whole_run()
    enough = asyncio.Event()
    shown: list[tuple[int, Shot]] = []
    async for one in played(events, 0, 1.0, last, enough):
        shown.append(one)
        enough.set()
    assert [count for count, _ in shown] == [0, len(events)]
    assert shown[-1][1] is last


@pytest.mark.parametrize(
    ("text", "told"),
    [("nothing is left", "Nothing is left"), ("task.test_1 fails", "task.test_1 fails"), ("f(2) gives", "f(2) gives")],
)
def test_identifiers_keep_their_case(text: str, told: str):
    assert sentence(text) == told


def test_what_was_not_checked_is_said():
    linear = ClauseEvidence(text="in linear time", kind="linear", standing="open", checked_by=None, note="")
    ordered = ClauseEvidence(text="sorted", kind="sorted", standing="kept", checked_by="2 examples", note="")
    evidence = replace(story.outcome().evidence, clauses=(linear, ordered), confirmed=False)
    ended = RunFinished(replace(story.outcome(), evidence=evidence))
    lines = unchecked(fold_all([*story.beginning(), ended]), evidence)
    assert "Demanded by the task: in linear time" in lines
    assert not [line for line in lines if "sorted" in line]
    assert [line for line in lines if "did not confirm" in line]


def test_changes_that_no_allowed_input_shows_are_told_apart():
    score = MutationScore(killed=5, total=9, survivors=("- <= + <",), alike=3)
    told = unchecked(RunView(), replace(story.outcome().evidence, mutation=score))
    assert [line for line in told if "small change" in line] == [
        "1 small change to the program that no check would notice",
        "3 small changes to the program that neither a check nor an allowed input that was tried shows",
    ]


def test_the_status_line_is_announced():
    assert 'role="status"' in status_line(RunView())
    assert "2 runs before yours" in status_line(RunView(), 2)


def test_only_the_owner_may_stop_and_everybody_may_run_it_again():
    running, ended = Shot("r", fold_all(story.beginning()), "running"), shot_of(story.whole())
    assert 'data-do="stop"' in actions_panel(running)
    assert 'data-do="stop"' not in actions_panel(replace(running, mine=False))
    assert 'data-do="retry"' in actions_panel(replace(ended, mine=False))


def test_only_changed_panels_are_sent_again():
    before = frame(Shot("r", fold_all(story.beginning()), "running"))
    after = frame(Shot("r", fold_all([TextStreamed("generator", "x")], fold_all(story.beginning())), "running"))
    sent = [value for value in changed(before, after) if value != {"__type__": "update"}]
    assert len(sent) == 1
    assert "generator is writing" in str(sent[0])


def test_pictures_are_shown_and_other_files_only_offered():
    files = (StoredFile("plot.png", "image/png", 900), StoredFile("page.html", "text/html", 20))
    html = output_panel(Shot("abc", fold_all(story.whole()), "done", None, files))
    assert html.count("<img") == 1
    assert 'src="runs/abc/files/plot.png"' in html
    assert 'href="runs/abc/files/page.html?save=1"' in html


def test_what_a_data_task_made_stands_first_in_the_box_of_the_programs():
    view = fold_all(story.whole())
    plain, drawn = Shot("r", view, "done"), Shot("r", view, "done", None, (StoredFile("plot.png", "image/png", 900),))
    assert _open_tab(program_panel(plain)) == "c2"
    assert _open_tab(program_panel(drawn)) == "output"


def _open_tab(html: str) -> str:
    return re.findall(r'name="attempt"[^>]*data-key="([^"]*)" checked', html)[0]


def test_checks_are_named_by_what_they_ask_and_never_by_their_number():
    begun = fold_all(story.whole())
    assert begun.brief
    asked = begun.brief.examples[0].removeprefix("assert ")
    reason = f"{story.CHECKS[0]} fails and the code is at fault"
    view = replace(begun, conclusion=replace(story.outcome(), verdict="failed", verdict_reason=reason))
    for panel in (verdict_strip(Shot("r", view, "done")), folds_panel(view)):
        assert f"“{asked}” fails and the code is at fault" in text_of(panel)
        assert story.CHECKS[0] not in text_of(panel)


def test_the_examples_of_the_first_screen_are_those_that_the_demo_model_plays():
    shown = str(gallery())
    assert all(f'data-name="{one.name}"' in shown for one in list_scenarios())
    assert shown.count("data-name=") == len(list_scenarios())
    places = sorted(one.card.place for one in list_scenarios())
    assert places == [*range(1, len(places) + 1)]


def test_what_keeps_a_run_from_running_is_told_in_full_where_a_program_would_stand():
    shot = shot_of([*story.beginning()[:1], RunFailed("nothing answers there; start `llama-server` <b>", 3)], "done")
    assert "<code>llama-server</code> &lt;b&gt;" in program_panel(shot)
    assert "No program was written." in text_of(program_panel(shot))


def test_an_explanation_is_the_first_tab_and_says_whose_words_it_is():
    events = story.whole()
    last = events[-1]
    assert isinstance(last, RunFinished)
    explained = replace(last.conclusion, explanation="It <i>merges</i>.")
    html = program_panel(shot_of([*events[:-1], RunFinished(explained)]))
    assert "It &lt;i&gt;merges&lt;/i&gt;." in html
    assert "the model's words" in text_of(html)
    assert re.findall(r'<input[^>]*id="tab-([^"]*)"[^>]* checked', html)[0] == "output"
