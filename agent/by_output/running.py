"""Runs a candidate as a script: once to be judged, and once more when it is handed over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from agent.checks.execution import SCRIPT, lean_script, limits_of
from agent.config import AgentConfig
from agent.context import Context
from agent.events.conclusion import Picture
from agent.examples.types import Demand
from agent.state import Candidate, Run
from agent.trust.facts import OUTPUT
from sandbox.types import Artifact, CallOutput, Execution, FileData, Program

from .drawn import RECORD, Drawing, drawings_in, with_recorder
from .fate import fate_of, lacking
from .inserted import with_before
from .leaving import Left, lacking_of, look_at_left
from .output import output_of, same_again
from .pictures import look_at_pictures
from .words import data_words

_DRAWS_LOTS = re.compile(r"\brandom(?:_state)?\b")
DRAWING_SECONDS = 10.0
"""CPU seconds that a script has at least: loading the plot library takes one, and several the first time."""
SECONDS_PER_MB, MOST_READING = 2.0, 60.0
"""More CPU seconds for reading data, per megabyte and at most: a megabyte of a workbook takes more than one second."""
ROOM_PER_MB, MOST_ROOM = 12, 1536
"""More megabytes of memory, per megabyte of data and at most: a table in memory takes several times the size of its
text."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One run of a script with everything that came out of it."""

    execution: Execution
    artifacts: tuple[Artifact, ...]
    drawings: tuple[Drawing, ...]
    pictures: tuple[Picture, ...]
    lacks: str
    left: tuple[Left, ...] = ()
    """What a step of a task must leave behind, as it was found."""

    @property
    def fate(self) -> str:
        return fate_of(self.execution, self.lacks)


async def show(
    context: Context,
    config: AgentConfig,
    code: str,
    demand: Demand,
    *,
    speaks: bool = True,
    made: Mapping[str, FileData] | None = None,
) -> Shown:
    """Runs the script over the task's files, and those that another program `made`. Pictures that it draws and leaves
    open are saved. `speaks` demands that it puts something out; a module that only defines functions does not."""
    limits, files = limits_of(config), {**context.task.files, **(made or {})}
    read = sum(map(len, files.values())) / 2**20
    reading, room = min(read * SECONDS_PER_MB, MOST_READING), min(int(read * ROOM_PER_MB), MOST_ROOM)
    program = Program(
        solution=with_recorder(code),
        files=files,
        limits=replace(
            limits,
            timeout=(max(limits.timeout, DRAWING_SECONDS) + reading) * demand.programs,
            memory_mb=limits.memory_mb + room,
        ),
        mode="inprocess",
    )
    execution = await context.run_fresh(program)
    drawings = drawings_in(execution.artifacts)
    kept = tuple(artifact for artifact in execution.artifacts if artifact.name != RECORD)
    pictures = await look_at_pictures(context.session.sandbox, kept)
    blank = [picture.name for picture in pictures if picture.blank]
    lacks, left = lacking(execution, drawings, demand, blank) if speaks else "", ()
    if execution.status == "ok" and (demand.leaves or demand.values):
        left = await look_at_left(context.session.sandbox, execution.stdout, kept, pictures, demand)
    return Shown(execution, kept, drawings, pictures, lacks or lacking_of(left), left)


async def run_script(
    context: Context,
    config: AgentConfig,
    candidate: Candidate,
    demand: Demand,
    *,
    speaks: bool = True,
    made: Mapping[str, FileData] | None = None,
) -> Run:
    """Runs the candidate as a script; what it puts out stands for its answer."""
    shown = await show(context, config, candidate.code, demand, speaks=speaks, made=made)
    by_chance = speaks and not made and await _hangs_on_chance(context, config, candidate.code, demand, shown)
    task = context.task
    output = output_of(
        replace(shown.execution, artifacts=shown.artifacts),
        shown.drawings,
        replace(demand, by_chance=demand.by_chance or by_chance),
        lambda text: data_words(text, candidate.code, task.files, task.text),
    )
    if shown.lacks and output.kind == "value":
        output = CallOutput("opaque", shown.lacks)
    kept = lean_script(replace(shown.execution, artifacts=shown.artifacts))
    return Run(candidate.id, SCRIPT, kept, outputs={OUTPUT: output}, lacks=shown.lacks, by_chance=by_chance)


async def _hangs_on_chance(context: Context, config: AgentConfig, code: str, demand: Demand, shown: Shown) -> bool:
    """Returns whether the script puts out something else under other seeds. That is tried if the script uses random
    numbers and the task does not leave its output to chance."""
    stirred = with_before(code, "stirrer", _DRAWS_LOTS)
    if demand.by_chance or stirred == code or shown.fate != "ok":
        return False
    other = await show(context, config, stirred, demand)
    told = [output_of(one.execution, one.drawings, demand) for one in (shown, other)]
    return other.fate == "ok" and not same_again(*told)
