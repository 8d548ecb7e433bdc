"""Starts a worker inside a container without network. Untried: no Docker daemon was available where this was
written."""

from __future__ import annotations

import os
import shutil
import subprocess

from ..launch import Place
from ..types import Level
from ..worker.usage import MAX_BYTES

LEVEL: Level = "container"
UNTRIED = True
WALLS = ("landlock", "seccomp")
IMAGE = "python:3.11-slim"
_LOCKED = (
    "--network", "none", "--read-only", "--pids-limit", "128", "--memory", "4g", "--cap-drop", "ALL",
    "--security-opt", "no-new-privileges", "--init", "--log-driver", "none",
)  # fmt: skip
"""The container has no network, no writable place but the tmpfs and the cache folder below, no capability, and no log
that would keep what programs print. The bounds on processes and memory are for all programs of a worker together; each
program has its own limits inside."""
_PATIENCE = 10
"""Seconds that `docker` may take to answer."""


def missing() -> str:
    docker = shutil.which("docker")
    if docker is None:
        return "docker is not installed"
    try:
        inspect = [docker, "image", "inspect", "--format", "{{.Id}}", IMAGE]
        asked = subprocess.run(inspect, capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the Docker daemon does not answer ({type(error).__name__})"
    return "" if asked.returncode == 0 else asked.stderr.decode("utf-8", "replace").strip()[:200] or f"no image {IMAGE}"


def command(place: Place) -> list[str]:
    """Mounts the host's own interpreter and packages read-only, so that a run finds what the host has."""
    arguments = ["docker", "run", "--rm", "--interactive", *_LOCKED]
    arguments += ["--tmpfs", f"{place.root}:rw,size={MAX_BYTES},mode=1777"]
    for path in place.read_only:
        if os.path.exists(path):
            arguments += ["--volume", f"{path}:{path}:ro"]
    for name, value in place.environment.items():
        arguments += ["--env", f"{name}={value}"]
    return [*arguments, "--volume", f"{place.cache}:{place.cache}", "--workdir", place.root, IMAGE, *place.python]
