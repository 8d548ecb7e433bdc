"""Says who is asked for which role, and who is asked if that is not enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from .errors import NoProvider


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """A model of a provider, written "provider:model"."""

    provider: str
    model: str

    @classmethod
    def parse(cls, text: str) -> Target:
        """Reads "provider:model"; the model's name may hold more colons. Raises NoProvider."""
        provider, colon, model = text.strip().partition(":")
        if not provider or not colon or not model:
            raise NoProvider(f"{text!r} does not name a model; write provider:model.")
        return cls(provider, model)

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True, slots=True)
class Chains:
    """The models that are asked for each role, in order of preference. `ladders` holds, by role, who is asked on
    escalation, weakest first; `ladder` serves the other roles."""

    default: tuple[Target, ...]
    roles: Mapping[str, tuple[Target, ...]] = field(default_factory=dict[str, tuple[Target, ...]])
    ladder: tuple[Target, ...] = ()
    ladders: Mapping[str, tuple[Target, ...]] = field(default_factory=dict[str, tuple[Target, ...]])
    small: tuple[Target, ...] = ()
    """Who writes simple programs."""
    own: frozenset[str] = frozenset()
    """The roles whose chain a person set; nothing else changes those chains."""
    said: str = ""
    """How the choice came about, in one sentence."""

    def targets(self) -> tuple[Target, ...]:
        """Returns each model that any chain names, once."""
        chained = (self.default, *self.roles.values(), self.small, self.ladder, *self.ladders.values())
        return tuple(dict.fromkeys(target for chain in chained for target in chain))

    def fitted(self, role: str, *, hard: bool) -> Chains:
        """Returns the chains for a task: for `role` the next stronger model comes first if the task is hard, else the
        small one."""
        chain = self.chain(role, escalate=1) if hard else (*self.small, *self.chain(role))
        if role in self.own or chain[0] == self.chain(role)[0]:
            return self
        why = "the task looks hard" if hard else "the task looks simple"
        said = f"{self.said} {chain[0]} writes the program: {why}.".strip()
        return replace(self, roles={**self.roles, role: tuple(dict.fromkeys(chain))}, said=said)

    def chain(self, role: str, escalate: int = 0) -> tuple[Target, ...]:
        """Returns who is asked for a role, in order. `escalate` counts steps up the ladder and puts that step first.
        Raises NoProvider if no model is configured."""
        own = self.roles.get(role) or self.default
        if not own:
            raise NoProvider("No model is configured. Set LLM_PROVIDER and a key, or start Ollama.")
        steps = [step for step in self.ladders.get(role, self.ladder) if step != own[0]]
        if escalate < 1 or not steps:
            return own
        step = steps[min(escalate, len(steps)) - 1]
        return (step, *(target for target in own if target != step))
