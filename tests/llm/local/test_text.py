"""Text in pieces: together exactly what the tokens say, never half a character."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from llm.local.text import BROKEN, TextPieces

from .conftest import make_tokenizer

pytest.importorskip("transformers", reason="needs the extra `local` (transformers)")
pytestmark = pytest.mark.local


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return make_tokenizer(Path(tmp_path_factory.mktemp("tokenizer")))


def pieces_of(tokenizer: Any, ids: list[int]) -> tuple[list[str], TextPieces]:
    got: list[str] = []
    pieces = TextPieces(tokenizer, (2,), got.append)
    for token in ids:
        pieces.add(token)
    pieces.end()
    return got, pieces


def test_characters_of_several_tokens_come_whole(tokenizer: Any) -> None:
    text = "naïve: 你好 🙂🙂 done ├──"
    got, pieces = pieces_of(tokenizer, tokenizer(text)["input_ids"])
    assert "".join(got) == pieces.text == text
    assert not any(BROKEN in piece for piece in got)
    assert len(got) > 5


def test_any_tokens_give_what_decoding_them_at_once_gives(tokenizer: Any) -> None:
    choose = random.Random(3)
    for _ in range(100):
        ids = [choose.randrange(3, 600) for _ in range(40)]
        got, pieces = pieces_of(tokenizer, ids)
        assert "".join(got) == pieces.text == tokenizer.decode(ids)


def test_bytes_that_never_become_a_character_do_not_hold_the_text_back(tokenizer: Any) -> None:
    continuation = tokenizer("🙂")["input_ids"][-1]
    got: list[str] = []
    pieces = TextPieces(tokenizer, (2,), got.append)
    for _ in range(20):
        pieces.add(continuation)
    assert got


def test_markers_are_left_out(tokenizer: Any) -> None:
    _, pieces = pieces_of(tokenizer, [1, *tokenizer("hello")["input_ids"], 2])
    assert pieces.text == "hello"
