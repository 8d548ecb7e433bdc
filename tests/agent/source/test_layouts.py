"""Texts with a form are changed so that they keep it: what they count stays counted, and how they are written stays."""

from __future__ import annotations

import ast

import pytest

from agent.source.corners import corner_calls
from agent.source.inputs import mutate_calls
from agent.source.layouts import Layout, layout_of

STACK = "push 3\npush 1\nmax\npop\npop\nmax\n"
COMMANDS = Layout(False, False, 1, frozenset({("push", 2), ("max", 1), ("pop", 1)}))


@pytest.mark.parametrize(
    ("texts", "layout"),
    [
        (["3\nAnn 10\nBob 20\nCid 30\n", "1\nAnn 5\n"], Layout(several=False, across=False, least=5)),
        (["5\n1 2 2 3 4\n"], Layout(several=False, across=True, least=1)),
        (["5 2\n1 2 2 3 4\n"], Layout(several=False, across=True, least=1)),
        (["2\n5\n1 2 2 3 4\n3\n3 -2 1\n", "1\n1\n7\n"], Layout(several=True, across=True, least=-2)),
        (["2\n2\na b\nc d\n3\na\nb\nc"], Layout(several=True, across=False, least=0)),
        (["3\nAnn 10\nBob 20\nCid 30\n", "Ann 10\n"], None),
        (["3\nAnn 10\nBob 20\n"], None),
        (["1\n5\n"], None),
        (["hello\nworld\n"], None),
        ([STACK, "pop\n"], COMMANDS),
        ([STACK, "what a day it was\n"], None),
        (["we go on and on\nthey go\nwe stop\n" * 2], None),
        ([""], None),
    ],
)
def test_a_text_is_read_by_what_its_counts_stand_before(texts: list[str], layout: Layout | None) -> None:
    assert layout_of(texts) == layout


@pytest.mark.parametrize(
    "known",
    ["3\nAnn 10\nBob 20\nCid 30\n", "5\n1 2 2 3 4\n", "6 2\n1 2 2 3 4 1\n", "2\n5\n1 2 2 3 4\n3\n3 2 1\n"],
)
def test_counts_of_changed_texts_stay_true(known: str) -> None:
    calls = [f"run_program([], {known!r}, {{}})"]
    layout = layout_of([known])
    assert layout is not None
    made = [*mutate_calls(calls, seed=0, limit=20), *corner_calls(calls)]
    texts = [ast.literal_eval(ast.parse(call, mode="eval").body.args[1]) for call in made]  # type: ignore[attr-defined]
    assert len(texts) > 20
    assert [text for text in texts if layout.read(text) is None] == []


def test_a_line_of_commands_stays_a_command() -> None:
    calls = [f"run_program([], {STACK!r}, {{}})", "run_program([], '', {})"]
    made = [*mutate_calls(calls, seed=0, limit=20), *corner_calls(calls)]
    texts = {ast.literal_eval(ast.parse(call, mode="eval").body.args[1]) for call in made}  # type: ignore[attr-defined]
    assert len(texts) > 10
    assert {line.split()[0] for text in texts for line in text.splitlines()} == {"push", "max", "pop"}
    assert any("push 3\npush 3\n" in text for text in texts)


def test_with_a_number_beside_its_count_nothing_is_taken_away() -> None:
    layout = layout_of(["5 4\n1 2 2 3 4\n"])
    assert layout is not None
    made = mutate_calls(["run_program([], '5 4\\n1 2 2 3 4\\n')"], seed=0)
    read = [layout.read(ast.literal_eval(ast.parse(call, mode="eval").body.args[1])) for call in made]  # type: ignore[attr-defined]
    assert min(len(case.rows) for cases in read for case in cases or ()) == 5


def test_a_text_written_as_all_known_ones_are_stays_so() -> None:
    known = ["f('+05:30')", "f('-03:00')"]
    made = [*mutate_calls(known, seed=0, limit=20), *corner_calls(known)]
    assert len(made) >= 20
    zones = [ast.literal_eval(ast.parse(call, mode="eval").body.args[0]) for call in made]  # type: ignore[attr-defined]
    assert [zone for zone in zones if len(zone) != 6 or zone[0] not in "+-" or zone[3] != ":"] == []
    assert [zone for zone in zones if int(zone[4:]) > 59] == []


def test_texts_of_several_forms_are_changed_to_one_of_these() -> None:
    known = ['f("1\'234,57")', "f('0,98')", "f('-12,02')"]
    made = [*mutate_calls(known, seed=0, limit=20), *corner_calls(known)]
    assert 'f("0\'234,57")' in made
    texts = [ast.literal_eval(ast.parse(call, mode="eval").body.args[0]) for call in made]  # type: ignore[attr-defined]
    assert [text for text in texts if text[-3:-2] != "," or text.lstrip("-").startswith(("'", ","))] == []


def test_texts_without_a_form_are_changed_freely() -> None:
    for known in (["f('1.2.3.4')", "f('none')"], ["f('ab')", "f('cd')"], ["f('1.2.3.4')"]):
        assert "f('')" in corner_calls(known)
