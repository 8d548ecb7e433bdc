"""Packs a run into a ZIP to take away: program, tests, data, evidence and journal. The ZIP can be checked without this
product."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from agent.events import AgentEvent, codec
from agent.events.conclusion import Outcome
from agent.source.files import all_names
from agent.source.originals import CODE, TESTS, handed_over
from agent.state import Task
from framework.engine import Envelope
from llm.replies.files import split_files
from sandbox.types import FileData

MANIFEST = "manifest.sha256"
_NO_TASK = Task("")
_VERIFY = Path(__file__).with_name("verify.py.txt")
"""The script that checks a bundle. It is a text file and no module of this package, because it runs on machines without
it."""


def build(
    outcome: Outcome,
    envelopes: Iterable[Envelope[AgentEvent]],
    left: Mapping[str, tuple[str, bytes]],
    *,
    task: Task = _NO_TASK,
    extra: Mapping[str, bytes] | None = None,
) -> bytes:
    """Returns the bytes of the ZIP. It carries the label of the scripted demo model if that model wrote the program.

    `left` holds (mime, bytes) of what the store keeps of the run, by name. The person's own tests and files from `task`
    are packed as they were given. `extra` holds further files, such as a page that replays the run."""
    files = {
        **_texts(outcome, envelopes),
        **_program(outcome, task.originals),
        **dict(_data(name, content) for name, content in task.files.items()),
    }
    files |= {name if name.startswith("data/") else f"artifacts/{name}": content for name, (_, content) in left.items()}
    own = split_files(task.tests or "") or ({TESTS: task.tests} if task.tests else {})
    inside = "project/" if outcome.files else ""
    files |= {f"{inside}{path}": handed_over(text, task.originals.get(path)) for path, text in own.items()}
    files |= extra or {}
    files[MANIFEST] = manifest(files)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _data(name: str, content: FileData) -> tuple[str, bytes]:
    """Returns the path and content of a data file in the ZIP. For a `Linked` file only the hash is packed."""
    if isinstance(content, bytes):
        return f"data/{name}", content
    return f"data/{name}.sha256", f"{content.sha256}  {name}\n".encode()


def manifest(files: Mapping[str, bytes]) -> bytes:
    """Returns one line per file, sorted by name, in the form that `sha256sum` writes and reads."""
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return "".join(lines).encode("utf-8")


def _program(outcome: Outcome, originals: Mapping[str, bytes]) -> dict[str, bytes]:
    files = program_files(outcome, originals)
    if not outcome.files:
        return files
    return {CODE: all_names(files).encode(), **{f"project/{path}": content for path, content in files.items()}}


def program_files(outcome: Outcome, originals: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the program as it is handed over, by path. `originals` is that of `Task`."""
    files = outcome.files or {CODE: outcome.code}
    return {path: handed_over(text, originals.get(path)) for path, text in files.items()}


def _texts(outcome: Outcome, envelopes: Iterable[Envelope[AgentEvent]]) -> dict[str, bytes]:
    texts: dict[str, str] = {
        "README.txt": _readme(outcome),
        "verify.py": _VERIFY.read_text(encoding="utf-8"),
        "requirements.txt": "pytest\npytest-asyncio\n",
        "evidence.json": json.dumps(outcome.as_json(), indent=2, ensure_ascii=False),
        "journal.jsonl": "".join(_line(envelope) for envelope in envelopes),
    }
    if outcome.tests:
        texts["test_solution.py"] = outcome.tests
    return {name: text.encode("utf-8", "surrogatepass") for name, text in texts.items()}


def _readme(outcome: Outcome) -> str:
    label = f"written by the {outcome.scripted}\n" if outcome.scripted else ""
    check = "Check it again: python verify.py (needs what requirements.txt names; runs the program, without walls)."
    word = outcome.verdict or outcome.status
    return f"{word}: {outcome.verdict_reason}\n{label}\n{outcome.answer}\n\n{check}\n"


def _line(envelope: Envelope[AgentEvent]) -> str:
    kind, data = codec.encode_event(envelope.event)
    entry = {"seq": envelope.seq, "ts": envelope.ts, "kind": kind, **data}
    return json.dumps(entry, ensure_ascii=False) + "\n"
