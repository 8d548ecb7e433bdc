"""`tiers DIR --data DATA`: compares tier 1 with tier 0.

Tier 1 is the real graph and sandbox, tier 0 the same policy on stored matrices.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from framework.command_line import CommandParser

from ..console import show
from ..metrics import figures, gap
from ..recorded.recordings import Recording, open_recordings
from ..replay.data import StoredTask, View, known_truth, load_tasks
from ..replay.product import PRODUCT
from ..replay.references import LoopEnd
from ..suites import BadSuite
from ..trials import ACCEPTED, Trial, TrialStore
from .report import interval, number, preamble

Scores = Mapping[str, float]
ATTEMPTS = "attempts"
"""The score that is no percentage."""


class SuiteView(View):
    """A task that is judged by one stored suite, the one that the run's spec tester wrote."""

    @property
    def suites(self) -> frozenset[str]:
        return frozenset({self.group})


@dataclass(frozen=True, slots=True)
class Pair:
    """One task and seed in both tiers."""

    trial: Trial
    end: LoopEnd
    first: bool
    """Whether the first stored program is right by the stored truth."""
    final: bool
    """Whether the program that tier 0 returned is right by the stored truth."""

    def tier0(self) -> Scores:
        accepted = self.end.verdict in ACCEPTED
        return _scores(self.first, self.final, accepted, self.end.attempts)

    def tier1(self) -> Scores:
        return _scores(self.trial.first_correct, self.trial.final_correct, self.trial.accepted, self.trial.attempts)


def _scores(first: bool, final: bool, accepted: bool, attempts: int) -> Scores:
    return {
        "first right": 100.0 * first,
        "final right": 100.0 * final,
        "accepted and wrong": 100.0 * (accepted and not final),
        "right and not accepted": 100.0 * (final and not accepted),
        ATTEMPTS: float(attempts),
    }


def main(argv: Sequence[str]) -> int:
    """Prints the comparison and returns the exit code 0. Raises one of REFUSALS without replayed trials or readable
    data."""
    parser = CommandParser(
        prog="python -m evaluation tiers", description="Tier 1 beside tier 0 on the same programs and tests."
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="trials made with --provider replay")
    parser.add_argument("--data", type=Path, required=True, help="folder of the recordings and matrices")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    arguments = parser.parse_args(argv)
    store = TrialStore(arguments.folder)
    header, trials = store.header(), [trial for trial in store.read() if not trial.error]
    report = compared(header, trials, arguments.data)
    show(json.dumps(report, indent=1) if arguments.json else _table(header, report))
    return 0


def compared(header: Mapping[str, Any], trials: Sequence[Trial], data: Path) -> dict[str, Any]:
    """Returns the report: `tier1` holds the figures of the trials, `difference` compares both tiers by score. Raises
    BadSuite, DataError, NoProvider."""
    if header["provider"] != "replay" or header.get("plant") or not trials:
        raise BadSuite("the folder holds no trials of the replay provider with the stored suites")
    pairs = _pairs(header, trials, data)
    both: dict[str, dict[str, list[tuple[float, float]]]] = defaultdict(lambda: defaultdict(list))
    for pair in pairs:
        for name, score in pair.tier1().items():
            both[name][pair.trial.problem].append((pair.tier0()[name], score))
    return {
        "commands": _commands(header),
        "made": {"date": max(trial.date for trial in trials)[:10], **_origin(trials[0].made)},
        "model": header["model"],
        "simulated": header["simulated"],
        "problems": len({pair.trial.problem for pair in pairs}),
        "seeds": len({pair.trial.sample for pair in pairs}),
        "difference": {name: _difference(name, groups) for name, groups in both.items()},
        "grading_differs": sum(pair.first != pair.trial.first_correct for pair in pairs),
        "tier0_verdicts": _verdicts(pairs),
        "tier1": figures(trials),
    }


def _origin(made: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the command does not say of a trial's origin."""
    return {name: made.get(name) for name in ("commit", "versions", "machine")}


def _commands(header: Mapping[str, Any]) -> list[str]:
    how = f"--suite {header['suite']} --provider replay --model {header['model']} --accuracy {header['accuracy']}"
    how += f" --samples {header['samples']} --seed {header['seed']} --arm {header['arm']}"
    return [
        f"python -m evaluation run {how} --data DATA --out DIR",
        "python -m evaluation tiers DIR --data DATA --json",
    ]


def _pairs(header: Mapping[str, Any], trials: Sequence[Trial], data: Path) -> list[Pair]:
    tasks, truth = {task.id: task for task in load_tasks(data)}, known_truth(data)
    recordings = {recording.task_id: recording for recording in open_recordings(str(data)).tasks}
    pairs: list[Pair] = []
    for trial in trials:
        seed, right = header["seed"] + trial.sample, truth[trial.problem]
        order = [program.id for program in recordings[trial.problem].order(header["model"], seed)]
        end = tier0(tasks[trial.problem], recordings[trial.problem], order, seed)
        pairs.append(Pair(trial, end, right[order[0]], right[end.chosen.id]))
    return pairs


def tier0(task: StoredTask, recording: Recording, order: Sequence[str], seed: int) -> LoopEnd:
    """Plays the product's policy on the stored matrices, with the attempts and the suite that the run of this seed
    had."""
    suite = next(iter(recording.suites(seed)), "")
    stated = tuple(test for test, names in task.suites.items() if suite in names)
    programs = {program.id: program for program in task.programs}
    assert PRODUCT.loop is not None
    return PRODUCT.loop(SuiteView(task, stated, task.examples, suite), [programs[name] for name in order])


def _difference(name: str, groups: Mapping[str, Sequence[tuple[float, float]]]) -> dict[str, Any]:
    """Returns the means of both tiers over problems, and tier 1 - tier 0 with its paired interval."""
    means = [[sum(pair[tier] for pair in pairs) / len(pairs) for pairs in groups.values()] for tier in (0, 1)]
    zero, one = (round(sum(values) / len(values), 2) for values in means)
    reach = max(map(max, means)) if name == ATTEMPTS else 100.0
    return {"tier0": zero, "tier1": one, **gap([b - a for a, b in zip(*means, strict=True)], reach)}


def _verdicts(pairs: Sequence[Pair]) -> dict[str, dict[str, float]]:
    words: dict[str, list[bool]] = defaultdict(list)
    for pair in pairs:
        words[pair.end.verdict or "none"].append(pair.final)
    return {word: {"given": len(hits), "right": round(100 * sum(hits) / len(hits), 2)} for word, hits in words.items()}


def _table(header: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    lines = [*preamble(header), f"{report['problems']} problems, {report['seeds']} seeds, {report['model']}."]
    lines += [f"The sandbox and the stored truth differ on {report['grading_differs']} first programs.", ""]
    lines += ["| score | tier 0 | tier 1 | tier 1 - tier 0 | paired 95 % interval |", "|---|---|---|---|---|"]
    for name, found in report["difference"].items():
        cells = f"{found['tier0']:.2f} | {found['tier1']:.2f} | {found['difference']:+.2f}"
        lines.append(f"| {name} | {cells} | {found['ci'][0]:+.2f} to {found['ci'][1]:+.2f} |")
    lines += ["", "| verdict in tier 1 | trials | right, percent | 95 % interval |", "|---|---|---|---|"]
    for word, found in report["tier1"]["verdicts"].items():
        if found["trials"]:
            lines.append(f"| {word} | {found['trials']} | {number(found['right'])} | {interval(found['right_ci'])} |")
    return "\n".join(lines)
