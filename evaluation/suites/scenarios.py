"""Gives the tasks of the demo scenarios hidden tests of their own.

This makes an offline suite, which the demo model can play, too.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from agent.cli.commands import task_of
from llm.scenarios import get_scenario

from .problem import BadSuite, Problem

HERE = Path(__file__).with_suffix(".yaml")


def load(data: Path | None) -> list[Problem]:
    """Returns the problems. `data` may be another file of the same form: hidden pytest source by scenario name. Raises
    BadSuite."""
    path = data or HERE
    try:
        hidden: dict[str, str] = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise BadSuite(f"{path} cannot be read: {error}") from None
    problems: list[Problem] = []
    for name, tests in hidden.items():
        scenario = get_scenario(name)
        if scenario is None:
            raise BadSuite(f"{path} names a scenario that does not exist: {name}")
        task = task_of(scenario)
        problems.append(Problem(name, task.text, tests, task.code, scenario.files))
    return problems
