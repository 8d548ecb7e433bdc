"""Writes down what each role of a run was told, what it answered and what it searched for: for the store, for
`python -m agent show`, and as facts of the run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from llm.calling import NO_SEARCH
from llm.errors import LLMError
from llm.types import Answer, Request, Search
from llm.wording import with_format

from . import ToolUsed
from .codec import JsonObject

SAID = "said:"
"""Prefix of the keys under which the store keeps the dialogue of a run."""
NOTHING = "Nothing was kept of what the models of this run were told: no model was asked, or KEEP_DIALOGUE was off."
WEB_SEARCH = "web_search"
"""The name under which the service's own search is reported as a used tool."""
NOT_TOLD = "(the service does not tell what it looked for)"
MAX_PAGES = 20
"""The most pages of one search that are reported."""


def said_in(request: Request, file: str, answer: Answer | LLMError) -> JsonObject:
    """Returns one call as plain JSON values: all messages that were sent, and the reply or why there is none. `file`
    names the prompt as "role/template vN", N being the version of its file."""
    told = with_format(request)
    row: JsonObject = {
        "role": request.role,
        "question": request.question,
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


def as_text(number: int, row: Mapping[str, Any]) -> str:
    """Returns one call as text for a reader."""
    tokens = f", {row['input_tokens'] or '?'} tokens in, {row['output_tokens'] or '?'} out" if "calls" in row else ""
    head = (
        f"===== {number}. {row['role'].replace('_', ' ')} ({row['question']}; {row['prompt']}; {row['model']}{tokens})"
    )
    told = [f"--- {message['role']}\n{_words(message)}" for message in row["messages"]]
    answered = f"--- no usable reply: {row['failed']}" if "failed" in row else f"--- reply\n{_words(row, 'reply')}"
    notes = [f"--- note: {note}" for note in row["notes"]]
    return "\n".join([head, *told, answered, *notes])


def _words(said: Mapping[str, Any], field: str = "content") -> str:
    calls = [f"[{call['tool']} {json.dumps(call['arguments'], ensure_ascii=False)}]" for call in said.get("calls", [])]
    return "\n".join([said[field].strip(), *calls]).strip()


def searches_of(answer: Answer) -> list[ToolUsed]:
    return [ToolUsed(WEB_SEARCH, {"query": one.query or NOT_TOLD}, _found(one)) for one in answer.searches]


def unsearched(answer: Answer) -> list[str]:
    """Returns the notes that say which service could not do a search that was wanted. There are none when no search was
    wanted, or when it was done."""
    return [note for note in answer.notes if note.endswith(NO_SEARCH)]


def _found(search: Search) -> str:
    """Returns the pages, one a line, or why there are none."""
    lines = [" ".join(f"{title} {url}".split()) for title, url in search.pages[:MAX_PAGES]]
    return "\n".join(lines) or search.error or "nothing was found"
