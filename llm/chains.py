"""Who is asked for which role, and who is asked when that is not enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from .errors import NoProvider


@dataclass(frozen=True, slots=True, order=True)
class Target:
    provider: str
    model: str

    @classmethod
    def parse(cls, text: str) -> Target:
        """From "provider:model"; a model's name may hold further colons. Raises NoProvider."""
        provider, colon, model = text.strip().partition(":")
        if not provider or not colon or not model:
            raise NoProvider(f"{text!r} does not name a model; write provider:model.")
        return cls(provider, model)

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


def _nothing() -> Mapping[str, tuple[Target, ...]]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Chains:
    """Role -> who is asked, in order of preference. `ladders`: who is asked on escalation, weakest first."""

    default: tuple[Target, ...]
    roles: Mapping[str, tuple[Target, ...]] = field(default_factory=_nothing)
    ladder: tuple[Target, ...] = ()
    ladders: Mapping[str, tuple[Target, ...]] = field(default_factory=_nothing)
    said: str = ""
    """How the choice came about, in one sentence."""

    def chain(self, role: str, escalate: int = 0) -> tuple[Target, ...]:
        """Who is asked: the ladder's step first, then the role's own chain. Raises NoProvider for an empty one."""
        own = self.roles.get(role) or self.default
        if not own:
            raise NoProvider("No model is configured. Set LLM_PROVIDER and a key, or start Ollama.")
        steps = [step for step in self.ladders.get(role, self.ladder) if step != own[0]]
        if escalate < 1 or not steps:
            return own
        step = steps[min(escalate, len(steps)) - 1]
        return (step, *(target for target in own if target != step))
