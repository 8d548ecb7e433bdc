"""Builds tasks that go on from another run. A follow-up takes the earlier program, files and checks along; a fork
begins with one of the earlier run's attempts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from agent.checks.splitting import UnusableTests, parse_suite
from agent.events import CheckListed, SuiteWritten
from agent.events.codec import stored_events
from agent.events.conclusion import Evidence
from agent.examples.types import OF_GIVEN_CODE
from agent.outcome.report import Report, report_of
from agent.source import originals
from agent.state import Earlier, Fork, Suite, Task, Turn
from agent.task.spec import RunSpec
from framework.errors import UnknownRun
from framework.storage.records import RunRow
from framework.storage.store import Store

from .request import BadInput, check_edited, check_task

TURNS = 3
"""How many earlier turns are told."""
MAX_TASK, MAX_ANSWER = 1000, 300
"""How many characters of each earlier task and answer are told."""
_EARLIER = "earlier:"
_DATA = "data/"
"""Prefix of the names under which the store keeps files that were given while the run waited for them."""
_LEAST_PREFIX = 4
"""Letters of a run's id that a person must give at least."""


def find_run(store: Store, word: str) -> RunRow:
    """Returns the run with that id, or the only one whose id begins with `word`. Raises UnknownRun."""
    row = store.runs.get(word)
    if row is None and len(word) >= _LEAST_PREFIX:
        alike = [each for each in store.runs.list(limit=1000, query=word) if each.run_id.startswith(word)]
        row = alike[0] if len(alike) == 1 else None
        if len(alike) > 1:
            raise UnknownRun(f"{len(alike)} runs begin with {word!r}; give more of its id")
    if row is None:
        raise UnknownRun(f"there is no run {word!r}; python -m agent runs lists them")
    return row


def continued(store: Store, run_id: str, task: Task) -> Task:
    """Returns the task with everything of the earlier run that the task does not bring itself. Raises UnknownRun, and
    BadInput when the earlier run left no program."""
    row = find_run(store, run_id)
    report, suites = _report_and_suites(store, row.run_id)
    outcome = report.conclusion
    if outcome is None or not outcome.code:
        raise BadInput(f"run {row.run_id} has not ended with a program, so nothing can follow on from it")
    parent = RunSpec.from_json(row.spec).task
    before, kind = parent.earlier, report.kind
    turn = Turn(parent.text[:MAX_TASK], outcome.verdict or "", outcome.answer[:MAX_ANSWER])
    passed = {one.name for one in outcome.evidence.checks if one.outcome == "pass"}
    carried = task.tests is None and parent.tests is not None
    earlier = Earlier(
        run=row.run_id,
        kind=before.kind if before is not None and kind in OF_GIVEN_CODE else kind,
        turns=(*(before.turns if before else ()), turn)[-TURNS:],
        suites=tuple(_reduced(suites, passed, carried)),
    )
    return replace(
        task,
        code=task.code if task.code is not None else outcome.code,
        tests=task.tests if task.tests is not None else parent.tests,
        files={**parent.files, **_given_later(store, row.run_id), **task.files},
        originals=_originals(parent, task.code, task.tests, task.originals),
        earlier=earlier,
    )


def forked(store: Store, run_id: str, attempt: str, edits: Task) -> RunSpec:
    """Returns the spec of a run that begins with an attempt of another one ("" for its best), with the same options and
    without the person's API key. Text, code and tests of `edits` are what the person changed, "" or None for what they
    left. Raises UnknownRun, and BadInput when there is no such attempt or an edit cannot be worked on."""
    row = find_run(store, run_id)
    report, suites = _report_and_suites(store, row.run_id)
    outcome = report.outcome()
    wanted = f"c{attempt}" if attempt.isdecimal() else attempt or outcome.candidate or ""
    if wanted not in report.attempts:
        if not report.attempts:
            raise BadInput("no program was written in this run yet")
        raise BadInput(f"run {row.run_id} has no attempt {attempt!r}; there are: {', '.join(report.attempts)}")
    spec = RunSpec.from_json(row.spec)
    parent = spec.task
    standing = () if edits.text else _blind(suites, outcome.evidence)
    changed = {"task": edits.text or None, "code": edits.code, "checks": edits.tests}
    edited = tuple(name for name, value in changed.items() if value is not None)
    code = edits.code if edits.code is not None else report.attempts[wanted].code
    task = replace(
        parent,
        text=edits.text or parent.text,
        tests=parent.tests if edits.tests is None else edits.tests,
        files={**parent.files, **_given_later(store, row.run_id)},
        originals=_originals(parent, edits.code, edits.tests, edits.originals),
        fork=Fork(row.run_id, wanted, code, edited, tuple(standing)),
    )
    check_task(task)
    check_edited(code)
    return replace(spec, task=task, key_id="")


def _originals(parent: Task, code: str | None, tests: str | None, brought: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Returns the original bytes: those of the earlier run for whatever does not come anew, and those that come with
    the edit."""
    program = originals.of(parent.code, originals.CODE, parent.originals) if code is None else {}
    own = originals.of(parent.tests, originals.TESTS, parent.originals) if tests is None else {}
    return {**program, **own, **brought}


def _report_and_suites(store: Store, run_id: str) -> tuple[Report, list[SuiteWritten]]:
    told = stored_events(store, run_id)
    return report_of(run_id, told), [one.event for one in told if isinstance(one.event, SuiteWritten)]


def _blind(written: Sequence[SuiteWritten], evidence: Evidence) -> Iterator[Suite]:
    """Yields suites of checks that were written from the task alone or from an answer, without those that were set
    aside."""
    aside = {one.name for one in evidence.quarantined}
    for event in written:
        if event.origin in ("spec", "answer"):
            yield from _again(event, event.suite, [check for check in event.checks if check.id not in aside])


def _given_later(store: Store, run_id: str) -> Mapping[str, bytes]:
    left = store.blobs.all(run_id)
    return {name.removeprefix(_DATA): content for name, (_, content) in left.items() if name.startswith(_DATA)}


def _reduced(written: Sequence[SuiteWritten], passed: Collection[str], carried: bool) -> Iterator[Suite]:
    """Yields suites of the checks that the program `passed`, with their authors. `carried` says that the person's own
    tests come along as `Task.tests`, so they are left out."""
    for event in written:
        kept = [check for check in event.checks if check.id in passed and not (carried and event.origin == "person")]
        yield from _again(event, _EARLIER + event.suite, kept)


def _again(event: SuiteWritten, identity: str, kept: Sequence[CheckListed]) -> Iterator[Suite]:
    """Yields a stored suite reduced to the `kept` checks; nothing when none is left."""
    if not kept:
        return
    source = "\n\n".join([event.header, *(check.source for check in kept)])
    try:
        suite = parse_suite(source, identity, "person")
    except UnusableTests:
        return
    held_out = {check.name for check in kept if check.held_out}
    own = (replace(one, origin=event.origin, held_out=one.name in held_out) for one in suite.checks)
    yield replace(suite, origin=event.origin, checks=tuple(own))
