"""Tells the version of the project."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

_PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def version() -> str:
    """Returns the version that pyproject.toml names, or the installed package's if there is no pyproject.toml."""
    if not _PROJECT.exists():
        return metadata.version("self-healing-code-agent")
    return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
