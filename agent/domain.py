"""What the task allows as input, once a generator and a validator of inputs stood their trial."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from .inputs import arguments_of
from .parsing import module_of

SEED = 1


@dataclass(frozen=True, slots=True)
class Domain:
    """A module with `allowed` and `inputs` that stood its trial."""

    source: str
    entry: str
    """The name that calls use."""
    limits: tuple[str, ...]
    """Sentences of the task that limit its inputs, as its author quoted them; each stands in the task."""
    small: tuple[str, ...]
    """Allowed calls that can be solved by trying every possibility."""
    larger: tuple[str, ...]

    @property
    def calls(self) -> tuple[str, ...]:
        return (*self.small, *self.larger)


def calls_in(source: str, entry: str) -> list[str]:
    """Calls of `entry` with literal arguments that stand in test source."""
    nodes = ast.walk(module_of(source))
    called = (node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == entry)
    return list(dict.fromkeys(text for text in map(ast.unparse, called) if arguments_of(text) is not None))


def valid_calls(domain: Domain | None, admitted: Mapping[str, str], others: Collection[str]) -> tuple[str, ...]:
    """Calls that the task allows: the generated ones, and those of `others` that the validator accepted."""
    if domain is None:
        return ()
    return tuple(dict.fromkeys([*domain.calls, *(call for call in others if admitted.get(call) == "")]))
