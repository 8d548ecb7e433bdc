"""What the fields of a batch line may hold, and a line as a program."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any, cast

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from .given import MAX_DATA_BYTES, MAX_TEXT, check_data, limits_of, positive
from .types import Limits, Mode, Program

_BINARY = (
    *(".bin", ".bz2", ".db", ".gif", ".gz", ".jpeg", ".jpg", ".npy", ".npz", ".parquet", ".pdf", ".pkl", ".png"),
    *(".sqlite", ".tar", ".webp", ".xls", ".xlsx", ".zip"),
)
"""A text under such a name is base64."""
_STRICT = ConfigDict(strict=True, extra="forbid")

Text = Annotated[str, Field(max_length=MAX_TEXT)]
"""Text that can be written down: the bound makes pydantic refuse lone surrogates, too."""
Content = Annotated[str, Field(max_length=2 * MAX_DATA_BYTES)]
Limit = Annotated[float, AfterValidator(positive)]


class Encoded(BaseModel):
    """A data file that is no text."""

    model_config = _STRICT
    base64: Content = Field(validation_alias=AliasChoices("base64", "b64"))


class Line(BaseModel):
    """One line of a batch. A field that is left out, or null, is what `Program` makes of it."""

    model_config = _STRICT
    id: Any = None
    solution: Text = ""
    package: dict[Text, Text] = {}
    tests: Text | None = None
    calls: list[Text] = []
    argv: list[Text] = []
    stdin: Text = ""
    files: dict[Text, Content | Encoded] = {}
    mode: Mode = "auto"
    timeout: Limit = Limits().timeout
    memory_mb: Limit = Limits().memory_mb
    output_kb: Limit = Limits().output_kb


def program_of(fields: Any) -> Program:
    """The program that a line describes. Raises ValueError, in one sentence, for what is no such line."""
    if not isinstance(fields, dict):
        raise ValueError("a line is a JSON object")
    given = {name: value for name, value in cast(dict[str, Any], fields).items() if value is not None}
    if isinstance(given.get("solution"), dict):
        given["package"] = given.pop("solution")
    try:
        line = Line.model_validate(given)
    except ValidationError as error:
        raise ValueError(_first_of(error)) from error
    files = {name: _bytes_of(name, content) for name, content in line.files.items()}
    check_data(files.values())
    return Program(
        solution=line.solution,
        package=line.package,
        tests=line.tests,
        calls=tuple(line.calls),
        files=files,
        argv=tuple(line.argv),
        stdin=line.stdin,
        mode=line.mode,
        limits=limits_of(line.timeout, line.memory_mb, line.output_kb),
    )


def _first_of(error: ValidationError) -> str:
    """Where and what, for the first thing that is wrong."""
    found = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, found["loc"][:2]))[:100]
    return f"{place}: {found['msg']}" if place else found["msg"]


def _bytes_of(name: str, content: str | Encoded) -> bytes:
    """A data file: text, {"base64": ...}, "base64:..." or, under the name of a binary format, plain base64."""
    if isinstance(content, Encoded):
        return _decoded(name, content.base64)
    if content.startswith("base64:") or name.lower().endswith(_BINARY):
        return _decoded(name, content.removeprefix("base64:"))
    return content.encode("utf-8")


def _decoded(name: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"file {name[:100]} is not base64: {error}") from error
