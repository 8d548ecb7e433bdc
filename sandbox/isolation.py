"""What a machine's walls are worth: probed by really trying each forbidden act, then told per axis."""

from __future__ import annotations

import asyncio
import marshal
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import times
from .backends import Backend, load
from .cleanup import sweep
from .link import Link
from .pool import Pool
from .report import read_records
from .types import LEVELS, Isolation, Level, LevelTooLow, Limits, Program, SandboxBroken

_SEEING = "files: see that a file outside exists"
_TIMES = times.wire(times.times_of(Program("pass", limits=Limits(timeout=5.0))))
_LIMITS = {"times": _TIMES, "memory_mb": 512, "output_kb": 16, "file_mb": 16}
Probes = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Opened:
    """Workers whose walls have been tried."""

    pool: Pool
    isolation: Isolation
    probes: dict[str, str]


async def probe(link: Link) -> dict[str, str]:
    """Try every act in a throw-away child of this worker: act -> "open" or how it was refused."""
    with tempfile.NamedTemporaryFile(prefix="outside-") as outside:
        job = marshal.dumps({"outside": outside.name, "memory_mb": _LIMITS["memory_mb"]})
        head = {
            "op": "run",
            "id": 0,
            "entry": "probe",
            "second": False,
            "asks": False,
            "files": [],
            "sizes": [len(job), 0],
            "limits": _LIMITS,
        }
        frame = await link.request(head, job, patience=60.0)
    out, err, size = frame.head["sizes"]
    records, _ = read_records(frame.body[out + err : out + err + size], frame.head["nonce"])
    return {name: found for record in records if "probe" in record for name, found in [record["probe"]]}


def _held(probes: Probes, axis: str) -> bool:
    mine = [found for name, found in probes.items() if name.startswith(axis + ":") and name != _SEEING]
    return bool(mine) and not any(found.startswith("open") for found in mine)


def level_of(backend: Backend, probes: Probes) -> Level:
    """The level that the probes support; never more than the backend's own."""
    if not (_held(probes, "network") and _held(probes, "processes")):
        return "limits"
    if not _held(probes, "files"):
        return "filtered"
    outside_unseen = probes.get(_SEEING, "open").startswith("refused")
    return backend.LEVEL if outside_unseen or backend.LEVEL == "walled" else "walled"


def isolation_of(backend: Backend, probes: Probes, walls: Mapping[str, bool]) -> Isolation:
    """Words per axis; "open" where something got through."""
    level = level_of(backend, probes)
    by = " and ".join(name for name, there in walls.items() if there) or "no wall"
    outer = {"namespaces": "namespaces, ", "container": "container, "}.get(level, "")

    def say(axis: str, held: str) -> str:
        through = [
            name.split(": ", 1)[1]
            for name, found in probes.items()
            if name.startswith(axis + ":") and found.startswith("open")
        ]
        through = [act for act in through if level != "walled" or axis != "files" or f"files: {act}" != _SEEING]
        return held if not through else f"open: {', '.join(through)}"

    return Isolation(
        level=level,
        network=say("network", f"blocked ({outer}{by})"),
        files=say("files", f"the interpreter read-only, the run folder writable ({outer}{by})"),
        memory=say("memory", "limited (rlimits)"),
        processes=say("processes", f"none but the program's own threads ({outer}{by})"),
        environment=say("environment", "clean (started with nothing of the app's)"),
    )


async def open_pool(size: int, min_level: Level | None, among: Sequence[str], walls: tuple[str, ...] | None) -> Opened:
    """The strongest of the backends `among` that works here. Raises LevelTooLow, or SandboxBroken where none works."""
    await asyncio.to_thread(sweep)
    reasons: list[str] = []
    for name in among:
        backend = load(name)
        reason = (
            backend.missing() if not backend.ON_REQUEST or min_level == backend.LEVEL else "only used when asked for"
        )
        opened = None if reason else await _try_backend(backend, size, walls)
        if isinstance(opened, Opened):
            if min_level is not None and LEVELS.index(opened.isolation.level) > LEVELS.index(min_level):
                await opened.pool.close()
                reached = f"this machine reaches {opened.isolation.level}"
                raise LevelTooLow("; ".join([f"level {min_level} was asked for, {reached}", *reasons]))
            return opened
        reasons.append(f"{name}: {reason or opened}")
    raise SandboxBroken(f"no way to run programs here: {'; '.join(reasons)}")


async def _try_backend(backend: Backend, size: int, walls: tuple[str, ...] | None) -> Opened | str:
    """A probed pool, or why there is none."""
    pool = Pool(backend, size, walls)
    try:
        async with pool.worker("bare") as link:
            probes = await probe(link)
    except (SandboxBroken, OSError) as error:
        await pool.close()
        return str(error)
    except BaseException:
        await pool.close()
        raise
    return Opened(pool, isolation_of(backend, probes, link.walls), probes)
