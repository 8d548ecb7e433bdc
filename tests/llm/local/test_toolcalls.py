"""Tool calls in the texts of common model families; anything less than a whole call stays text."""

from __future__ import annotations

import pytest

from llm.local.toolcalls import read_tool_calls
from llm.types import ToolSpec

TOOLS = (ToolSpec("look", "", {}), ToolSpec("run", "", {}))


@pytest.mark.parametrize(
    ("text", "calls", "rest"),
    [
        (
            'Let me see.\n<tool_call>\n{"name": "look", "arguments": {"at": 1}}\n</tool_call>',
            [("look", {"at": 1})],
            "Let me see.",
        ),
        (
            '<tool_call>{"name": "look", "arguments": {}}</tool_call><tool_call>{"name": "run"}</tool_call>',
            [("look", {}), ("run", {})],
            "",
        ),
        ('<|python_tag|>{"name": "run", "parameters": {"x": "y"}}', [("run", {"x": "y"})], ""),
        ('[TOOL_CALLS][{"name": "run", "arguments": {"x": 1}, "id": "abc"}]', [("run", {"x": 1})], ""),
    ],
)
def test_known_formats(text: str, calls: list[tuple[str, dict[str, object]]], rest: str) -> None:
    left, found = read_tool_calls(text, TOOLS)
    assert [(call.name, call.arguments) for call in found] == calls
    assert left == rest
    assert len({call.id for call in found}) == len(found)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "look", "arguments": {"at": 1}</tool_call>',
        '<tool_call>{"name": "erase", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "look", "arguments": {}}</tool_call><tool_call>{"name": </tool_call>',
        '<tool_call>{"name": "look", "arguments": "at 1"}</tool_call>',
        '<tool_call>{"name": "look", "arguments": {}}',
        '{"fault": "code", "why": "run"}',
        "I would call look.",
    ],
)
def test_anything_less_stays_text(text: str) -> None:
    assert read_tool_calls(text, TOOLS) == (text, ())


def test_without_tools_nothing_is_a_call() -> None:
    text = '<tool_call>{"name": "look", "arguments": {}}</tool_call>'
    assert read_tool_calls(text, ()) == (text, ())
