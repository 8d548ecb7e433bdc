"""Recognizes a task of one word that names a command: the person meant the command and wants no program."""

from __future__ import annotations

import difflib
import re

_ALIKE = 0.9
"""How similar a word must be to a command to be taken for a typing slip. `star` is not similar enough to `start`."""
_OWN = ("runs", "show", "resume", "fork", "demo", "doctor", "worker", "memory")
_MEANT = {
    **{name: f"python -m agent {name}" for name in _OWN},
    **dict.fromkeys(("help", "usage"), "python -m agent --help"),
    **dict.fromkeys(("history", "list", "ls", "log", "logs", "search", "status"), "python -m agent runs"),
    **dict.fromkeys(("continue", "answer", "approve", "abort"), "python -m agent resume RUN"),
    **dict.fromkeys(("check", "health", "config", "settings", "models"), "python -m agent doctor"),
    **dict.fromkeys(("serve", "server", "start", "app", "web", "ui"), "python app.py"),
    "version": "python -m agent --version",
    "run": 'python -m agent "your task"',
    "scenarios": "python -m agent demo --list",
}
"""The command line's own commands, and words that are commands of other programs."""


def command_meant(task: str, *, slips: bool = False) -> str:
    """Returns the command line that somebody meant who wrote one word only; "" if the word may be a task. `slips`
    accepts misspelt commands, for a person at the command line."""
    word = task.strip().lower()
    if not re.fullmatch(r"[a-z][a-z_-]*", word):
        return ""
    near = difflib.get_close_matches(word, _MEANT, n=1, cutoff=_ALIKE if slips else 1)
    return _MEANT[near[0]] if near else ""
