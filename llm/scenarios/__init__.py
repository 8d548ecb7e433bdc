"""Holds what the scripted demo model can play.

Each scenario is one YAML file: its description first, its replies after `---`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import yaml

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class ScenarioCard:
    """How the page offers a scenario, in words that a newcomer understands."""

    place: int
    title: str
    benefit: str
    tag: str
    seconds: int
    """How many seconds the scenario took on a small machine."""
    autonomy: str = "full_auto"
    """How often a run of the scenario asks the person."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One task with everything the demo model says about it. Tests, faults and the verdict are not scripted."""

    name: str
    task: str
    kind: str
    """heal | passes | wrong_test | honest_failure | ambiguous | data | fix | explain | project | reread | tests"""
    shows: str
    card: ScenarioCard
    expect: Mapping[str, Any]
    """How a run of the scenario ends: `verdict`, `first_fails`. Only tests read this, never the demo model."""
    code: str | None = None
    """The code that comes with the task."""
    tests: str | None = None
    """The person's tests that come with the task."""
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """The data files that come with the task."""


def list_scenarios() -> tuple[Scenario, ...]:
    """Returns all scenarios, in the order of their names. It reads only the descriptions, once per process."""
    return tuple(_by_name().values())


def get_scenario(name: str) -> Scenario | None:
    return _by_name().get(name)


def find_scenario(task: str) -> Scenario | None:
    """Returns the scenario whose task is this one, differences in white space aside; None if there is none."""
    return _by_task().get(_normalised(task))


@functools.cache
def script(name: str) -> Mapping[str, Mapping[str, str | Mapping[str, Any]]]:
    """Returns the replies of a scenario by role and question: each is a text, or a tool call {say, tool, arguments}."""
    with (HERE / f"{name}.yaml").open(encoding="utf-8") as file:
        _, replies = yaml.load_all(file, Loader=_LOADER)
    return cast("Mapping[str, Mapping[str, str | Mapping[str, Any]]]", replies)


# libyaml parses several times faster and is in every wheel; the pure parser gives the same content.
_LOADER = cast("type[yaml.SafeLoader]", getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@functools.cache
def _by_name() -> Mapping[str, Scenario]:
    return {path.stem: _described(path) for path in sorted(HERE.glob("*.yaml"))}


@functools.cache
def _by_task() -> Mapping[str, Scenario]:
    return {_normalised(scenario.task): scenario for scenario in list_scenarios()}


def _described(path: Path) -> Scenario:
    with path.open(encoding="utf-8") as file:
        about = cast("dict[str, Any]", next(iter(yaml.load_all(file, Loader=_LOADER))))
    about["files"] = {name: text.encode() for name, text in about.get("files", {}).items()}
    return Scenario(name=path.stem, card=ScenarioCard(**about.pop("card")), **about)


def _normalised(task: str) -> str:
    return " ".join(task.split())
