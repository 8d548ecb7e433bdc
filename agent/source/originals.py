"""Source that a person gave is read as text and handed over as the bytes it was."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Mapping
from contextlib import suppress

from llm.replies.files import join_files, split_files

CODE, TESTS = "solution.py", "given_tests.py"
"""What code and tests of one file are called where they are handed over."""
UNREADABLE = (SyntaxError, LookupError, UnicodeError)
_DECLARED = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)[-\w.]+", re.M)


def decoded(data: bytes) -> str:
    """Python as text: by its byte order mark or its coding line, else UTF-8; lines end with "\\n". Raises what
    `UNREADABLE` says."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding).replace("\r\n", "\n")


def kept(sources: Mapping[str, tuple[str, bytes]]) -> dict[str, bytes]:
    """The bytes of those files, by path, whose text alone does not tell them."""
    return {path: data for path, (text, data) in sources.items() if _plain(text) != data or _as_part(text) != text}


def given_as_text(text: str, name: str) -> tuple[str, dict[str, bytes]]:
    """What came as text already, such as out of a form: as `decoded` reads it, and what is `kept` of it."""
    read = text.removeprefix("\ufeff").replace("\r\n", "\n")
    data = _plain(text)
    return read, {name: data} if read != text and _reads_as(data, read) else {}


def of(text: str | None, name: str, originals: Mapping[str, bytes]) -> dict[str, bytes]:
    """Those of the files that a text holds, or of the one that it is."""
    return {path: originals[path] for path in split_files(text or "") or (name,) if path in originals}


def handed_over(text: str, original: bytes | None) -> bytes:
    """The file as it is given back: byte for byte where nobody changed it, else with its own line ends, in its own
    encoding where that has all letters and the text still declares it."""
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
    with suppress(*UNREADABLE):
        encoding, _ = tokenize.detect_encoding(io.BytesIO(like).readline)
        if _reads_as(data := text.encode(encoding), read):
            return data
    return plain if _reads_as(plain, read) else _plain(_DECLARED.sub(r"\1utf-8", text, count=1))


def _reads_as(data: bytes, text: str) -> bool:
    with suppress(*UNREADABLE):
        return decoded(data) == text
    return False


def _plain(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _as_part(text: str) -> str:
    """As it comes out of a text of several files."""
    return (split_files(join_files({CODE: text})) or {})[CODE]
