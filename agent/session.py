"""The services of one run while it is driven: models, sandbox, journal, budget and clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from framework.engine import RunPort
from llm.asking import Draft
from llm.meter import Meter
from llm.router import Router
from sandbox.types import Sandbox

from . import codec
from .events import AgentEvent

FORMAT_TOKENS = 800
"""Room for the reply format and the tools, which the router adds to a prompt."""
Port: TypeAlias = RunPort[AgentEvent]
"""What a run needs of its keeper: a journal that ignores what it already holds, and a memory of paid work."""


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """Keeps a model's first reply to one question, where it broke its form, in the run's memory before the model is
    asked again; under the question's key."""

    port: Port
    key: str

    def recall(self) -> Draft | None:
        stored = self.port.recall(f"draft:{self.key}")
        return None if stored is None else codec.drafts.decode(stored)

    async def keep(self, draft: Draft) -> None:
        """Returns when it is stored."""
        self.port.remember(f"draft:{self.key}", codec.drafts.encode(draft))
        await self.port.settled()


@dataclass(frozen=True, slots=True)
class Session:
    """The services of one run while it is driven; LangGraph's runtime context."""

    run_id: str
    router: Router
    meter: Meter
    sandbox: Sandbox
    port: Port
    provider: str
    model: str
    scripted: bool
    deadline: float
    """On the clock of time.monotonic()."""
    forecast: str = ""
    """What the run will cost if all goes well, in one line; "" when nothing."""
    may_install: bool = True
    """Whether the owner of this process lets packages be installed, whatever the run was submitted with."""
    may_search: bool = True
    """The same of services that search the web."""
    keep_dialogue: bool = False
    """Whether what each role is told and answers is kept for `python -m agent show`."""
    mask: Callable[[str], str] = str
    """Takes secrets, and what looks like one, out of what later runs will read."""
    prompt_limit: int = 24_000
    """Tokens of one prompt, at most."""
    count_tokens: Callable[[str], int] = lambda text: len(text.encode("utf-8", "replace")) // 3 + 1

    def limit_of(self, role: str, reply_tokens: int) -> int:
        """Tokens that a prompt of the role may have: what its model holds beside the reply and the format's words."""
        context = self.router.context(role)
        if context is None:
            return self.prompt_limit
        return min(self.prompt_limit, max(context - reply_tokens - FORMAT_TOKENS, context // 2))

    def exhausted(self) -> str:
        """Why no further model call may be made; "" while one may."""
        if time.monotonic() > self.deadline:
            return "the run's time is used up"
        return self.meter.exhausted()
