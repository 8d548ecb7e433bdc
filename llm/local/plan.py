"""Decides how a request is run on a loaded model.

It chooses the prompt, the grammar and the limits, and tells whether the reply will copy the prompt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ContextTooLong
from ..types import Request, SchemaMode, ToolSpec
from .chat import prompt_ids, supports_tools
from .grammar import closing_point, grammar_marker, reply_grammar
from .job import Generation, Options

if TYPE_CHECKING:
    from .load import Loaded

_SHOWN_CODE = re.compile(r"^(```+|~~~+|<code>)", re.MULTILINE)


@dataclass(slots=True)
class Plan:
    """What was decided, for the completion that answers the request."""

    prompt: int = 0
    """The tokens of the prompt."""
    schema_mode: SchemaMode = "none"
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def make_job(loaded: Loaded, request: Request, plan: Plan, options: Options) -> Generation:
    """Returns the generation for a request and fills `plan`. Raises BadRequest and ContextTooLong."""
    tools = bool(request.tools) and supports_tools(loaded.tokenizer.chat_template)
    prompt, notes = prompt_ids(loaded.tokenizer, request, tools=tools)
    plan.prompt, plan.notes = len(prompt), (*loaded.first_notes(), *notes)
    plan.ignored = ("tools",) if request.tools and not tools else ()
    room = _room(request.max_tokens, len(prompt), loaded.context)
    grammar = _grammar(loaded, request, plan, tools=tools)
    temperature = request.temperature or 0.0
    return Generation(
        prompt=prompt,
        max_tokens=room,
        grammar=grammar,
        closing=closing_point(request.schema, room, request.code) if grammar and request.schema else 0,
        free_tail=request.code != "none",
        temperature=temperature,
        seed=request.seed,
        lookup=options.lookup and temperature == 0 and copies_its_prompt(request),
    )


def copies_its_prompt(request: Request) -> bool:
    """Returns whether the reply will probably repeat code of the prompt: `data` says so, or the prompt shows code and
    asks for code."""
    told: Any = request.data.get("copies")
    if isinstance(told, bool):
        return told
    return request.code != "none" and any(
        message.role == "user" and _SHOWN_CODE.search(message.content) for message in request.messages
    )


def _room(wanted: int, prompt: int, context: int | None) -> int:
    """Returns the tokens that the reply may have. Raises ContextTooLong."""
    room = wanted if context is None else min(wanted, context - prompt)
    if room < 1:
        raise ContextTooLong(f"The prompt has {prompt} tokens, the model can hold {context}.")
    return room


def _grammar(loaded: Loaded, request: Request, plan: Plan, *, tools: bool) -> str | None:
    """Returns the grammar of the reply's beginning, or None. If the grammar cannot be used, the plan's notes say
    why."""
    if request.schema is None:
        return None
    plan.schema_mode = "prompt"
    if loaded.grammars is None:
        plan.notes = (*plan.notes, "the reply schema is not bound by grammar: the tokenizer is of an unknown kind")
        return None
    marker = grammar_marker(loaded.tokenizer) if tools else ""
    if tools and not marker:
        return None
    spoken: tuple[ToolSpec, ...] = request.data.get("spoken_tools", ())
    grammar = reply_grammar(request.schema, request.code, request.tools if tools else spoken, marker)
    if problem := loaded.grammars.problem(grammar):
        plan.notes = (*plan.notes, f"the reply schema is not bound by grammar: {problem}")
        return None
    plan.schema_mode = "grammar"
    return grammar
