"""How long it takes to list and search 100,000 stored runs: `python -m tests.benches.store [postgresql://...]`."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from framework.errors import StoreError
from framework.secret import Secret
from framework.storage.store import Store

RUNS = 100_000
BAR_MS = 50.0
"""Milliseconds that one look may take."""
_REPEATS = 15
_FILL = """
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)
INSERT INTO runs(run_id, created, title, words, spec, scripted, owner)
SELECT 'run' || n, n, :title || n, lower(:title || n || ' run' || n), :spec, FALSE, 'owner' || (n % 100) FROM numbers"""
TITLE = "Write a function that sorts the rows of a table by its columns, task number "


def main(argv: list[str] | None = None) -> int:
    """Returns the exit code: 0 where every look keeps within the bar."""
    parser = argparse.ArgumentParser(prog="python -m tests.benches.store", description=__doc__)
    parser.add_argument("url", nargs="?", help="an empty PostgreSQL database to measure, too; it is filled with runs")
    given = parser.parse_args(argv)
    try:
        with tempfile.TemporaryDirectory() as folder:
            slow = _measure("SQLite", Store.open(Path(folder)))
            if given.url:
                slow += _measure("PostgreSQL", Store.open(Path(folder), url=Secret(given.url)))
    except StoreError as error:
        _say(f"tests.benches.store: {error}")
        return 2
    return 1 if slow else 0


def _measure(name: str, store: Store) -> int:
    """Measures each look at the store and returns how many take too long."""
    store.database.execute(_FILL, count=RUNS, title=TITLE, spec='{"task": "' + "x" * 2000 + '"}')
    looks: dict[str, Callable[[], object]] = {
        "the newest 20": lambda: store.runs.list(20),
        "20 of one owner": lambda: store.runs.list(20, owner="owner7"),
        "20 that carry a common word": lambda: store.runs.list(20, "Rows"),
        "one that carries a rare word": lambda: store.runs.list(20, "number 31415"),
        "none that carries a word": lambda: store.runs.list(20, "nowhere"),
        "one owner's with a rare word": lambda: store.runs.list(20, "number 31415", "owner15"),
        "those of one owner beyond 500": lambda: store.runs.beyond("owner7", 500),
    }
    slow = 0
    for words, look in looks.items():
        took = statistics.median(_milliseconds(look) for _ in range(_REPEATS))
        slow += took > BAR_MS
        _say(f"{name:11} {words:32} {took:7.2f} ms{'  too slow' if took > BAR_MS else ''}")
    store.close()
    return slow


def _milliseconds(look: Callable[[], object]) -> float:
    began = time.perf_counter()
    look()
    return (time.perf_counter() - began) * 1000


def _say(text: str) -> None:
    print(text)


if __name__ == "__main__":
    sys.exit(main())
