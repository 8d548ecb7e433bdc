"""Tells input and output that a task only describes from a sample run."""

from __future__ import annotations

import re

from agent.examples.vocabulary import Phrase

_TELLING = Phrase(r"^\W*(?:{prints}|{outputs})(?!\w)|(?<!\w){counted}(?!\w)", re.I | re.M)
_SENTENCE = re.compile(r"\W*\w+(?:[^\w\n]+\w+){2,}\.|[^\n]{5,}\u3002")
_EXPLAINS = re.compile(r"\W*\w+(?:[^\w\n]+\w+){3,}[^\n]*[.:]|[^\n]{8,}[\u3002\uff1a]")
_REMARK = Phrase(r"\W*(?:{example}[ \t]*)?(?:{remark}[ \t]*\d*\W*\Z|(?P<word>{remark})[ \t]*\d*[:\uff1a]\W*\w)")
_ASIDE = re.compile(r"(?:<-|\u2190)[^\n]*[^\W\d_]|\((?:[^\W\d_]+[^\w()\n]+){2,}[^()\n]+\)\s*\Z")
"""What stands behind or below what is printed, and points at it or tells of it in brackets."""
_CHOICE = re.compile(r"\W*\w+\W+(?:(?:or|oder|ou|o|oppure|of|lub|или)\W+|或|または|또는)\w+\W*", re.I)
_STEM, _SEVERAL = 5, 3
"""How many letters tell a word of the task again, and from how many words on a text is no answer of the program."""


def are_described(given: str, wanted: str, around: str) -> bool:
    """Returns whether the two texts tell of an input and an output instead of being some: "The first line holds n." and
    "Print the sum.", in a task that says the rest in the same words. An output of the letters of its input is one."""
    letters = [sorted(filter(str.isalpha, each.casefold())) for each in (given, wanted)]
    if letters[0] == letters[1] or not _describes(wanted, around):
        return False
    return _describes(given, around) or len(_words(wanted)) >= _SEVERAL


def without_explanation(shown: str, around: str) -> str:
    """Returns what is printed without what explains it: from a heading such as "Note" on, unless the task around it
    speaks of that word too, or, where figures alone or a heading of one word stand above it, from a sentence on. Where
    one line of words stands above a sentence, or an aside behind it, it may be either, and "" is returned."""
    lines = shown.splitlines(keepends=True)
    headed = (place for place, line in enumerate(lines) if _is_remark(line, around))
    lines = lines[: next(headed, len(lines))] or lines
    end = next((place for place, line in enumerate(lines) if _EXPLAINS.fullmatch(line.strip())), len(lines))
    above, shown = lines[:end], "".join(lines)
    if any(_ASIDE.search(line) for line in above):
        return ""
    if end in (0, len(lines)):
        return shown
    if len(above) > 1 and re.fullmatch(r"\W*([^\W\d_]+)\W*", above[-1]) and above[-1].istitle():
        return "".join(above[:-1])
    words = [line for line in above if re.search(r"[^\W\d_]", line)]
    said = len(words) > 1 or all(line.rstrip().endswith((".", "!", "?", ":", "\u3002")) for line in words)
    return "".join(above) if not words else shown if said else ""


def _is_remark(line: str, around: str) -> bool:
    head = _REMARK.match(line)
    spoken = head is not None and head["word"] and re.search(rf"\S[^\n]*(?<!\w){head['word']}(?!\w)", around, re.I)
    return head is not None and not spoken


def _describes(block: str, around: str) -> bool:
    """Returns whether the text tells of printing, counts things or names a choice, is a sentence, or has mostly words
    that stand in the task besides."""
    known = {word[:_STEM] for word in _words(around)} | {*re.findall(r"[^\W\d_]+", around.casefold())}
    words = _words(block)
    shared = sum(word[:_STEM] in known for word in words)
    sentences = all(_SENTENCE.fullmatch(line) for line in map(str.strip, block.splitlines()) if line)
    told = _TELLING.search(block) is not None or sentences or _CHOICE.fullmatch(block) is not None
    return told or (bool(words) and 2 * shared >= len(words))


def _words(text: str) -> list[str]:
    """Returns the words of the text, without short ones but for letters that name something; all if there are no
    others."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return [word for word in words if len(word) > _SEVERAL or len(word) == 1] or words
