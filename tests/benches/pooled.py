"""Writes recordings in which the programs of all models make one pool, so that the replay provider pairs programs of
different models on MBPP tasks:

    python -m tests.benches.pooled FOLDER POOL
    python -m evaluation run --suite mbpp_two --provider replay --model pool --data POOL --samples 3 --out OUT

FOLDER holds `mbpp.jsonl` and `first_attempts_mbpp.jsonl`. No model's tests are recorded of these tasks, so that a run
has only the task's two examples and what programs of other models answer.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from evaluation.recorded.recordings import FILES
from evaluation.suites import SUITES

HEADER = "import collections, functools, heapq, itertools, math, re, sys\nfrom typing import *\n"
"""What the programs that were written to be completed import of themselves."""


def pooled(folder: Path, pool: Path) -> int:
    """Writes the pool and returns the number of its tasks."""
    told = {problem.id: problem.task for problem in SUITES["mbpp_two"].load(folder)}
    rows = [json.loads(line) for line in (folder / "first_attempts_mbpp.jsonl").read_text("utf-8").splitlines()]
    programs = [_program(row) for row in rows if row["task_id"] in told]
    tasks = dict.fromkeys(row["task_id"] for row in programs)
    pool.mkdir(parents=True, exist_ok=True)
    written = ([{"task_id": name, "prompt": told[name]} for name in tasks], programs, list[dict[str, Any]]())
    for name, lines in zip(FILES, written, strict=True):
        (pool / name).write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    known = (folder / "mbpp.jsonl").read_text("utf-8").splitlines(keepends=True)
    (pool / "mbpp.jsonl").write_text("".join(line for line in known if json.loads(line)["task_id"] in tasks), "utf-8")
    return len(tasks)


def _program(row: dict[str, Any]) -> dict[str, Any]:
    code = f"{HEADER if row['needs_import_header'] else ''}{row['code']}"
    name = f"{row['id']}|0"
    return {"task_id": row["task_id"], "id": name, "model": "pool", "code": code, "passed_base": row["passed"]}


if __name__ == "__main__":
    print(pooled(*map(Path, sys.argv[1:])), "tasks")
