"""Prompt files are strict, bounded and reloaded when they are edited."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from prompts import PromptError, load_prompt

GOOD = """
version: 1
code: none
max_tokens: 100
system: "You are a tester."
schema:
  type: object
  properties: {word: {type: string, maxLength: 9}}
  additionalProperties: false
templates:
  ask:
    variables: [task, hint]
    text: "{{ task }} {{ hint }}"
    trim: [{variable: hint, cut: tail}]
"""


def load(folder: Path, text: str):
    (folder / "role.yaml").write_text(text)
    return load_prompt("role", folder)


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


def test_a_sound_file_loads(tmp_path: Path) -> None:
    prompt = load(tmp_path, GOOD)
    assert (prompt.version, prompt.code, prompt.max_tokens) == (1, "none", 100)
    assert prompt.render("ask", task="a", hint="b") == "a b\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("version: 1", "version: 1\ntemprature: 0", "unexpected"),
        ("version: 1", "version: 1\nversion: 2", "key given twice: version"),
        ("version: 1", "version: one", "version: 'one' is not of type 'integer'"),
        ("version: 1\n", "", "'version' is a required property"),
        ("code: none", "code: some", "code: 'some' is not one of"),
        ("code: none", "code: [", "not valid YAML"),
        ("max_tokens: 100", "max_tokens: 0", "max_tokens: 0 is less than"),
        ("variables: [task, hint]", "variables: [task]", "undeclared variable: hint"),
        ("variables: [task, hint]", "variables: [task, hint, tip]", "unused variable: tip"),
        ("{{ hint }}", "{{ hint", "unexpected end of template"),
        ("{{ hint }}", "{{ hint | shout }}", "No filter named 'shout'"),
        ("variable: hint, cut", "variable: tip, cut", "trim: tip cannot be shortened"),
        ("variable: hint, cut", "variable: task, cut", "trim: task cannot be shortened"),
        ("cut: tail", "cut: half", "'half' is not one of"),
        ("type: string, maxLength: 9", "type: string", "reply.word needs maxLength"),
        ("type: string, maxLength: 9", "type: number, minimum: 0", "reply.word needs maximum"),
        ("type: string, maxLength: 9", "type: array, items: {type: boolean}", "reply.word needs maxItems"),
        ("type: string, maxLength: 9", "type: array, maxItems: 2", "reply.word needs items"),
        (
            "type: string, maxLength: 9",
            "type: array, maxItems: 2, items: {type: string}",
            r"reply.word\[\] needs maxLength",
        ),
        ("type: string, maxLength: 9", "{}", "not valid YAML"),
        ("type: string, maxLength: 9", "type: text", "schema: 'text' is not"),
        ("type: string, maxLength: 9", "maxLength: 9", "reply.word needs one type"),
        ("  additionalProperties: false\n", "", "reply needs additionalProperties"),
        ("  type: object", "  type: array", "the header must be an object"),
    ],
)
def test_an_unsound_file_is_one_clear_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(PromptError, match=message) as caught:
        load(tmp_path, changed(old, new))
    assert "\n" not in str(caught.value)
    assert "role.yaml" in str(caught.value)


def test_a_role_that_asks_for_nothing_is_refused(tmp_path: Path) -> None:
    start, end = GOOD.index("schema:"), GOOD.index("templates:")
    with pytest.raises(PromptError, match="nothing to be answered"):
        load(tmp_path, GOOD[:start] + GOOD[end:])


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match=r"nobody\.yaml: cannot be read"):
        load_prompt("nobody", tmp_path)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "role.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PromptError, match="cannot be read"):
        load_prompt("role", tmp_path)


def test_an_unchanged_file_is_not_built_again(tmp_path: Path) -> None:
    assert load(tmp_path, GOOD) is load_prompt("role", tmp_path)


def test_an_edit_is_picked_up(tmp_path: Path) -> None:
    load(tmp_path, GOOD)
    assert load(tmp_path, changed("version: 1", "version: 2")).version == 2


def test_an_edit_of_equal_length_and_time_is_picked_up(tmp_path: Path) -> None:
    load(tmp_path, GOOD)
    before = (tmp_path / "role.yaml").stat()
    fresh = tmp_path / "fresh"
    fresh.write_text(changed("version: 1", "version: 2"))
    os.utime(fresh, ns=(before.st_atime_ns, before.st_mtime_ns))
    fresh.replace(tmp_path / "role.yaml")
    assert load_prompt("role", tmp_path).version == 2


def test_an_edit_in_place_of_equal_length_and_time_is_picked_up(tmp_path: Path) -> None:
    load(tmp_path, GOOD)
    path = tmp_path / "role.yaml"
    before = path.stat()
    while path.stat().st_ctime_ns == before.st_ctime_ns:
        path.write_text(changed("version: 1", "version: 2"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert load_prompt("role", tmp_path).version == 2


def test_a_part_that_a_variable_does_not_have_is_an_error(tmp_path: Path) -> None:
    prompt = load(tmp_path, changed("{{ hint }}", "{{ hint.size }}"))
    with pytest.raises(PromptError, match=r"role/ask: .*no attribute 'size'"):
        prompt.render("ask", task="a", hint="b")


def test_a_broken_edit_is_an_error_until_it_is_mended(tmp_path: Path) -> None:
    load(tmp_path, GOOD)
    with pytest.raises(PromptError):
        load(tmp_path, "version: [")
    with pytest.raises(PromptError):
        load_prompt("role", tmp_path)
    assert load(tmp_path, GOOD).version == 1


def test_a_deleted_file_is_an_error(tmp_path: Path) -> None:
    load(tmp_path, GOOD)
    (tmp_path / "role.yaml").unlink()
    with pytest.raises(PromptError):
        load_prompt("role", tmp_path)
