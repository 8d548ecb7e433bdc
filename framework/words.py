"""What a search of stored runs looks through and looks for: words in any case, with or without their joints."""

from __future__ import annotations

_MAX_WORDS = 300
"""Characters of a title that can be searched for: an index cannot take any length."""
_MAX_JOINED = 100
"""Characters of words without their joints."""
_MAX_SOUGHT = 20
"""Words of one search."""
_JOINTS = dict.fromkeys(map(ord, "-_'\u2019"))
"""What may stand within a word and is no part of it: "K-means" is found as "kmeans"."""


def words_of(title: str, run_id: str) -> str:
    """What is stored to be searched; a word with joints stands there without them, too."""
    words = f"{title[:_MAX_WORDS]} {run_id}".casefold()
    joined = [plain for word in words.split() if (plain := word.translate(_JOINTS)) != word]
    return " ".join([words, *joined])[: len(words) + _MAX_JOINED]


def sought_in(query: str) -> list[list[str]]:
    """For each word that is looked for the ways in which it may be stored, the longest word first: it is the rarest."""
    words = dict.fromkeys(query.replace("\0", " ").casefold().split())
    ways = [[*dict.fromkeys((word.translate(_JOINTS), word))] for word in words]
    return sorted((each for each in ways if each[0]), key=lambda each: -len(each[0]))[:_MAX_SOUGHT]


def holds(text: str, query: str) -> bool:
    """Whether a text of any length has every word that is looked for."""
    stored = f"{text.casefold()} {text.casefold().translate(_JOINTS)}"
    return all(any(way in stored for way in ways) for ways in sought_in(query))
