"""Defines the types in which the agent asks a model and a provider answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from .services import Service

Finish = Literal["stop", "length", "tool", "refusal"]
"""Why a reply ended: the model was done, the token limit cut it, it calls tools, or the model declined."""
SchemaMode = Literal["native", "object", "grammar", "prompt", "none"]
"""How a reply schema was enforced: by the service, as any JSON object, by a grammar here, only in words, or not at
all."""
CodeBlock = Literal["none", "optional", "required", "edits"]
"""Whether a reply holds one code block. `edits` means one block that holds either SEARCH/REPLACE edits or a whole
program."""
JsonSchema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may call. `parameters` is the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: JsonSchema


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model makes."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls that an assistant message asks for."""
    tool_call_id: str = ""
    """The id of the call that a tool message answers."""
    stable: int = 0
    """The characters at the beginning of the content that later questions to the same role share, so that a cache may
    keep them."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question. Role, task and its own name travel in it, so that no provider parses a prompt to find them."""

    role: str
    """The role of the prompt: planner, spec_tester, generator, adversarial_tester, debugger, arbiter, critic, ..."""
    task: str
    """The person's task text."""
    question: str
    """Which call of the run this is: "first", "independent:1", "repair:2:minimal". It stays the same when a node is run
    again."""
    messages: tuple[Message, ...]
    schema: JsonSchema | None = None
    """The JSON Schema of the reply's header; None: no header."""
    code: CodeBlock = "none"
    """Whether one fenced code block follows the header."""
    takes_edits: bool = False
    """Whether edits of the program in the question are as good an answer as the whole program that is asked for."""
    names: tuple[str, ...] = ()
    """The names that the code block has to define, if they are known. They tell the program from a usage example beside
    it."""
    tools: tuple[ToolSpec, ...] = ()
    search: bool = False
    """Whether the service may search the web for this question, if it has a search of its own."""
    max_tokens: int = 2048
    temperature: float | None = None
    """A hint. A provider that cannot apply it lists it in `Completion.ignored`."""
    seed: int | None = None
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Facts about the request for offline providers (`mock`, `replay`): candidate ids, the code, ... They are never
    sent."""


@dataclass(frozen=True, slots=True)
class Search:
    """One web search that a service made for a reply."""

    query: str
    """What was looked for; "" if the service does not tell."""
    pages: tuple[tuple[str, str], ...] = ()
    """Title and address of each page that was found, or of each page that the reply cites."""
    error: str = ""
    """Why nothing was found, in the service's word."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one call. `input` counts all prompt tokens; `cached` and `cache_write` are parts of it."""

    input: int | None = None
    output: int | None = None
    cached: int = 0
    cache_write: int = 0
    estimated: bool = False
    searches: int = 0
    """The web searches, at least so many. They are paid for, too."""


def estimated_usage(request: Request, reply: str) -> Usage:
    """Returns the estimated usage of a model that counts no tokens."""
    prompt = sum(len(message.content) for message in request.messages)
    return Usage(input=prompt // 4 + 1, output=len(reply) // 4 + 1, estimated=True)


@dataclass(frozen=True, slots=True)
class Completion:
    """What a provider gave for one request."""

    text: str
    finish: Finish
    usage: Usage
    provider: str
    model: str
    """The model that was asked for."""
    model_reported: str | None = None
    """The model that the service says has answered."""
    tool_calls: tuple[ToolCall, ...] = ()
    schema_mode: SchemaMode = "none"
    ignored: tuple[str, ...] = ()
    """The parts of the request that the provider could not apply."""
    notes: tuple[str, ...] = ()
    """What a person should know: a downgrade, a prompt that was cut, a model that was loaded."""
    searches: tuple[Search, ...] = ()


@dataclass(frozen=True, slots=True)
class Caps:
    """What a provider can do for a model."""

    tools: bool = False
    schema: SchemaMode = "prompt"
    context: int | None = None
    """The tokens of prompt and reply together; None if unknown."""
    local: bool = False
    """Whether the model runs on this machine and costs nothing."""
    thoughts: int = 0
    """The tokens that may be written and paid for in addition to the reply."""
    search: bool = False
    """Whether the service can search the web."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a streamed reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """What happens before a reply begins, e.g. a model is fetched or loaded."""

    text: str


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """Everything that a provider gets to know. It looks nothing up by itself."""

    key: str = field(default="", repr=False)
    base_url: str = ""
    """The address that a person set; "": the one in `service` counts."""
    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The options of one provider: `context`, `thoughts`, `effort`, `stall_s`, `total_s`, ..."""
    service: Service | None = None
    """The service's line of the table."""


class Provider(Protocol):
    """Speaks to one kind of model service. It is one file in `llm/providers`, named by a line of `llm/services.py`."""

    name: str

    def caps(self, model: str) -> Caps: ...

    def stream(self, request: Request, *, model: str) -> AsyncIterator[Note | Delta | Completion]:
        """Yields notes and deltas, then exactly one Completion. Raises only errors of `llm.errors`. Closing it ends the
        call."""
        ...

    async def ready(self) -> None:
        """Loads what the first call needs, if that takes long."""

    async def complete(self, request: Request, *, model: str) -> Completion:
        *_, last = [item async for item in self.stream(request, model=model)]
        assert isinstance(last, Completion), "a stream ends with its completion"
        return last


@dataclass(frozen=True, slots=True)
class Reply:
    """A completion that kept the form that was asked for."""

    header: Mapping[str, Any]
    """The header, valid against the request's schema; {} if there is no schema."""
    code: str | None
    """The content of the fenced block: parseable Python, or edits if they were asked for; None if none was asked
    for."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The tools that the model wants run. If there are any, header and code are empty."""
    salvaged: tuple[str, ...] = ()
    """The lossless liberties that were taken while reading the reply, in words."""


@dataclass(frozen=True, slots=True)
class RouterAttempt:
    """One try of the router, kept for the report."""

    provider: str
    model: str
    outcome: Literal["ok", "retry", "fallback", "reask", "failed"]
    reason: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What the router returns: the reply, its text, and what it took."""

    reply: Reply
    text: str
    provider: str
    model: str
    usage: Usage
    """The usage of all tries together."""
    cost_usd: float | None
    """The dollars of all tries; None if a price is unknown, 0.0 for models on this machine."""
    seconds: float
    attempts: Sequence[RouterAttempt] = ()
    notes: tuple[str, ...] = ()
    searches: tuple[Search, ...] = ()
