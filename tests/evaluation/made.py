"""Trials and small benchmark folders, made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evaluation.trials import Trial

HEADER = {
    "suite": "bundled", "provider": "mock", "model": "scripted-demo", "arm": "full", "samples": 1, "seed": 0,
    "simulated": ["every model reply is a written line"],
}  # fmt: skip


def trial(
    problem: str, *, first: bool = False, final: bool = False, verdict: str = "verified", cost: float | None = 0.0
) -> Trial:
    return Trial(
        key=f"{problem}#0", problem=problem, sample=0, verdict=verdict, first_correct=first, final_correct=final,
        any_correct=first or final, attempts=2, calls=5, input_tokens=100, output_tokens=50, cost_usd=cost,
        seconds=1.0, run_id="r",
    )  # fmt: skip


def save(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
