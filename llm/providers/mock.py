"""The offline demo model: it plays written scenarios, says so, and refuses everything else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from ..errors import BadReply, NoScenario
from ..scenarios import Scenario, find_scenario, list_scenarios, script
from ..types import Caps, Completion, Delta, Provider, ProviderSettings, Request, ToolCall, estimated_usage

MODEL = "scripted-demo"
_PIECE = 48
"""The characters of one streamed piece."""


class MockProvider(Provider):
    """Answers by task, role and question of the request alone, so that any number of runs may share it."""

    name = "mock"

    def __init__(self, name: str = "mock", settings: ProviderSettings | None = None) -> None:  # noqa: ARG002
        """Takes as option `pace` the seconds between two streamed pieces."""
        self._pace = float((settings or ProviderSettings()).options.get("pace", 0.0))

    def caps(self, model: str) -> Caps:  # noqa: ARG002 - the protocol's signature
        return Caps(tools=True, schema="native", context=None, local=True)

    async def stream(self, request: Request, *, model: str) -> AsyncIterator[Delta | Completion]:
        completion = _completion(request, model)
        for start in range(0, len(completion.text), _PIECE):
            await asyncio.sleep(self._pace)
            yield Delta(completion.text[start : start + _PIECE])
        yield completion


def _completion(request: Request, model: str) -> Completion:
    """Returns the scripted reply. Raises NoScenario for a task without a scenario, and BadReply for a question that the
    scenario does not answer."""
    scenario = find_scenario(request.task)
    if scenario is None:
        raise NoScenario(no_scenario_message())
    line = _line(scenario, request)
    if isinstance(line, str):
        return Completion(line, "stop", estimated_usage(request, line), "mock", model, MODEL, schema_mode="native")
    call = ToolCall(f"call:{request.question}", line["tool"], line["arguments"])
    said = line.get("say", "")
    usage = estimated_usage(request, f"{said}{line['arguments']}")
    return Completion(said, "tool", usage, "mock", model, MODEL, tool_calls=(call,), schema_mode="native")


def _line(scenario: Scenario, request: Request) -> str | Mapping[str, Any]:
    lines = script(scenario.name).get(request.role, {})
    # "repair:1:minimal" (one of several strategies) and "repair:1:again1" (sent back by a person) may have no line of
    # their own; then "repair:1" is played.
    shorter, _, strategy = request.question.rpartition(":")
    question = (
        shorter if request.question not in lines and strategy.rstrip("0123456789").isalpha() else request.question
    )
    if question not in lines:
        role = request.role.replace("_", " ")
        raise BadReply(f"the scripted demo model has no line for the {role} for the question {request.question!r}")
    return lines[question]


def no_scenario_message() -> str:
    """Returns what this model is, what it can play, and how to use a real one."""
    names = ", ".join(scenario.name for scenario in list_scenarios())
    return (
        "the scripted demo model (LLM_PROVIDER=mock) plays written scenarios only and has none for this task. "
        f"It plays: {names} (see `python -m agent demo --list`). For your own task use a real model: set "
        "ANTHROPIC_API_KEY, or OPENAI_API_KEY (with OPENAI_BASE_URL for any compatible service), or "
        "LLM_PROVIDER=ollama or LLM_PROVIDER=huggingface for a model on this machine."
    )
