"""Texts and the kind of task that a person reads in each. `python -m tests.agent.examples.kinds_labelled` prints what
the classifier does on the half that may be looked at, and counts the other one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.examples.classify import Look, look_at
from agent.examples.outputs import demand_of
from agent.examples.reading import read
from agent.state import Task
from agent.task.pasted import with_pasted

FOLDER = Path(__file__).parent / "kinds"
GIVEN_CODE = "def f(items):\n    return items[0]\n"


@dataclass(frozen=True)
class KindText:
    language: str
    kind: str
    text: str
    picture: bool
    labels: bool
    missing: tuple[str, ...]
    given: tuple[str, ...]
    code: str | None
    looked_at: bool

    @property
    def is_apart(self) -> bool:
        """One text in two of the first set, by its words alone: measured, never looked at."""
        return not self.looked_at and int(hashlib.sha256(self.text.encode()).hexdigest(), 16) % 2 == 0

    def look(self) -> Look:
        task = with_pasted(Task(self.text, code=self.code))
        return look_at(read(self.text).text, task.code, self.given)

    def is_right(self) -> bool:
        return self.look().kind == self.kind

    def read_demand(self) -> tuple[bool, bool, tuple[str, ...]]:
        """Picture, labels, missing files; nothing of these where no script is asked for."""
        if self.kind not in ("script", "data"):
            return False, False, ()
        demand = demand_of(read(self.text).text, self.given)
        return demand.picture, demand.labelled, demand.missing

    @property
    def demand(self) -> tuple[bool, bool, tuple[str, ...]]:
        return self.picture, self.labels, self.missing


def kind_texts() -> list[KindText]:
    return [text for path in sorted(FOLDER.rglob("*.txt")) for text in _texts(path)]


def _texts(path: Path) -> Iterator[KindText]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        head, _, text = line.partition(": ")
        kind, *rest = head.split()
        valued = [word.partition("=") for word in rest]
        missing = [value.replace("*.csv", "*") for name, _, value in valued if name == "needs"]
        yield KindText(
            language=path.stem,
            kind=kind,
            text=text.replace("\\n", "\n"),
            picture="picture" in rest,
            labels="labels" in rest,
            missing=tuple(missing),
            given=tuple(value for name, _, value in valued if name == "given"),
            code=GIVEN_CODE if "code" in rest else None,
            looked_at=path.parent != FOLDER,
        )


def share_asked(texts: Iterable[KindText]) -> float:
    """Of texts about which the planner is asked."""
    found = [not text.look().sure for text in texts]
    return sum(found) / len(found)


def share_wrong(texts: Iterable[KindText]) -> float:
    """Of texts that are read wrong while nobody is asked."""
    found = [text.look().sure and not text.is_right() for text in texts]
    return sum(found) / len(found)


def share_of_demands(texts: Iterable[KindText]) -> float:
    found = [_plain(text.read_demand()) == text.demand for text in texts]
    return sum(found) / len(found)


def _plain(demand: tuple[bool, bool, tuple[str, ...]]) -> tuple[bool, bool, tuple[str, ...]]:
    """A file without a name is one, whatever its type is taken to be."""
    picture, labels, missing = demand
    return picture, labels, tuple(re.sub(r"^\*\..*", "*", name) for name in missing)


def main() -> None:
    texts = kind_texts()
    for text in texts:
        if text.is_apart:
            continue
        if text.look().sure and not text.is_right():
            print(f"{text.language} {text.kind} read as {text.look().kind}: {text.text}")
        if _plain(text.read_demand()) != text.demand:
            print(f"{text.language} {text.demand} read as {text.read_demand()}: {text.text}")
    for name, half in (
        ("looked at", [text for text in texts if not text.is_apart]),
        ("apart", [text for text in texts if text.is_apart]),
    ):
        shares = f"wrong {share_wrong(half):.1%}, asked {share_asked(half):.1%}, demand {share_of_demands(half):.1%}"
        print(f"{name}: {len(half)} texts, {shares}")


if __name__ == "__main__":
    main()
