"""The decoding loop: prompt in slices, drafts checked in one pass, every token streamed, cancel between passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .lookup import PromptLookup


class DecodingLoop:
    """A decoding method for `model.generate`, which prepares processors, limits and end markers for it.

    transformers' own methods cannot be stopped inside a prompt, and their drafting from the prompt feeds a kept
    prefix a second time, which changes the answer without a word.
    """

    def __init__(
        self,
        on_token: Callable[[int], None],
        cancelled: Callable[[], bool],
        lookup: PromptLookup | None,
        slice_width: int,
    ) -> None:
        """`slice_width`: prompt tokens of one forward pass; a cancel is heard between two of them."""
        self._on_token, self._cancelled, self._lookup, self._slice_width = on_token, cancelled, lookup, slice_width
        self.stopped = False
        """The loop ended because it was cancelled."""
        self.steps = 0

    def __call__(self, model: Any, input_ids: Any, **prepared: Any) -> Any:
        """`prepared` is what generate hands to every decoding method; returns prompt and reply as one row of ids."""
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
        """Reads on from where the kept prefix ends, up to the last slice; returns how many tokens that one has. It is
        read by the first step, for its last token decides the first word."""
        known, length = forward.cache.get_seq_length(), input_ids.shape[1]
        while length - known > self._slice_width and not self._hear_cancel():
            known += self._slice_width
            forward(input_ids[:, :known], self._slice_width, 1)
        return length - known

    def _accept(self, ids: Any, draft: Sequence[int], logits: Any, prepared: dict[str, Any]) -> tuple[Any, bool]:
        """The model's choice at each position, as long as the draft said the same; at least one token."""
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
    """One pass of the model over the last tokens of a sequence whose beginning is in the cache."""

    def __init__(self, model: Any, cache: Any, *, partial_logits: bool) -> None:
        self._model, self.cache, self._partial_logits = model, cache, partial_logits

    def __call__(self, ids: Any, fresh: int, keep: int) -> Any:
        """Reads the last `fresh` tokens; returns the logits of the last `keep` positions, one row each."""
        extra = {"logits_to_keep": keep} if self._partial_logits else {}
        inputs = self._model.prepare_inputs_for_generation(
            ids, next_sequence_length=fresh, past_key_values=self.cache, use_cache=True, **extra
        )
        return self._model(**inputs, return_dict=True).logits[:, -keep:]


def _extended(ids: Any, draft: Sequence[int]) -> Any:
    return torch.cat([ids, torch.tensor([draft], dtype=ids.dtype, device=ids.device)], dim=-1) if draft else ids
