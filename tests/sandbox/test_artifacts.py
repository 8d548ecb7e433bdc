"""The type of a file that a run left is what its bytes show, whatever the program called it."""

from __future__ import annotations

from sandbox.artifacts import typed
from tests.tables import in_one_test

OPAQUE, PLAIN = "application/octet-stream", "text/plain"
FILES: list[tuple[str, bytes, str]] = [
    ("a.txt", b"\x89PNG\r\n\x1a\n...", "image/png"),
    ("a.png", b"\xff\xd8\xff...", "image/jpeg"),
    ("a", b"GIF87a...", "image/gif"),
    ("a", b"GIF89a...", "image/gif"),
    ("a", b"RIFF....WEBP", "image/webp"),
    ("a", b"RIFF....WAVE\xff", OPAQUE),
    ("a", b"....1234WEBP\xff", OPAQUE),
    ("a", b"%PDF-1.7", "application/pdf"),
    ("a", b"PK\x03\x04", "application/zip"),
    ("a", b"\x1f\x8b", "application/gzip"),
    ("a", b"SQLite format 3\0", "application/vnd.sqlite3"),
    ("a", b"PAR1", "application/vnd.apache.parquet"),
    ("a.png", b"no image", PLAIN),
    ("a", b"\xff\xfe", OPAQUE),
    ("a.csv", b"a,b\0", OPAQUE),
    ("a.CSV", b"a,b\n", "text/csv"),
    ("a.tsv", b"a\tb\n", "text/tab-separated-values"),
    ("a.b.md", b"# a", "text/markdown"),
    ("a.html", b"<p>", "text/html"),
    ("a.htm", b"<p>", "text/html"),
    ("a.xml", b"<a/>", "application/xml"),
    ("a.yaml", b"a: 1", "application/yaml"),
    ("a.yml", b"a: 1", "application/yaml"),
    ("a.svg", b"<?xml?><svg/>", "image/svg+xml"),
    ("a.svg", b" " * 4096 + b"<svg/>", PLAIN),
    ("a.json", b"{}", "application/json"),
    ("a.json", b"{", PLAIN),
    ("a.json", b"[" * 100_000, PLAIN),
    ("a", b"", PLAIN),
]


@in_one_test("name, data, mime", FILES)
def test_a_file_has_the_type_that_its_bytes_show(name: str, data: bytes, mime: str) -> None:
    ((artifact),) = typed([(name, data)])
    assert (artifact.name, artifact.mime, artifact.data) == (name, mime, data)


def test_files_come_in_the_order_of_their_names_which_can_all_be_written_down() -> None:
    assert [one.name for one in typed([("b", b""), ("a\udcff", b""), ("a", b"")])] == ["a", "a\\udcff", "b"]
