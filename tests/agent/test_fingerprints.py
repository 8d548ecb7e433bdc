"""When two programs are one and the same, and when they differ only in what their authors call things."""

from __future__ import annotations

import pytest

from agent.session.fingerprints import fingerprint, form_of

COUNT = """
from typing import List


def count(items: List[int], least: int = 0) -> int:
    \"\"\"Counts the items.\"\"\"
    found: int = 0
    for item in items:
        if item > least:
            found += 1
    return found
"""
RENAMED = """
def count(xs, limit=0):
    # another author
    n = 0
    for x in xs:
        if x > limit: n += 1
    return n
"""


def test_names_docstrings_annotations_and_imports_make_no_other_form() -> None:
    assert form_of(COUNT) == form_of(RENAMED)
    assert fingerprint(COUNT) != fingerprint(RENAMED)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [("item > least", "item >= least"), ("found += 1", "found += item"), ("in items", "in sorted(items)")],
)
def test_what_a_program_does_makes_another_form(was: str, becomes: str) -> None:
    assert form_of(COUNT) != form_of(COUNT.replace(was, becomes))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(a, b):\n    return a - b\n", "def f(a, b):\n    return b - a\n"),
        ("def f(a):\n    return a.upper()\n", "def f(a):\n    return a.lower()\n"),
        ("def f(a):\n    return max(a)\n", "def f(a):\n    return min(a)\n"),
        ("def f(a):\n", "def g(b):\n"),
    ],
    ids=["the order of names", "attributes", "names that are not its own", "no program at all"],
)
def test_only_its_own_names_are_left_out(one: str, other: str) -> None:
    assert form_of(one) != form_of(other)
