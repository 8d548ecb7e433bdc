"""Gives the files that a run left a MIME type by their content; a program chooses the names, so they prove nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable

from .types import Artifact

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"PAR1", "application/vnd.apache.parquet"),
)
_TEXT = {
    "csv": "text/csv", "tsv": "text/tab-separated-values", "md": "text/markdown", "html": "text/html",
    "htm": "text/html", "svg": "image/svg+xml", "xml": "application/xml", "yaml": "application/yaml",
    "yml": "application/yaml",
}  # fmt: skip
_OPAQUE = "application/octet-stream"


def typed(files: Iterable[tuple[str, bytes]]) -> tuple[Artifact, ...]:
    """Returns the files of a run as artifacts, sorted by name, each with the type that its content shows."""
    printable = ((name.encode("utf-8", "backslashreplace").decode(), name, data) for name, data in sorted(files))
    return tuple(Artifact(shown, _mime(name, data), data) for shown, name, data in printable)


def _mime(name: str, data: bytes) -> str:
    for magic, mime in _MAGIC:
        if data.startswith(magic):
            return mime
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _OPAQUE
    if "\x00" in text:
        return _OPAQUE
    return _text_mime(name.rpartition(".")[2].lower(), text)


def _text_mime(suffix: str, text: str) -> str:
    if suffix == "svg" and "<svg" not in text[:4096]:
        return "text/plain"
    if suffix == "json":
        return "application/json" if _is_json(text) else "text/plain"
    return _TEXT.get(suffix, "text/plain")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
