"""A person's answer to the question of a paused run."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Action = Literal["approve", "revise", "abort", "tick", "edit"]
"""approve: go on as proposed. revise: go on as the text says. abort: end the run. tick: take the option that is the
text. edit: take the text as the program."""


@dataclass(frozen=True, slots=True)
class PersonReply:
    """An answer. Which actions a question takes is in `agent/engine.py`; `AgentEngine.resume_value` refuses others."""

    action: str
    text: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    def as_json(self) -> dict[str, Any]:
        """Returns the answer as `Runs.answer` takes it."""
        files = {name: base64.b64encode(data).decode("ascii") for name, data in self.files.items()}
        return {"action": self.action, "text": self.text, **({"files": files} if files else {})}
