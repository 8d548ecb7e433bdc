"""What one local generation is asked for, and what it hands back."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Options:
    """How a local model is loaded and run; every field can be set through the provider's settings."""

    dtype: str = "auto"
    """auto (probed), float32, bfloat16 or float16."""
    threads: int | None = None
    """CPU threads of one generation; None: probed, never all cores."""
    use_4bit: bool = False
    device: str = "auto"
    token: str | None = field(default=None, repr=False)
    """Hugging Face token for gated models. Only this one is used, never one found in the environment."""
    offline: bool = False
    prefix_mb: int = 512
    """Memory for kept prompt prefixes; 0 switches the reuse off."""
    lookup: bool = True
    """Draft tokens from the prompt where the reply is likely to copy it."""
    zero_gpu: bool = False
    """On a ZeroGPU Space: borrow a GPU for each generation."""
    idle_s: float = 900.0
    """Seconds without a question after which the weights leave the memory."""
    memory_check: bool = True
    memory_gb: float | None = None
    """Memory that the weights may take; None: what is free now."""


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation. Plain values only: it may cross a process border."""

    prompt: tuple[int, ...]
    max_tokens: int
    grammar: str | None = None
    """Lark text that the reply must begin with."""
    closing: int = 0
    """Tokens after which an open header is closed by the shortest way; 0: never."""
    free_tail: bool = False
    """Text may follow what the grammar describes."""
    temperature: float = 0.0
    """0: greedy."""
    seed: int | None = None
    lookup: bool = False


@dataclass(frozen=True, slots=True)
class Generated:
    """The end of a generation that was not cancelled."""

    text: str
    tokens: int
    """Sampled tokens, the end marker included."""
    reused: int
    """Prompt tokens whose computation was taken from an earlier call."""
    ended: bool
    """The model wrote its end marker; False: the token limit cut the reply."""
    closed_early: bool = False
    """The header was closed because it would not have fitted."""
    steps: int = 0
    """Forward passes after the prompt; fewer than tokens where drafts were accepted."""


class Cancelled(Exception):
    """Nobody waits for this generation any more."""
