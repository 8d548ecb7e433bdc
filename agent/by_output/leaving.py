"""Checks what a step of a task leaves behind: reads its files in the sandbox, and looks for its values in what it
printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from agent.events.conclusion import Picture
from agent.examples.types import Demand, Leaving
from sandbox.types import Artifact, Sandbox

from .data import description_of
from .fate import MISSING

_FORMS = {
    ("csv", "tsv"): ("table parted by", "text, encoding"),
    ("json", "jsonl", "ndjson", "geojson"): ("JSON", "one JSON object a line"),
    ("xlsx", "xlsm"): ("Excel workbook",),
    ("parquet",): ("Parquet",),
    ("db", "sqlite", "sqlite3"): ("SQLite",),
    ("png", "jpg", "jpeg", "gif", "webp", "bmp"): ("a picture",),
}
"""Suffix -> how the reader describes a file that is what its name says."""
_READ_BY_NOBODY = ("svg", "pdf", "gz", "zip", "html", "htm")


@dataclass(frozen=True, slots=True)
class Left:
    """One file or value, as it was found."""

    told: str
    fault: str = ""
    """What is wrong with it, in words; "" when nothing is."""


async def look_at_left(
    sandbox: Sandbox, printed: str, made: Sequence[Artifact], pictures: Sequence[Picture], demand: Demand
) -> tuple[Left, ...]:
    """Returns each demanded file that was made, and each value, as found. A file that was not made is reported
    elsewhere."""
    short = {artifact.name.rpartition("/")[2].lower(): artifact for artifact in made}
    asked = [(one, short[key]) for one in demand.leaves if (key := one.name.rpartition("/")[2].lower()) in short]
    seen = {picture.name: f"a picture of {picture.width} x {picture.height} pixels" for picture in pictures}
    files: list[Left] = []
    for leaving, artifact in asked:
        told = seen.get(artifact.name) or await description_of(sandbox, artifact)
        files.append(_judged(leaving, artifact, told))
    return (*files, *(_printed(value, printed) for value in demand.values))


def lacking_of(left: Sequence[Left]) -> str:
    """Returns the first fault as the sentence of what is missing; "" without one."""
    return next((MISSING + one.fault for one in left if one.fault), "")


def _judged(leaving: Leaving, artifact: Artifact, told: str) -> Left:
    """Judges one file by its description `told`: the form first, then a line for each column."""
    first, _, more = told.partition("\n")
    suffix, name = leaving.name.rpartition(".")[2].lower(), leaving.name
    form = next((forms for suffixes, forms in _FORMS.items() if suffix in suffixes), ())
    if first.startswith("text, encoding"):  # the reader describes a table of one column by its lines
        more = "".join(f"  {line.strip(_AROUND)!r}" for line in more.splitlines()[:1])
    there = [column for column in leaving.columns if re.search(rf"^\s+{re.escape(repr(column))}", more, re.M | re.I)]
    absent = [column for column in leaving.columns if column not in there]
    found = Left(f"{name}: {first}")
    if not artifact.data.strip():
        return replace(found, fault=f"{name} is empty")
    if suffix in _READ_BY_NOBODY or "is not installed here" in first:
        return found
    if first.startswith("cannot be read") or (form and not first.startswith(form)):
        return replace(found, fault=f"{name} is no {suffix.upper()} file: {first}")
    if re.search(r"\b0 rows", first):
        return replace(found, fault=f"{name} holds no rows")
    if absent and not _MORE.search(more):
        return replace(found, fault=f"{name} has no {' and no '.join(map(repr, absent))}; it is {first}")
    return replace(found, told=f"{found.told}: {', '.join(there)}") if there else found


_AROUND = ' "'
_MORE = re.compile(r"^\s+and \d+ more (?:columns|keys)$|\.\.\.\Z", re.M)
"""What the reader prints when not everything is described."""


def _printed(value: str, printed: str) -> Left:
    """Returns the first printed line that holds the value's name and something beside it."""
    name = r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", value)))
    for line in printed.splitlines():
        rest = re.sub(rf"(?<!\w){name}(?!\w)", "", line, flags=re.I)
        if rest != line and re.search(r"\w", rest):
            return Left(printed_told(line))
    return Left(value, f"no line of what was printed tells {value!r}")


def printed_told(line: str) -> str:
    """Returns a printed line as it is told to people and models."""
    return f"printed: {line.strip()[:120]}"
