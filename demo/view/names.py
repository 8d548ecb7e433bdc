"""Gives programs and checks, which the engine numbers, names that a person understands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from agent.state import AttemptKind

from .fold import RunView

_FIRST: Mapping[AttemptKind, str] = {
    "given": "Your code",
    "first": "First try",
    "independent": "Second opinion",
    "reference": "Slow and sure",
    "repair": "Repair 1",
    "rewrite": "Fresh start",
}
_SHORT = {
    "First try": "1st", "Your code": "Yours", "Second opinion": "2nd op.", "Opinion ": "Op. ", "Slow and sure": "Slow",
    "Repair ": "R", "Fresh start": "Fresh", "Step ": "S", "All steps": "All",
}  # fmt: skip
_PROGRAM = re.compile(r"\b(?:[Pp]rogram )?(c\d+)\b")
_CHECK = re.compile(r"\b[\w:]+\.test_\w+")
_EXAMPLE = re.compile(r"test_example_(\d+)$")
_RECORDED = re.compile(
    r"^def test_kept_\d+\(\):\n.*\n    (?:assert (?P<holds>\w.*)|ran = (?P<run>.*)"
    r"|with pytest\.raises\((?P<error>[\w.]+)\):\n        (?P<call>.*))",
    re.MULTILINE,
)
"""What given code did before: gave a value, ran as a program, or raised an exception."""


def attempt_names(view: RunView) -> dict[str, str]:
    """Returns the name of each candidate by its id: "First try", "Repair 1", "Second opinion"; or, if the task has
    steps, "Step 2", "Step 2: repair 1" and "All steps"."""
    seen: Counter[tuple[int, AttemptKind]] = Counter()
    stepwise = any(one.step for one in view.candidates)
    names: dict[str, str] = {}
    for one in view.candidates:
        if one.candidate in names:
            continue
        seen[one.step, one.attempt] += 1
        name = _name(one.attempt, seen[one.step, one.attempt])
        if one.step:
            name = f"Step {one.step}" if name == _FIRST["first"] else f"Step {one.step}: {name[0].lower()}{name[1:]}"
        names[one.candidate] = "All steps" if stepwise and not one.step else name
    return names


def _name(attempt: AttemptKind, number: int) -> str:
    if number == 1:
        return _FIRST[attempt]
    # The second program is the second opinion, so the next independent one is the third.
    return f"Opinion {number + 1}" if attempt == "independent" else f"{_FIRST[attempt].removesuffix(' 1')} {number}"


def all_names(view: RunView) -> dict[str, str]:
    """Returns the names of attempts and checks by id. A check is named by what it asks."""
    return attempt_names(view) | {check.id: check_words(view, check.id) for _, check in view.checks}


def in_words(names: Mapping[str, str], text: str) -> str:
    """Returns the text with ids such as "c2" and "task.test_example_1" replaced by their names, if they have one."""
    programs = _PROGRAM.sub(lambda found: f"“{names[found[1]]}”" if found[1] in names else found[0], text)
    return _CHECK.sub(lambda found: f"“{names[found[0]]}”" if found[0] in names else found[0], programs)


def check_words(view: RunView, check: str) -> str:
    """Returns what a check asks, in words: the example or the recorded behaviour itself, else its name without the
    technical parts."""
    name = check.rpartition(".")[2] or check
    example = _EXAMPLE.search(name)
    promised = view.brief.examples if view.brief else ()
    if check.startswith("task.") and example and int(example[1]) <= len(promised):
        return promised[int(example[1]) - 1].removeprefix("assert ")
    if recorded := next((_RECORDED.search(one.source) for _, one in view.checks if one.id == check), None):
        return recorded["holds"] or recorded["run"] or f"{recorded['call']} raises {recorded['error']}"
    plain = name.removeprefix("test_").removeprefix("property_").replace("_", " ").strip()
    return sentence_case(plain) or name


def is_property(check: str) -> bool:
    return "test_property_" in check


def sentence_case(words: str) -> str:
    return words[:1].upper() + words[1:]


def short_name(name: str) -> str:
    """Returns the name of an attempt in a few letters, if there is no room for the whole name."""
    step, _, inner = name.rpartition(": ")
    if step:
        return f"{short_name(step)} {short_name(sentence_case(inner))}"
    for long, short in _SHORT.items():
        name = name.replace(long, short)
    return name
