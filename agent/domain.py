"""What the task allows as input, once a generator and a validator of inputs stood their trial."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from .source.inputs import arguments_of
from .source.parsing import module_of

SEED = 1
_ENOUGH = 4
"""Calls in tests from which it is clear what is called with."""
_FEW = 1 / 3
"""Share of them with literal arguments only, up to which literals tell too little."""


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
    return [text for text in _called_in(source, entry) if arguments_of(text) is not None]


def _called_in(source: str, entry: str) -> list[str]:
    nodes = ast.walk(module_of(source))
    called = (node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == entry)
    return list(dict.fromkeys(map(ast.unparse, called)))


def beyond_literals(sources: Iterable[str], entry: str) -> bool:
    """Whether most calls of `entry` in test sources take what no literal tells: functions, dates, objects."""
    called = dict.fromkeys(call for source in sources for call in _called_in(source, entry))
    plain = sum(arguments_of(call) is not None for call in called)
    return len(called) >= _ENOUGH and plain <= _FEW * len(called)


def valid_calls(domain: Domain | None, admitted: Mapping[str, str], others: Collection[str]) -> tuple[str, ...]:
    """Calls that the task allows: the generated ones, and those of `others` that the validator accepted."""
    if domain is None:
        return ()
    return tuple(dict.fromkeys([*domain.calls, *(call for call in others if admitted.get(call) == "")]))
