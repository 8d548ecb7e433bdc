"""The words in which the agent asks a model and a provider answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from .services import Service

Finish = Literal["stop", "length", "tool", "refusal"]
SchemaMode = Literal["native", "object", "grammar", "prompt", "none"]
"""How a reply schema was enforced: by the service, as any JSON object, by a grammar here, only in words, not at all."""
CodeBlock = Literal["none", "optional", "required", "edits"]
"""`edits`: one block that holds either SEARCH/REPLACE edits or a whole program."""
JsonSchema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    name: str
    description: str
    parameters: JsonSchema


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls that an assistant message asks for."""
    tool_call_id: str = ""
    """The call that a tool message answers."""
    stable: int = 0
    """Characters at its beginning that later questions to the same role begin with, too: worth keeping in a cache."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question. Role, task and step travel here so that no provider ever parses a prompt to find them."""

    role: str
    """Prompt role: planner, spec_tester, generator, adversarial_tester, debugger, arbiter, critic, ..."""
    task: str
    """The person's task text."""
    step: str
    """Which call of the run this is, stable when a node is run again: "first", "independent:1", "repair:2:minimal"."""
    messages: tuple[Message, ...]
    schema: JsonSchema | None = None
    """JSON Schema of the reply's header; None: no header."""
    code: CodeBlock = "none"
    """Whether one fenced code block follows the header."""
    takes_edits: bool = False
    """A whole program is asked for, and edits of the one in the question are as good an answer."""
    names: tuple[str, ...] = ()
    """What the code block has to define, where that is known: it tells the program from a usage example beside it."""
    tools: tuple[ToolSpec, ...] = ()
    search: bool = False
    """The service may search the web for it, where it has a search of its own."""
    max_tokens: int = 2048
    temperature: float | None = None
    """A hint; providers that cannot apply it list it in `Completion.ignored`."""
    seed: int | None = None
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Facts about the request for offline providers (`mock`, `replay`): candidate ids, the code, ... Never sent."""


@dataclass(frozen=True, slots=True)
class Search:
    """One search of the web that a service made for a reply."""

    query: str
    """"": the service does not tell what it looked for."""
    pages: tuple[tuple[str, str], ...] = ()
    """Title and address of each that was found, or of each that the reply cites."""
    error: str = ""
    """Why nothing was found, in the service's word."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call. `input` is all prompt tokens, `cached` and `cache_write` are parts of it."""

    input: int | None = None
    output: int | None = None
    cached: int = 0
    cache_write: int = 0
    estimated: bool = False
    searches: int = 0
    """Of the web, at least; they are paid for, too."""


def estimated_usage(request: Request, reply: str) -> Usage:
    """Of a model that counts no tokens."""
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
    tool_calls: tuple[ToolCall, ...] = ()
    schema_mode: SchemaMode = "none"
    ignored: tuple[str, ...] = ()
    """Parts of the request that this provider could not apply."""
    notes: tuple[str, ...] = ()
    """What a person should know: a downgrade, a prompt that was cut, a model loaded."""
    searches: tuple[Search, ...] = ()


@dataclass(frozen=True, slots=True)
class Caps:
    """What a provider can do for a model."""

    tools: bool = False
    schema: SchemaMode = "prompt"
    context: int | None = None
    """Tokens of prompt and reply together; None: unknown."""
    local: bool = False
    """Runs on this machine, costs nothing."""
    thoughts: int = 0
    """Tokens that may be written and paid for beside the reply."""
    search: bool = False
    """Searches the web by itself."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a streamed reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """What happens before a reply begins: a model is fetched, or loaded."""

    text: str


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """All that a provider gets to know: nothing is looked up behind its back."""

    key: str = field(default="", repr=False)
    base_url: str = ""
    """"": the provider's own address."""
    model: str = ""
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Of one provider: `context`, `thoughts`, `effort`, `stall_s`, `total_s`, ..."""
    service: Service | None = None
    """Its line of the table."""


class Provider(Protocol):
    """Speaks to one kind of model service: one file in `llm/providers`, named by a line of `llm/services.py`."""

    name: str

    def caps(self, model: str) -> Caps: ...

    def stream(self, request: Request, *, model: str) -> AsyncIterator[Note | Delta | Completion]:
        """Notes, deltas, then exactly one Completion. Raises only errors of `llm.errors`; closing it ends the call."""
        ...

    async def ready(self) -> None:
        """Loads what the first call needs, where that takes long."""

    async def complete(self, request: Request, *, model: str) -> Completion:
        """Returns what the stream ends with."""
        *_, last = [item async for item in self.stream(request, model=model)]
        assert isinstance(last, Completion), "a stream ends with its completion"
        return last


@dataclass(frozen=True, slots=True)
class Reply:
    """A completion that kept the form which was asked for."""

    header: Mapping[str, Any]
    """Valid against the request's schema; {} where there is none."""
    code: str | None
    """The fenced block: parseable Python (or edits, where they were asked for); None where none was asked for."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Non-empty: the model wants tools run; header and code are then empty."""
    salvaged: tuple[str, ...] = ()
    """Lossless liberties taken while reading it, in words."""


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
    """What the router returns: the reply, the text it came from, and what it took."""

    reply: Reply
    text: str
    provider: str
    model: str
    usage: Usage
    """Sum over all attempts."""
    cost_usd: float | None
    """None: unknown price. 0.0 for models on this machine."""
    seconds: float
    attempts: Sequence[RouterAttempt] = ()
    notes: tuple[str, ...] = ()
    searches: tuple[Search, ...] = ()
