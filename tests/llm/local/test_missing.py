"""What a person is told when a local model cannot be had."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from llm.errors import ModelMissing, NoProvider, Overloaded
from llm.local.engine import as_llm_error
from llm.local.job import Options

from .conftest import Open, ask, make_model

transformers: Any = pytest.importorskip("transformers", reason="needs the extra `local` (transformers)")
memory: Any = pytest.importorskip("llm.local.memory", reason="needs the extra `local` (torch)", exc_type=ImportError)
probing: Any = pytest.importorskip("llm.local.probe", reason="needs the extra `local` (torch)", exc_type=ImportError)
fetch: Any = pytest.importorskip("llm.local.fetch", reason="needs the extra `local` (torch)", exc_type=ImportError)
pytestmark = pytest.mark.local


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("/no/such/folder", "no folder"),
        ("nobody/has-this-model", "not on this machine"),
        ("not a name!", "neither a folder nor a name"),
    ],
)
async def test_a_model_that_is_not_there(model: str, words: str, open_local: Open) -> None:
    with pytest.raises(ModelMissing, match=words):
        await open_local(offline=True).complete(ask(), model=model)


async def test_a_folder_without_a_model(tmp_path: Path, open_local: Open) -> None:
    with pytest.raises(ModelMissing, match=r"config\.json"):
        await open_local().complete(ask(), model=str(tmp_path))


async def test_weights_that_could_run_code_are_not_opened(tmp_path: Path, open_local: Open) -> None:
    folder = Path(make_model(tmp_path))
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelMissing, match="safetensors"):
        await open_local().complete(ask(), model=str(folder))


def damaged(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])


def of_its_own_kind(folder: Path) -> None:
    config = folder / "config.json"
    own = {"model_type": "quux", "auto_map": {"AutoConfig": "x.Y", "AutoModelForCausalLM": "x.Z"}}
    config.write_text(json.dumps({**json.loads(config.read_text()), **own}))


@pytest.mark.parametrize(
    ("spoil", "words"), [(damaged, r"damaged: .*; fetch it again"), (of_its_own_kind, "code of its own .* never done")]
)
async def test_a_model_that_cannot_be_opened_says_why(
    tmp_path: Path, open_local: Open, spoil: Callable[[Path], None], words: str
) -> None:
    spoil(Path(make_model(tmp_path)))
    with pytest.raises(ModelMissing, match=words):
        await open_local().complete(ask(), model=str(tmp_path))


async def test_no_model_named(open_local: Open) -> None:
    with pytest.raises(NoProvider, match="HF_MODEL"):
        await open_local().complete(ask(), model="")


async def test_a_model_too_large_for_the_memory_is_refused_before_loading(llama: str, open_local: Open) -> None:
    told: list[str] = []

    async def hear() -> None:
        async for item in open_local(memory_gb=0.1).stream(ask(), model=llama):
            told.append(str(item))

    with pytest.raises(ModelMissing, match=r"needs about 0\.\d GB in float32 on cpu and 0\.1 GB are free"):
        await hear()
    assert not any("loading" in words for words in told)


def test_the_estimate_counts_every_weight_once() -> None:
    half_billion = transformers.Qwen2Config(
        vocab_size=151936,
        hidden_size=896,
        intermediate_size=4864,
        num_hidden_layers=24,
        num_attention_heads=14,
        num_key_value_heads=2,
        tie_word_embeddings=True,
    )
    needed = memory.needed_bytes(half_billion, probing.Machine("cpu", "float32", 1, 2), Options())
    assert (needed - memory.WORKSPACE) / memory.OVERHEAD / 4 == pytest.approx(494_032_768, rel=1e-6)


async def test_four_bits_without_a_gpu_say_so(llama: str, open_local: Open) -> None:
    with pytest.raises(ModelMissing, match="USE_4BIT needs a CUDA GPU"):
        await open_local(use_4bit=True).complete(ask(), model=llama)


def test_a_container_limit_counts(tmp_path: Path) -> None:
    quota = tmp_path / "cpu.max"
    quota.write_text("100000 100000\n")
    assert probing.usable_cores(quota) == 1
    quota.write_text("max 100000\n")
    assert probing.usable_cores(quota) == probing.usable_cores(tmp_path / "absent")


def test_fewer_threads_win_when_more_bring_little() -> None:
    assert probing.choose([("float32", 1, 1.0), ("float32", 2, 0.95), ("bfloat16", 1, 3.0)]) == ("float32", 1)
    assert probing.choose([("float32", 1, 1.0), ("float32", 2, 0.6), ("bfloat16", 3, 0.3)]) == ("bfloat16", 3)


def test_the_probe_leaves_a_core_free() -> None:
    machine = probing.probe(Options(device="cpu", dtype="float32"))
    assert 1 <= machine.threads <= max(1, probing.usable_cores() - 1)


def test_the_token_is_not_shown() -> None:
    assert "hf_canary" not in repr(Options(token="hf_canary"))


def test_an_unreadable_error_names_its_kind() -> None:
    out_of_memory: Any = type("OutOfMemoryError", (RuntimeError,), {})
    assert "ran out of memory" in str(as_llm_error(out_of_memory("CUDA out of memory")))
    no_quota = type("Error", (Exception,), {"__module__": "gradio.exceptions"})
    assert isinstance(as_llm_error(no_quota("You have exceeded your GPU quota")), Overloaded)
    assert "ValueError: odd" in str(as_llm_error(ValueError("odd\nmore")))


def test_a_download_is_told_in_steps_of_five_percent() -> None:
    told: list[str] = []
    with fetch.bars("some/model", told.append)(total=2_000_000_000, unit="B", unit_scale=True, desc="x") as bar:
        for _ in range(200):
            bar.update(10_000_000)
            bar.refresh()
    assert told[0].startswith("downloading some/model: ")
    assert told[-1] == "downloading some/model: 100 % of 2.0 GB"
    assert len(told) <= 22
