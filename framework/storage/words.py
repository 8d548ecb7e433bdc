"""Defines how stored runs are searched: by words in any case, with or without hyphens and apostrophes."""

from __future__ import annotations

_MAX_WORDS = 300
"""The characters of a title that can be searched; an index cannot take a text of any length."""
_MAX_JOINED = 100
"""The characters that are stored for words without their joints."""
_MAX_SOUGHT = 20
"""The words of one search that count."""
_JOINTS = dict.fromkeys(map(ord, "-_'\u2019"))
"""Characters that may stand within a word but do not count: "K-means" is found as "kmeans"."""


def words_of(title: str, run_id: str) -> str:
    """Returns the text that is stored for searches. It holds each word that has joints a second time, without them."""
    words = f"{title[:_MAX_WORDS]} {run_id}".casefold()
    joined = [plain for word in words.split() if (plain := word.translate(_JOINTS)) != word]
    return " ".join([words, *joined])[: len(words) + _MAX_JOINED]


def sought_in(query: str) -> list[list[str]]:
    """Returns the forms in which each word of the query may be stored. The longest word comes first, because it is the
    rarest."""
    words = dict.fromkeys(query.replace("\0", " ").casefold().split())
    ways = [[*dict.fromkeys((word.translate(_JOINTS), word))] for word in words]
    return sorted((each for each in ways if each[0]), key=lambda each: -len(each[0]))[:_MAX_SOUGHT]


def holds(text: str, query: str) -> bool:
    """Returns whether a text of any length has every word of the query."""
    stored = f"{text.casefold()} {text.casefold().translate(_JOINTS)}"
    return all(any(way in stored for way in ways) for ways in sought_in(query))
