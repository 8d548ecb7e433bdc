"""Records of what took place in a run, kept so that it does not take place twice or so that the verdict can tell it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

What = Literal[
    "classified", "looked again", "inputs", "inputs tried", "adversary", "attacked", "critic", "asked", "arbitrated",
    "left open", "failed", "declined", "exhausted", "renewed", "reviewed", "lacks", "without",
]  # fmt: skip
"""classified: the kind of the task was read. looked again: the kind was read a second time. inputs: inputs were
written. inputs tried: the adversary's inputs were run. adversary, critic: the role had its turn. attacked: the
adversary's tests could be used. asked: the person was asked. arbitrated: the arbiter was asked about a check or call.
left open: the arbiter says that the task does not decide it. failed: a question got no usable reply. declined: the
model refused. exhausted: "budget" or "provider" ran out, so no model can be asked any more. renewed: a suite was asked
for because one before it could not run. reviewed: how many proposed repairs the person had seen. lacks: packages whose
absence ends the run. without: packages that the program has to do without."""


@dataclass(frozen=True, slots=True)
class Done:
    """One thing that took place."""

    what: What
    about: str = ""
    """The check, call, question, reason or packages that it concerns."""
    word: str = ""
    """What came of it, if there is more to say: the person's answer on a repair, why packages could not be installed,
    or what a service said."""


def done_of(done: Iterable[Done], *what: What) -> list[Done]:
    """Returns the entries of these kinds, in their order."""
    return [one for one in done if one.what in what]
