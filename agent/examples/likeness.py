"""Which kind of task a text is most like: a ridge regression over the words and forms of labelled tasks.

The labelled tasks in `words/kinds/` are the whole model. It is fitted from them when a process first asks, so that a
new kind of wording is taught by adding a line there, and measured on folds that were not fitted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from .types import TaskKind

_FOLDER = Path(__file__).with_name("words") / "kinds"
_TOKEN = re.compile(
    r"(?P<bare>[A-Za-z_]\w*\(\))|(?P<call>[A-Za-z_]\w*\([^()\n]{1,80}\))|[\w-]+\.(?P<suffix>[a-z]{2,7})\b"
    r"|(?P<figure>\d+(?:\.\d+)?)|(?P<letters>[^\W\d_]+)|\?|->|==|(?P<line>\n)|[$:`|+*/=-]"
)
_UNPARTED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
KINDS: Sequence[TaskKind] = get_args(TaskKind)
_READ = 600
"""Characters of a text that are read: what is asked for stands at its beginning."""
_SHRINKAGE = 0.1
"""How strongly weights are held near zero; accuracy on held-out folds is the same from 0.1 to 0.3."""
MARGIN = 0.35
"""How far the best kind must lead the second best. Chosen on held-out folds of the labelled tasks."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A task whose kind a person has told; `tags` say what else is to be read in it, and which files came along."""

    language: str
    kind: TaskKind
    tags: tuple[str, ...]
    text: str

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(tag.removeprefix("given=") for tag in self.tags if tag.startswith("given="))


@dataclass(frozen=True)
class Model:
    """What was fitted: a column for each feature, and for each kind its weights."""

    kinds: Sequence[TaskKind]
    columns: Mapping[str, int]
    weights: Any
    """A numpy array of columns by kinds."""

    def ranked(self, features: Mapping[str, float]) -> list[tuple[float, TaskKind]]:
        """(score, kind), the likeliest first."""
        known = [(self.columns[name], value) for name, value in features.items() if name in self.columns]
        length = sum(value * value for _, value in known) ** 0.5 or 1.0
        scores: Any = sum((self.weights[column] * (value / length) for column, value in known), 0 * self.weights[0])
        return sorted(zip(map(float, scores), self.kinds, strict=True), reverse=True)


@cache
def labelled_tasks() -> tuple[Labelled, ...]:
    """One task a line: its kind, its tags, a colon, the text with `\\n` for a new line; # begins a remark."""
    return tuple(each for path in sorted(_FOLDER.glob("*.txt")) for each in read_labelled(path))


def read_labelled(path: Path) -> Iterator[Labelled]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            head, _, text = line.partition(": ")
            word, *tags = head.split()
            kind: TaskKind = next(each for each in KINDS if each == word)
            yield Labelled(path.stem, kind, tuple(tags), text.replace("\\n", "\n"))


def features_of(text: str, forms: Mapping[str, bool]) -> dict[str, float]:
    """Words, pairs of neighbours, and pieces of words, which endings of a language leave alike; `forms` are what else
    was read in the text."""
    tokens = [*_tokens(text[:_READ])]
    found = {f"word {token}": 1.0 for token in tokens}
    found |= {f"pair {one} {other}": 1.0 for one, other in zip(["<", *tokens], [*tokens, ">"], strict=True)}
    found |= {f"piece {piece}": size for token in tokens for piece, size in _pieces(token)}
    found |= {f"first {token}": 2.0 for token in tokens[:1]}
    return found | {f"form {name}": 2.0 for name, holds in forms.items() if holds}


def _tokens(text: str) -> Iterator[str]:
    """Letters as they are; names, figures, calls and files by what they are, for each task has others."""
    for match in _TOKEN.finditer(text):
        group = match.lastgroup
        suffix = f" {match['suffix']}" if group == "suffix" else ""
        yield match.group().lower() if group in ("letters", None) else f"<{group}{suffix}>"


def _pieces(token: str) -> Iterator[tuple[str, float]]:
    if token.startswith("<"):
        return
    joined = _UNPARTED.search(token) is not None
    word, sizes, weight = (token, (1, 2, 3), 1.0) if joined else (f"^{token}$", (4, 5), 0.5)
    if joined or len(token) > 4:
        yield from ((word[at : at + size], weight) for size in sizes for at in range(len(word) - size + 1))


def fit(tasks: Sequence[tuple[Mapping[str, float], TaskKind]]) -> Model:
    """Ridge regression of the kinds on the features of tasks, each text of length one; features of one text alone say
    nothing of others. It is solved in its dual form, for there are far fewer texts than features."""
    np: Any = import_module("numpy")  # here: it takes longer to load than most commands take

    counts = Counter(name for features, _ in tasks for name in features)
    columns = {name: at for at, name in enumerate(name for name, count in counts.items() if count > 1)}
    kinds: list[TaskKind] = [each for each in KINDS if each in {kind for _, kind in tasks}]
    values = np.zeros((len(tasks), len(columns)), np.float32)
    for row, (features, _) in enumerate(tasks):
        for name in features.keys() & columns.keys():
            values[row, columns[name]] = features[name]
    values /= np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-6)
    wanted = np.array([[1.0 if kind == each else -1 / (len(kinds) - 1) for each in kinds] for _, kind in tasks])
    shares = np.linalg.solve(values @ values.T + _SHRINKAGE * np.eye(len(tasks)), wanted)
    return Model(kinds, columns, values.T @ shares)
