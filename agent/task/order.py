"""A run as a person asks for it. Every door (page, REST, MCP, command line, Python) makes this record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.state import Task
from framework.secret import Secret


@dataclass(frozen=True, slots=True)
class Order:
    """What `AgentRuns.begin` checks and begins. The key stays in this process and is never stored."""

    task: Task
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Fields of AgentConfig. None leaves a field to the deployment's setting, else to its default."""
    provider: str | None = None
    """The provider; None or "" leaves the choice to the settings."""
    model: str | None = None
    """The provider's model; None or "" leaves the choice to the settings."""
    key: Secret | None = None
    """The person's own key for the provider."""
    owner: str = ""
    """The owner whose list the run joins."""
    on_this_machine: bool = False
    """Whether the person is at this machine, so that a run without an owner is theirs."""
    parent: str = ""
    """The run that this one follows on from, or with whose attempt it begins: its id, or a unique beginning of it."""
    attempt: str | None = None
    """An attempt of the parent, "" for its best. The run is then a fork: options, provider and model are the parent's,
    whatever stands here, and the task holds only what the person edited."""

    @property
    def is_somebodys(self) -> bool:
        """Whether the run has a memory: lessons of nobody's runs are neither kept nor used."""
        return bool(self.owner) or self.on_this_machine
