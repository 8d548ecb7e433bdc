"""Loads a chat model with transformers and keeps what every generation with it needs."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import torch
import transformers
from safetensors import SafetensorError
from transformers import BitsAndBytesConfig, DynamicCache, GenerationConfig, PreTrainedTokenizerFast
from transformers.utils import logging

from ..errors import ModelMissing
from .decode import decode
from .fetch import Tell, describe_only, first_line, with_weights
from .guide import Grammars, HeaderProcessor
from .job import Generated, Generation, Options
from .memory import check_fits, free_bytes, needed_bytes
from .prefixes import PrefixStore, rewindable
from .probe import Machine, probe

KEPT_SETTINGS = ("temperature", "top_p", "top_k", "min_p", "eos_token_id", "bos_token_id", "pad_token_id")
"""The published generation settings that are kept."""

_library: Any = transformers
"""Any, because the library's automatic classes are untyped."""


@dataclass(slots=True)
class Loaded:
    """A model in memory. Only one generation uses it at a time."""

    model: Any
    tokenizer: Any
    machine: Machine
    ends: tuple[int, ...]
    """The tokens that end a reply."""
    context: int | None
    vocabulary: int
    """The size of the model's output, which may be padded beyond the tokenizer's words."""
    prefixes: PrefixStore
    rewindable: bool
    """Whether the model's cache can be shortened, as kept prompts and drafts need it."""
    notes: tuple[str, ...] = ()
    _grammars: Grammars | None = field(default=None, repr=False)

    def decode(
        self,
        job: Generation,
        emit: Callable[[str], None],
        cancelled: Callable[[], bool],
        processors: Sequence[Callable[[Any, Any], Any]] = (),
    ) -> Generated:
        """Runs one generation in the calling thread. `emit` gets each piece of text; `processors` take (ids, scores)
        and return scores. Raises Cancelled within one forward pass after `cancelled` returns True."""
        if self.machine.device == "cpu":
            torch.set_num_threads(self.machine.threads)  # the number of threads belongs to the calling thread
        return decode(self, job, emit, cancelled, processors)

    def first_notes(self) -> tuple[str, ...]:
        """Returns what loading has to tell. Only the first call, for the first reply, gets it."""
        notes, self.notes = self.notes, ()
        return notes

    @property
    def device(self) -> Any:
        return self.model.device

    def cache_for(self, prompt: tuple[int, ...]) -> tuple[Any, int]:
        """Returns the attention states to start from, and how many prompt tokens they hold."""
        kept = self.prefixes.take(prompt)
        return kept or (DynamicCache(config=self.model.config), 0)

    @property
    def grammars(self) -> Grammars | None:
        """The compiled grammars; None if no grammar can be bound to the model's kind of tokenizer."""
        if self._grammars is None and isinstance(self.tokenizer, PreTrainedTokenizerFast):
            self._grammars = Grammars(self.tokenizer, self.vocabulary, self.ends)
        return self._grammars

    def header_processor(self, job: Generation) -> HeaderProcessor | None:
        """Returns the processor that holds the job to its grammar; None if there is no grammar."""
        if not job.grammar or self.grammars is None:
            return None
        return self.grammars.processor(job.grammar, start=len(job.prompt), closing=job.closing, free_tail=job.free_tail)


def load(model: str, options: Options, progress: Tell, make_room: Callable[[], bool] = lambda: False) -> Loaded:
    """Loads a model, which takes seconds to minutes. `make_room` frees other models' memory if this one does not fit.
    Raises errors of `llm.errors`: missing, too large, no chat model, unreachable."""
    started = time.monotonic()
    progress(f"looking at {model}")
    folder = describe_only(model, options, progress)
    try:
        config: Any = _library.AutoConfig.from_pretrained(folder, trust_remote_code=False)
        tokenizer: Any = _library.AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        own = "it wants code of its own to be run, which is never done" if "custom code" in str(error) else ""
        raise ModelMissing(f"{model} cannot be read by transformers: {own or first_line(error)}") from error
    if not getattr(tokenizer, "chat_template", None):
        raise ModelMissing(
            f"{model} has no chat template: choose a model made for chat (its name often says instruct)."
        )
    machine = probe(options)
    _check_four_bit(options, machine)
    if options.memory_check and not options.zero_gpu:
        needed = needed_bytes(config, machine, options)
        if needed > free_bytes(machine, options) and make_room():
            progress(f"other models left the memory for {model}")
        check_fits(model, needed, free_bytes(machine, options), machine)
    folder = with_weights(model, folder, options, progress)
    progress(f"loading {model} ({machine.describe()})")
    weights = _weights(model, folder, machine, options)
    seconds = time.monotonic() - started
    loaded = _assemble(weights, tokenizer, machine, options, seconds)
    progress("; ".join(loaded.notes))
    return loaded


