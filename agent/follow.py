"""A task that follows on from an earlier run: its program, files and checks come along, and what was said in short."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from framework.errors import UnknownRun
from framework.records import RunRow
from framework.store import Store

from .checks import UnusableTests, parse_suite
from .codec import decode_event, decode_task
from .events import AgentEvent, SuiteWritten, TaskClassified
from .examples.types import OF_GIVEN_CODE, TaskKind
from .report import Report
from .request import BadInput
from .state import Earlier, Suite, Task, Turn

TURNS = 3
"""Earlier turns that are told."""
MAX_TASK, MAX_ANSWER = 1000, 300
"""Characters that are told of each."""
_EARLIER = "earlier:"
_DATA = "data/"
"""Where the store keeps files that were given while the run waited for them."""
_LEAST_PREFIX = 4


def find_run(store: Store, word: str) -> RunRow:
    """The run of that id, or the only one whose id begins so. Raises UnknownRun."""
    row = store.runs.get(word)
    if row is None and len(word) >= _LEAST_PREFIX:
        alike = [each for each in store.runs.list(limit=1000, query=word) if each.run_id.startswith(word)]
        row = alike[0] if len(alike) == 1 else None
        if len(alike) > 1:
            raise UnknownRun(f"{len(alike)} runs begin with {word!r}; give more of its id")
    if row is None:
        raise UnknownRun(f"there is no run {word!r}; python -m agent runs lists them")
    return row


def events_of(store: Store, run_id: str) -> Iterator[tuple[AgentEvent, float]]:
    """The stored events of a run with their times, in order."""
    last = -1
    while page := store.journal.events(run_id, last):
        yield from ((decode_event(entry.kind, entry.data), entry.ts) for entry in page)
        last = page[-1].seq


def continued(store: Store, run_id: str, task: Task) -> Task:
    """The task with everything of the earlier run that it does not bring itself. Raises UnknownRun, and BadInput where
    that run has left no program."""
    row = find_run(store, run_id)
    report, suites = Report(row.run_id), list[SuiteWritten]()
    kind: TaskKind = "function"
    for event, at in events_of(store, row.run_id):
        report.add(event, at)
        if isinstance(event, SuiteWritten):
            suites.append(event)
        elif isinstance(event, TaskClassified):
            kind = event.task_kind
    outcome = report.as_json()
    if not report.finished or not outcome["code"]:
        raise BadInput(f"run {row.run_id} has not ended with a program, so nothing can follow on from it")
    parent = decode_task(row.spec["task"])
    before = parent.earlier
    turn = Turn(parent.text[:MAX_TASK], outcome["verdict"], outcome["answer"][:MAX_ANSWER])
    carried = {"person"} if task.tests is None and parent.tests else set[str]()
    earlier = Earlier(
        run=row.run_id,
        kind=before.kind if before is not None and kind in OF_GIVEN_CODE else kind,
        turns=(*(before.turns if before else ()), turn)[-TURNS:],
        suites=tuple(_passed(suites, outcome["evidence"]["checks"], carried)),
    )
    return replace(
        task,
        code=task.code if task.code is not None else outcome["code"],
        tests=task.tests if task.tests is not None else parent.tests,
        files={**parent.files, **_given_later(store, row.run_id), **task.files},
        earlier=earlier,
    )


def _given_later(store: Store, run_id: str) -> Mapping[str, bytes]:
    names = [info.name for info in store.blobs.list(run_id) if info.name.startswith(_DATA)]
    loaded = {name: store.blobs.load(run_id, name) for name in names}
    return {name.removeprefix(_DATA): stored[1] for name, stored in loaded.items() if stored is not None}


def _passed(written: Sequence[SuiteWritten], checks: Sequence[Mapping[str, Any]], carried: set[str]) -> Iterator[Suite]:
    """What the program passed, as suites of the same authors; those in `carried` come along as the person's tests."""
    passed = {check["name"]: check for check in checks if check["outcome"] == "pass"}
    for event in written:
        kept = [check for check in event.checks if check.id in passed and event.suite not in carried]
        if not kept:
            continue
        identity = _EARLIER + event.suite.removeprefix(_EARLIER)
        source = "\n\n".join([event.header, *(check.source for check in kept)])
        try:
            suite = parse_suite(source, identity, "person")
        except UnusableTests:
            continue
        held_out = {check.name for check in kept if check.held_out}
        own = (replace(one, origin=event.origin, held_out=one.name in held_out) for one in suite.checks)
        yield replace(suite, origin=event.origin, checks=tuple(own))
