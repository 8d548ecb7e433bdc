"""The public outside of given code stays usable, its words stay, and a repair is told from another program."""

from __future__ import annotations

import pytest

from agent.examples import read_brief
from agent.examples.classify import form_of, look_at
from agent.given.difference import KEPT_SHARE, kept_share
from agent.given.documentation import documentation
from agent.given.extend import as_before, new_signature
from agent.given.wording import behaviour, with_words_of
from agent.outcome.smallest import Changes
from agent.source.interface import breach, suits

FIX = "It is wrong, fix it."


@pytest.mark.parametrize(
    ("given", "repair", "lost"),
    [
        ("def f(a, b): pass", "def f(a, b=1): pass", ""),
        ("def f(a, b): pass", "def f(a, b, c=2): pass", ""),
        ("def f(a, b): pass", "def f(a, b, *, c=2): pass", ""),
        ("def f(a, b): pass", "def f(a, b, c): pass", "f(a, b)"),
        ("def f(a, b): pass", "def f(b, a): pass", "f(a, b)"),
        ("def f(a, b): pass", "def f(a, x): pass", "f(a, b)"),
        ("def f(a, b=1): pass", "def f(a, b): pass", "f(a, b=1)"),
        ("def f(*, b): pass", "def f(*, c): pass", "f(*, b)"),
        ("def f(*, b=1): pass", "def f(*, b): pass", "f(*, b=1)"),
        ("def f(*, b): pass", "def f(*, b, c): pass", "f(*, b)"),
        ("def f(a, *rest): pass", "def f(a): pass", "f(a, *rest)"),
        ("def f(a): pass\ndef g(): pass", "def f(a): pass", "name g"),
        ("def _f(a): pass", "x = 1", ""),
        ("class A:\n    def go(self, n): pass", "class A:\n    def run(self, n): pass", "name A.go"),
        ("class A:\n    def __init__(self): pass", "class A:\n    def __init__(self, n): pass", "A.__init__(self)"),
        ("def f(a): pass", "def f(", ""),
    ],
)
def test_what_can_no_longer_be_called_as_before_is_named(given: str, repair: str, lost: str) -> None:
    found = breach(given, repair, FIX)
    assert lost in found
    assert bool(found) == bool(lost)


def test_a_task_that_speaks_of_renaming_may_break_the_interface() -> None:
    assert breach("def f(a): pass", "def g(a): pass", "Rename f to g.") == ""


@pytest.mark.parametrize(
    ("call", "fits"),
    [
        ("f(1, 2)", True),
        ("f(1)", True),
        ("f()", False),
        ("f(1, b=3)", True),
        ("f(a=1)", True),
        ("f(1, a=1)", False),
        ("f(1, 2, 3)", False),
        ("f(1, c=3)", False),
        ("unknown(1)", True),
    ],
)
def test_a_call_suits_the_parameters_by_the_rules_of_python(call: str, fits: bool) -> None:
    assert suits(call, "def f(a, b=2): pass") is fits


LONG = '''def find(xs, x):
    """Where x stands in the sorted xs, else -1."""
    # halves
    low = 0
    high = len(xs)
    while low < high:
        middle = (low + high) // 2
        if xs[middle] == x:
            return middle
        if xs[middle] < x:
            low = middle
        else:
            high = middle
    return -1
'''
REPAIRED = LONG.replace("low = middle\n", "low = middle + 1\n")


def test_a_program_that_keeps_next_to_nothing_is_no_repair() -> None:
    other = "def find(xs, x):\n    i = bisect_left(xs, x)\n    return i if xs[i : i + 1] == [x] else -1\n"
    assert kept_share(LONG, REPAIRED) > KEPT_SHARE
    assert kept_share(LONG, other) < KEPT_SHARE
    assert kept_share("def f(a):\n    return a\n", "def f(a):\n    return -a\n") == 1.0


def test_docstrings_comments_and_layout_come_back() -> None:
    bare = "def find(xs, x):\n    low, = [0]\n" + REPAIRED.split("low = 0\n", 1)[1]
    restored = with_words_of(LONG, bare)
    assert '"""Where x stands in the sorted xs, else -1."""' in restored
    assert behaviour(restored) == behaviour(bare)
    reworded = REPAIRED.replace("Where x stands in the sorted xs, else -1.", "Finds x.").replace("# halves", "# bisect")
    assert with_words_of(LONG, reworded) == REPAIRED


