"""Data files as people name them: large ones stay where they lie, odd ones are refused in one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent.events.codec import decode_task, encode_task
from agent.state import Task
from agent.task.request import MAX_FILES_BYTES, BadInput, check_files, check_task, check_unchanged, read_data
from sandbox.types import Linked


def sparse(path: Path, size: int) -> str:
    with open(path, "wb") as file:
        file.truncate(size)
    return str(path)


def test_a_large_file_is_neither_copied_nor_stored_and_must_stay_as_it_was(tmp_path: Path) -> None:
    given = read_data(sparse(tmp_path / "big.csv", MAX_FILES_BYTES + 1))
    task = Task("The mean of column a of big.csv", files={"big.csv": given, "small.csv": b"a\n1\n"})
    check_task(task)
    packed = encode_task(task)
    assert packed["files"]["big.csv"]["path"] == str(tmp_path / "big.csv")
    assert len(str(packed)) < 1000
    assert decode_task(packed) == task
    check_unchanged(task.files)
    with open(tmp_path / "big.csv", "r+b") as file:
        file.write(b"x")
    with pytest.raises(BadInput, match="has changed since"):
        check_unchanged(task.files)


def test_a_small_file_is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfa\n")
    assert read_data(str(tmp_path / "a.csv")) == b"\xef\xbb\xbfa\n"
    assert read_data(sparse(tmp_path / "b", MAX_FILES_BYTES)) == bytes(MAX_FILES_BYTES)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("/dev/zero", "is a device"),
        (".", "is a folder"),
        ("nothing.csv", "cannot be read: No such file"),
        ("pipe", "is a pipe"),
        ("huge.csv", "bytes; the limit is 209,715,200"),
        ("closed.csv", "cannot be read: Permission denied"),
    ],
)
def test_what_is_no_data_file_is_refused_in_one_line(
    name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    sparse(Path("huge.csv"), 200 * 2**20 + 1)
    Path("closed.csv").touch(mode=0)
    if name == "closed.csv" and os.access("closed.csv", os.R_OK):
        pytest.skip("root may read it")
    with pytest.raises(BadInput, match=words) as refused:
        read_data(name)
    assert "\n" not in str(refused.value)


def test_a_link_is_followed_once_and_the_file_behind_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(sparse(tmp_path / "real.csv", MAX_FILES_BYTES + 1))
    given = read_data(str(tmp_path / "link.csv"))
    assert isinstance(given, Linked)
    assert given.path == str(tmp_path / "real.csv")


@pytest.mark.parametrize("name", ["new\nline.csv", "tab\t.csv", "\udcff.csv", "../a.csv", ""])
def test_a_name_that_is_none_of_one_line_is_refused_and_every_other_taken(name: str) -> None:
    check_files({"with space.csv": b"n\n1", "Ünï 数.csv": b"n\n1", "-dash.csv": b"n\n1"})
    with pytest.raises(BadInput, match="not a plain relative path"):
        check_files({name: b"n\n1"})
