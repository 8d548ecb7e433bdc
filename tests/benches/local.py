"""Local models against their bars: `python -m tests.benches.local [THREADS]`. Takes some minutes and 3 GB.

At the shape of a 0.5B model with random weights: what kept prompts and drafts save against plain `generate` in the same
run, with the same tokens (also where drafts were accepted). At a small model with a tokenizer of its own: replies under
a grammar that are valid, and how often three runs load it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema
import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

from llm.choose import LLMSettings, build_router
from llm.local.job import Generated, Generation, Options
from llm.local.load import Loaded
from llm.local.prefixes import PrefixStore
from llm.local.probe import probe
from llm.meter import Meter
from llm.types import Message, Request
from tests.llm.local.conftest import make_model

VOCABULARY, END = 151_936, 151_645
SHARED, NEW, REPLY = 1500, 500, 8
PROGRAM, COPIED, EDITED_EVERY = 160, 80, 16
REPEATS = 3
THREADS = 1
"""One thread: with more, a busy machine measures how long threads wait for each other."""
WANTED_SAVING, WANTED_SPEEDUP = 0.6, 2.0
RUNS, REPLIES = 3, 100
SCHEMA = {
    "type": "object",
    "properties": {
        "fault": {"enum": ["code", "test", "task"]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "inputs": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 12}},
    },
    "required": ["fault", "confidence"],
    "additionalProperties": False,
}


class _Numbers:
    """Stands in for a tokenizer: the shape of a model needs no words."""

    def decode(self, ids: Sequence[int], **_: object) -> str:
        return "".join(f" {number}" for number in ids)


@dataclass(slots=True)
class Pair:
    """Seconds of plain `generate` and of ours, for the same tokens."""

    plain: list[float] = field(default_factory=list[float])
    ours: list[float] = field(default_factory=list[float])
    steps: int = 0
    tokens: int = 0
    """Forward passes of ours after the prompts, and the tokens they wrote: more where drafts were accepted."""

    def medians(self) -> tuple[float, float]:
        return statistics.median(self.plain), statistics.median(self.ours)

    def speedup(self) -> float:
        plain, ours = self.medians()
        return plain / ours


class Copy:
    """A logits processor that makes any model write a program of its prompt again, with some tokens changed."""

    def __init__(self, start: int, program: Sequence[int], every: int) -> None:
        self._start = start
        self._target = [END - 1 if every and at % every == every - 1 else token for at, token in enumerate(program)]

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        forced = torch.full_like(scores, float("-inf"))
        forced[:, self._target[input_ids.shape[1] - self._start]] = 0.0
        return forced


def half_billion(threads: int) -> Loaded:
    """A model of the shape of Qwen2.5-0.5B in float32."""
    config = Qwen2Config(
        vocab_size=VOCABULARY,
        hidden_size=896,
        intermediate_size=4864,
        num_hidden_layers=24,
        num_attention_heads=14,
        num_key_value_heads=2,
        max_position_embeddings=32_768,
        tie_word_embeddings=True,
        eos_token_id=END,
        bos_token_id=None,
    )
    torch.manual_seed(1)
    model: Any = Qwen2ForCausalLM(config).eval()
    return Loaded(
        model=model,
        tokenizer=_Numbers(),
        machine=probe(Options(dtype="float32", device="cpu", threads=threads)),
        ends=(END,),
        context=config.max_position_embeddings,
        vocabulary=VOCABULARY,
        prefixes=PrefixStore(512 << 20),
        rewindable=True,
    )


def shared_beginning(loaded: Loaded, choose: random.Random) -> Pair:
    """The same 1,500 tokens before 500 others each time; the first call, which fills the store, is not counted."""
    pair, shared = Pair(), _tokens(choose, SHARED)
    _ours(loaded, Generation(prompt=(*shared, *_tokens(choose, NEW)), max_tokens=REPLY))
    for _ in range(REPEATS):
        prompt = (*shared, *_tokens(choose, NEW))
        outcome, seconds = _ours(loaded, Generation(prompt=prompt, max_tokens=REPLY))
        if outcome.reused < SHARED:
            raise AssertionError(f"only {outcome.reused} tokens were reused")
        _compare(loaded, pair, prompt, (outcome, seconds), ())
    return pair


def copying(loaded: Loaded, choose: random.Random, every: int, repeats: int = REPEATS) -> Pair:
    """A program of the prompt is written again, every so-manieth token changed (0: none)."""
    pair = Pair()
    loaded.prefixes = PrefixStore(0)
    for _ in range(repeats):
        program = _tokens(choose, PROGRAM)
        force = Copy(PROGRAM, program, every)
        ours = _ours(loaded, Generation(prompt=program, max_tokens=COPIED, lookup=True), [force])
        _compare(loaded, pair, program, ours, [force])
    return pair


def _ours(
    loaded: Loaded, job: Generation, processors: Sequence[Callable[[Any, Any], Any]] = ()
) -> tuple[Generated, float]:
    started = time.perf_counter()
    outcome = loaded.decode(job, lambda _text: None, lambda: False, processors)
    return outcome, time.perf_counter() - started


def _compare(
    loaded: Loaded, pair: Pair, prompt: Sequence[int], ours: tuple[Generated, float], processors: Sequence[Any]
) -> None:
    outcome, seconds = ours
    ids = torch.tensor([prompt])
    started = time.perf_counter()
    with torch.inference_mode():
        reply = loaded.model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=False,
            max_new_tokens=outcome.tokens,
            logits_processor=list(processors),
            pad_token_id=END,
        )
    pair.plain.append(time.perf_counter() - started)
    pair.ours.append(seconds)
    pair.steps, pair.tokens = pair.steps + outcome.steps, pair.tokens + outcome.tokens
    if _Numbers().decode(reply[0, len(prompt) :].tolist()) != outcome.text:
        raise AssertionError("the replies differ")


async def bound_replies(threads: int) -> tuple[int, int]:
    """Asks a small model for replies under a grammar, in several runs. Returns the valid ones and the loads it took."""
    loads = _Loads()
    logging.getLogger("llm.local.engine").addHandler(loads)
    logging.getLogger("llm.local.engine").setLevel(logging.INFO)
    options = {"dtype": "float32", "threads": threads, "device": "cpu"}
    valid = 0
    with tempfile.TemporaryDirectory() as folder:
        model = make_model(Path(folder))
        settings = LLMSettings(provider="huggingface", model=model, options={"huggingface": options})
        for run in range(RUNS):
            router = build_router(settings)
            for seed in range(run, REPLIES, RUNS):
                question = Message("user", "Who is at fault?")
                request = Request("r", "t", "s", (question,), schema=SCHEMA, temperature=1.0, seed=seed, max_tokens=400)
                answer = await router.ask(request, Meter())
                jsonschema.validate(json.loads(answer.text), SCHEMA)
                valid += len(answer.attempts) == 1 and not answer.reply.salvaged
    return valid, loads.count


class _Loads(logging.Handler):
    """Counts what the engine says of loading."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += record.getMessage().startswith("loading ")


