"""A small folder of stored matrices, written by hand: two tasks, all pools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evaluation.replay.data import POOLS, SAME_MODEL

TRUTH = ("base", "strict", "canonical", "valid", "verdict", "pool_fail_rate")
LETTERS = {"right": "PPPF", "wrong": "PFFP", "off": "FFFP"}
"""By kind of program, on an example, two right tests and a wrong one."""
OUTPUTS = {"right": "aa,bb,cc,dd", "wrong": "aa,bx,cx,dx", "off": "ax,E,cy,T"}


def write(folder: Path) -> Path:
    """Task 0 has an example and mostly right programs; task 2 has none and mostly wrong ones."""
    save(folder, "matrix.jsonl", [_matrix(0), _matrix(2)])
    save(folder, "model_tests.jsonl", [_tests(0), _tests(2)])
    save(folder, "outputs.jsonl", [_outputs(0), _outputs(2)])
    return folder


def save(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def strip(folder: Path) -> None:
    """Remove every field that tells what is right."""
    for name in ("matrix.jsonl", "model_tests.jsonl", "outputs.jsonl"):
        rows = [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]
        save(folder, name, [_stripped(row) for row in rows])


def _stripped(row: dict[str, Any]) -> dict[str, Any]:
    bare = {key: value for key, value in row.items() if key not in TRUTH}
    if "tests" in bare:
        bare["tests"] = [_stripped(test) for test in bare["tests"]]
    return bare


def _kinds(number: int) -> dict[str, str]:
    names = [f"{model}|log|0" for pool in POOLS.values() for model in pool if model != SAME_MODEL]
    names += [f"{SAME_MODEL}|log|{i}" for i in range(5)]
    cycle = ("right", "right", "wrong", "right", "off") if number == 0 else ("wrong", "off", "wrong", "right", "wrong")
    return {name: cycle[i % 5] for i, name in enumerate(sorted(names))}


def _matrix(number: int) -> dict[str, Any]:
    kinds = _kinds(number)
    right = {name: kind == "right" for name, kind in kinds.items()}
    rows = {name: LETTERS[kind] for name, kind in kinds.items()}
    solved_only = {"gpt-4-0314a|log|0": "PPPF"}
    return {"task_id": f"HumanEval/{number}", "n_tests": 4, "rows": {**rows, **solved_only}, "canonical": "PPPF",
            "base": {**right, "gpt-4-0314a|log|0": True}, "strict": right}  # fmt: skip


def _tests(number: int) -> dict[str, Any]:
    suites = [["gpt-4|0", f"{SAME_MODEL}|0", f"{SAME_MODEL}|1"], [f"{SAME_MODEL}|0", f"{SAME_MODEL}|2"],
              [f"{SAME_MODEL}|1"], ["gpt-4|0", f"{SAME_MODEL}|3"]]  # fmt: skip
    tests = [
        {"i": i, "a": f"assert f({i}) == {i}", "docstring": i == 0 and number == 0, "suites": names,
         "valid": i != 3, "verdict": "P", "pool_fail_rate": 0.5}
        for i, names in enumerate(suites)
    ]  # fmt: skip
    return {"task_id": f"HumanEval/{number}", "tests": tests}


def _outputs(number: int) -> dict[str, Any]:
    rows = {name: OUTPUTS[kind] for name, kind in _kinds(number).items()}
    return {"task_id": f"HumanEval/{number}", "calls": ["f(0)", "f(1)", "f(2)", "f(9)"], "n_from_tests": 3,
            "mutated_call_ids": [3], "test_to_call_and_expected": {"0": [0, 0], "1": [1, 1], "2": [2, 2]},
            "rows": rows, "canonical": "aa,bb,cc,dd"}  # fmt: skip
