"""What a person names on the command line becomes sources and data, or one line that says why it cannot."""

from __future__ import annotations

import io
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox import Limits, given
from sandbox.console import UsageError
from sandbox.given import limits_of, positive, read_files, read_package, read_source, read_text


def lay(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def test_limits_are_positive_and_at_least_one_of_each() -> None:
    assert [positive(value) for value in (0.1, 999_999.9)] == [0.1, 999_999.9]
    for value in (0.0, -1.0, 1e6, float("nan")):
        with pytest.raises(ValueError, match="above 0 and below 1,000,000"):
            positive(value)
    assert limits_of(2.5, 0.2, 0.9) == Limits(2.5, 1, 1)
    assert limits_of(2.5, 300.9, 20.2) == Limits(2.5, 300, 20)


def test_a_source_is_read_as_python_reads_it_and_text_as_utf8(tmp_path: Path) -> None:
    lay(tmp_path, {"a.py": b"# coding: latin-1\r\nx = '\xe9'\n", "b.py": b"\xff", "c.txt": "é\r\n".encode()})
    assert read_source(tmp_path / "a.py") == "# coding: latin-1\nx = 'é'\n"
    assert read_text(tmp_path / "c.txt") == "é\r\n"
    with pytest.raises(UsageError, match=r"b\.py is not Python text"):
        read_source(tmp_path / "b.py")
    with pytest.raises(UsageError, match=r"b\.py is not UTF-8 text"):
        read_text(tmp_path / "b.py")
    with pytest.raises(UsageError, match=r"cannot read .*none\.py: No such file"):
        read_source(tmp_path / "none.py")


def test_data_files_have_a_name_each_and_so_many_bytes_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given, "MAX_DATA_BYTES", 4)
    lay(tmp_path, {"a": b"1234", "b": b"12345", "in/a": b"1"})
    assert read_files([tmp_path / "a"]) == {"a": b"1234"}
    for names, words in ((["b"], "too large: more than 4 bytes"), (["a", "in/a"], "two data files are called a")):
        with pytest.raises(UsageError, match=words):
            read_files(tmp_path / name for name in names)


def test_a_package_is_its_modules_and_the_data_beside_them(tmp_path: Path) -> None:
    files = {"__init__.py": b"", "cart.py": b"x = 1\n", "deep/p.csv": b"1,2", "deep/a.py": b"y = 2\n"}
    hidden = {".git/config": b"?", ".env": b"?", "__pycache__/a.pyc": b"?", "deep/.cache.py": b"?"}
    folder = lay(tmp_path / "shop", files | hidden)
    os.symlink("nowhere", folder / "broken")
    modules, data = read_package(folder)
    assert modules == {"shop/__init__.py": "", "shop/cart.py": "x = 1\n", "shop/deep/a.py": "y = 2\n"}
    assert next(iter(modules)) == "shop/__init__.py"
    assert data == {"shop/deep/p.csv": b"1,2"}


@pytest.mark.parametrize(
    ("name", "files", "words"),
    [
        ("a-b", {"a.py": b""}, "'a-b' cannot be imported"),
        ("class", {"a.py": b""}, "'class' cannot be imported"),
        ("shop", {"a.txt": b""}, "holds no .py file"),
        ("shop", {"a.py": b"", "a.csv": b"123", "b.csv": b"12"}, "b.csv is too large: more than 1 bytes"),
        ("shop", {f"{at}.py": b"" for at in range(4)}, "holds more than 3 files"),
    ],
)
def test_what_is_no_package_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, files: dict[str, bytes], words: str
) -> None:
    monkeypatch.setattr(given, "MAX_DATA_BYTES", 4)
    monkeypatch.setattr(given, "_MAX_FILES", 3)
    with pytest.raises(UsageError, match=words):
        read_package(lay(tmp_path / name, files))


def test_as_much_as_is_allowed_is_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given, "MAX_DATA_BYTES", 4)
    monkeypatch.setattr(given, "_MAX_FILES", 3)
    modules, data = read_package(lay(tmp_path / "shop", {"a.py": b"", "a.csv": b"12", "b.csv": b"34"}))
    assert (list(modules), data) == (["shop/a.py"], {"shop/a.csv": b"12", "shop/b.csv": b"34"})


def test_a_dash_is_standard_input_if_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin: Any = SimpleNamespace(buffer=io.BytesIO(b"x = 1\n"))
    monkeypatch.setattr("sys.stdin", stdin)
    assert read_source(Path("-")) == "x = 1\n"
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UsageError, match="standard input is closed"):
        read_source(Path("-"))
