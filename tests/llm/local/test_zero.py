"""Generations through the ZeroGPU wrapper, which outside a Space hands the call through unchanged."""

from __future__ import annotations

from typing import Any

import pytest

from llm.local.engine import in_memory
from llm.local.job import Cancelled, Generation

from .conftest import Open, ask

pytest.importorskip("torch", reason="needs the extra `local` (torch)")
pytest.importorskip("spaces", reason="needs the extra `space` (spaces)")
zero: Any = pytest.importorskip("llm.local.zero")
pytestmark = pytest.mark.local

JOB = Generation(prompt=tuple(range(100, 130)), max_tokens=20)


async def test_the_borrowed_gpu_gives_the_same_pieces_and_outcome(llama: str, open_local: Open) -> None:
    await open_local(prefix_mb=0).complete(ask(max_tokens=1), model=llama)
    loaded = in_memory(llama)
    assert loaded is not None
    own: list[str] = []
    borrowed: list[str] = []
    expected = loaded.decode(JOB, own.append, lambda: False)
    assert zero.decode_on_gpu(llama, JOB, borrowed.append, lambda: False) == expected
    assert borrowed == own


async def test_a_cancel_closes_the_borrowed_stream(llama: str, open_local: Open) -> None:
    await open_local(prefix_mb=0).complete(ask(max_tokens=1), model=llama)
    pieces: list[str] = []
    with pytest.raises(Cancelled):
        zero.decode_on_gpu(llama, JOB, pieces.append, lambda: len(pieces) >= 3)
    assert len(pieces) == 3


def test_a_failure_behind_the_gpu_arrives() -> None:
    with pytest.raises(RuntimeError, match="after the GPU process had started"):
        zero.decode_on_gpu("nobody/loaded-this", JOB, print, lambda: False)


def test_the_gpu_is_asked_for_as_long_as_the_reply_may_take() -> None:
    short, long = (Generation(prompt=(1,), max_tokens=tokens) for tokens in (50, 100_000))
    assert zero.seconds_wanted("m", short) < 30
    assert zero.seconds_wanted("m", long) == zero.MAX_GPU_SECONDS
