"""Installs packages that a program needs and this installation lacks: once, with uv, from wheels, and read-only for
runs."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import platform
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from .types import SandboxBroken

_REQUIREMENT = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9,._-]+\])?"
    r"(?:(?:==|>=|<=|~=|!=|<|>)[A-Za-z0-9.*+!_-]+(?:,(?:==|>=|<=|~=|!=|<|>)[A-Za-z0-9.*+!_-]+)*)?"
)
_PATIENCE = 180.0
"""Wall seconds that one installation may take."""
_AGAIN = 60.0
"""Seconds before an installation that failed is tried again."""
_SAID = 500
"""Characters of uv's own words that are shown when an installation fails."""
_PINS = ".installed"
_ADDED = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json")


class Environments:
    """Keeps a folder of installed wheels for each set of packages that was asked for.

    Python searches these folders last, so they add packages and never replace an installed one."""

    def __init__(self, folder: Path, *, wheels: Path | None = None) -> None:
        """`wheels` names a folder of wheel files to install from instead of the package index."""
        self._folder = folder.resolve()
        self._source = ["--no-index", "--find-links", str(wheels)] if wheels else []
        self._building: dict[str, asyncio.Lock] = {}
        self._failed: dict[str, tuple[float, str]] = {}

    async def folder_for(self, packages: Sequence[str]) -> str:
        """Returns the folder to import these distributions from, and installs them first if needed. Raises ValueError
        for a name that is no plain requirement, and SandboxBroken when the installation fails."""
        for name in packages:
            if not _REQUIREMENT.fullmatch(name):
                raise ValueError(f"not a distribution name: {name!r}")
        target = self._target(packages)
        async with self._building.setdefault(target.name, asyncio.Lock()):
            at, why = self._failed.get(target.name, (-_AGAIN, ""))
            if time.monotonic() - at < _AGAIN:
                raise SandboxBroken(why)
            if not target.is_dir():
                try:
                    await self._build(_sorted(packages), target)
                except SandboxBroken as error:
                    self._failed[target.name] = (time.monotonic(), str(error))
                    raise
        return str(target)

    def installed(self, packages: Sequence[str]) -> tuple[str, ...]:
        """Returns "name==version sha256:..." for each distribution that `folder_for` installed for these packages."""
        pins = self._target(packages) / _PINS
        return tuple(pins.read_text(encoding="utf-8").splitlines()) if packages and pins.exists() else ()

    def _target(self, packages: Sequence[str]) -> Path:
        version = f"{sys.implementation.cache_tag} {platform.machine()}"
        return self._folder / hashlib.sha256("\n".join([version, *_sorted(packages)]).encode()).hexdigest()[:20]

    async def _build(self, wanted: Sequence[str], target: Path) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=self._folder))
        try:
            await self._install(wanted, draft)
            pins = await asyncio.to_thread(_pins, draft)
            (draft / _PINS).write_text("\n".join(pins), encoding="utf-8")
            _keep(draft, target)
        finally:
            await asyncio.to_thread(shutil.rmtree, draft, ignore_errors=True)

    async def _install(self, wanted: Sequence[str], draft: Path) -> None:
        """Installs into `draft`. `--only-binary` keeps foreign code from running here: building from source would
        execute it outside the sandbox."""
        command = [_uv(), "pip", "install", "--quiet", "--target", str(draft), "--python", sys.executable]
        command += ["--only-binary", ":all:", "--constraints", str(_write_versions(draft)), *self._source]
        nothing, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command, "--", *wanted, stdin=nothing, stdout=nothing, stderr=pipe
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


def _write_versions(draft: Path) -> Path:
    """Writes the versions of all installed distributions as constraints. Programs find the installed ones first, so
    whatever is added has to fit them."""
    path = draft / ".versions"
    there = {one.metadata["Name"]: one.version for one in metadata.distributions() if one.metadata["Name"]}
    path.write_text("".join(f"{name}=={version}\n" for name, version in there.items()), encoding="utf-8")
    return path


def _pins(folder: Path) -> list[str]:
    """Returns the exact versions, each with a hash over the wheel's own files, without those that the installer
    added."""
    found: list[str] = []
    for one in metadata.distributions(path=[str(folder)]):
        digest = hashlib.sha256()
        for file in sorted(one.files or (), key=str):
            path = Path(str(file.locate()))
            if file.name not in _ADDED and ".." not in file.parts and path.is_file():
                digest.update(f"{file}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
        found.append(f"{one.metadata['Name']}=={one.version} sha256:{digest.hexdigest()}")
    return sorted(found)


def _sorted(packages: Sequence[str]) -> list[str]:
    return sorted(set(packages), key=str.lower)


def _keep(draft: Path, target: Path) -> None:
    """Renames a finished draft to its target, unless another process was quicker."""
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
