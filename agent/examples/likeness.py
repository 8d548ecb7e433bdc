"""Decides which kind of task a text is most like, from its words and forms and weights that were fitted to labelled
tasks.

`python -m tests.agent.examples.kinds_labelled --write` fits and writes the weights. The labelled tasks lie beside that
module; a new line there teaches a new wording."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .types import TaskKind
from .vocabulary import UNPARTED

_TOKEN = re.compile(
    r"(?P<bare>[A-Za-z_]\w*\(\))|(?P<call>[A-Za-z_]\w*\([^()\n]{1,80}\))|[\w-]+\.(?P<suffix>[a-z]{2,7})\b"
    r"|(?P<figure>\d+(?:\.\d+)?)|(?P<letters>[^\W\d_]+)|\?|->|==|(?P<line>\n)|[$:`|+*/=-]"
)
_READ = 600
"""How many characters of a text are read, since the request stands at the beginning."""
MARGIN = 0.35
"""How far the best kind must lead the second best to be sure; chosen on held-out folds of the labelled tasks."""
WEIGHTS = Path(__file__).with_name("words") / "likeness.json.xz"
UNIT = 1000
"""Weights are stored as whole numbers of 1/UNIT."""


@dataclass(frozen=True)
class Model:
    """The fitted weights: for each feature one weight per kind."""

    kinds: Sequence[TaskKind]
    weights: Mapping[str, Sequence[float]]

    def ranked(self, features: Mapping[str, float]) -> list[tuple[float, TaskKind]]:
        """Returns (score, kind), the likeliest first."""
        known = [(self.weights[name], value) for name, value in features.items() if name in self.weights]
        length = sum(value * value for _, value in known) ** 0.5 or 1.0
        scores = [sum(weights[at] * value for weights, value in known) / length for at in range(len(self.kinds))]
        return sorted(zip(scores, self.kinds, strict=True), reverse=True)


@cache
def stored() -> Model:
    """Returns the model that comes with the product."""
    told = json.loads(lzma.decompress(WEIGHTS.read_bytes()))
    return Model(told["kinds"], {name: [each / UNIT for each in row] for name, row in told["weights"].items()})


def features_of(text: str, forms: Mapping[str, bool]) -> dict[str, float]:
    """Returns the features of a text: words, pairs of neighbours, and pieces of words, which stay the same under
    inflection. `forms` holds what else was read in the text."""
    tokens = [*_tokens(text[:_READ])]
    found = {f"word {token}": 1.0 for token in tokens}
    found |= {f"pair {one} {other}": 1.0 for one, other in zip(["<", *tokens], [*tokens, ">"], strict=True)}
    found |= {f"piece {piece}": size for token in tokens for piece, size in _pieces(token)}
    found |= {f"first {token}": 2.0 for token in tokens[:1]}
    return found | {f"form {name}": 2.0 for name, holds in forms.items() if holds}


def _tokens(text: str) -> Iterator[str]:
    """Yields words in lower case. Names, figures, calls and files are replaced by what they are, since each task has
    others."""
    for match in _TOKEN.finditer(text):
        group = match.lastgroup
        suffix = f" {match['suffix']}" if group == "suffix" else ""
        yield match.group().lower() if group in ("letters", None) else f"<{group}{suffix}>"


def _pieces(token: str) -> Iterator[tuple[str, float]]:
    if token.startswith("<"):
        return
    joined = UNPARTED.search(token) is not None
    word, sizes, weight = (token, (1, 2, 3), 1.0) if joined else (f"^{token}$", (4, 5), 0.5)
    if joined or len(token) > 4:
        yield from ((word[at : at + size], weight) for size in sizes for at in range(len(word) - size + 1))
