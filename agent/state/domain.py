"""The inputs that a task allows, told by a generator and a validator of inputs that a model wrote and that passed a
trial."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ..examples.bruteforce import Form
from ..source.inputs import arguments_of
from ..source.parsing import module_of

SEED = 1
_ENOUGH_CALLS = 4
"""How many calls in tests show clearly enough what the program is called with."""
_FEW_LITERAL = 1 / 3
"""If at most this share of the calls has only literal arguments, literals say too little about the inputs."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A module with the functions `allowed` and `inputs` that passed its trial."""

    source: str
    entry: str
    """The name by which calls call the program."""
    limits: tuple[str, ...]
    """Sentences of the task that limit its inputs, quoted by the module's author. Each one was found in the task."""
    small: tuple[str, ...]
    """Allowed calls that can be solved by trying every possibility."""
    larger: tuple[str, ...]
    brute_force: Form | None = None
    """How small inputs can be decided by trying every possibility, as the module's author says."""

    @property
    def calls(self) -> tuple[str, ...]:
        return (*self.small, *self.larger)


def calls_in(source: str, entry: str) -> list[str]:
    """Returns the calls of `entry` in test source that have only literal arguments."""
    return [text for text in _called_in(source, entry) if arguments_of(text) is not None]


def _called_in(source: str, entry: str) -> list[str]:
    nodes = ast.walk(module_of(source))
    called = (node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == entry)
    return list(dict.fromkeys(map(ast.unparse, called)))


def beyond_literals(sources: Iterable[str], entry: str) -> bool:
    """Returns whether most calls of `entry` in test sources take functions, dates, objects or other things without a
    literal."""
    called = dict.fromkeys(call for source in sources for call in _called_in(source, entry))
    plain = sum(arguments_of(call) is not None for call in called)
    return len(called) >= _ENOUGH_CALLS and plain <= _FEW_LITERAL * len(called)


def valid_calls(domain: Domain | None, admitted: Mapping[str, str], others: Collection[str]) -> tuple[str, ...]:
    """Returns calls that the task allows: the generated ones, and those of `others` that the validator accepted."""
    if domain is None:
        return ()
    return tuple(dict.fromkeys([*domain.calls, *(call for call in others if admitted.get(call) == "")]))
