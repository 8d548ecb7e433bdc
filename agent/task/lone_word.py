"""A task of one word that is the name of a command: somebody meant the command, not a program."""

from __future__ import annotations

import difflib
import re

_ALIKE = 0.9
"""How near a word is to a command's where it is taken for a slip: `star` is none of `start`."""
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
"""The command line's own commands, and words that other programs have as theirs."""


def command_meant(task: str, *, slips: bool = False) -> str:
    """The command line that somebody meant who wrote one word only; "" where it may be a task. `slips`: who typed it
    stands before commands, and may have misspelt one."""
    word = task.strip().lower()
    if not re.fullmatch(r"[a-z][a-z_-]*", word):
        return ""
    near = difflib.get_close_matches(word, _MEANT, n=1, cutoff=_ALIKE if slips else 1)
    return _MEANT[near[0]] if near else ""
