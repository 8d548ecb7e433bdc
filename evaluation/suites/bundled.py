"""Loads problems of real work: one YAML file each, with programs that are right and programs that are not.

A file holds `kind`, `task` (as a person would type it), `hidden` (pytest source), `right` (programs that pass) and
`wrong` (programs that must fail), and if the task has them `code`, `files` and `seconds` (CPU seconds for each hidden
test). A wrong program has `slip`, the mistake in words, and either its whole `code` or a `change` [old, new] of the
right program number `of`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import yaml

from .problem import SECONDS, BadSuite, Problem, Wrong

FOLDER = Path(__file__).parent / "problems"
TEXTS, OTHERS = ("kind", "task", "hidden"), ("code", "files", "seconds", "right", "wrong")


def load(data: Path | None) -> list[Problem]:
    """Returns the problems. `data` is another folder of such files, or one file. Raises BadSuite."""
    path = data or FOLDER
    found = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    if not found:
        raise BadSuite(f"{path} holds no .yaml file")
    return [_problem(each) for each in found]


def _problem(path: Path) -> Problem:
    try:
        row = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSuite(f"{path} cannot be read: {error.strerror}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadSuite(f"{path} is not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(row, dict):
        raise BadSuite(f"{path} is no mapping of names to values")
    try:
        return _read(path.stem, cast("dict[str, Any]", row))
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise BadSuite(f"{path}: {error}") from None


def _read(name: str, row: Mapping[str, Any]) -> Problem:
    """Returns the problem of one file. Raises ValueError, and what Python raises if a value has another shape."""
    if unknown := sorted(set(row) - {*TEXTS, *OTHERS}):
        raise ValueError(f"unknown: {', '.join(unknown)}")
    if missing := [word for word in TEXTS if not isinstance(row.get(word), str) or not row[word].strip()]:
        raise ValueError(f"no text for: {', '.join(missing)}")
    right = tuple(str(code) for code in row.get("right", ()))
    wrong = tuple(_wrong(each, right) for each in row.get("wrong", ()))
    files = {str(file): str(text).encode() for file, text in row.get("files", {}).items()}
    return Problem(
        name,
        row["task"],
        row["hidden"],
        row.get("code"),
        files,
        seconds=float(row.get("seconds", SECONDS)),
        kind=row["kind"],
        right=right,
        wrong=wrong,
    )


def _wrong(given: Mapping[str, Any], right: tuple[str, ...]) -> Wrong:
    if unknown := sorted(set(given) - {"slip", "code", "change", "of"}):
        raise ValueError(f"a wrong program has unknown: {', '.join(unknown)}")
    if "code" in given:
        return Wrong(str(given["slip"]), str(given["code"]))
    old, new = given["change"]
    base: str = right[int(given.get("of", 0))]
    if base.count(old) != 1:
        raise ValueError(f"{given['slip']!r}: the text to change stands {base.count(old)} times in the right program")
    return Wrong(str(given["slip"]), base.replace(old, new))
