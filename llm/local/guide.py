"""Holds a reply to its grammar while it is written, token by token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import llguidance.hf
import torch
from llguidance import LLMatcher

CLOSERS = '"}],'
"""The signs that end a JSON text soonest. The quote comes first, because inside a string the others are only text."""


class Grammars:
    """Compiles grammars for one tokenizer. The vocabulary is prepared once, which takes a second or two."""

    def __init__(self, tokenizer: Any, vocabulary: int, ends: Sequence[int]) -> None:
        self._guide: Any = llguidance.hf.from_tokenizer(tokenizer, n_vocab=vocabulary, eos_token=list(ends))
        self._ends = tuple(ends)
        self._closers = [ids[0] for text in CLOSERS if len(ids := self._guide.greedy_tokenize(text)) == 1]

    def problem(self, grammar: str) -> str:
        """Returns why this grammar cannot be used; "" if it can."""
        wrong, messages = LLMatcher.validate_grammar_with_warnings(grammar, self._guide)
        return "; ".join(messages) if wrong else ""

    def processor(self, grammar: str, *, start: int, closing: int, free_tail: bool) -> HeaderProcessor:
        """Returns the logits processor of one generation. `start` is the length of the prompt in tokens, `closing` the
        tokens after which the header is closed (0: never), and `free_tail` says that text may follow the grammar."""
        ends = () if free_tail else self._ends
        return HeaderProcessor(LLMatcher(self._guide, grammar), start, closing, (*ends, *self._closers), self._ends)


class HeaderProcessor:
    """A logits processor that lets only what the grammar allows through, until the grammar has come to its end.

    It must see sequences that only grow: the decoding loop asks for the scores of accepted tokens only.
    """

    def __init__(self, matcher: Any, start: int, closing: int, closers: Sequence[int], ends: Sequence[int]) -> None:
        self._matcher, self._seen, self._start, self._closing = matcher, start, start, closing
        self._closers, self._ends, self._free_tail = closers, list(ends), not set(ends) <= set(closers)
        self._through = False
        self.closed_early = False

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        for token in input_ids[0, self._seen :].tolist() if not self._through else ():
            if not self._matcher.is_stopped() and not self._matcher.consume_token(token):
                raise RuntimeError(f"the grammar refused a token it had allowed: {self._matcher.get_error()}")
        self._seen = input_ids.shape[1]
        self._through = self._through or (self._free_tail and self._matcher.is_stopped())
        return scores if self._through else self._masked(scores)

    def _masked(self, scores: Any) -> Any:
        if self._matcher.is_stopped():
            return _only(scores, self._ends)
        bias = torch.frombuffer(bytearray(self._matcher.compute_logit_bias()), dtype=torch.uint8)[: scores.shape[-1]]
        if self._closing and self._seen - self._start >= self._closing:
            closer = next((token for token in self._closers if bias[token]), None)
            if closer is not None:
                self.closed_early = True
                return _only(scores, [closer])
        return scores.masked_fill((bias == 0).to(scores.device), float("-inf"))


def _only(scores: Any, tokens: list[int]) -> Any:
    bound = torch.full_like(scores, float("-inf"))
    bound[:, tokens] = 0.0
    return bound
