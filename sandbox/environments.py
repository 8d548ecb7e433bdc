"""Packages that a program needs and this installation lacks: installed once with uv, from wheels, read-only to runs."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .types import SandboxBroken

_REQUIREMENT = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9,._-]+\])?"
    r"(?:(?:==|>=|<=|~=|!=|<|>)[A-Za-z0-9.*+!_-]+(?:,(?:==|>=|<=|~=|!=|<|>)[A-Za-z0-9.*+!_-]+)*)?"
)
_PATIENCE = 180.0
_SAID = 500


class Environments:
    """Folders of installed wheels below one folder, by what was asked for.

    They add to the installed packages and never replace one: a run finds them last.
    """

    def __init__(self, folder: Path, *, wheels: Path | None = None) -> None:
        """`wheels`: take packages from this folder of wheel files instead of the package index."""
        self._folder = folder.resolve()
        self._source = ["--no-index", "--find-links", str(wheels)] if wheels else []
        self._building: dict[str, asyncio.Lock] = {}

    async def folder_for(self, packages: Sequence[str]) -> str:
        """Folder to import these distributions from. ValueError for what is no plain requirement, SandboxBroken when
        they cannot be installed."""
        wanted = sorted(set(packages), key=str.lower)
        for name in wanted:
            if not _REQUIREMENT.fullmatch(name):
                raise ValueError(f"not a distribution name: {name!r}")
        version = f"{sys.implementation.cache_tag} {platform.machine()}"
        key = hashlib.sha256("\n".join([version, *wanted]).encode()).hexdigest()[:20]
        target = self._folder / key
        async with self._building.setdefault(key, asyncio.Lock()):
            if not _exists(target):
                await self._build(wanted, target)
        return str(target)

    async def _build(self, wanted: Sequence[str], target: Path) -> None:
        draft = self._draft()
        try:
            await self._install(wanted, draft)
            _keep(draft, target)
        finally:
            await asyncio.to_thread(shutil.rmtree, draft, ignore_errors=True)

    def _draft(self) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=".draft-", dir=self._folder))

    async def _install(self, wanted: Sequence[str], draft: Path) -> None:
        """`--only-binary`: no foreign code runs while installing."""
        command = [_uv(), "pip", "install", "--quiet", "--target", str(draft), "--python", sys.executable]
        command += ["--only-binary", ":all:", *self._source, "--", *wanted]
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(_PATIENCE):
                _, said = await process.communicate()
        except TimeoutError:
            raise SandboxBroken(f"installing {', '.join(wanted)} took longer than {_PATIENCE:g} s") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            text = " ".join(said.decode("utf-8", "replace").split())[:_SAID]
            raise SandboxBroken(f"cannot install {', '.join(wanted)} from wheels: {text}")


def _exists(folder: Path) -> bool:
    return folder.is_dir()


def _keep(draft: Path, target: Path) -> None:
    """Give a finished draft its name, unless another process was quicker."""
    draft.chmod(0o755)
    if not target.is_dir():
        draft.rename(target)


def _uv() -> str:
    try:
        return str(importlib.import_module("uv").find_uv_bin())
    except (ImportError, FileNotFoundError):
        found = shutil.which("uv")
    if found is None:
        raise SandboxBroken("uv is not installed; it is needed to add packages to a run")
    return found
