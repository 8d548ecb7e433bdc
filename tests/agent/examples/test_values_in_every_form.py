"""Every form in which people show examples is read with values of every type: a form must not depend on the value."""

from __future__ import annotations

import ast

import pytest

from agent.examples import read_brief

PAIRS = [
    ("part(3)", "4", "part(5)", "-6"),
    ("part('ab')", "'b a'", "part('')", "''"),
    ("part(1, 2)", "(2, 1)", "part(n=3)", "[4, 3]"),
    ("part({'a': 1})", "{1: 'a'}", "part([])", "{}"),
    ("part('x', True)", "True", "part('k')", "None"),
    ("part(2.5)", "0.25", "part([(2, 'b')])", "[('b', 2)]"),
]
FORMS = [
    "find the width e.g. {c1} == {v1}, {c2} == {v2}",
    "find the width (e.g. {c1} -> {v1}, {c2} -> {v2})",
    "finde die Breite z.B. {c1} == {v1} und {c2} == {v2}",
    "find the width. {c1} returns {v1} and {c2} returns {v2}.",
    "find the width. {c1} => {v1} and {c2} => {v2}",
    "find the width. It returns {v1} for {c1} and {v2} for {c2}.",
    "find the width. {v1} == {c1} and {v2} == {c2}",
    "find the width. I expect {c1} to be {v1} and {c2} to be {v2}.",
    "find the width. `{c1}` gives `{v1}` and `{c2}` gives `{v2}`.",
    "find the width.\n\nInput: {c1}\nOutput: {v1}\n\nInput: {c2}\nOutput: {v2}",
    "find the width.\n\n**Input:** `{c1}`\n**Output:** `{v1}`\n\n**Input:** `{c2}`\n**Output:** `{v2}`",
    "find the width.\n\n| call | result |\n|---|---|\n| {c1} | {v1} |\n| {c2} | {v2} |",
    "finde die Breite.\n\n| Aufruf | Ergebnis |\n|---|---|\n| `{c1}` | `{v1}` |\n| `{c2}` | `{v2}` |",
    "find the width.\n\nTest.assert_equals({c1}, {v1})\nTest.assert_equals({c2}, {v2})",
    "find the width.\n\n>>> {c1}\n{v1}\n>>> {c2}\n{v2}\n",
    "find the width.\n\n- `{c1}` → `{v1}`\n- `{c2}` → `{v2}`",
    "find the width. {c1} devuelve {v1} y {c2} debe devolver {v2}.",
    "find the width. {c1} renvoie {v1} et {c2} doit donner {v2}.",
    "find the width. 例如 {c1} 返回 {v1}，{c2} 应返回 {v2}。",  # noqa: RUF001
    "find the width. Например, {c1} возвращает {v1}, а {c2} должно вернуть {v2}.",  # noqa: RUF001
]  # fmt: skip
DENIED = [
    "find the width. {c1} should not be {v1}",
    "find the width. If {c1} were {v1}, nobody would use it",
    "find the width. My old one says {c1} == {v1}, which is wrong",
    "find the width.\n\n| call | actual |\n|---|---|\n| {c1} | {v1} |",
    "find the width.\n\nInput: {c1}\nActual output: {v1}",
]


def read(form: str, pair: tuple[str, str, str, str]) -> dict[str, str]:
    c1, v1, c2, v2 = pair
    text = "Write part that can " + form.format(c1=c1, v1=v1, c2=c2, v2=v2)
    return {one.call or one.source: one.expected or "" for one in read_brief(text, None, ()).examples}


@pytest.mark.parametrize("form", FORMS)
def test_both_values_are_read(form: str) -> None:
    for pair in PAIRS:
        c1, v1, c2, v2 = pair
        found = read(form, pair)
        assert {call: ast.literal_eval(value) for call, value in found.items()} == {
            c1: ast.literal_eval(v1),
            c2: ast.literal_eval(v2),
        }, pair


@pytest.mark.parametrize("form", DENIED)
def test_what_is_denied_is_no_example_whatever_its_value_is(form: str) -> None:
    assert [found for pair in PAIRS if (found := read(form, pair))] == []


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("find the eulerian number a(n, m).\n\nassert euler(3, 1) == 4", ["assert euler(3, 1) == 4"]),
        ("remove what stands in brackets: cut('a(.b)') == ('a')", ["assert cut('a(.b)') == 'a'"]),
        ("names the planets between two: between('a', 'c') == ('b')", ["assert between('a', 'c') == 'b'"]),
        ("Between: f('a', 'd') == ('b', 'c'), f('a', 'c') == ('b')", ["assert f('a', 'd') == ('b', 'c')"]),
        ("Write f(x). assert f([1, -2]) == 1, -2", []),
    ],
)
def test_names_brackets_and_messages_are_what_their_author_means(text: str, sources: list[str]) -> None:
    assert [one.source for one in read_brief(text, None, ()).examples] == sources
