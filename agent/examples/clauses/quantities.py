"""Numbers as people write them in a task: 10^6, 10**5, 1e6, 1,000,000, 200 000, 100k, 2 million, two, 10⁶."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORDS = {
    0.5: "half a|eine halbe|une demi|media|mezzo|meia|пол",
    1: "one|a single|an?|eine[rnm]?|une?|un[ao]?|uma?|один|одн[ауой]+|一|一つ",
    2: "two|zwei|deux|dos|due|dois|duas|два|две|двух|两|兩|二",
    3: "three|drei|trois|tres|tre|três|три|трёх|三",
    4: "four|vier|quatre|cuatro|quattro|quatro|четыре|四",
    5: "five|fünf|cinq|cinco|cinque|пять|五",
    10: "ten|zehn|dix|diez|dieci|dez|десять|十",
}
_SCALES = {
    1e3: "k|thousand|tausend|mille|mil|тысяч[аи]?|千",
    1e4: "万",
    1e6: "m|million(?:s|en)?|millón|millones|milion[ei]|milhão|milhões|миллион(?:а|ов)?|百万",
    1e9: "billion|milliarde[n]?|milliard",
}
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_DIGITS = r"\d{1,3}(?:[,_ \u00a0']\d{3})+(?!\d)|\d+(?:\.\d+)?"
_NUMBER = re.compile(
    rf"(?P<sign>-)?(?P<digits>{_DIGITS})(?:(?:\s?\^\s?|\*\*)\{{?(?P<power>\d{{1,2}})\}}?|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|[eE]\+?(?P<exponent>\d{1,2}))?"
    rf"(?:\s?(?P<scale>{'|'.join(_SCALES.values())})(?![A-Za-z]))?",
    re.I,
)
_SCALED = re.compile(
    r"(?<!\w)(?P<count>an?|one|two|three|five|ten|eine?|zwei|drei|une?|deux|un|dos|due|um|dois)\s+"
    rf"(?P<scale>{'|'.join(words for scale, words in _SCALES.items() if scale != 1e4)})(?!\w)",
    re.I,
)
_WORD = re.compile("|".join(rf"(?P<w{place}>{words})" for place, words in enumerate(_WORDS.values())), re.I)
MAX_EXPONENT = 30


def number_at(text: str, place: int, *, words: bool = True) -> tuple[float, int] | None:
    """(value, end) of the number that begins at `place`; as a word only where `words` may be numbers."""
    match = _NUMBER.match(text, place)
    if match:
        return _value(match), match.end()
    scaled = _SCALED.match(text, place)
    if scaled:
        return _scaled(scaled), scaled.end()
    word = _WORD.match(text, place) if words else None
    if word is None or (text[word.end() : word.end() + 1].isalpha() and text[word.end()].isascii()):
        return None
    return float(list(_WORDS)[int((word.lastgroup or "w0")[1:])]), word.end()


def _value(match: re.Match[str]) -> float:
    value = float(re.sub(r"[,_ \u00a0']", "", match.group("digits")))
    power = match.group("power") or (match.group("raised") or "").translate(_RAISED)
    if power and int(power) <= MAX_EXPONENT:
        value = value ** int(power)
    elif match.group("exponent") and int(match.group("exponent")) <= MAX_EXPONENT:
        value *= 10 ** int(match.group("exponent"))
    if match.group("scale"):
        value *= next(scale for scale, words in _SCALES.items() if re.fullmatch(words, match.group("scale"), re.I))
    return -value if match.group("sign") else value


def _scaled(match: re.Match[str]) -> float:
    count = number_at(match.group("count"), 0)
    scale = next(scale for scale, words in _SCALES.items() if re.fullmatch(words, match.group("scale"), re.I))
    return (count[0] if count else 1.0) * scale


def numbers_in(text: str, start: int, end: int) -> Iterator[tuple[float, int, int]]:
    """(value, start, end) of each number between two places: in digits, or as "two million"."""
    for scaled in _SCALED.finditer(text, start, end):
        yield _scaled(scaled), scaled.start(), scaled.end()
    for match in _NUMBER.finditer(text, start, end):
        before = text[match.start() - 1 : match.start()]
        if not (before.isalnum() and before.isascii()) and before not in ("_", "."):
            yield _value(match), match.start(), match.end()


def plain(value: float) -> str:
    """Without a needless ".0"."""
    return str(int(value)) if value == int(value) else str(value)