def test_words_never_change_what_the_program_does() -> None:
    for broken in ("def find(", "def find(xs, x): return 1", "class find: pass"):
        assert with_words_of(LONG, broken).strip() == broken


def test_only_changes_that_ran_may_be_taken_back_and_never_the_only_one() -> None:
    changed = REPAIRED.replace("    high = len(xs)\n", "    high = len(list(xs))\n").replace(
        "    return -1\n", "    if not xs:\n        return -1\n    return -1\n"
    )
    changes = Changes(LONG, changed)
    everything = changes.places(())
    assert len(everything) == 3
    assert changes.without(()) == changed
    assert changes.without(everything) == LONG
    never_run = changed.splitlines().index("        return -1") + 1
    assert len(changes.places((never_run,))) == 2
    assert changes.places(None) == []
    assert Changes(LONG, REPAIRED).places(()) == []


def test_the_words_inside_the_code_are_told() -> None:
    told = documentation(f'"""Searching."""\n\n{LONG}\n# find([1], 1) -> 0\n# step = 2\nx = 1  # a note\n')
    assert "Searching." in told
    assert "def find(xs, x):" in told
    assert "else -1" in told
    assert "find([1], 1) -> 0" in told
    assert "a note" not in told
    assert "step = 2" not in told
    assert documentation("def f(") == ""


@pytest.mark.parametrize(
    ("task", "signature"),
    [
        ("Add a parameter step that defaults to 1.", "def rotate(s, k, step=1)"),
        ("Give it an optional third parameter called `step`, default 2", "def rotate(s, k, step=2)"),
        ("Please add the `left=False` flag to it", "def rotate(s, k, left=False)"),
        ("Add an option to turn it left", "def rotate(s, k)  # as it is now; the task may change it"),
        ("It needs an option: rotate('ab', 1, step=2) should give 'ab'.", "def rotate(s, k, step=...)"),
        ("Ajoute un paramètre `step` (par défaut 2).", "def rotate(s, k, step=2)"),
        ("Extend it to lists.", "def rotate(s, k)  # as it is now; the task may change it"),
    ],
)
def test_the_new_signature_is_told_as_far_as_the_task_says_it(task: str, signature: str) -> None:
    code = "def rotate(s, k):\n    return s[k:] + s[:k]\n"
    brief = read_brief(task, code, ())
    assert brief.kind == "extend"
    assert new_signature(brief, code, task) == signature


@pytest.mark.parametrize(
    ("text", "code", "form"),
    [
        ("pop is wrong", "class Stack:\n    pass\n", "class"),
        ("half is wrong", "def half(n): ...\n\nclass Unit: ...\n", "function"),
        ("It prints 3 for 2", "print(int(input()) + 1)", "program"),
        (
            "This script reads from standard input and prints too much",
            "def main(): ...\n\nif __name__ == '__main__':\n    main()\n",
            "program",
        ),
        ("half(3) is wrong in my script", "def half(n): ...\n\nprint(half(int(input())))\n", "function"),
        ("It does not even parse", "def half(", "function"),
    ],
)
def test_what_is_to_be_called_is_told_from_the_code(text: str, code: str, form: str) -> None:
    assert form_of(text, code) == form
    assert read_brief(text, code, ()).form == form


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Please add a parameter sep", "extend"),
        ("Füge einen Parameter sep hinzu", "extend"),
        ("Extend it so that it also accepts tuples", "extend"),
        ("It should also handle empty lists", "extend"),
        ("Add a check for an empty list, it crashes", "fix"),
        ("half(3) gives 1, should be 1.5", "fix"),
        ("It raises TypeError when I add two of them", "fix"),
        ("What is wrong with the third argument?", "fix"),
    ],
)
def test_a_wish_for_more_is_told_from_a_report_of_a_fault(text: str, kind: str) -> None:
    assert look_at(text, "def half(n): ...", ()).kind == kind


@pytest.mark.parametrize(
    ("call", "before"),
    [
        ("f('a', sep='-')", "f('a')"),
        ("f('a', 2, 3)", "f('a', 2)"),
        ("f('a', k=2, sep='-')", "f('a', k=2)"),
        ("f('a', 2)", ""),
        ("g('a', sep='-')", ""),
        ("f('a').g(3)", ""),
        ("many(1, 2, 3, a=1)", ""),
    ],
)
def test_a_call_of_what_was_extended_is_told_as_it_could_be_made_before(call: str, before: str) -> None:
    code = "def f(text, k=1):\n    return text * k\n\ndef many(*args, **more):\n    return args\n"
    assert as_before(call, code) == before