def _weights(model: str, folder: Path, machine: Machine, options: Options) -> Any:
    logging.disable_progress_bar()
    how: dict[str, Any] = {"dtype": getattr(torch, machine.dtype), "trust_remote_code": False, "use_safetensors": True}
    if options.use_4bit:
        how["quantization_config"] = _four_bit(machine)
    if machine.device != "cpu" and not options.zero_gpu:
        how["device_map"] = {"": machine.device}
    try:
        loaded: Any = _library.AutoModelForCausalLM.from_pretrained(folder, **how)
        if options.zero_gpu:
            loaded = loaded.to("cuda")
    except SafetensorError as error:
        raise ModelMissing(f"{model} cannot be loaded, its weights are damaged: {error}; fetch it again.") from error
    except (OSError, ValueError, ImportError, KeyError) as error:
        raise ModelMissing(f"{model} cannot be loaded: {first_line(error)}") from error
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise ModelMissing(f"{model} does not fit into the memory of {machine.device}.") from error
    loaded.generation_config = _kept_settings(loaded.generation_config)
    return loaded.eval()


def _kept_settings(published: Any) -> GenerationConfig:
    """Returns the model's settings for sampling and its special tokens. Cache kinds, beams, penalties and lengths that
    authors publish contradict how replies are decoded here, and a penalty on repeated words spoils code."""
    values = {name: getattr(published, name, None) for name in KEPT_SETTINGS}
    return GenerationConfig(**{name: value for name, value in values.items() if value is not None})


def _check_four_bit(options: Options, machine: Machine) -> None:
    if not options.use_4bit:
        return
    if machine.device != "cuda":
        raise ModelMissing("USE_4BIT needs a CUDA GPU, and there is none here: unset it, or use llama.cpp's server.")
    if importlib.util.find_spec("bitsandbytes") is None:
        raise ModelMissing("USE_4BIT needs the package bitsandbytes: pip install bitsandbytes, or unset USE_4BIT.")


def _four_bit(machine: Machine) -> Any:
    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=getattr(torch, machine.dtype),
    )


def _assemble(weights: Any, tokenizer: Any, machine: Machine, options: Options, seconds: float) -> Loaded:
    config = weights.config.get_text_config(decoder=True)
    can_rewind = rewindable(DynamicCache(config=weights.config))
    notes = [f"loaded in {seconds:.1f} s: {machine.describe()}{', 4 bit' if options.use_4bit else ''}"]
    if machine.device == "cpu":
        notes.append("there is no GPU here: llama.cpp's server (provider llamacpp) is several times faster on a CPU")
    return Loaded(
        model=weights,
        tokenizer=tokenizer,
        machine=machine,
        ends=_end_tokens(weights, tokenizer),
        context=getattr(config, "max_position_embeddings", None),
        vocabulary=max(config.vocab_size, len(tokenizer)),
        prefixes=PrefixStore(options.prefix_mb << 20 if can_rewind else 0),
        rewindable=can_rewind,
        notes=tuple(notes),
    )


def _end_tokens(weights: Any, tokenizer: Any) -> tuple[int, ...]:
    """Returns the end tokens of the model and of the tokenizer, because small models often name only one of the two."""
    own = weights.generation_config.eos_token_id
    listed = cast("list[Any]", own) if isinstance(own, list) else [own]
    return tuple(dict.fromkeys(token for token in (*listed, tokenizer.eos_token_id) if isinstance(token, int)))
