"""Finds out how well a machine isolates programs: tries each forbidden act in a child and tells the result per axis."""

from __future__ import annotations

import asyncio
import contextlib
import marshal
import socket
import tempfile
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from .backends import Backend, load
from .cleanup import sweep
from .jobs import order
from .launch import hidden_from_workers
from .link import Link
from .pool import WorkerPool
from .report import read_records
from .times import times_of
from .types import LEVELS, Isolation, Level, LevelTooLow, Limits, Program, SandboxBroken
from .worker.probes import ACTS, LONG_ACTS
from .worker.usage import MAX_BYTES, MAX_ENTRIES, MAX_WRITTEN_BYTES

_SEEING = "files: see that a file outside exists"
_SECONDS, _LONG_SECONDS = 5.0, 30.0
"""Seconds for the quick acts together, and for each of the long ones."""
_MEMORY_MB = 512
_SHORT = 70
"""Characters of a folder's path that leave room for the name of a socket in it."""
_PATIENCE = 60.0
"""Seconds beyond the acts' own after which a worker that tries them counts as dead."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The results of trying forbidden acts."""

    probes: dict[str, str]
    """Act -> "open", or how it was refused."""
    own_file_system: bool
    """Whether the run folders lie on a file system of their own, in memory and of limited size."""


@dataclass(frozen=True)
class Opened:
    """Workers whose walls have been tried."""

    pool: WorkerPool
    backend: Backend
    walls: Mapping[str, bool]
    tried: Tried
    reasons: dict[str, str] = field(default_factory=dict[str, str])
    """Backend -> why it is not used; "" for the one in use."""

    @cached_property
    def isolation(self) -> Isolation:
        return isolation_of(self.backend, self.tried, self.walls)


async def _try_acts(link: Link, acts: Sequence[str], seconds: float) -> tuple[Tried, str]:
    """Tries these acts in a throw-away child of this worker. Returns the results, and how the child ended."""
    with _forbidden_targets() as (outside, mailbox):
        places = {"outside": outside, "mailbox": mailbox, "cache": link.place.cache}
        job = marshal.dumps({"acts": list(acts), "memory_mb": _MEMORY_MB, **places})
        limits = Limits(timeout=seconds, memory_mb=_MEMORY_MB)
        head = order("probe", (len(job), 0), limits, times_of(Program("pass", limits=limits)))
        frame = await link.request(head, job, patience=seconds + _PATIENCE)
    records, _ = read_records(frame.parts()[2], frame.head["nonce"])
    probes = {name: found for record in records if "probe" in record for name, found in [record["probe"]]}
    own = any(record.get("own_file_system") for record in records)
    return Tried(probes, own), str(frame.head["cause"])


@contextlib.contextmanager
def _forbidden_targets() -> Generator[tuple[str, str]]:
    """Makes a file and a datagram socket that no program may reach, and yields their paths."""
    # A socket's path may have about a hundred characters; the system's temporary folder can be longer than that.
    home = None if len(tempfile.gettempdir()) < _SHORT else "/tmp"
    with (
        tempfile.TemporaryDirectory(prefix="outside-", dir=home) as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as box,
    ):
        outside, mailbox = Path(folder, "file"), str(Path(folder, "mailbox"))
        outside.write_text("outside")
        box.bind(mailbox)
        yield str(outside), mailbox


async def examine(opened: Opened) -> Opened:
    """Returns the sandbox's isolation with further acts tried: those that take a second each, and those that the
    sandbox refuses by ending the run."""
    probes = dict(opened.tried.probes)
    for act in LONG_ACTS:
        async with opened.pool.worker("bare") as link:
            tried, cause = await _try_acts(link, [act], _LONG_SECONDS)
        refused = {"overfull": "refused (the run was ended)"}.get(cause, f"not known: the run ended by {cause}")
        probes[act] = tried.probes.get(act, refused)
    tried = Tried(probes, opened.tried.own_file_system)
    return replace(opened, tried=tried)


def _through(probes: Mapping[str, str], axis: str) -> list[str]:
    """Returns the acts of this axis that were not refused."""
    return [
        name.split(": ", 1)[1]
        for name, found in probes.items()
        if name.startswith(f"{axis}:") and found.startswith("open") and name != _SEEING
    ]


def _seen_outside(probes: Mapping[str, str]) -> bool:
    return not probes.get(_SEEING, "open").startswith("refused")


