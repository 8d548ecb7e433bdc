"""Keeps what a finished run learned, and finds it again for similar tasks of the same owner by their words.

Each run keeps one record (see `Memo` of `framework/storage/records.py`), which belongs to the run's owner, is deleted
with the run, and lies in SQLite or PostgreSQL. The search is done here, because the full-text indexes of the two
databases rank differently, and one owner's runs are few."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import islice
from math import sqrt
from typing import Any

from pydantic import TypeAdapter

from framework.storage.records import MAX_RUNS_KEPT
from framework.storage.store import Store
from framework.storage.words import holds

from ..events.conclusion import Brought
from ..state import Task
from ..state.findings import VerdictWord
from ..state.recalled import Recalled
from . import Port, Session

KEY = "memory"
"""The key under which a run keeps what it learned."""
_BROUGHT = "memory:recalled"
LEAST_SIMILARITY = 0.25
"""The cosine from which on two tasks count as similar; tests/agent/test_memory.py measures it."""
LOOKED_THROUGH, MOST_TASKS, MOST_LESSONS = 500, 3, 5
"""How many runs are searched, newest first; from how many of them lessons are taken; how many lessons in all."""
MAX_TASK, MAX_LESSON = 1000, 400
"""How many characters of a task and of a lesson are kept."""
_PART = 4
"""Letters in each part of a word. Words are compared by such parts, so that endings hardly count."""
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Scripts without spaces between words. Each pair of neighbouring characters counts as a word there."""
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        """an the of to in on at by for from with without and or not no is are was be it its this that these those as if
        then else than so who which whose what when where how each every all any some one two three given gives give
        into out over only same other another most more my me you we our please can could should shall must may will
        would do does has have there here also after before between per first last many length size true false none
        write create make build implement develop define code program function functions class method methods script
        python module return returns returned returning print prints printed take takes find get gets compute computes
        calculate calculates determine use uses using help check checks whether input inputs output outputs value values
        number numbers list lists string strings text texts integer integers int float str bool array arrays tuple
        tuples element elements item items dict dictionary dictionaries object objects example examples result results
        task new add fix bug broken error wrong work works fails failing faster test tests handle der die das den dem
        des ein eine einen einer eines und oder nicht ist sind mit von für aus auf wird werden schreibe schreib erstelle
        funktion klasse programm skript gibt zurück liste listen zahl zahlen zeichenkette werte wert alle prüft una uno
        los las del que son por para con escribe crea función clase programa devuelve lista listas número números numero
        cadena valores est une qui sont par pour dans avec écris ecris crée fonction classe programme renvoie retourne
        nombre nombres chaîne valeurs uma dos são com escreva crie função devolve retorna texto gli della che sono
        scrivi funzione restituisce stringa
        一个 写一 个函 函数 返回 字符 符串 列表 编写 程序 是否 请写 数字 関数 文字 数を 書い を返 する して""",
    )
)
"""Words that say nothing about the subject of a task; they are left out."""
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """count counts counting sort sorts sorted sorting convert converts converted remove removes removed removing
        sum sums maximum minimum max min largest smallest highest lowest total average mean character characters char
        word words line lines range different index position digit digits even odd common unique duplicate duplicates
        order file files column columns row rows name names key keys multiple single pair pairs nested sequence valid
        random data read save split join replace contains letter letters case lower upper plot draw chart compare
        difference occurrence occurrences month months date palabra palabras mot mots wort wörter palavra palavras""",
    )
)
"""Words that say little, because many unlike tasks share them; each counts half."""


_found: TypeAdapter[tuple[Recalled, ...]] = TypeAdapter(tuple[Recalled, ...])


async def recall(task: Task, port: Port) -> tuple[Recalled, ...]:
    """Returns the lessons of the most similar tasks, at most five from three runs. The result is remembered for the
    run, so that a second call returns the same."""
    if (before := port.recall(_BROUGHT)) is not None:
        return _found.validate_python(before["recalled"])
    found = tuple(await asyncio.to_thread(most_similar, about(task), await port.recorded(KEY, LOOKED_THROUGH)))
    port.remember(_BROUGHT, {"recalled": _found.dump_python(found, mode="json")})
    return found


def brought(found: Iterable[Recalled]) -> tuple[Brought, ...]:
    """Returns what a run reports of recalled lessons to whoever sees the run."""
    return tuple(Brought(one.run, one.verdict, one.similarity, len(one.lessons)) for one in found)


