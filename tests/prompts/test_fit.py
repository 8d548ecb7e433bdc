"""A prompt that is too long is shortened where its rules allow it, and never exceeds its limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from prompts import Prompt, PromptTooLong, load_prompt
from tests.tables import in_one_test

FILE = """
version: 1
code: required
max_tokens: 100
system: "1234567890"
templates:
  ask:
    variables: [task, log, code, lessons]
    text: "{{ task }}|{{ log }}|{{ code }}|{{ lessons | words }}"
    trim:
      - {variable: lessons, cut: oldest, at_least: 1}
      - {variable: log, cut: head}
      - {variable: code, cut: middle, at_least: 20}
"""
LINES = "".join(f"line {number:03}\n" for number in range(100))
VALUES = {"task": "do it", "log": LINES, "code": LINES, "lessons": ["oldest" * 9, "newer" * 9, "newest" * 9]}


@pytest.fixture
def prompt(tmp_path: Path) -> Prompt:
    (tmp_path / "role.yaml").write_text(FILE)
    return load_prompt("role", tmp_path)


def fit(prompt: Prompt, limit: int):
    return prompt.fit("ask", VALUES, limit=limit, count=len)


def test_what_fits_is_left_alone(prompt: Prompt) -> None:
    fitted = fit(prompt, 10_000)
    assert fitted.text == prompt.render("ask", **VALUES)
    assert fitted.trimmed == ()


def test_the_limit_counts_the_system_text(prompt: Prompt) -> None:
    whole = len(prompt.render("ask", **VALUES)) + len(prompt.system)
    assert fit(prompt, whole).trimmed == ()
    assert fit(prompt, whole - 1).trimmed == ("lessons",)


def test_the_oldest_items_go_first_and_only_as_many_as_needed(prompt: Prompt) -> None:
    text = fit(prompt, len(prompt.render("ask", **VALUES)) + len(prompt.system) - 50).text
    assert "oldest" not in text
    assert "newer" in text


def test_variables_are_given_up_in_order(prompt: Prompt) -> None:
    fitted = fit(prompt, 1_500)
    assert fitted.trimmed == ("lessons", "log")
    assert LINES in fitted.text
    assert "characters cut" in fitted.text
    assert "newest" in fitted.text


def test_a_log_keeps_its_tail_and_code_keeps_both_ends(prompt: Prompt) -> None:
    log = fit(prompt, 1_500).text.split("|")[1]
    assert log.endswith("line 099")
    assert "line 000" not in log
    code = fit(prompt, 400).text.split("|")[2]
    assert code.startswith("line 000\n")
    assert code.endswith("line 099")


@in_one_test("limit", range(180, 2_200, 37))
def test_no_limit_is_ever_exceeded_and_the_task_is_whole(prompt: Prompt, limit: int) -> None:
    text = fit(prompt, limit).text
    assert len(text) + len(prompt.system) <= limit
    assert text.startswith("do it|")


def test_space_is_used_up_rather_than_wasted(prompt: Prompt) -> None:
    assert len(fit(prompt, 1_500).text) > 1_400


def test_what_cannot_be_shortened_enough_is_refused(prompt: Prompt) -> None:
    with pytest.raises(PromptTooLong, match="it needs about"):
        fit(prompt, 120)


def test_a_task_that_alone_exceeds_the_limit_is_refused(prompt: Prompt) -> None:
    with pytest.raises(PromptTooLong):
        prompt.fit("ask", {**VALUES, "task": "x" * 5_000}, limit=4_000, count=len)


def test_the_given_values_are_not_changed(prompt: Prompt) -> None:
    fit(prompt, 400)
    assert VALUES["lessons"] == ["oldest" * 9, "newer" * 9, "newest" * 9]
