"""Finds where a text denies, supposes, guesses or reports; a statement there is no promise."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from agent.examples.vocabulary import Phrase, pattern

from .reading import Reading

Doubt = Literal["denied", "supposed", "imagined", "reported", "about"]
"""What a word does to the statement beside it. denied: it denies it. supposed: it makes it a condition ("if").
imagined: it makes the whole sentence imaginary. reported: it reports it as somebody's words or as what is. about: it
makes the value inexact ("about 3")."""

_BREAKS = Phrase(r"[,;:\u2014\u2013(]\s|\s-\s|(?<!\w){but_word}(?!\w)|(?<!\w)(?={for_example}(?!\w))")
_CONDITION = Phrase(r"(?<!\w)(?!for\b){condition}(?!\w)(?!\s+(?:i|we|you|one|it|ich|wir|man|du|on|je|nous|tu)(?!\w))")
_COMPLEMENT = re.compile(r"\s*(?:that|dass|daß|que|qu'|che|что)\b", re.I)
_ADVERBIAL = re.compile(r"\W*[^\W\d]+(?:\s[^\W\d]+)?,\s*")
_MARKS = re.compile(r"(?:[\W_]|\d+[.)]\s)*")
_CALLED_WRONG = Phrase(
    r"[\s,;.`)]*(?:{but_word}\s+)?"
    r"(?:(?=that|this|which|das|dies|cela|c'est|ce qui|eso|lo cual|il che|questo|isso|это){wrong}"
    r"|(?:that|this|which|das|he|she|they|er|sie|(?:the|der|die) tests?) (?:is|are|ist|sind)"
    r" (?:wrong|mistaken|incorrect|nonsense|outdated|obsolete|falsch|unsinn|veraltet))(?!\w)"
)
_POINTS_BACK = Phrase(r"\s*(?:[-*>]\s*)?(?:{but_word}\s+|{and_word}\s+)?{points_back}")

_CALLS = re.compile(r"(?:['’]s|\s+is|\s+ist)?\s+`?[^\W\d]\w*\(")  # noqa: RUF001
"""Matches a call behind "it's", which points at the call and not back."""
_A_SUBJECT = 4
"""With so many words, what stands between "if" and a verb is more than the subject of that verb."""


@dataclass(frozen=True)
class Doubts:
    """The places of a text's doubtful words, searched for when first asked for."""

    reading: Reading
    _places: dict[Doubt, list[int]] = field(default_factory=dict[Doubt, list[int]], repr=False)

    @cached_property
    def bug_talk(self) -> bool:
        """Whether the text as a whole tells of code that does wrong. In "raise ValueError if the format is wrong" it
        tells of an input."""
        return not all(self._is_conditional(match.start()) for match in self.reading.find("bug_talk"))

    def _is_conditional(self, place: int) -> bool:
        """Returns whether what stands at `place` is a condition in its clause, and neither what somebody meets ("when I
        call it") nor what follows from a condition, in more words ("if n is 0 the result is wrong")."""
        own = self.clause_start(self.reading.sentence(place, place)[0], place)
        found = _CONDITION.search(self.reading.masked, own, place)
        between = self.reading.masked[found.end() : place].split() if found is not None else [""] * _A_SUBJECT
        return len(between) < _A_SUBJECT or between[-1] in ("or", "oder", "ou", "o")

    def between(self, start: int, end: int, *kinds: Doubt) -> bool:
        """Returns whether a word of one of the kinds begins in `text[start:end]`."""
        return any(bisect_left(found, end) > bisect_left(found, start) for found in map(self._of, kinds))

    def _of(self, kind: Doubt) -> list[int]:
        if kind not in self._places:
            places = [match.start() for match in self.reading.find(kind)]
            conditional = kind == "reported"  # a condition on the input reports nothing
            self._places[kind] = [place for place in places if not (conditional and self._is_conditional(place))]
        return self._places[kind]

    def clause_start(self, begin: int, place: int) -> int:
        """Returns the index at which the clause that leads to `place` begins, not before `begin`. One or two words
        before a comma ("Roughly, ...") belong to the clause, and so does what a "that" depends on ("it is not true,
        that ...")."""
        text = self.reading.masked
        starts = [begin, *(match.end() for match in _BREAKS.finditer(text, begin, place))]
        while len(starts) > 1 and (
            _COMPLEMENT.match(text, starts[-1]) or _ADVERBIAL.fullmatch(text, starts[-2], starts[-1])
        ):
            starts.pop()
        return starts[-1]

    def is_question(self, begin: int, end: int) -> bool:
        """Returns whether the sentence asks instead of telling."""
        text = self.reading.masked
        return any(sign in text[begin:end] for sign in "?¿") or pattern("asks").search(text, begin, end) is not None

    def unsure(self, begin: int, end: int, *kinds: Doubt) -> bool:
        """Returns whether the sentences between the two places do not simply tell what is: a word of one of the kinds
        stands in them, they ask, or the next sentence takes them back."""
        return self.between(begin, end, *kinds) or self.is_question(begin, end) or self.taken_back(end)

    def is_question_not_request(self, start: int, end: int) -> bool:
        """Returns whether the sentence asks and is no polite order: "is it possible without recursion?"."""
        begin, stop = self.reading.sentence(start, end)
        return self.is_question(begin, stop) and pattern("requests").search(self.reading.masked, begin, start) is None

    def aside(self, begin: int, end: int) -> bool:
        """Returns whether the sentence tells of another program, of people or of earlier times, and says nothing of
        what must be."""
        opening = _MARKS.match(self.reading.masked, begin, end)
        told = pattern("aside").match(self.reading.masked, opening.end() if opening else begin, end)
        return told is not None and not pattern("must").search(self.reading.masked, told.end(), end)

    def called_wrong(self, end: int) -> bool:
        """Returns whether the text after a statement calls the statement wrong: "f(2) must be 5, but that is wrong".
        "it is wrong" may be about the program and does not count."""
        return _CALLED_WRONG.match(self.reading.masked, end) is not None

    def taken_back(self, end: int) -> bool:
        """Returns whether the next sentence says "that is wrong" of the one that ends at `end`."""
        back = _POINTS_BACK.match(self.reading.masked, end)
        if back is None or _CALLS.match(self.reading.text, back.end()):
            return False
        return self.between(end, self.reading.sentence(back.end(), back.end())[1], "reported", "denied")
