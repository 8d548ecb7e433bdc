"""What plain pytest says about each program, kept beside the corpus so that the quick tests need not run it again.

    python -m tests.sandbox.differential.plain            runs what is new or changed, and writes outcomes.json
    python -m tests.sandbox.differential.plain NAME...    runs these suites again too
    python -m tests.sandbox.differential.plain --all      runs everything again

Outside of any sandbox: nothing else than the programs of this corpus may be run so.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from .corpus import Case, cases

OUTCOMES = Path(__file__).parent / "outcomes.json"
_RECORD = Path(__file__).parent / "record.py"
COLLECTION = "(collection)"
"""Stands for every check of a suite that could not be loaded."""


def digest(case: Case) -> str:
    """Changes with anything that plain pytest is given."""
    given = json.dumps([case.sources, list(case.package), case.module, {k: v.hex() for k, v in case.files.items()}])
    return hashlib.sha256(given.encode()).hexdigest()[:16]


@cache
def _stored() -> dict[str, dict[str, object]]:
    return json.loads(OUTCOMES.read_text("utf-8")) if OUTCOMES.exists() else {}


def outcome(case: Case) -> dict[str, str]:
    """Check -> status as plain pytest saw it. Raises KeyError for a program that it has not run yet."""
    kept = _stored().get(case.id)
    if kept is None or kept["digest"] != digest(case):
        raise KeyError(f"{case.id} is new or changed: run python -m tests.sandbox.differential.plain")
    checks = kept["checks"]
    assert isinstance(checks, dict)
    return checks


def run(case: Case) -> dict[str, str]:
    """Run plain pytest now, in a process and a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "run")
        for path, text in {**(case.package or {"solution.py": case.solution}), "test_solution.py": case.module}.items():
            _write(folder / path, text.encode())
        for path, data in case.files.items():
            _write(folder / path, data)
        written = Path(name, "checks.json")
        _recorded(folder, written)
        return json.loads(written.read_text("utf-8"))


_recorders = threading.local()


def _recorded(folder: Path, written: Path) -> None:
    """Have it run by this thread's recorder. Raises OSError where it could not be."""
    recorder: subprocess.Popen[str] | None = getattr(_recorders, "process", None)
    if recorder is None:
        command = [sys.executable, str(_RECORD)]
        recorder = _recorders.process = subprocess.Popen(
            command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    assert recorder.stdin is not None
    assert recorder.stdout is not None
    recorder.stdin.write(f"{folder}\t{written}\n")
    recorder.stdin.flush()
    if recorder.stdout.readline() != "0\n":
        raise OSError(f"plain pytest did not end in {folder}")


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def main(again: list[str]) -> None:
    """Bring outcomes.json up to date."""
    kept = (
        {}
        if again == ["--all"]
        else {name: value for name, value in _stored().items() if name.partition(": ")[0] not in again}
    )
    digests = {case.id: digest(case) for case in cases()}
    due = [case for case in cases() if kept.get(case.id, {}).get("digest") != digests[case.id]]
    with ThreadPoolExecutor(2) as pool:
        seen = dict(zip([case.id for case in due], pool.map(run, due), strict=True))
    told = {
        case.id: {"digest": digests[case.id], "checks": seen[case.id]} if case.id in seen else kept[case.id]
        for case in cases()
    }
    OUTCOMES.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    for case in due:
        wrong = case.is_right and not set(seen[case.id].values()) <= {"pass", "skip"}
        kept_quiet = not case.is_right and set(seen[case.id].values()) <= {"pass", "skip"}
        if wrong or kept_quiet or not seen[case.id]:
            print(f"{case.id}: {seen[case.id]}")
    print(f"{len(due)} of {len(told)} programs were run")


if __name__ == "__main__":
    main(sys.argv[1:])