def _tokens(choose: random.Random, count: int) -> tuple[int, ...]:
    return tuple(choose.randrange(1000, 150_000) for _ in range(count))


def main() -> int:
    """Prints medians and ratios; 1 when a wanted figure is missed."""
    threads = int(sys.argv[1]) if sys.argv[1:] else THREADS
    choose, loaded = random.Random(0), half_billion(threads)
    parameters = sum(part.numel() for part in loaded.model.parameters())
    _say(f"{parameters / 1e6:.0f} M parameters, {loaded.machine.describe()}, {REPEATS} repeats, medians")
    prefix = shared_beginning(loaded, choose)
    saved = 1 - 1 / prefix.speedup()
    _row(f"prefix: {SHARED} shared + {NEW} new + {REPLY} reply tokens", prefix, f"{saved:.0%} of the wall time saved")
    verbatim = copying(loaded, choose, 0)
    drafted = f"{verbatim.tokens} tokens in {verbatim.steps} passes"
    _row(f"lookup: {COPIED} tokens copied", verbatim, f"{verbatim.speedup():.2f} x tokens/s, {drafted}")
    edited = copying(loaded, choose, EDITED_EVERY, repeats=1)
    _row(f"lookup: the same, 1 of {EDITED_EVERY} changed, once", edited, f"{edited.speedup():.2f} x tokens/s")
    valid, loads = asyncio.run(bound_replies(threads))
    _say(f"grammar: {valid} of {REPLIES} replies valid at the first try; {RUNS} runs, {loads} load")
    met = saved >= WANTED_SAVING and verbatim.speedup() >= WANTED_SPEEDUP
    met = met and verbatim.steps < verbatim.tokens and (valid, loads) == (REPLIES, 1)
    _say(
        f"wanted: {WANTED_SAVING:.0%} saved, {WANTED_SPEEDUP:.0f} x copied, the same tokens with drafts accepted, "
        f"{REPLIES} of {REPLIES} valid, 1 load: {'met' if met else 'MISSED'}"
    )
    return 0 if met else 1


def _row(name: str, pair: Pair, gain: str) -> None:
    plain, ours = pair.medians()
    _say(f"{name}: generate {plain:.2f} s, ours {ours:.2f} s, {gain}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
