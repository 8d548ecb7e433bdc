"""Finds statistics that the task asks for by name and that no output of the script is named after."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandbox.types import Artifact

_NAMES = {
    "mean": r"mean|averages?|avg|mittelwerte?|durchschnitt\w*|mittel|moyennes?|medias?|promedios?|m[eé]dias?"
    r"|gemiddelde|средн\w+|平均\w*",
    "median": r"medians?|mediane?|médianes?|medianas?|mediaan|медиан\w+|中位\w*|中央値",
    "variance": r"variances?|varianz(?:en)?|varianzas?|variância|var|дисперси\w+|方差|分散",
    "standard deviation": r"standard[ _-]?deviations?|std\w*|sd|stdev|std[ ._-]*dev\w*|standardabweichung(?:en)?"
    r"|[eé]carts?[- ]types?|desviaci[oó]n(?:es)? (?:est[aá]ndar|t[ií]picas?)|deviazion[ei] standard|desvio[- ]padrão"
    r"|standaardafwijking|стандартн\w+ отклонени\w+|标准差|標準偏差",
    "correlation": r"corr[eé]l\w+|korrelation\w*|corr|корреляци\w+|相关\w*|相関\w*",
}
"""Statistic -> what tasks and outputs call it, in the languages that tasks are read in."""
_SIGNS = {"mean": "[\u00d8\u00f8\u03bc\u2205]", "standard deviation": "\u03c3", "variance": "\u03c3(?:\u00b2|\\^2)"}
_LETTER = r"[^\W_\u3040-\u9fff]"
"""A letter of a script that separates its words."""
_IN_ANY_SENTENCE = re.compile(
    r"\b(?:on|above|below|than|over|under)(?: the)? average\b|\bmeans\b|\bmean (?:that|by)\b|\b(?:i|you|we|they) mean\b"
    r"|\bsocial media\b|\bmedia(?= (?:files?|types?|hora|noche)\b)|\bim durchschnitt\b|\bdurchschnittlich\w*"
    r"|\b(?:en promedio|en media|en moyenne|di media|em média|в среднем)\b|平均して",
    re.I,
)
"""Phrases that ask for no statistic, or do not expect the output to name it."""


def not_put_out(text: str, printed: str, made: tuple[Artifact, ...]) -> Iterator[str]:
    """Yields a sentence for each statistic that the task's `text` names, but neither the `printed` text nor a file
    does. Yields nothing if the output names no statistic at all, or if a picture or another file that is no text may
    hold it."""
    files = [one.data.decode("utf-8", "replace") for one in made if one.mime.startswith(_READABLE)]
    if len(files) < len(made):
        return
    asked, told = _IN_ANY_SENTENCE.sub(" ", text), "\n".join([printed, *files])
    named = {name for name in _NAMES if _calls(told, name, _SIGNS.get(name, ""))}
    # if the output names nothing, the figure that was asked for needs no name either
    for name in _NAMES if named else ():
        if _calls(asked, name) and name not in named:
            yield f"the task speaks of the {name}, and nothing that was put out is called so"


def _calls(text: str, name: str, sign: str = "") -> bool:
    words = rf"(?<!{_LETTER})(?:{_NAMES[name]})(?!{_LETTER})"
    return re.search(f"{words}|{sign}" if sign else words, text, re.I) is not None


_READABLE = ("text/", "application/json")
