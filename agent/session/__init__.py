"""Holds what a run has to work with while it is driven: its services (models, sandbox, journal, budget, clock), which
nodes reach through `Context`, and beside them roles, questions, packages, fingerprints and what earlier runs taught."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from framework.port import StorePort
from llm.asking import Draft
from llm.meter import Meter
from llm.router import Router
from sandbox.types import Sandbox

from ..events import AgentEvent, codec

FORMAT_TOKENS = 800
"""Tokens kept free for the reply format and the tools, which the router adds to a prompt."""
PROMPT_TOKENS = 24_000
"""The most tokens that one prompt may have."""
Port: TypeAlias = StorePort[AgentEvent]
"""What a run gets from the manager of runs: a journal that ignores events it already holds, and a memory of paid work.
"""


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """Keeps a model's malformed first reply in the run's memory, under the question's key, before the model is asked
    again. A restarted run then does not pay for that reply a second time."""

    port: Port
    key: str

    def recall(self) -> Draft | None:
        stored = self.port.recall(f"draft:{self.key}")
        return None if stored is None else codec.drafts.decode(stored)

    async def keep(self, draft: Draft) -> None:
        """Stores the draft; returns when it is stored."""
        self.port.remember(f"draft:{self.key}", codec.drafts.encode(draft))
        await self.port.settled()


@dataclass(frozen=True, slots=True)
class Session:
    """The services of one run while it is driven. LangGraph hands it to every node as the runtime context."""

    run_id: str
    router: Router
    meter: Meter
    sandbox: Sandbox
    port: Port
    provider: str
    model: str
    scripted: bool
    deadline: float
    """Seconds on the clock of time.monotonic()."""
    forecast: str = ""
    """What the run will cost if all goes well, in one line; "" when it costs nothing."""
    may_install: bool = True
    """Whether the owner of this process allows packages to be installed. This holds whatever the run was submitted
    with."""
    may_search: bool = True
    """Whether the owner of this process allows model services to search the web."""
    keep_dialogue: bool = False
    """Whether what each role is told and answers is kept for `python -m agent show`."""
    mask: Callable[[str], str] = str
    """Removes secrets, and what looks like one, from text that later runs will read."""

    def limit_of(self, role: str, reply_tokens: int) -> int:
        """Returns how many tokens a prompt of the role may have: what the model's window leaves beside the reply and
        the format's words, at least half the window, at most PROMPT_TOKENS."""
        context = self.router.context(role)
        if context is None:
            return PROMPT_TOKENS
        return min(PROMPT_TOKENS, max(context - reply_tokens - FORMAT_TOKENS, context // 2))

    def exhausted(self) -> str:
        """Returns why no further model call may be made; "" while one may."""
        if time.monotonic() > self.deadline:
            return "the run's time is used up"
        return self.meter.exhausted()
