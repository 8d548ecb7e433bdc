"""What a person types at a terminal in answer to a question of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.cli.terminal import ask_at_terminal
from agent.task.reply import PersonReply
from framework.engine import Pending


@pytest.mark.parametrize(
    ("kind", "words", "reply"),
    [
        ("review_repair", "edit {}", PersonReply("edit", "x = 1\n")),
        ("missing_file", "{}", PersonReply("approve", files={"given.py": b"x = 1\n"})),
    ],
)
async def test_a_file_that_cannot_be_read_is_told_and_asked_for_again(
    kind: str,
    words: str,
    reply: PersonReply,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "given.py").write_text("x = 1\n")
    typed = iter([words.format(tmp_path / "none.py"), words.format(tmp_path / "given.py")])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    assert await ask_at_terminal(Pending("q", kind, {})) == reply
    assert "none.py cannot be read: No such file or directory" in capsys.readouterr().err


async def test_a_program_that_is_no_text_is_told_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bytes.py").write_bytes(b"x = '\xff'\n")
    typed = iter([f"edit {tmp_path / 'bytes.py'}", "approve"])
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    assert await ask_at_terminal(Pending("q", "review_repair", {})) == PersonReply("approve")
    assert "bytes.py is not text in UTF-8" in capsys.readouterr().err
