"""Labelled tasks, the weights that are fitted to them, and how well kinds of tasks are read.

`python -m tests.agent.examples.kinds_labelled` prints what weights that were fitted without a text make of it; with
`--write` it fits them to all texts and writes them where the product reads them."""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import get_args

import numpy as np

from agent.examples.classify import Look, forms_of, look_at
from agent.examples.grammar.reading import read
from agent.examples.likeness import UNIT, WEIGHTS, Model, features_of
from agent.examples.outputs import demand_of
from agent.examples.types import OF_GIVEN_CODE, TaskKind
from agent.state import Task
from agent.task.pasted import with_pasted

FOLDER = Path(__file__).with_name("kinds")
KINDS: Sequence[TaskKind] = get_args(TaskKind)
SHRINKAGE = 0.1
"""How strongly weights are held near zero; accuracy on held-out folds is the same from 0.1 to 0.3."""
GIVEN_CODE = "def f(items):\n    return items[0]\n"
FOLDS = 10


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


@cache
def labelled_tasks() -> tuple[Labelled, ...]:
    """One task a line: its kind, its tags, a colon, the text with `\\n` for a new line; # begins a remark."""
    return tuple(each for path in sorted(FOLDER.glob("*.txt")) for each in read_labelled(path))


def read_labelled(path: Path) -> Iterator[Labelled]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            head, _, text = line.partition(": ")
            word, *tags = head.split()
            kind: TaskKind = next(each for each in KINDS if each == word)
            yield Labelled(path.stem, kind, tuple(tags), text.replace("\\n", "\n"))


def model_of(labelled: Iterable[Labelled]) -> Model:
    """Fitted to those of the tasks that come without code."""
    tasks = (task for task in labelled if task.kind not in OF_GIVEN_CODE)
    return fit([(_features(task), task.kind) for task in tasks])


@cache
def _features(task: Labelled) -> Mapping[str, float]:
    return features_of(task.text, forms_of(task.text, task.files))


def fit(tasks: Sequence[tuple[Mapping[str, float], TaskKind]]) -> Model:
    """Ridge regression of the kinds on the features of tasks, each text of length one; features of one text alone say
    nothing of others. It is solved in its dual form, for there are far fewer texts than features."""
    counts = Counter(name for features, _ in tasks for name in features)
    columns = {name: at for at, name in enumerate(name for name, count in counts.items() if count > 1)}
    kinds: list[TaskKind] = [each for each in KINDS if each in {kind for _, kind in tasks}]
    values = np.zeros((len(tasks), len(columns)), np.float32)
    for row, (features, _) in enumerate(tasks):
        known = [name for name in features if name in columns]
        values[row, [columns[name] for name in known]] = [features[name] for name in known]
    values /= np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-6)
    wanted = np.array([[1.0 if kind == each else -1 / (len(kinds) - 1) for each in kinds] for _, kind in tasks])
    shares = np.linalg.solve(values @ values.T + SHRINKAGE * np.eye(len(tasks)), wanted)
    weights = np.round(values.T @ shares * UNIT) / UNIT
    return Model(kinds, dict(zip(columns, weights.tolist(), strict=True)))


def write(model: Model) -> None:
    rows = {name: [round(each * UNIT) for each in row] for name, row in sorted(model.weights.items())}
    told = json.dumps({"kinds": model.kinds, "weights": rows}, ensure_ascii=False, separators=(",", ":"))
    WEIGHTS.write_bytes(lzma.compress(told.encode()))


@dataclass(frozen=True)
class KindText:
    told: Labelled
    fold: int

    @property
    def text(self) -> str:
        return self.told.text

    @cached_property
    def look(self) -> Look:
        """What is read where the text is none of those that the classifier learnt from."""
        code = GIVEN_CODE if "code" in self.told.tags else None
        task = with_pasted(Task(self.text, code=code))
        return look_at(read(self.text).text, task.code, self.told.files, model=_without(self.fold))

    def is_right(self) -> bool:
        return self.look.kind == self.told.kind

    def read_demand(self) -> tuple[bool, bool, tuple[str, ...]]:
        """Picture, labels, missing files; nothing of these where no script is asked for."""
        if self.told.kind not in ("script", "data"):
            return False, False, ()
        demand = demand_of(read(self.text).text, self.told.files)
        # a file without a name is one, whatever its type is taken to be
        return demand.picture, demand.labelled, tuple(re.sub(r"^\*\..*", "*", name) for name in demand.missing)

    @property
    def demand(self) -> tuple[bool, bool, tuple[str, ...]]:
        tags = self.told.tags
        needs = tuple(tag.removeprefix("needs=").replace("*.csv", "*") for tag in tags if tag.startswith("needs="))
        return "picture" in tags, "labels" in tags, needs


@cache
def kind_texts() -> tuple[KindText, ...]:
    return tuple(KindText(told, at % FOLDS) for at, told in enumerate(labelled_tasks()))


@cache
def _without(fold: int) -> Model:
    return model_of([each.told for each in kind_texts() if each.fold != fold])


def share_asked(texts: Iterable[KindText]) -> float:
    """Of texts about which the planner is asked."""
    found = [not text.look.sure for text in texts]
    return sum(found) / len(found)


def share_wrong(texts: Iterable[KindText]) -> float:
    """Of texts that are read wrong while nobody is asked."""
    found = [text.look.sure and not text.is_right() for text in texts]
    return sum(found) / len(found)


def share_of_demands(texts: Iterable[KindText]) -> float:
    found = [text.read_demand() == text.demand for text in texts]
    return sum(found) / len(found)


def main() -> None:
    if sys.argv[1:] == ["--write"]:
        write(model_of(labelled_tasks()))
        return
    texts = kind_texts()
    for text in texts:
        if text.look.sure and not text.is_right():
            print(f"{text.told.language} {text.told.kind} read as {text.look.kind}: {text.text}")
        if text.read_demand() != text.demand:
            print(f"{text.told.language} {text.demand} read as {text.read_demand()}: {text.text}")
    shares = f"wrong {share_wrong(texts):.1%}, asked {share_asked(texts):.1%}, demand {share_of_demands(texts):.1%}"
    print(f"{len(texts)} texts, {shares}")


if __name__ == "__main__":
    main()
