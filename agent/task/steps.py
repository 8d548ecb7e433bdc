"""Handles tasks of several steps: reads the planner's steps, builds a task for each, and joins their programs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from agent.counting.comparing import by_output
from agent.dialogue.telling import several_files
from agent.examples import read_brief
from agent.examples.outputs import PICTURES, demand_of
from agent.examples.types import Brief, Demand, Leaving
from agent.examples.vocabulary import has
from agent.source.files import begins_with
from agent.state import AgentState, Task
from agent.state.steps import Step, Steps
from llm.replies.files import join_files, split_files

ASK_FOR_STEPS = 'it may have several steps: say which, in "steps"'
MOST_STEPS = 5
_NUMBERED = re.compile(r"^\s*(?:\d+[.)]|[-*])\s", re.M)
_NAME = re.compile(r"[\w][\w .-]{0,80}\.\w{1,8}")


def may_have_steps(state: AgentState) -> bool:
    """Returns whether the planner is asked for steps: the task may be a script, and its text names things that follow
    one another."""
    text, unsure = state.task.text, state.brief is not None and not state.brief.sure
    if (
        not (by_output(state) or unsure)
        or state.task.code
        or state.task.earlier
        or state.task.fork
        or several_files(state)
    ):
        return False
    return has(text, "one_after_another") or len(_NUMBERED.findall(text)) > 1


def steps_of(state: AgentState, planned: Sequence[Mapping[str, Any]]) -> Steps | None:
    """Returns the planner's steps. Returns None, so that one script does it all, if there are fewer than two, if one
    leaves nothing behind that can be looked at, or if no step makes a file or picture that the task asks for."""
    parts = [_step(one) for one in planned[:MOST_STEPS]] if may_have_steps(state) else []
    if len(parts) < 2 or not all(step.leaves or step.values for step in parts):
        return None
    demand, leaves = demand_of(state.task.text, state.task.files), [one for step in parts for one in step.leaves]
    forgotten = {name.rpartition("/")[2] for name in demand.makes} - {one.name for one in leaves}
    if forgotten or (demand.picture and not any(map(_is_picture, leaves))):
        return None
    return Steps(state.task.text, state.task.files, tuple(parts))


def _step(planned: Mapping[str, Any]) -> Step:
    files = [Leaving(str(one["name"]), tuple(one.get("columns", ()))) for one in planned.get("files", ())]
    plain = tuple(one for one in files if _NAME.fullmatch(one.name) and PurePosixPath(one.name).name == one.name)
    return Step(str(planned["task"]), plain, tuple(planned.get("values", ())))


def in_words(step: Step) -> str:
    """Returns the step with what it leaves behind, in one line."""
    left = f"leaves {', '.join(map(_file_told, step.leaves))}" if step.leaves else ""
    printed = f"prints {', '.join(step.values)}" if step.values else ""
    return f"{step.task} [{'; '.join(filter(None, [left, printed]))}]"


def _file_told(leaving: Leaving) -> str:
    return f"{leaving.name} ({', '.join(leaving.columns)})" if leaving.columns else leaving.name


def task_of(steps: Steps, at: int) -> Task:
    """Returns the open step as a task of its own, with the files that the steps before it left."""
    step = steps.parts[at]
    told = [
        step.task,
        f"This is step {at + 1} of {len(steps.parts)} of a larger task. The steps before it are done, and their files "
        f"lie in the working directory; those after it are not yours. The whole task:\n{steps.text}",
    ]
    if step.leaves:
        told.append(f"It leaves behind, in the working directory: {'; '.join(map(_file_told, step.leaves))}")
    if step.values:
        told.append(f"It prints, each on a line of its own behind its name: {'; '.join(step.values)}")
    if step.blamed:
        told.append(f"It was done once, and {step.blamed}")
    files = {**steps.files, **{name: data for one in steps.parts[:at] for name, data in one.left.items()}}
    label = f"step{at + 1}{'again' if step.blamed else ''}"
    return Task("\n\n".join(told), files=files, part=label, whole=steps.text)


def brief_of(steps: Steps, at: int, task: Task) -> Brief:
    """Returns the brief of one step. Its kind is known, and its demands are those of its words and of what it leaves
    behind. Figures over files that lie there are not left to chance, even if the files were made by chance."""
    step, before = steps.parts[at], any(one.left for one in steps.parts[:at])
    brief = read_brief(step.task, None, task.files, "data" if task.files else "script")
    own, whole = brief.demand, demand_of(steps.text, steps.files)
    picture = own.picture or any(_is_picture(one) for one in step.leaves)
    chosen = own.by_chance or whole.by_chance or has(step.task, "made_up")
    by_chance = own.by_chance and picture if before or task.files else chosen
    demand = Demand(
        picture=picture,
        labelled=picture and (own.labelled or whole.labelled),
        makes=tuple(one.name for one in step.leaves),
        ordered=own.ordered,
        by_chance=by_chance,
        leaves=step.leaves,
        values=step.values,
    )
    return replace(brief, examples=(), reports=(), sure=True, demand=demand)


def _is_picture(leaving: Leaving) -> bool:
    return leaving.name.rpartition(".")[2].lower() in PICTURES


def brief_of_all(steps: Steps) -> Brief:
    """Returns the brief of the whole task, which demands everything that any step leaves behind."""
    done = [step for step in steps.parts if step.code]
    brief = read_brief(steps.text, None, steps.files, "data" if steps.files else "script")
    leaves = {one.name: one for step in done for one in step.leaves}
    values = tuple(value for step in done for value in step.values)
    demand = replace(
        brief.demand,
        picture=any(map(_is_picture, leaves.values())),
        makes=tuple(leaves),
        missing=(),
        leaves=tuple(leaves.values()),
        values=values,
        by_chance=False,
        programs=max(1, len(done)),
    )
    return replace(brief, sure=True, demand=demand)


def program_of(steps: Steps) -> str:
    """Returns the steps' programs as files of one program, with a main file that runs them in order. If a step has
    several files, the one that starts it is named after the step."""
    codes = [step.code for step in steps.parts if step.code]
    if len(codes) == 1:
        return codes[0]
    names, files = [f"step_{number}" for number in range(1, len(codes) + 1)], dict[str, str]()
    for name, code in zip(names, codes, strict=True):
        own = split_files(code) or {"main.py": code}
        begins = begins_with({path: content for path, content in own.items() if path.endswith(".py")})
        files |= {f"{name}.py" if path == begins else path: content for path, content in own.items()}
    lines = ", ".join(f'"{name}"' for name in names)
    main = f'"""Runs the steps in their order."""\n\nimport runpy\n\nfor step in ({lines}):\n'
    main += _RUN_STEP
    return join_files({"main.py": main, **files})


_RUN_STEP = """\
    try:
        runpy.run_module(step, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
"""
"""A step that ends itself with success must not end the steps after it."""


def to_be_reopened(steps: Steps) -> int | None:
    """Returns the index of the step to write again because the open step failed: the last earlier step whose file the
    failure names, else the one before. Returns None if that was done once already."""
    failed = steps.parts[steps.at]
    if failed.word != "failed" or steps.at == 0 or any(one.blamed for one in steps.parts):
        return None
    told = f"{failed.reason}\n{failed.code}"
    naming = [place for place in range(steps.at) if any(one.name in told for one in steps.parts[place].leaves)]
    return naming[-1] if naming else steps.at - 1


def reopened(steps: Steps, at: int) -> Steps:
    """Returns the steps with that step to be written again. The programs after it are tried as they are before any of
    them is written anew."""
    failed = steps.parts[steps.at]
    blamed = f"what it left behind made step {steps.at + 1} fail: {failed.reason}"
    again, *behind = (replace(one, word=None, reason="", seen=()) for one in steps.parts[at:])
    return replace(steps, parts=(*steps.parts[:at], replace(again, blamed=blamed), *behind))
