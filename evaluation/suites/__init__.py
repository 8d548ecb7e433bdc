"""Lists the benchmark suites: problems whose hidden tests the agent never sees.

Each suite is one file and one entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from . import (
    bigcodebench,
    bundled,
    evalplus,
    humaneval,
    livecodebench,
    mbpp,
    quixbugs,
    repair,
    scenarios,
)
from .problem import BadSuite, Problem, Wrong, chosen


@dataclass(frozen=True, slots=True)
class ProblemSuite:
    """A suite, and what a reader of its figures should know."""

    load: Callable[[Path | None], list[Problem]]
    """Loads the problems from the path of --data. Raises BadSuite."""
    about: str
    licence: str
    contaminated: str
    """What a live model may have seen of the suite, and what that means for a figure."""
    data: str = ""
    """What --data must be; "": the data come with the project."""
    answers: bool = True
    """Whether right programs are published with the suite."""


_OURS = "MIT, written for this project"
_OLD = "public since 2021 and in every training set: compare policies with it, not models"
_EXTENDED = "tasks public since 2021, more inputs since 2023: compare policies with it, not models"
SUITES: Mapping[str, ProblemSuite] = {
    "bundled": ProblemSuite(
        bundled.load, "problems of real work, each proved by right and wrong programs", _OURS,
        "public with this repository; a model trained later may know it",
    ),
    "repair": ProblemSuite(
        repair.load, "one-line bugs, each reported in six ways", _OURS,
        "public with this repository; the bugs are of kinds that every model has seen",
    ),
    "scenarios": ProblemSuite(
        scenarios.load, "the demo model's own tasks", _OURS, "the demo model plays them from a script: no measurement",
        answers=False,
    ),
    "humaneval": ProblemSuite(
        humaneval.load, "HumanEval: 164 functions with a docstring", "MIT (openai/human-eval)", _OLD,
        "humaneval.jsonl, or hub",
    ),
    "humaneval_plus": ProblemSuite(
        evalplus.load_humaneval, "HumanEval+: the same with about 80 times the inputs", "Apache-2.0 (evalplus)",
        _EXTENDED, f"{evalplus.HUMANEVAL}, or hub",
    ),
    "mbpp": ProblemSuite(
        mbpp.load, "MBPP, sanitised: short tasks, few examples", "CC-BY-4.0 (google-research)", _OLD, "mbpp.jsonl",
    ),
    "mbpp_full": ProblemSuite(
        mbpp.load_full, "MBPP, all 974 tasks; some are ambiguous", "CC-BY-4.0 (google-research)", _OLD,
        "mbpp.jsonl, or hub",
    ),
    "mbpp_two": ProblemSuite(
        mbpp.load_two_shown, "MBPP, all tasks with two official asserts shown and more hidden",
        "CC-BY-4.0 (google-research)", _OLD, "mbpp.jsonl, or hub",
    ),
    "mbpp_plus": ProblemSuite(
        evalplus.load_mbpp, "MBPP+: 378 tasks with about 35 times the tests", "Apache-2.0 (evalplus)", _EXTENDED,
        f"{evalplus.MBPP}, or hub",
    ),
    "bigcodebench": ProblemSuite(
        bigcodebench.load, "BigCodeBench: practical tasks with libraries", "Apache-2.0 (bigcode)",
        "public since June 2024; newer models may have seen it", f"{bigcodebench.NAME}, or hub",
    ),
    "livecodebench": ProblemSuite(
        livecodebench.load, "contest problems on standard input", "MIT code; problems belong to their contest sites",
        "dated problems: use only those later than the model's training data", f"{livecodebench.NAME}, or hub",
        answers=False,
    ),
    "quixbugs": ProblemSuite(
        quixbugs.load, "QuixBugs: classic algorithms with one defective line", "MIT (jkoppel/QuixBugs)",
        "public since 2017 with its answers: compare policies with it, not models", "a checkout of the repository",
    ),
}  # fmt: skip

__all__ = ["SUITES", "BadSuite", "Problem", "ProblemSuite", "Wrong", "chosen"]