def level_of(backend: Backend, probes: Mapping[str, str]) -> Level:
    """Returns the level that the probes support, at most the backend's own. An axis without any probe counts as
    open."""
    held = {
        axis: not _through(probes, axis) and any(name.startswith(f"{axis}:") for name in probes)
        for axis in ("network", "files", "processes")
    }
    if not (held["network"] and held["processes"]):
        found: Level = "limits"
    elif not held["files"]:
        found = "filtered"
    else:
        found = "walled" if _seen_outside(probes) else backend.LEVEL
    return LEVELS[max(LEVELS.index(found), LEVELS.index(backend.LEVEL))]


def isolation_of(backend: Backend, tried: Tried, walls: Mapping[str, bool]) -> Isolation:
    """Tells each axis in words; "open: ..." lists the acts that got through."""
    level = level_of(backend, tried.probes)
    by = " and ".join(name for name, there in walls.items() if there) or "no wall"
    by = {"namespaces": "namespaces, ", "container": "container, "}.get(level, "") + by

    def say(axis: str, held: str) -> str:
        through = _through(tried.probes, axis)
        return held if not through else f"open: {', '.join(through)}"

    seen = "; names, sizes and dates elsewhere can be seen, contents not" if _seen_outside(tried.probes) else ""
    return Isolation(
        level=level,
        network=say("network", f"blocked ({by})"),
        files=say("files", f"the interpreter read-only, the run folder writable{seen} ({by})"),
        memory=say("memory", "limited for each process (rlimits)"),
        disk=say("disk", _room(tried, walls)),
        processes=say("processes", f"none but the program's own threads ({by})"),
        environment=say("environment", "clean (started with nothing of the app's)"),
    )


def _room(tried: Tried, walls: Mapping[str, bool]) -> str:
    """Tells how much disk a run may take, and what enforces that."""
    files = f"{MAX_BYTES >> 20} MB and {MAX_ENTRIES} files"
    if tried.own_file_system:
        return f"{files} at most, in memory and within the memory limit (a tmpfs of its own)"
    if not walls.get("landlock"):
        # The worker may look at the files that a program holds open only behind landlock: without it, one program could
        # look at another's.
        return f"open: files without a name ({files} with one)"
    return f"{files} at a time, {MAX_WRITTEN_BYTES >> 20} MB written in all (looked at while it runs)"


async def open_pool(size: int, min_level: Level | None, among: Sequence[str], walls: tuple[str, ...] | None) -> Opened:
    """Opens the strongest of the backends `among` that works here. Raises LevelTooLow when it does not reach
    `min_level`, and SandboxBroken when none works."""
    await asyncio.to_thread(sweep)
    reasons: dict[str, str] = {}
    for name in among:
        backend = load(name)
        allowed = backend.LEVEL in (min_level, *LEVELS[1:])  # a container only on request
        reasons[name] = backend.missing() if allowed else "only used when its level is asked for"
        opened = reasons[name] or await _try_backend(backend, size, walls)
        if isinstance(opened, str):
            reasons[name] = opened
            continue
        weaker = dict.fromkeys(among[among.index(name) + 1 :], f"not tried: {name} is stronger and works")
        opened.reasons.update(reasons | weaker)
        if min_level is not None and LEVELS.index(opened.isolation.level) > LEVELS.index(min_level):
            await opened.pool.close()
            reached = f"this machine reaches {opened.isolation.level}{_reasons_in_words(reasons)}"
            raise LevelTooLow(f"level {min_level} was asked for, {reached}")
        return opened
    raise SandboxBroken(f"no way to run programs here{_reasons_in_words(reasons)}")


def _reasons_in_words(reasons: Mapping[str, str]) -> str:
    """Returns why each backend was not taken, as the end of a sentence."""
    return "".join(f"; {name}: {reason}" for name, reason in reasons.items() if reason)


async def _try_backend(backend: Backend, size: int, walls: tuple[str, ...] | None) -> Opened | str:
    """Returns a probed pool, or why this backend does not work."""
    pool = WorkerPool(backend, size, walls)
    try:
        async with pool.worker("bare") as link:
            tried, _ = await _try_acts(link, tuple(ACTS), _SECONDS)
    except (SandboxBroken, OSError) as error:
        await pool.close()
        return "; ".join(filter(None, (str(error) or type(error).__name__, hidden_from_workers())))
    except BaseException:
        await pool.close()
        raise
    return Opened(pool, backend, link.walls, tried)
