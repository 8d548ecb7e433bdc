"""Learns from the refusals of a service, in any wording, what one of its models does not take, and remembers it.

After "Unsupported parameter: 'seed'" the seed is left out. After "use 'max_completion_tokens' instead" the limit of the
reply has another name. After "maximum context length is 8192 tokens" that limit is lowered to what the prompt leaves.
After "response_format is not supported" plain JSON is asked for, then words. `RemoteProvider` sends the request again
after each lesson.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..types import SchemaMode
from .complaint import Complaint
from .faults import StatusFault
from .phrases import MINUTE

TEACHING_STATUSES = (400, 402, 404, 405, 413, 416, 422, 429, 500, 501)
"""The statuses from which something is learnt. Those in LIMIT_ONLY (money, time) teach only how long a reply may be."""
LIMIT_ONLY = (402, 429)
"""The statuses for a lack of money, and for too many requests or tokens in a time."""

# The parts of a request that it can do without.
OPTIONAL = ("stream_options", "stream", "seed", "temperature", "provider", "reasoning_effort", "cache_control", "think")
EVERYDAY = ("provider", "stream")
"""Part names that are also words of plain sentences. They count only in quotes."""
SEARCH = "web_search"
"""How every service names a web search within a request, in its own spelling."""
SEARCH_WORDS = re.compile("web[_ -]?search", re.IGNORECASE)
WITHOUT = {
    "cache_control": "the service caches no prompts",
    "count_tokens": "the service counts no tokens: they are estimated",
    SEARCH: "the service does not search the web for this model",
}

# How long a reply may be: the names of that limit, the words for it, and the figures that a refusal tells.
LIMITS = ("max_tokens", "max_completion_tokens", "num_predict")
LIMIT_WORDS = re.compile(r"max(imum)?[_ ](completion_|output_|new_)?tokens|(output|completion) tokens", re.IGNORECASE)
UNKNOWN_PART = re.compile(
    "unsupported|unrecognized|unknown|not supported|extra|not permitted|unexpected|instead", re.IGNORECASE
)
CONTEXT_TOKENS = re.compile(
    r"context (?:length|size|window|limit)(?: of)?(?: \w+){0,2} (?:is(?: only)?|of) ?(\d{3,7})"
    r"|n_ctx\W+(\d{3,7})|\+ `max_new_tokens` must be <= (\d{3,7})|\d \+ \d+ > (\d{3,7})",
    re.IGNORECASE,
)
PROMPT_TOKENS = re.compile(
    r"(\d+) (?:`?inputs?`?|prompt)(?: \w+)? tokens?\b|(\d+) (?:tokens )?in the messages|: (\d+) \+ \d+ >", re.IGNORECASE
)
AFFORDED_TOKENS = re.compile(r"can only afford (\d+)", re.IGNORECASE)
ANY_NUMBER = re.compile(r"(?<![\w.-])\d{2,7}(?![\w-])")
MAX_SPARE_TOKENS = 4096
"""The most tokens of a context that are left free because prompts are only estimated here."""
MIN_REPLY_TOKENS = 64
"""The tokens of a reply below which a limit is not lowered any further."""

# The form of the reply, and tools: the words for them, and what is asked for next if one is refused.
FORM_WORDS = re.compile(
    r"response[_ ]format|json[_ ]schema|json_object|structured[ _]output|json[ _](mode|output)|guided_(json|decoding)"
    r"|output_config|requested parameters|\bgrammar\b|sampling context|output_format"
    r"|(invalid|\.|unsupported) ?format\b",
    re.IGNORECASE,
)
TOOL_WORDS = re.compile(
    r"\btools?\b|tool[_ ](choice|use)|function[_ ]?(call|declaration|parameters)|requested parameters", re.IGNORECASE
)
FORMS = {"response_format", "output_config", "format"}
"""The names of the part of a request that asks for a form of the reply."""
NEXT: dict[SchemaMode, SchemaMode] = {"native": "object", "object": "prompt"}
"""What is asked for next if a form of the reply is refused."""
WORDS_NEXT: dict[SchemaMode, SchemaMode] = {"native": "prompt"}
"""The same for a service that knows only a schema."""
SAID: dict[SchemaMode, str] = {
    "object": "the service takes no reply schema; it is asked for any JSON object",
    "prompt": "the service takes no reply format; the model is told it in words",
}


@dataclass(slots=True)
class Dialect:
    """What one model at one address has turned out to take and to refuse."""

    schema: SchemaMode
    limit: str = "max_tokens"
    tools: bool = True
    context: int | None = None
    """The tokens of prompt and reply together, once the service has told."""
    most: int | None = None
    """The most tokens of a reply, once the service has told."""
    spare: int = 0
    """The tokens of the context that are left unused, because prompts are only estimated here."""
    next: Mapping[SchemaMode, SchemaMode] = field(default_factory=lambda: NEXT)
    without: set[str] = field(default_factory=set[str])
    notes: list[str] = field(default_factory=list[str])

    def allowed(self, wanted: int) -> int:
        """Returns how many of the wanted tokens of reply and thoughts may be asked for. The caller must check the room
        in the context."""
        return min(wanted, self.most or wanted)

    def learn(self, fault: StatusFault, sent: Mapping[str, Any], prompt: int) -> bool:
        """Adapts to a refusal of the body `sent`: leaves a part out, lowers the reply's limit, or asks more plainly.
        Returns False if nothing can be learnt. `prompt` is the estimated number of the prompt's tokens."""
        if fault.status not in TEACHING_STATUSES:
            return False
        told = fault.complaint
        if fault.status in LIMIT_ONLY:
            return self._lowered(told, sent, prompt)
        if self._searching(told, sent):
            return self.leave_out(SEARCH)
        for part in OPTIONAL:
            if part in sent and part not in self.without and _is_about(told, part):
                return self.leave_out(part)
        return self._lowered(told, sent, prompt) or self._plainer(told, sent)

    def leave_out(self, part: str) -> bool:
        """Remembers never to send that part of a request again. Returns True."""
        self.without.add(part)
        return self._noted(WITHOUT.get(part, f"the service does not take {part}"))

    def _searching(self, told: Complaint, sent: Mapping[str, Any]) -> bool:
        """Returns whether a web search was refused. If the search was asked for among the tools, it is given up before
        the other tools."""
        beside = any(SEARCH in str(tool.get("type")) for tool in sent.get("tools", ()))
        if SEARCH in self.without or not (beside or "web_search_options" in sent):
            return False
        words = f"{told.words} {' '.join(told.parts)}"
        return SEARCH_WORDS.search(words) is not None or (beside and TOOL_WORDS.search(words) is not None)

    def _plainer(self, told: Complaint, sent: Mapping[str, Any]) -> bool:
        """Steps down to a plainer way to ask for the form of the reply or to describe tools. Returns False if there is
        none."""
        words = f"{told.words} {' '.join(told.parts)}"
        if FORMS & set(sent) and FORM_WORDS.search(words) and self.schema in self.next:
            self.schema = self.next[self.schema]
            return self._noted(SAID[self.schema])
        if "tools" in sent and self.tools and (TOOL_WORDS.search(words) or FORM_WORDS.search(words)):
            self.tools = False
            return self._noted("the service takes no tools for this model; they are described in words")
        return False

    def _lowered(self, told: Complaint, sent: Mapping[str, Any], prompt: int) -> bool:
        """Takes another name for the reply's limit, or a lower limit. Returns False if the refusal is not about the
        limit."""
        limit = sent.get(self.limit)
        if not isinstance(limit, int):
            return False
        if (window := _number(told, "n_ctx", CONTEXT_TOKENS)) is not None:
            return self._fit_into(window, _number(told, "n_prompt_tokens", PROMPT_TOKENS), prompt, limit)
        if minute := MINUTE.search(told.words):
            room = limit - (int(minute[2]) - int(minute[1]))
            return int(minute[2]) > int(minute[1]) and self._at_most(room, limit)
        if afforded := AFFORDED_TOKENS.search(told.words):
            return self._at_most(int(afforded[1]), limit)
        words = " ".join((told.words, *told.parts))
        if not any(_is_about(told, name) for name in LIMITS) and not LIMIT_WORDS.search(words):
            return False
        numbers = [int(number) for number in ANY_NUMBER.findall(words)]
        below = [number for number in numbers if MIN_REPLY_TOKENS <= number < limit]
        if not below and self.limit not in self.without and (UNKNOWN_PART.search(told.words) or _unknown(told)):
            return self._renamed()
        return self._at_most(max(below, default=limit // 2), limit)

    def _renamed(self) -> bool:
        """Takes the next name of the limit. If every name was refused, no limit is sent."""
        self.without.add(self.limit)
        others = [name for name in LIMITS if name not in self.without]
        self.limit = others[0] if others else self.limit
        return self._noted(f"the reply's limit is called {self.limit} here" if others else "the service takes no limit")

    def _at_most(self, most: int, limit: int) -> bool:
        """Lowers the limit of a reply, and says so. Returns False if the new limit is not lower or makes no sense."""
        if not MIN_REPLY_TOKENS <= most < limit:
            return False
        self.most = most
        return self._noted(f"a reply and its thoughts have at most {most} tokens here")

    def _fit_into(self, context: int, counted: int | None, estimated: int, limit: int) -> bool:
        """Lowers the reply's limit to what the context holds. Because prompts are only estimated here, each further
        refusal leaves four times as many tokens free, up to MAX_SPARE_TOKENS. Returns False beyond that, or if the
        prompt alone fills the context."""
        if (
            (counted is not None and counted + MIN_REPLY_TOKENS > context)
            or self.spare > MAX_SPARE_TOKENS
            or limit <= MIN_REPLY_TOKENS
        ):
            return False
        exact = 0 if counted is None else max(0, counted - estimated) + 16
        self.spare = exact if exact > self.spare else self.spare * 4 or 64
        self.context = context
        self._noted(f"prompt and reply share {context} tokens; the reply's limit is lowered to fit")
        return True

    def _noted(self, note: str) -> bool:
        """Keeps a note on a lesson. Returns True."""
        if note not in self.notes:
            self.notes.append(note)
        return True


def _is_about(told: Complaint, part: str) -> bool:
    """Returns whether the refusal is about this part: by a field of its own, else by its words. Services spell names in
    their own way: reasoning_effort, reasoningEffort, reasoning effort."""
    name = part.replace("_", "[_ .-]?")
    mark = "['\"`]" if part in EVERYDAY else r"\b"
    return any(re.search(rf"\b{name}\b", field) for field in told.parts) or bool(
        re.search(rf"{mark}{name}{mark}", told.words, re.IGNORECASE)
    )


def _unknown(told: Complaint) -> bool:
    return any(UNKNOWN_PART.search(code) for code in told.codes)


def _number(told: Complaint, name: str, words: re.Pattern[str]) -> int | None:
    """Returns a count that the refusal tells, from a field of its own or else from its words; None if it tells none."""
    if name in told.numbers:
        return told.numbers[name]
    found = words.search(told.words)
    return next((int(number) for number in found.groups() if number), None) if found else None
