"""The programs in corpus.yaml."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml


@cache
def _all() -> dict[str, dict[str, Any]]:
    return yaml.safe_load((Path(__file__).parent / "corpus.yaml").read_text(encoding="utf-8"))


def corpus(section: str) -> dict[str, Any]:
    """Name -> program (or {solution, tests}) of one section."""
    return _all()[section]
