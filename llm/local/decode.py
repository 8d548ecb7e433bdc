"""Runs one generation, from its job to its outcome, in the calling thread."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from .job import Cancelled, Generated, Generation
from .lookup import PromptLookup
from .loop import DecodingLoop
from .text import TextPieces

if TYPE_CHECKING:
    from .load import Loaded


SLICE = 256
"""The prompt tokens that are read in one pass, if the model's cache allows a stop in between."""


def decode(
    loaded: Loaded,
    job: Generation,
    emit: Callable[[str], None],
    cancelled: Callable[[], bool],
    processors: Sequence[Any],
) -> Generated:
    """Generates one reply, as `Loaded.decode` says."""
    cache, reused = loaded.cache_for(job.prompt)
    prompt = torch.tensor([job.prompt], dtype=torch.long, device=loaded.device)
    pieces = TextPieces(loaded.tokenizer, loaded.ends, emit)
    lookup = PromptLookup(job.prompt) if job.lookup and loaded.rewindable else None
    loop = DecodingLoop(pieces.add, cancelled, lookup, SLICE if loaded.rewindable else len(job.prompt))
    header = loaded.header_processor(job)
    with torch.inference_mode(), _seeded(job.seed):
        sequence: Any = loaded.model.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            past_key_values=cache,
            custom_generate=loop,
            logits_processor=[*processors, *([header] if header else [])],
            max_new_tokens=job.max_tokens,
            eos_token_id=list(loaded.ends),
            pad_token_id=loaded.ends[0],
            **_sampling(job.temperature),
        )
    ids: tuple[int, ...] = tuple(sequence[0].tolist())
    loaded.prefixes.keep(ids[: cache.get_seq_length()], cache)
    if loop.stopped:
        raise Cancelled
    pieces.end()
    return Generated(
        text=pieces.text,
        tokens=len(ids) - len(job.prompt),
        reused=reused,
        ended=ids[-1] in loaded.ends,
        closed_early=header is not None and header.closed_early,
        steps=loop.steps,
    )


def _sampling(temperature: float) -> dict[str, Any]:
    """Returns the settings of `generate`: greedy at temperature 0, else the model's own top-p and top-k."""
    if temperature > 0:
        return {"do_sample": True, "temperature": temperature}
    return {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}


@contextmanager
def _seeded(seed: int | None) -> Generator[None]:
    """Seeds one generation and restores the random generators of the process afterwards."""
    if seed is None:
        yield
        return
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield
