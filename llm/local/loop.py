"""Decodes a reply token by token.

It reads the prompt in slices, checks a draft in one pass, streams every token, and can be cancelled between passes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .lookup import PromptLookup


class DecodingLoop:
    """A decoding method for `model.generate`, which prepares processors, limits and end markers for it.

    The methods of transformers cannot be stopped inside a prompt, and their drafting from the prompt feeds a kept
    prefix a second time, which changes the answer silently.
    """

    def __init__(
        self,
        on_token: Callable[[int], None],
        cancelled: Callable[[], bool],
        lookup: PromptLookup | None,
        slice_width: int,
    ) -> None:
        """Takes in `slice_width` the prompt tokens of one forward pass. A cancel takes effect between two passes."""
        self._on_token, self._cancelled, self._lookup, self._slice_width = on_token, cancelled, lookup, slice_width
        self.stopped = False
        """Whether the loop ended because it was cancelled."""
        self.steps = 0

    def __call__(self, model: Any, input_ids: Any, **prepared: Any) -> Any:
        """Returns prompt and reply as one row of ids. `prepared` is what `generate` hands to every decoding method."""
        forward = _Forward(model, prepared["past_key_values"], partial_logits="logits_to_keep" in prepared)
        unread = self._read_prompt(forward, input_ids)
        if self._lookup:
            forward.cache.activate_past_recording()
        done = False
        while not done and not self._hear_cancel():
            room = prepared["generation_config"].max_length - input_ids.shape[1]
            draft = self._lookup.draft(room - 1) if self._lookup else []
            logits = forward(_extended(input_ids, draft), unread + len(draft), len(draft) + 1)
            self.steps, unread = self.steps + 1, 1
            known = input_ids.shape[1]
            input_ids, done = self._accept(input_ids, draft, logits, prepared)
            fresh = input_ids.shape[1] - known
            if self._lookup:
                forward.cache.crop(-(len(draft) + 1 - fresh))
                self._lookup.learn(len(draft), fresh - 1)
        return input_ids

    def _read_prompt(self, forward: _Forward, input_ids: Any) -> int:
        """Reads the prompt from the end of the kept prefix up to its last slice. Returns the tokens of that last slice,
        which the first step reads, because its last token decides the first word."""
        known, length = forward.cache.get_seq_length(), input_ids.shape[1]
        while length - known > self._slice_width and not self._hear_cancel():
            known += self._slice_width
            forward(input_ids[:, :known], self._slice_width, 1)
        return length - known

    def _accept(self, ids: Any, draft: Sequence[int], logits: Any, prepared: dict[str, Any]) -> tuple[Any, bool]:
        """Takes the model's choice at each position for as long as the draft says the same, and at least one token.
        Returns the longer sequence and whether it has ended."""
        sample: bool = prepared["generation_config"].do_sample
        for position in range(len(draft) + 1):
            scores = prepared["logits_processor"](ids, logits[:, position].float())
            choice = torch.multinomial(scores.softmax(-1), 1) if sample else scores.argmax(-1, keepdim=True)
            ids = torch.cat([ids, choice], dim=-1)
            token = int(choice)
            self._on_token(token)
            if self._lookup:
                self._lookup.append(token)
            if bool(prepared["stopping_criteria"](ids, None).all()):
                return ids, True
            if position == len(draft) or token != draft[position]:
                break
        return ids, False

    def _hear_cancel(self) -> bool:
        self.stopped = self.stopped or self._cancelled()
        return self.stopped


class _Forward:
    """Passes the last tokens of a sequence, whose beginning is in the cache, through the model."""

    def __init__(self, model: Any, cache: Any, *, partial_logits: bool) -> None:
        self._model, self.cache, self._partial_logits = model, cache, partial_logits

    def __call__(self, ids: Any, fresh: int, keep: int) -> Any:
        """Reads the last `fresh` tokens. Returns the logits of the last `keep` positions, one row each."""
        extra = {"logits_to_keep": keep} if self._partial_logits else {}
        inputs = self._model.prepare_inputs_for_generation(
            ids, next_sequence_length=fresh, past_key_values=self.cache, use_cache=True, **extra
        )
        return self._model(**inputs, return_dict=True).logits[:, -keep:]


def _extended(ids: Any, draft: Sequence[int]) -> Any:
    return torch.cat([ids, torch.tensor([draft], dtype=ids.dtype, device=ids.device)], dim=-1) if draft else ids
