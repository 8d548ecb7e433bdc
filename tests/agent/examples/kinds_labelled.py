"""How well kinds of tasks are read. `python -m tests.agent.examples.kinds_labelled` prints what a classifier that was
fitted without a text makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from agent.examples.classify import Look, look_at, model_of
from agent.examples.likeness import Labelled, Model, labelled_tasks
from agent.examples.outputs import demand_of
from agent.examples.reading import read
from agent.state import Task
from agent.task.pasted import with_pasted

GIVEN_CODE = "def f(items):\n    return items[0]\n"
FOLDS = 10


@dataclass(frozen=True)
class KindText:
    told: Labelled
    fold: int

    @property
    def text(self) -> str:
        return self.told.text

    def look(self) -> Look:
        """What is read where the text is none of those that the classifier learnt from."""
        code = GIVEN_CODE if "code" in self.told.tags else None
        task = with_pasted(Task(self.text, code=code))
        return look_at(read(self.text).text, task.code, self.told.files, model=_without(self.fold))

    def is_right(self) -> bool:
        return self.look().kind == self.told.kind

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
    found = [not text.look().sure for text in texts]
    return sum(found) / len(found)


def share_wrong(texts: Iterable[KindText]) -> float:
    """Of texts that are read wrong while nobody is asked."""
    found = [text.look().sure and not text.is_right() for text in texts]
    return sum(found) / len(found)


def share_of_demands(texts: Iterable[KindText]) -> float:
    found = [text.read_demand() == text.demand for text in texts]
    return sum(found) / len(found)


def main() -> None:
    texts = kind_texts()
    for text in texts:
        if text.look().sure and not text.is_right():
            print(f"{text.told.language} {text.told.kind} read as {text.look().kind}: {text.text}")
        if text.read_demand() != text.demand:
            print(f"{text.told.language} {text.demand} read as {text.read_demand()}: {text.text}")
    shares = f"wrong {share_wrong(texts):.1%}, asked {share_asked(texts):.1%}, demand {share_of_demands(texts):.1%}"
    print(f"{len(texts)} texts, {shares}")


if __name__ == "__main__":
    main()
