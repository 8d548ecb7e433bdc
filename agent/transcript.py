"""`python -m agent show RUN`: what each role of a run was told and what it answered, as the store kept it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from framework.errors import UnknownRun
from framework.settings import Settings
from framework.store import Store
from llm.errors import LLMError
from llm.types import Answer, Request
from llm.wording import with_format

SAID = "said:"
"""Begins the keys under which the store keeps the dialogue of a run."""
JsonObject = dict[str, Any]


def said_in(request: Request, file: str, answer: Answer | LLMError) -> JsonObject:
    """One call as plain JSON values: everything that was sent in words, and the reply or why there is none."""
    told = with_format(request)
    row: JsonObject = {
        "role": request.role,
        "step": request.step,
        "prompt": file,
        "messages": [_message(message.role, message.content, message.tool_calls) for message in told.messages],
        "tools": [tool.name for tool in request.tools],
    }
    if isinstance(answer, LLMError):
        return {**row, "model": "", "reply": "", "failed": str(answer), "notes": []}
    calls = [{"tool": call.name, "arguments": dict(call.arguments)} for call in answer.reply.tool_calls]
    return {
        **row,
        "model": f"{answer.provider}:{answer.model}",
        "reply": answer.text,
        "calls": calls,
        "notes": list(answer.notes),
        "input_tokens": answer.usage.input,
        "output_tokens": answer.usage.output,
    }


def _message(role: str, content: str, calls: Sequence[Any]) -> JsonObject:
    asked = [{"tool": call.name, "arguments": dict(call.arguments)} for call in calls]
    return {"role": role, "content": content, **({"calls": asked} if asked else {})}


async def run(run_id: str, settings: Settings, *, as_json: bool) -> int:
    """Print the dialogue of a run. Raises UnknownRun; 1 where nothing of it was kept."""
    rows = stored(settings, run_id)
    if as_json:
        _print(json.dumps({"run_id": run_id, "calls": rows}, ensure_ascii=False))
    else:
        _print("\n\n".join(as_text(number, row) for number, row in enumerate(rows, 1)) or NOTHING)
    return 0 if rows else 1


NOTHING = "Nothing was kept of what the models of this run were told: no model was asked, or KEEP_DIALOGUE was off."


def stored(settings: Settings, run_id: str) -> list[JsonObject]:
    """The calls of a run in their order. Raises UnknownRun."""
    store = Store.open(settings.state_dir, url=settings.database_url)
    try:
        if store.runs.get(run_id) is None:
            raise UnknownRun(f"there is no run {run_id!r}")
        return store.memo.listed(run_id, SAID)
    finally:
        store.close()


def as_text(number: int, row: Mapping[str, Any]) -> str:
    """One call for a reader."""
    tokens = f", {row['input_tokens'] or '?'} tokens in, {row['output_tokens'] or '?'} out" if "calls" in row else ""
    head = f"===== {number}. {row['role'].replace('_', ' ')} ({row['step']}; {row['prompt']}; {row['model']}{tokens})"
    told = [f"--- {message['role']}\n{_words(message)}" for message in row["messages"]]
    answered = f"--- no usable reply: {row['failed']}" if "failed" in row else f"--- reply\n{_words(row, 'reply')}"
    notes = [f"--- note: {note}" for note in row["notes"]]
    return "\n".join([head, *told, answered, *notes])


def _words(said: Mapping[str, Any], field: str = "content") -> str:
    calls = [f"[{call['tool']} {json.dumps(call['arguments'], ensure_ascii=False)}]" for call in said.get("calls", [])]
    return "\n".join([said[field].strip(), *calls]).strip()


def _print(text: str) -> None:
    print(text)  # noqa: T201
