"""What `report` and `compare` print, against `recount`, which shares nothing with them but the lines of trials."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evaluation.commands import compare as product_compare
from evaluation.commands import report as product_report
from tests.evaluation import recount
from tests.evaluation.made import HEADER

CHANCES = (None, 0.42, 0.5, 0.7, 0.83, 0.9, 0.95, 0.97, 1.0)


def row(random: Random, problem: int, sample: int, skill: float) -> dict[str, Any]:
    first = random.random() < skill
    final = random.random() < (0.85 if first else skill / 2)
    return {
        "key": f"p{problem}#{sample}", "problem": f"p{problem}", "sample": sample, "run_id": "r",
        "verdict": random.choice(recount.WORDS), "first_correct": first, "final_correct": final,
        "any_correct": first or final or random.random() < 0.2, "attempts": random.randint(1, 5),
        "calls": random.randint(1, 12), "input_tokens": random.randint(10, 9000),
        "output_tokens": random.randint(10, 3000), "cost_usd": random.choice((0.25, 0.125, 0.003)),
        "seconds": random.random() * 9, "model_seconds": random.random(), "grading_seconds": None,
        "sandbox_seconds": random.choice((None, 0.5, 1.25)),
        "chance": random.choice(CHANCES), "error": "it broke" if random.random() < 0.05 else "",
    }  # fmt: skip


def folder(path: Path, *, seed: int, problems: int, samples: int, skill: float) -> Path:
    random = Random(seed)
    rows = [row(random, one, sample, skill) for one in range(problems) for sample in range(samples)]
    again = [{**random.choice(rows), "verdict": "verified"} for _ in range(3)]
    path.mkdir(parents=True)
    (path / "trials.jsonl").write_text("".join(json.dumps(each) + "\n" for each in (*rows, *again)))
    (path / "suite.json").write_text(json.dumps(HEADER))
    return path


SHAPES = [(1, 1, 0.5), (2, 1, 1.0), (3, 2, 0.0), (6, 3, 0.5), (12, 2, 0.8), (20, 1, 0.3)]


@pytest.mark.parametrize(("problems", "samples", "skill"), SHAPES)
def test_every_figure_of_a_report_is_recounted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], problems: int, samples: int, skill: float
) -> None:
    one = folder(tmp_path / "one", seed=problems, problems=problems, samples=samples, skill=skill)
    assert product_report.main([str(one), "--json"]) == 0
    assert differing_report(json.loads(capsys.readouterr().out), recount.report(recount.read(one))) == []


@pytest.mark.parametrize(("problems", "samples", "skill"), SHAPES)
def test_every_figure_of_a_comparison_is_recounted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], problems: int, samples: int, skill: float
) -> None:
    one = folder(tmp_path / "one", seed=1, problems=problems, samples=samples, skill=skill)
    two = folder(tmp_path / "two", seed=2, problems=problems + 1, samples=samples + 1, skill=1 - skill / 2)
    assert product_compare.main([str(one), str(two)]) == 0
    found = recount.compare(recount.read(one), recount.read(two))
    assert differing_comparison(capsys.readouterr().out, found) == []


def test_a_folder_of_failures_alone_has_a_report_and_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = folder(tmp_path / "one", seed=1, problems=1, samples=1, skill=0.5)
    assert all(each["error"] for each in recount.read(one))
    assert product_report.main([str(one), "--html", str(tmp_path / "page.html")]) == 0
    assert "0 trials on 0 problems, 1 could not be run or graded." in capsys.readouterr().out
    assert product_compare.main([str(one), str(one)]) == 0
    assert "no problem in common" in capsys.readouterr().out


def differing_report(said: dict[str, Any], counted: dict[str, Any]) -> list[str]:
    """What the two do not agree on, in words. Every figure of either is looked at."""
    flat = flattened(said)
    wrong = [f"{name} is in one of them only" for name in set(flat) ^ set(counted)]
    return wrong + [f"{name}: {flat[name]} against {counted[name]}" for name in flat if name in counted
                    and not same(flat[name], counted[name])]  # fmt: skip


def flattened(said: dict[str, Any]) -> dict[str, Any]:
    """The figures of `report --json` under the names that the recount gives them."""
    told = dict(said["figures"])
    verdicts = told.pop("verdicts")
    flat: dict[str, Any] = {
        name: (value, told[f"{name}_ci"]) if f"{name}_ci" in told else value
        for name, value in told.items()
        if not name.endswith("_ci")
    }
    for word, entry in verdicts.items():
        flat[f"{word}: trials"] = entry["trials"]
        flat[f"{word}: right"] = (entry["right"], entry["right_ci"] if entry["trials"] else None)
        flat[f"{word}: share"] = (entry["share"], entry["share_ci"])
    flat |= {name: tuple(found) for name, found in said["pass_at"].items()}
    for point in said["risk_coverage"]:
        flat[f"risk at {point['chance']}"] = (point["wrong"], point["wrong_ci"])
        flat[f"coverage at {point['chance']}"] = point["share"]
    flat |= {f"honest from {group['from']}": (group["right"], group["right_ci"]) for group in said["reliability"]}
    return flat


def same(said: Any, counted: Any) -> bool:
    if isinstance(said, tuple):
        return near(said[0], counted[0]) and within(said[1], counted[1])
    return near(said, counted)


def near(said: float | None, counted: float | None) -> bool:
    """Equal but for the digits that the product rounds away: two, or all of whole tokens."""
    if said is None or counted is None:
        return said is counted
    return abs(said - counted) <= (0.5 if isinstance(said, int) else 0.00501)


def within(said: list[float] | None, counted: recount.Bounds | None) -> bool:
    """Each end lies where 2,000 draws can have put it."""
    if said is None or counted is None:
        return said is counted
    pairs = zip(said, counted, strict=True)
    return all(low - 0.051 <= end <= high + 0.051 for end, (low, high) in pairs)


def differing_comparison(text: str, counted: dict[str, Any]) -> list[str]:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    said = {cells[0]: cells[1:] for cells in rows[2:]}
    wrong = [f"{name} is in one of them only" for name in set(said) ^ set(counted)]
    for name in set(said) & set(counted):
        difference, interval, chance, problems = said[name]
        found = counted[name]
        if problems == "0" == str(found["problems"]):
            continue
        bounds = [float(end) for end in interval.split(" to ")]
        agree = [
            abs(float(difference) - found["difference"]) <= 0.0501,
            within(bounds, found["interval"]),
            abs(float(chance) - found["chance"]) <= 0.000501,
            int(problems) == found["problems"],
            in_words(text, name, found, bounds),
        ]
        wrong += [f"{name} {said[name]} against {found}"] if not all(agree) else []
    return wrong


def in_words(text: str, name: str, found: dict[str, Any], bounds: list[float]) -> bool:
    """The sentence says a difference where interval and test do, else how many problems would show it."""
    sentence = next(line for line in text.splitlines() if line.startswith(f"* {name}: "))
    if "a difference can be seen" in sentence:
        return found["chance"] < 0.05 and (bounds[0] >= 0 or bounds[1] <= 0)
    told = re.search(r"about (\d+) would be needed", sentence)
    needed: float = found["needed"] or 0.0
    return (needed > found["problems"]) == bool(told) and (not told or abs(int(told[1]) - needed) <= 1)


def test_it_runs_alone(tmp_path: Path) -> None:
    """Without the evaluation being imported."""
    one = folder(tmp_path / "one", seed=3, problems=3, samples=1, skill=0.5)
    code = "import sys, runpy; runpy.run_module('tests.evaluation.recount', run_name='__main__')"
    code += "; sys.exit(any(name.split('.')[0] in ('evaluation', 'numpy') for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code, str(one)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["problems"] <= 3
