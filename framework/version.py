"""Which version of the project this is."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

_PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def version() -> str:
    """Returns the version that pyproject.toml names, or the package's where the project is installed."""
    if not _PROJECT.exists():
        return metadata.version("self-healing-code-agent")
    return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
