"""Reads source that a person gave as text, and hands it back in its original bytes: encoding, line ends, byte order
mark."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Mapping
from contextlib import suppress

from llm.replies.files import join_files, split_files

CODE, TESTS = "solution.py", "given_tests.py"
"""The names under which code and tests of one file are handed over."""
UNDECODABLE = (SyntaxError, LookupError, UnicodeError)
_DECLARED = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)[-\w.]+", re.M)


def decoded(data: bytes) -> str:
    """Decodes Python source by its byte order mark or its coding line, else as UTF-8; "\\r\\n" becomes "\\n". Raises
    the errors in `UNDECODABLE`."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding).replace("\r\n", "\n")


def kept(sources: Mapping[str, tuple[str, bytes]]) -> dict[str, bytes]:
    """Returns, by path, the bytes of those files whose text alone does not determine them."""
    return {path: data for path, (text, data) in sources.items() if _plain(text) != data or _as_part(text) != text}


def given_as_text(text: str, name: str) -> tuple[str, dict[str, bytes]]:
    """Reads text that came as text, such as from a form. Returns the text as `decoded` reads it, and the bytes to
    keep."""
    read = text.removeprefix("\ufeff").replace("\r\n", "\n")
    data = _plain(text)
    return read, {name: data} if read != text and _reads_as(data, read) else {}


def of(text: str | None, name: str, originals: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the original bytes of the files in `text`, or of the one file `name` if the text is a single file."""
    return {path: originals[path] for path in split_files(text or "") or (name,) if path in originals}


def handed_over(text: str, original: bytes | None) -> bytes:
    """Returns the file as it is given back: its original bytes if nobody changed it, otherwise with its own line ends,
    and in its own encoding if that can hold the text and the text still declares it."""
    if original is not None:
        before = decoded(original)
        if text.rstrip("\n") in (before.rstrip("\n"), _as_part(before).rstrip("\n")):
            return original
        text = text.replace("\r\n", "\n").rstrip("\n") + before[len(before.rstrip("\n")) :]
        if 2 * original.count(b"\r\n") > original.count(b"\n"):
            text = text.replace("\n", "\r\n")
    return _encoded(text, original or _plain(text))


def _encoded(text: str, like: bytes) -> bytes:
    read, plain = text.replace("\r\n", "\n"), _plain(text)
    with suppress(*UNDECODABLE):
        encoding, _ = tokenize.detect_encoding(io.BytesIO(like).readline)
        if _reads_as(data := text.encode(encoding), read):
            return data
    return plain if _reads_as(plain, read) else _plain(_DECLARED.sub(r"\1utf-8", text, count=1))


def _reads_as(data: bytes, text: str) -> bool:
    with suppress(*UNDECODABLE):
        return decoded(data) == text
    return False


def _plain(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _as_part(text: str) -> str:
    """Returns the text as it comes out of a text of several files."""
    return (split_files(join_files({CODE: text})) or {})[CODE]
