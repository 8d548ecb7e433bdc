"""A small folder of recordings, written by hand: two tasks with programs and suites, in the form of the shared data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FAMILY = "gpt-3.5-turbo-1106"
PROMPT = '''def count_vowels(text):
    """ Count the vowels a, e, i, o and u of a text in lower case.
    >>> count_vowels('hello')
    2
    """
'''
RIGHT = "def count_vowels(text):\n    return sum(letter in 'aeiou' for letter in text)"
ALSO_RIGHT = "def count_vowels(text):\n    return len([1 for letter in text if letter in {'a', 'e', 'i', 'o', 'u'}])"
OFF = "def count_vowels(text):\n    return len(text)"
ASSERTS = ("assert count_vowels('') == 0", "assert count_vowels('xyz') == 0", "assert count_vowels('aeiou') == 5")
FALSE = "assert count_vowels('banana') == 4"
HIDDEN = (
    "def check(candidate):\n"
    "    assert candidate('aeiouaeiou') == 10\n"
    "    assert candidate('rhythm') == 0\n"
    "    assert candidate('queue') == 4\n"
)
SUITES = tuple(f"{FAMILY}|{number}" for number in range(5))


def write(
    folder: Path,
    programs: Sequence[str] = (RIGHT, ALSO_RIGHT, OFF),
    suites: Mapping[str, Sequence[str]] | None = None,
    *,
    prompt: str = PROMPT,
    wrong: Sequence[str] = (OFF,),
) -> Path:
    """`suites`: name -> asserts; default: every suite states ASSERTS. `wrong`: the programs that are not right."""
    suites = dict.fromkeys(SUITES, ASSERTS) if suites is None else suites
    lines = dict.fromkeys(line for stated in suites.values() for line in stated)
    tests = [
        {"i": place, "a": line, "suites": [name for name in suites if line in suites[name]], "valid": line != FALSE}
        for place, line in enumerate(lines)
    ]
    task = {"task_id": "HumanEval/4", "prompt": prompt, "entry_point": "count_vowels", "test": HIDDEN}
    rows = [_program("HumanEval/4", place, code, code not in wrong) for place, code in enumerate(programs)]
    solved_only = (
        {**rows[0], "model": "gpt-4-0314a", "id": "gpt-4-0314a|log|0", "solved_only_log": True} if rows else {}
    )
    _save(folder, "humaneval.jsonl", [task, {**task, "task_id": "HumanEval/5", "prompt": "def other():\n    pass\n"}])
    _save(folder, "first_attempts.jsonl", [*rows, *([solved_only] if solved_only else [])])
    _save(folder, "model_tests.jsonl", [{"task_id": "HumanEval/4", "tests": tests}])
    return folder


def _program(task: str, place: int, code: str, right: bool) -> dict[str, Any]:
    identity = f"{FAMILY}|log|{place}"
    return {"task_id": task, "id": identity, "model": FAMILY, "code": code, "passed_base": right}


def _save(folder: Path, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
