"""Which version of the project this is."""

from __future__ import annotations

import tomllib
from pathlib import Path

_PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def version() -> str:
    """As the project's own file says."""
    return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
