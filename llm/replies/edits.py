"""Reads SEARCH/REPLACE edits as text: where they stand in a reply, and whether they are complete."""

from __future__ import annotations

import re
from collections.abc import Sequence

from llm.errors import InvalidReply

SEARCH_LINE = re.compile(r"^[<]{5,9} ?SEARCH\b[^\n]*$", re.MULTILINE)
DIVIDE_LINE = re.compile(r"^={5,9}\s*$")
REPLACE_LINE = re.compile(r"^>{5,9} ?REPLACE\b[^\n]*$")
SEARCH, DIVIDE, REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"


def joined_edits(texts: Sequence[str]) -> str | None:
    """Returns the edits of one or more blocks as one text with nothing between them; None if there are none."""
    holding = [text for text in texts if SEARCH_LINE.search(text)]
    return "\n".join(text.strip("\n") + "\n" for text in holding) if holding else None


def bare_edits(text: str) -> str | None:
    """Returns edits that stand in a reply without a fence, from the first SEARCH to the last REPLACE line; None if
    there are none."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if SEARCH_LINE.match(line)]
    ends = [number for number, line in enumerate(lines) if REPLACE_LINE.match(line)]
    if not starts or not ends or ends[-1] < starts[0]:
        return None
    return "\n".join(lines[starts[0] : ends[-1] + 1]) + "\n"


def check_edits(text: str) -> None:
    """Raises InvalidReply if SEARCH, divider and REPLACE lines do not follow each other, or if text stands between two
    edits."""
    state, count = REPLACE, 0
    follows = {REPLACE: SEARCH, SEARCH: DIVIDE, DIVIDE: REPLACE}
    for line in text.splitlines():
        mark = _mark(line)
        if mark == follows[state]:
            state, count = mark, count + (mark == REPLACE)
        elif mark in (SEARCH, REPLACE) or (state == REPLACE and line.strip()):
            raise InvalidReply(
                f"The edits are not well formed near {line[:60]!r}: after {state!r} must come {follows[state]!r}."
            )
    if state != REPLACE or not count:
        raise InvalidReply(
            f"The edits are not complete: {SEARCH!r}, {DIVIDE!r} and {REPLACE!r} must follow each other."
        )


def _mark(line: str) -> str:
    if SEARCH_LINE.match(line):
        return SEARCH
    if REPLACE_LINE.match(line):
        return REPLACE
    return DIVIDE if DIVIDE_LINE.match(line) else ""
