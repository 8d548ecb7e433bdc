"""What took place in a run: things that are not to take place twice, or that the verdict tells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

What = Literal[
    "classified", "looked again", "inputs", "inputs tried", "adversary", "attacked", "critic", "asked", "arbitrated",
    "left open", "failed", "declined", "exhausted", "reviewed", "lacks", "without",
]  # fmt: skip
"""classified, looked again: the kind of the task was read, and once more. inputs, inputs tried: inputs were written;
those of the adversary were run. adversary, attacked, critic: the role had its turn; its tests could be used (attacked).
asked: the person was. arbitrated, left open: the arbiter was asked about a check or call, and said that the task leaves
it open. failed, declined: the step of a role that gave no usable reply, or would give none. exhausted: "budget"
or "provider", after which no model can be asked. reviewed: how many proposed repairs were seen by then. lacks: packages
for want of which the run ends. without: packages that the program is to do without."""


@dataclass(frozen=True, slots=True)
class Done:
    """Something that took place."""

    what: What
    about: str = ""
    """The check, call, step, reason or packages."""
    word: str = ""
    """What came of it, where there is more to say: the person's word on a repair, why packages could not be installed,
    what a service said."""


def done_of(done: Iterable[Done], *what: What) -> list[Done]:
    """Those of these kinds, in their order."""
    return [one for one in done if one.what in what]
