"""Tells what an earlier run of the same conversation means for this one: what was said, and the checks that guard its
program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent.events.conclusion import ComesFrom
from agent.examples.types import AS_IT_IS, BY_OUTPUT, Brief
from agent.source.interface import wants_others
from agent.state import Earlier, Origin, Suite, Task

LAW: tuple[Origin, ...] = ("person", "task", "answer")


def told(earlier: Earlier | None) -> str:
    """Returns the conversation in short; "" when there is none."""
    if earlier is None:
        return ""
    in_words = earlier.kind in BY_OUTPUT
    turns = [
        f"- asked: {' '.join(turn.task.split())}\n  outcome: {turn.verdict}{f'; {turn.answer}' if in_words else ''}"
        for turn in earlier.turns
    ]
    return "\n".join(["It follows on from these turns, oldest first; “it” is their program:", *turns])


def as_follow_up(brief: Brief, task: Task) -> Brief:
    """Keeps a script a script: a follow-up on it is judged by its output too."""
    earlier = task.earlier
    if earlier is None or earlier.kind not in BY_OUTPUT or brief.kind not in ("fix", "extend"):
        return brief
    return replace(brief, kind=earlier.kind, examples=(), reports=(), sure=True)


def guards(task: Task, brief: Brief) -> Sequence[Suite]:
    """Returns the earlier checks as suites. What the person and the task stated stays so, unless this turn names the
    same call or asks for other names. Checks of models only show what the program did, which stays so unless the task
    says otherwise."""
    if task.earlier is None or brief.kind in BY_OUTPUT:
        return ()
    spoken_of = {report.call for report in brief.reports} | {example.call for example in brief.examples}
    found: list[Suite] = []
    for suite in task.earlier.suites:
        keeps = brief.kind not in AS_IT_IS and (suite.origin not in LAW or wants_others(task.text))
        origin: Origin = "kept" if keeps else suite.origin
        checks = [replace(one, origin=origin) for one in suite.checks if not one.call or one.call not in spoken_of]
        if checks:
            found.append(replace(suite, origin=origin, checks=tuple(checks), against="c1" if keeps else None))
    return found


def comes_from(task: Task) -> ComesFrom | None:
    """Returns the run that the task goes on from; for a fork also the attempt and what was edited. None without such a
    run."""
    if task.fork is not None:
        return ComesFrom(task.fork.run, task.fork.attempt, task.fork.edited)
    return ComesFrom(task.earlier.run) if task.earlier is not None else None
