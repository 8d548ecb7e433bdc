"""Defines what one local generation is asked for and what it hands back."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Options:
    """How a local model is loaded and run. The provider's settings can set every field."""

    dtype: str = "auto"
    """auto (probed), float32, bfloat16 or float16."""
    threads: int | None = None
    """The CPU threads of one generation; None: probed, but never all cores."""
    use_4bit: bool = False
    device: str = "auto"
    token: str | None = field(default=None, repr=False)
    """The Hugging Face token for gated models. Only this one is used, never one found in the environment."""
    offline: bool = False
    prefix_mb: int = 512
    """The megabytes for kept prompt prefixes; 0 switches their reuse off."""
    lookup: bool = True
    """Whether tokens are drafted from the prompt if the reply is likely to copy it."""
    zero_gpu: bool = False
    """Whether a GPU of a ZeroGPU Space is borrowed for each generation."""
    idle_s: float = 900.0
    """The seconds without a question after which the weights leave the memory."""
    memory_check: bool = True
    memory_gb: float | None = None
    """The gigabytes that the weights may take; None: what is free now."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation. It holds plain values only, because it may cross a process border."""

    prompt: tuple[int, ...]
    max_tokens: int
    grammar: str | None = None
    """The Lark grammar with which the reply must begin."""
    closing: int = 0
    """The tokens after which an open header is closed by the shortest way; 0: never."""
    free_tail: bool = False
    """Whether text may follow what the grammar describes."""
    temperature: float = 0.0
    """0 is greedy."""
    seed: int | None = None
    lookup: bool = False


@dataclass(frozen=True, slots=True)
class Generated:
    """The outcome of a generation that was not cancelled."""

    text: str
    tokens: int
    """The sampled tokens, the end marker included."""
    reused: int
    """The prompt tokens whose computation was taken from an earlier call."""
    ended: bool
    """Whether the model wrote its end marker; if not, the token limit cut the reply."""
    closed_early: bool = False
    """Whether the header was closed early because it would not have fitted."""
    steps: int = 0
    """The forward passes after the prompt: fewer than `tokens` if drafts were accepted."""


class Cancelled(Exception):
    """Nobody waits for this generation any more."""
