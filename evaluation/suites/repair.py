"""Loads programs with a bug in one line, each reported in several ways.

A program must be mended, not merely changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from .problem import BadSuite, Problem

HERE = Path(__file__).with_name("repairs.yaml")
RAISES = "raises "


def load(data: Path | None) -> list[Problem]:
    """Returns the problems. `data` is another file of the same form, with `reports` and `bugs`. Raises BadSuite."""
    path = data or HERE
    try:
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
        return [problem for bug in told["bugs"] for problem in _problems(bug, told["reports"])]
    except OSError as error:
        raise BadSuite(f"{path} cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, ValueError, TypeError, LookupError) as error:
        raise BadSuite(f"{path} holds no bugs and reports: {' '.join(str(error).split())}") from None


def _problems(bug: Mapping[str, Any], reports: Mapping[str, str]) -> Iterator[Problem]:
    """Yields one problem for each report of a bug. Raises ValueError if the repair does not fit, KeyError for a missing
    field."""
    old, new = bug["repair"]
    if bug["code"].count(old) != 1:
        raise ValueError(f"{bug['name']}: the text to repair stands {bug['code'].count(old)} times in the code")
    words = {**bug, "does_told": _in_words(bug["does"]), "right_told": _in_words(bug["right"], "raise", "give")}
    checks = [f"{bug['call']} {_expected(bug['right'])}", *bug["checks"]]
    hidden = "import pytest\n\n\n" + "\n\n".join(_test(number, check) for number, check in enumerate(checks, 1))
    right = (bug["code"].replace(old, new),)
    for way, report in reports.items():
        yield Problem(
            f"{bug['name']}/{way}", report.format(**words), hidden, bug["code"], kind=f"repair, {way}", right=right
        )


def _in_words(outcome: str, raises: str = "raises", gives: str = "gives") -> str:
    return f"{raises} {outcome.removeprefix(RAISES)}" if outcome.startswith(RAISES) else f"{gives} {outcome}"


def _expected(outcome: str) -> str:
    """Returns what the hidden test says of the call: the value that it gives, or what it raises."""
    return outcome if outcome.startswith(RAISES) else f"== {outcome}"


def _test(number: int, check: str) -> str:
    expression, raises, error = check.rpartition(f" {RAISES}")
    body = f"with pytest.raises({error}):\n        {expression}" if raises else f"assert {check}"
    return f"def test_{number}():\n    {body}\n"
