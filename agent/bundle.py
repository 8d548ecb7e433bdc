"""A run to take away: program, tests, evidence and journal in one ZIP that can be checked again without us."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

from framework.engine import Envelope
from framework.records import Blobs

from . import codec
from .events import AgentEvent

VERIFY = '''"""Runs the tests of this bundle against its program once more: python verify.py (needs pytest)."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_solution.py"]
sys.exit(subprocess.run(command, cwd=HERE).returncode)
'''


def build(outcome: Mapping[str, Any], envelopes: Iterable[Envelope[AgentEvent]], blobs: Blobs, run_id: str) -> bytes:
    """The ZIP's bytes. It carries the label of the scripted demo model where one wrote the program."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", _readme(outcome))
        archive.writestr("solution.py", outcome["code"])
        if outcome["tests"]:
            archive.writestr("test_solution.py", outcome["tests"])
            archive.writestr("verify.py", VERIFY)
            archive.writestr("requirements.txt", "pytest\npytest-asyncio\n")
        archive.writestr("evidence.json", json.dumps(outcome, indent=2, ensure_ascii=False))
        archive.writestr("journal.jsonl", "".join(_line(envelope) for envelope in envelopes))
        for info in blobs.list(run_id):
            stored = blobs.load(run_id, info.name)
            if stored is not None:
                archive.writestr(f"artifacts/{info.name}", stored[1])
    return buffer.getvalue()


def _readme(outcome: Mapping[str, Any]) -> str:
    label = f"written by the {outcome['scripted']}\n" if outcome["scripted"] else ""
    return f"{outcome['verdict']}: {outcome['verdict_reason']}\n{label}\n{outcome['answer']}\n"


def _line(envelope: Envelope[AgentEvent]) -> str:
    kind, data = codec.encode_event(envelope.event)
    entry = {"seq": envelope.seq, "ts": envelope.ts, "kind": kind, **data}
    return json.dumps(entry, ensure_ascii=False) + "\n"
