"""Tells input and output that a task only describes from a sample run."""

from __future__ import annotations

import re

from agent.examples.vocabulary import Phrase

_TELLING = Phrase(r"^\W*(?:{prints}|{outputs})(?!\w)|(?<!\w){counted}(?!\w)", re.I | re.M)
_SENTENCE = re.compile(r"\W*\w+(?:[^\w\n]+\w+){2,}\.|[^\n]{5,}\u3002")
_EXPLAINS = re.compile(r"\W*\w+(?:[^\w\n]+\w+){3,}[^\n]*[.:]|[^\n]{8,}[\u3002\uff1a]")
_STEM, _SEVERAL = 5, 3
"""How many letters tell a word of the task again, and from how many words on a text is no answer of the program."""


def are_described(given: str, wanted: str, around: str) -> bool:
    """Returns whether the two texts tell of an input and an output instead of being some: "The first line holds n." and
    "Print the sum.", in a task that says the rest in the same words. An output of the letters of its input is one."""
    letters = [sorted(filter(str.isalpha, each.casefold())) for each in (given, wanted)]
    if letters[0] == letters[1] or not _describes(wanted, around):
        return False
    return _describes(given, around) or len(_words(wanted)) >= _SEVERAL


def without_explanation(shown: str) -> str:
    """Returns what is printed without the sentence below it that explains it, where figures alone or a heading of one
    word stand above that sentence."""
    lines = shown.splitlines(keepends=True)
    end = next((place for place, line in enumerate(lines) if _EXPLAINS.fullmatch(line.strip())), len(lines))
    above = lines[:end]
    if end in (0, len(lines)):
        return shown
    if len(above) > 1 and re.fullmatch(r"\W*([^\W\d_]+)\W*", above[-1]) and above[-1].istitle():
        return "".join(above[:-1])
    return shown if re.search(r"[^\W\d_]", "".join(above)) else "".join(above)


def _describes(block: str, around: str) -> bool:
    """Returns whether the text tells of printing or counts things, is a sentence, or has mostly words that stand in the
    task besides."""
    known = {word[:_STEM] for word in _words(around)} | {*re.findall(r"[^\W\d_]+", around.casefold())}
    words = _words(block)
    shared = sum(word[:_STEM] in known for word in words)
    sentences = all(_SENTENCE.fullmatch(line) for line in map(str.strip, block.splitlines()) if line)
    told = _TELLING.search(block) is not None or sentences
    return told or (bool(words) and 2 * shared >= len(words))


def _words(text: str) -> list[str]:
    """Returns the words of the text, without short ones but for letters that name something; all if there are no
    others."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return [word for word in words if len(word) > _SEVERAL or len(word) == 1] or words
