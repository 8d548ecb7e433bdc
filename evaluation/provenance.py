"""Records how trials came about, so that a stranger can make them again."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import asdict
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from agent.events import codec
from agent.session.roles import ROLES
from prompts import load_prompt

from .harness import Choice

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("langgraph", "pytest", "numpy", "pandas", "matplotlib", "pydantic", "anthropic", "httpx2")
"""The packages that can change what a run does or how a program is graded."""
_GIB = 2**30


def provenance(choice: Choice) -> dict[str, Any]:
    """Returns commit, versions, settings, budget, seed and machine class of the trials of one command."""
    config = asdict(codec.configs.decode(dict(choice.config)))
    return {
        "commit": commit(),
        "versions": versions(),
        "provider": choice.provider,
        "model": choice.model,
        "settings": config,
        "budget": {name.removeprefix("budget_"): config[name] for name in config if name.startswith("budget_")},
        "seed": choice.seed,
        "machine": machine(),
    }


@cache
def commit() -> str:
    """Returns the commit that is checked out, with "+changes" if files differ from it; "" outside of a checkout."""
    try:
        found = _git("rev-parse", "HEAD")
        return found + ("+changes" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=20)
    return done.stdout.strip()


@cache
def versions() -> dict[str, Any]:
    """Returns the versions of Python, of the packages that matter, and of every prompt."""
    installed = {name: _version(name) for name in PACKAGES}
    return {
        "python": platform.python_version(),
        "packages": {name: version for name, version in installed.items() if version},
        "prompts": {role.name: load_prompt(role.name).version for role in ROLES},
    }


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


@cache
def machine() -> str:
    """Returns the class of this machine instead of its name: "Linux x86_64, 2 cores, 8 GiB"."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _GIB
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB"