def keep(task: Task, lessons: Iterable[str], verdict: VerdictWord, session: Session) -> None:
    """Keeps the lessons of a run, without secrets. A run that learned nothing keeps no record."""
    told = dict.fromkeys(session.mask(lesson)[:MAX_LESSON] for lesson in lessons if lesson.strip())
    if told:
        words = {"task": session.mask(task.text)[:MAX_TASK], "about": session.mask(about(task))[: 2 * MAX_TASK]}
        session.port.record(KEY, {**words, "verdict": verdict, "lessons": [*told][:MOST_LESSONS]})


def about(task: Task) -> str:
    """Returns the words that a task is about: its text, the texts of the turns before it, and the names that given code
    defines."""
    turns = [turn.task for turn in task.earlier.turns] if task.earlier else []
    return " ".join([task.text, *turns, *re.findall(r"^\s*(?:def|class) (\w+)", task.code or "", re.MULTILINE)])


def most_similar(words: str, kept: Mapping[str, Any]) -> list[Recalled]:
    """Returns the lessons of the runs whose tasks are most like `words`, each lesson once. `kept` holds the records by
    run id."""
    wanted, found, told = _weights(words), list[Recalled](), set[str]()
    scored = [(_likeness(wanted, _weights(one["about"])), run, one) for run, one in kept.items()]
    for score, run, one in sorted(scored, key=lambda entry: -entry[0]):
        fresh = [each for each in one["lessons"] if each not in told][: MOST_LESSONS - len(told)]
        if score < LEAST_SIMILARITY or len(found) == MOST_TASKS:
            break
        if fresh:
            told.update(fresh)
            found.append(Recalled(run, one["task"], one["verdict"], round(score, 2), tuple(fresh)))
    return found


def similarity(one: str, other: str) -> float:
    """Returns 0 for texts that share no telling word, and nearer to 1 the more they share."""
    return _likeness(_weights(one), _weights(other))


def _likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Returns the cosine of two weightings, lowered for short texts, because one shared word out of few is no likeness
    yet."""
    shared = sum(weight * other.get(part, 0.0) for part, weight in one.items())
    lengths = sqrt(sum(weight**2 for weight in one.values()) * sum(weight**2 for weight in other.values()))
    return round(shared / (lengths + 1.0), 6)  # rounded, because the order of summing must not decide


def _weights(text: str) -> Mapping[str, float]:
    """Returns the weight of each part of a word. The squares of one word's weights sum to 1, however long it is."""
    weights = defaultdict[str, float](float)
    for word in _words(text):
        padded = f" {word} " if len(word) >= _PART else word
        parts = {padded[at : at + _PART] for at in range(max(1, len(padded) - _PART + 1))}
        for part in parts:
            weights[part] += (0.5 if word in _COMMON else 1.0) / sqrt(len(parts))
    return weights


def _words(text: str) -> set[str]:
    """Splits a text into its telling words; camelCase and snake_case are split too."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).casefold()
    found = set(re.findall(rf"[^\W\d_{_CJK}]{{2,}}", text))
    for run in re.findall(rf"[{_CJK}]+", text):
        found |= {run[at : at + 2] for at in range(max(1, len(run) - 1))}
    return found - _EMPTY


def listed(store: Store, owner: str | None, query: str = "", limit: int = MAX_RUNS_KEPT) -> list[dict[str, Any]]:
    """Lists what the runs of an owner keep (None: of all owners), newest first. `query` keeps only entries whose id,
    task or lessons hold its words."""
    found = (_entry(*kept) for kept in store.memo.of_owner(owner, KEY))
    fitting = (one for one in found if holds(" ".join([one["run_id"], one["task"], *one["lessons"]]), query))
    return [*islice(fitting, limit)]


def as_lines(entries: Iterable[Mapping[str, Any]]) -> str:
    """Returns one line of JSON per entry, the form in which data sets are read."""
    return "".join(f"{json.dumps(entry, ensure_ascii=False)}\n" for entry in entries)


def _entry(run_id: str, created: float, kept: Mapping[str, Any]) -> dict[str, Any]:
    return {"run_id": run_id, "created": created, **{name: kept[name] for name in ("task", "verdict", "lessons")}}
