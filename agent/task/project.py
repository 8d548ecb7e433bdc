"""Reads a small project from a folder or a ZIP. Its modules are the program, its tests count as the person's own, the
rest is data."""

from __future__ import annotations

import io
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from agent.source.originals import UNDECODABLE, decoded, kept
from llm.replies.files import join_files

from .request import MAX_FILES_BYTES, BadInput

MAX_PROJECT_FILES = 300
_BAD_ARCHIVE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, ValueError, RuntimeError)
"""Errors that `zipfile` raises for an archive that is damaged, encrypted, or of an unknown kind."""
_SKIPPED_FOLDERS = {"__pycache__", "node_modules", "venv", "env", "build", "dist", "site-packages", "__MACOSX"}
_SKIPPED = re.compile(
    r"(?:^|/)(?:(?:setup|noxfile|conf)\.py|(?:readme|licen[cs]e|changelog)[^/]*|[^/]*\.py[co])$", re.I
)
_TEST = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
_IN_TESTS = re.compile(r"(?:^|/)tests?/[^/]*\.py$|(?:^|/)conftest\.py$")


@dataclass(frozen=True, slots=True)
class Project:
    code: str
    """All modules as one text, each after a line with its path."""
    tests: str | None = None
    """The test files, in the same form."""
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    originals: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """The original bytes of modules and tests, as in `Task`."""


_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of a ZIP, and of an empty one."""


def is_project(path: str) -> bool:
    """Returns whether the path is a folder, or a file that is a ZIP whatever its name. A pipe is never opened: reading
    its first bytes would take them away from the later reader."""
    if not os.path.isfile(path):
        return os.path.isdir(path)
    try:
        with open(path, "rb") as file:
            return file.read(4) in _ZIP
    except OSError:
        return False


def read_project(path: str) -> Project:
    """Reads the project at this path. Raises BadInput, one line, if it cannot be read, is too large, or holds no
    program."""
    try:
        found = dict(_in_folder(Path(path)) if os.path.isdir(path) else _in_zip(Path(path).read_bytes(), path))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from None
    return project_of(found, path)


def project_in(data: bytes, name: str) -> Project | None:
    """Reads a project from an uploaded ZIP. Returns None for anything else and for a ZIP without modules. Raises
    BadInput, as `read_project` does."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if not any(path.endswith(".py") and _is_wanted(path) for path in archive.namelist()):
                return None
    except _BAD_ARCHIVE:
        return None
    return project_of(dict(_in_zip(data, name)), name)


def project_of(found: Mapping[str, bytes], name: str) -> Project:
    """Sorts the files of a project, by path, into modules, tests and data. A single folder around everything is left
    out of the paths."""
    files = _unwrapped({path: data for path, data in found.items() if _is_wanted(path)})
    tests = {path: read_source(path, data) for path, data in files.items() if _TEST.search(path)}
    beside = {path: data for path, data in files.items() if _IN_TESTS.search(path) and path not in tests}
    fixtures = {path: read_source(path, data) for path, data in beside.items() if path.endswith("conftest.py")}
    modules = {
        p: read_source(p, d) for p, d in files.items() if p.endswith(".py") and p not in tests and p not in beside
    }
    if not modules:
        raise BadInput(f"{name} holds no Python module besides tests, so there is no program to work on")
    rest = {path: data for path, data in files.items() if path not in modules and path not in tests}
    ordered = {**fixtures, **tests} if tests else {}
    data = {path: content for path, content in rest.items() if path not in fixtures}
    originals = kept({path: (text, files[path]) for path, text in {**modules, **ordered}.items()})
    return Project(join_files(modules), join_files(ordered) if ordered else None, data, originals)


def _is_wanted(path: str) -> bool:
    parts = path.split("/")
    hidden = any(part.startswith(".") or part in _SKIPPED_FOLDERS or part.endswith(".egg-info") for part in parts)
    return not hidden and not _SKIPPED.search(path)


def _unwrapped(files: dict[str, bytes]) -> dict[str, bytes]:
    tops = {path.partition("/")[0] for path in files}
    top = next(iter(tops)) if len(tops) == 1 else ""
    if not top or any("/" not in path for path in files) or f"{top}/__init__.py" in files:
        return files
    return {path.removeprefix(f"{top}/"): data for path, data in files.items()}


def read_source(path: str, data: bytes) -> str:
    """Decodes Python source as text. Raises BadInput."""
    try:
        return decoded(data)
    except UNDECODABLE:
        raise BadInput(f"{path} is not text in UTF-8") from None


def _in_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the ordinary files in a folder. Links are not followed, because they may point outside it."""
    total = count = 0
    for place, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name not in _SKIPPED_FOLDERS)
        for path in (Path(place, name) for name in sorted(names)):
            if path.is_symlink() or not path.is_file():
                continue
            count, total = count + 1, total + path.stat().st_size
            _check_size(str(folder), count, total)
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _in_zip(data: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """Yields the files of a ZIP. Each file is read up to the size limit, whatever the archive says its size is: a small
    archive could otherwise fill the memory."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            total = 0
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            _check_size(name, len(entries), 0)
            for entry in entries:
                _check_name(entry, name)
                with archive.open(entry) as file:
                    content = file.read(MAX_FILES_BYTES - total + 1)
                total += len(content)
                _check_size(name, len(entries), total)
                yield str(PurePosixPath(entry.filename)), content
    except BadInput:
        raise
    except _BAD_ARCHIVE as error:
        raise BadInput(f"{name} is no ZIP that can be read: {error}") from None


def _check_name(entry: zipfile.ZipInfo, name: str) -> None:
    path = PurePosixPath(entry.filename)
    link = (entry.external_attr >> 16) & 0o170000 == 0o120000
    plain = path.parts and entry.filename.isprintable() and "\\" not in entry.filename
    if path.is_absolute() or ".." in path.parts or link or not plain:
        raise BadInput(f"{name} holds {entry.filename[:80]!r}, which is no plain file inside of it")


def _check_size(name: str, count: int, total: int) -> None:
    if count > MAX_PROJECT_FILES:
        raise BadInput(f"{name} holds more than {MAX_PROJECT_FILES} files")
    if total > MAX_FILES_BYTES:
        raise BadInput(f"{name} holds more than {MAX_FILES_BYTES // 2**20} MB")
