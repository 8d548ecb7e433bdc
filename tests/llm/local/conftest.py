"""A real transformers model with random weights, its own tokenizer and chat template, built in about a second."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from llm.local.engine import ENGINES
from llm.providers.huggingface import HuggingFaceProvider
from llm.types import Message, ProviderSettings, Request

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TEMPLATE = """{%- if tools %}<|im_start|>system
You may call these tools: {{ tools | tojson }}
Write a call as <tool_call>{"name": ..., "arguments": ...}</tool_call><|im_end|>
{% endif %}{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}
{%- for call in message.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>{% endfor %}<|im_end|>
{% endfor %}{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
WORDS, ROWS = 600, 640
"""Words of the tokenizer; rows of the model's output, more than that as in most published models."""
SHAPE: dict[str, Any] = {
    "vocab_size": ROWS,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
    "initializer_range": 0.2,
    "eos_token_id": 2,
    "bos_token_id": 0,
    "tie_word_embeddings": True,
}


def make_tokenizer(folder: Path, template: str | None = TEMPLATE) -> Any:
    lib: Any = import_module("tokenizers")
    core = lib.Tokenizer(lib.models.BPE())
    core.pre_tokenizer = lib.pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = lib.decoders.ByteLevel()
    trainer = lib.trainers.BpeTrainer(
        vocab_size=WORDS,
        special_tokens=SPECIAL,
        initial_alphabet=lib.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    # A text that nobody edits: what the random model says depends on each of its words.
    core.train([str(Path(__file__).parents[3] / "LICENSE")], trainer)
    wrapped = import_module("transformers").PreTrainedTokenizerFast
    tokenizer = wrapped(tokenizer_object=core, eos_token=SPECIAL[2], pad_token=SPECIAL[0])
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    return tokenizer


def make_model(folder: Path, kind: str = "Llama", template: str | None = TEMPLATE, **shape: Any) -> str:
    torch: Any = import_module("torch")
    transformers: Any = import_module("transformers")
    make_tokenizer(folder, template)
    config = getattr(transformers, f"{kind}Config")(**(SHAPE | shape))
    with torch.random.fork_rng():
        torch.manual_seed(7)
        model: Any = transformers.AutoModelForCausalLM.from_config(config)
    model.save_pretrained(folder)
    return str(folder)


def ask(text: str = "Say something about lists.", **parts: Any) -> Request:
    parts.setdefault("messages", (Message("system", "Be brief."), Message("user", text)))
    parts.setdefault("max_tokens", 24)
    return Request(role="generator", task="t", question="first", **parts)


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_model(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="session")
def qwen2(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_model(tmp_path_factory.mktemp("qwen2"), "Qwen2")


Open = Callable[..., HuggingFaceProvider]


@pytest.fixture
def open_local() -> Open:
    """Opens providers in float32 on one CPU thread."""

    def build(**options: Any) -> HuggingFaceProvider:
        settings = ProviderSettings(options={"dtype": "float32", "threads": 1, "device": "cpu", **options})
        return HuggingFaceProvider("huggingface", settings)

    return build


@pytest.fixture(autouse=True)
def _leave() -> Iterator[None]:
    """No test finds the weights of another one."""
    yield
    for engine in ENGINES.values():
        if (left := engine.leave()) is not None:
            left.result()
    ENGINES.clear()
