"""What one model of a service turned out not to take, learnt from its refusals and remembered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .faults import StatusFault
from .types import SchemaMode

REFUSALS = (400, 404, 422, 500, 501)
SCHEMA = re.compile(
    r"response_format|json_schema|json_object|structured[ _]output|json[ _]mode|guided_json", re.IGNORECASE
)
TOOLS = re.compile(r"\btools?\b|tool_choice|function[ _]call", re.IGNORECASE)
LIMIT = re.compile(r"max_(completion_)?tokens", re.IGNORECASE)
WINDOW = re.compile(
    r"(?:maximum context length is|context (?:length|size|window)(?: \w+)? (?:is|of)|n_ctx\W+)\s*(\d{3,7})"
)
MOST_SPARE = 1024
NEXT: dict[SchemaMode, SchemaMode] = {"native": "object", "object": "prompt"}
SAID: dict[SchemaMode, str] = {
    "object": "the service takes no reply schema; it is asked for any JSON object",
    "prompt": "the service takes no reply format; the model is told it in words",
}


@dataclass(slots=True)
class Dialect:
    """For one endpoint and model."""

    schema: SchemaMode
    limit: str
    tools: bool = True
    context: int | None = None
    """Tokens of prompt and reply together, once the service told."""
    spare: int = 0
    """Tokens of it that are left unused."""
    without: set[str] = field(default_factory=set[str])
    notes: list[str] = field(default_factory=list[str])

    def learn(self, fault: StatusFault, sent: Mapping[str, Any]) -> bool:
        """Give up the part of `sent` that was refused; False when the refusal names none."""
        if fault.status not in REFUSALS:
            return False
        for part in ("stream_options", "seed", "temperature", "provider", "reasoning_effort"):
            if part in sent and re.search(rf"\b{part}\b", fault.text):
                self.without.add(part)
                return self._said(f"the service does not take {part}")
        if "response_format" in sent and SCHEMA.search(fault.text):
            self.schema = NEXT[self.schema]
            return self._said(SAID[self.schema])
        if (size := WINDOW.search(fault.text)) and self._fit_into(int(size[1])):
            return True
        if self.limit in sent and LIMIT.search(fault.text) and "unsupported" in fault.text.lower():
            self.limit = "max_tokens" if self.limit == "max_completion_tokens" else "max_completion_tokens"
            return self._said(f"the reply's limit is called {self.limit} here")
        if "tools" in sent and TOOLS.search(fault.text):
            self.tools = False
            return self._said("the service takes no tools for this model; they are described in words")
        return False

    def _fit_into(self, context: int) -> bool:
        """Lower the reply's limit to what the context holds; more each time, as prompts are only estimated here."""
        if self.spare >= MOST_SPARE:
            return False
        self.context, self.spare = context, self.spare * 4 or 64
        self._said(f"prompt and reply share {context} tokens; the reply's limit is lowered to fit")
        return True

    def _said(self, note: str) -> bool:
        if note in self.notes:
            return False
        self.notes.append(note)
        return True
