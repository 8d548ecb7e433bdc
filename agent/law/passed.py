"""Finds the passed checks that speak of a clause, and says by them that it is kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agent.examples.types import Clause
from agent.state import Check
from agent.state.findings import Finding

from .types import kept, left_open

LAW = ("task", "person", "answer")
"""Origins of checks that no model thought of."""
_SAME_WORDS = 0.5
"""The share of the shorter sentence's words that a test must share with a sentence to speak of it."""
_SAID_OTHERWISE = 0.6
"""The same for a sentence that is passed over: "exactly 90 points are a B" is not "90 points or more are an A"."""
_FEWEST_WORDS = 4
"""A quotation of fewer words could be found in any sentence."""


def shown_by(clause: Clause, telling: Sequence[Check], missing: str, *, most: int = 1) -> Finding:
    """Returns that the clause is kept, with the first checks that show it: those of the task or the person if there are
    any, otherwise those that models wrote. Without a check that shows it, the clause is open, for what is `missing`."""
    if not telling:
        return left_open(clause, missing)
    own = [check for check in telling if check.origin in LAW]
    shown = [check.id for check in (own or telling)[:most]]
    author = "" if own else ", which a model wrote" if len(telling[:most]) == 1 else ", which models wrote"
    return kept(clause, f"the passed check{'s' if len(shown) > 1 else ''} {', '.join(shown)}{author}")


def is_about(check: Check, clause: Clause) -> bool:
    """Returns whether the check is about this clause. What the given program refused before, and tests of another
    sentence, are not."""
    if check.origin == "kept":
        return False
    return check.origin in LAW or not check.sentence or speaks_of(check, clause)


def is_of_sentence(check: Check, clause: Clause) -> bool:
    """Returns whether the check is of the task or the person, or quotes the clause's sentence."""
    return check.origin in LAW or (bool(check.sentence) and speaks_of(check, clause))


def speaks_of(check: Check, clause: Clause) -> bool:
    """Returns whether the check's own sentence has enough words of the clause."""
    return _share(check.sentence, clause.text) >= _SAME_WORDS


def is_nearest(quote: str, clause: Clause, others: Iterable[Clause]) -> bool:
    """Returns whether the quotation shares with no other clause more words than with this one."""
    return all(_share(quote, clause.text) >= _share(quote, one.text) for one in others)


def is_paraphrase(quote: str, sentence: str) -> bool:
    """Returns whether a quotation says the sentence with other words. Quotations of few words would fit any sentence
    and are refused."""
    return len(re.findall(r"\w+", quote)) >= _FEWEST_WORDS and _share(quote, sentence) >= _SAID_OTHERWISE


def _share(quote: str, sentence: str) -> float:
    """Returns which part of the shorter sentence's words the other one has too."""
    said, wanted = (set(re.findall(r"\w+", text.lower())) for text in (quote, sentence))
    return len(said & wanted) / max(1, min(len(said), len(wanted)))
