"""What a run is asked to do. The app, the command line, the API and MCP all build this record; the store keeps it as
plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..config import AgentConfig
from ..events import codec
from ..state import Task

_MAX_TITLE = 200
"""The most characters of a run's title."""


@dataclass(frozen=True, slots=True)
class RunSpec:
    """A task, and how the run is to work on it."""

    task: Task
    config: AgentConfig
    provider: str | None = None
    """None leaves the choice to the settings."""
    model: str | None = None
    key_id: str = ""
    """What `AgentEngine.lend_key` returned for an API key that the person brought; the key itself never enters a spec.
    """

    @property
    def title(self) -> str:
        """The first line of the task, under which the run is listed."""
        return self.task.text.strip().splitlines()[0][:_MAX_TITLE]

    def as_json(self) -> dict[str, Any]:
        """Returns the spec as `Runs.submit` takes it and `RunRow.spec` keeps it."""
        return {
            "task": codec.encode_task(self.task),
            "config": codec.configs.encode(self.config),
            "provider": self.provider,
            "model": self.model,
            "key_id": self.key_id,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> RunSpec:
        """Reads what `as_json` wrote."""
        return cls(
            codec.decode_task(stored["task"]),
            codec.configs.decode(stored["config"]),
            stored["provider"],
            stored["model"],
            stored["key_id"],
        )
