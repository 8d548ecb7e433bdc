"""What a checker may use: the program's syntax tree, its known inputs, and runs of it in the sandbox."""

from __future__ import annotations

import ast
import copy
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVarTuple

from agent.config import AgentConfig
from agent.examples.types import Brief
from agent.source.parsing import expression_of, module_of
from agent.source.standard import value_of, with_standard_names
from agent.source.structure import Source
from agent.state import Check, Task
from sandbox.types import CallOutput, Execution, Limits, Program

_Rest = TypeVarTuple("_Rest")
MAX_INPUTS = 40
CALL_SECONDS = 1.0
"""CPU seconds that one call on a known input may take."""


@dataclass(frozen=True, slots=True)
class KnownInput:
    """One known input: the arguments of a call of the entry, which are literals or values of the standard library."""

    args: tuple[Any, ...]
    keywords: Mapping[str, Any]
    stated: bool
    """Whether the task or the person stated the input; False when a model thought of it."""

    def shown(self, name: str) -> str:
        parts = [*map(repr, self.args), *(f"{key}={value!r}" for key, value in self.keywords.items())]
        return f"{name}({', '.join(parts)})"

    def named(self, parameters: Sequence[str]) -> dict[str, Any]:
        """Returns the values by the names of their parameters."""
        return dict(zip(parameters, self.args, strict=False)) | dict(self.keywords)

    def with_value(self, parameters: Sequence[str], name: str, value: Any) -> KnownInput:
        """Returns the input with another value for one parameter."""
        if name in self.keywords:
            return KnownInput(self.args, {**self.keywords, name: value}, False)
        place = list(parameters).index(name)
        return KnownInput((*self.args[:place], value, *self.args[place + 1 :]), self.keywords, False)


@dataclass(slots=True)
class LawBench:
    execute: Callable[[Program], Awaitable[Execution]]
    config: AgentConfig
    task: Task
    brief: Brief
    source: Source
    known: tuple[KnownInput, ...]
    """Inputs that some check states, those of the task first."""
    tried: tuple[str, ...]
    """Calls of the entry that were made from the known ones; some may not be valid."""
    passed: tuple[Check, ...]
    """Checks that the program passes."""
    _answers: dict[str, CallOutput] = field(default_factory=dict[str, CallOutput])

    @property
    def entry(self) -> str:
        return entry_of(self.brief, self.source)

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.source.parameters(self.entry)

    async def answers(self, calls: Sequence[str], seconds: float = CALL_SECONDS) -> list[CallOutput]:
        """Returns the program's output for each call; each call is run once."""
        new = [call for call in dict.fromkeys(calls) if call not in self._answers]
        if new:
            execution = await self.run(new, seconds)
            told = execution.outputs or (CallOutput("not_run", ""),) * len(new)
            self._answers |= dict(zip(new, told, strict=True))
        return [self._answers[call] for call in calls]

    async def run(
        self, calls: Sequence[str], seconds: float, files: Mapping[str, bytes] | None = None, memory_mb: int = 0
    ) -> Execution:
        """Runs the calls in one process of the sandbox, each with so many CPU seconds."""
        timeout = max(self.config.execution_timeout, seconds, 0.25 * len(calls))
        return await self.execute(
            Program(
                solution=self.source.code,
                calls=tuple(with_standard_names(call, self.source.code) for call in calls),
                call_timeout=seconds,
                files={**self.task.files, **(files or {})},
                limits=Limits(timeout=timeout, memory_mb=max(memory_mb, self.config.memory_mb)),
                mode="inprocess",
            )
        )

    async def answered(self) -> list[tuple[KnownInput, str]]:
        """Returns the known inputs for which the program gives a value, each with that value's text."""
        told = await self.answers([given.shown(self.entry) for given in self.known])
        return [(given, out.text) for given, out in zip(self.known, told, strict=True) if out.kind == "value"]


def stated_by(checks: Iterable[Check], entry: str) -> Iterator[str]:
    """Yields the values, as they are written, with which checks compare what a call of the entry gives: also a call
    whose arguments are no literals, or that asyncio runs."""
    for check in checks:
        for node in ast.walk(module_of(check.source)):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
                call = node.left
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "asyncio.run" and call.args:
                    call = call.args[0]
                if isinstance(call, ast.Call) and ast.unparse(call.func) == entry:
                    yield ast.unparse(node.comparators[0])


def beside(module: str, *more: str) -> tuple[str, dict[str, bytes]]:
    """Returns the expression by which a call reaches a module of this folder in the sandbox, and the files to put
    beside the program for it: the module and `more` modules that it imports."""
    folder = f"clause_{module}"
    files = {f"{folder}/{name}.py": Path(__file__).with_name(f"{name}.py").read_bytes() for name in (module, *more)}
    return f"__import__('{folder}.{module}', fromlist=['{module}'])", files


def entry_of(brief: Brief, source: Source) -> str:
    """Returns the name by which the task calls the function or class. If the program has no such name, returns its
    class, if the task is about one or the program has only that; otherwise its last public function."""
    if brief.entry_point and source.entry(brief.entry_point) is not None:
        return brief.entry_point
    classes = [node.name for node in source.tree.body if isinstance(node, ast.ClassDef)]
    if len(classes) == 1 and (brief.form == "class" or not source.top_functions):
        return classes[0]
    return brief.entry_point or next((function.name for function in reversed(source.top_functions)), "")


def given_of(call: str, entry: str, *, stated: bool) -> KnownInput | None:
    """Returns the arguments of a call of the entry; None for any other expression, and where one of them is neither a
    literal nor a value of the standard library."""
    node = expression_of(call)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != entry:
        return None
    values = [value_of(ast.unparse(arg)) for arg in node.args]
    named = {keyword.arg or "": value_of(ast.unparse(keyword.value)) for keyword in node.keywords}
    if None in values or None in named.values() or "" in named:
        return None
    args = tuple(copy.deepcopy(value[0]) for value in values if value is not None)
    return KnownInput(args, {key: value[0] for key, value in named.items() if value is not None}, stated)


def stated_first(told: Sequence[tuple[KnownInput, *_Rest]]) -> tuple[KnownInput, *_Rest]:
    """Returns the first of these findings whose input the task or the person states; otherwise the first of all."""
    return next((each for each in told if each[0].stated), told[0])


def count_of(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


def parts(value: Any) -> Iterator[Any]:
    """Yields everything inside a value of the plain kinds, the value itself first."""
    yield value
    if isinstance(value, Mapping):
        yield from (part for pair in value.items() for item in pair for part in parts(item))  # pyright: ignore[reportUnknownVariableType]
    elif isinstance(value, list | tuple | set | frozenset):
        yield from (part for item in value for part in parts(item))  # pyright: ignore[reportUnknownVariableType]


def is_number(value: object) -> bool:
    """Returns whether the value is a number; a truth value is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)
