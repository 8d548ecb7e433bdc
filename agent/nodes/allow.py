"""Installs missing packages before anything is run, if that is allowed; the person is asked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agent.context import Context
from agent.session.packages import MISSING_PACKAGES, NONE_HERE, NOT_ALLOWED, sentence_of
from agent.state import AgentState, Update
from agent.state.done import Done, done_of
from agent.state.questions import Payload


async def allow(needs: Sequence[tuple[str, ...]], state: AgentState, context: Context) -> Update:
    """Handles missing packages. If each of `needs` lacks something, asks the person once and installs for at least one
    of them; otherwise the run ends with what it has. `ends` tells from the update whether it ends."""
    names = tuple(dict.fromkeys(name for lacking in needs for name in lacking))
    if not names or not all(needs):
        return {}
    asked = Update() if context.installs else _ask(names, state, context)
    if not context.installs:
        return asked
    failed: list[str] = []
    for lacking in needs:
        why = await context.session.sandbox.install(lacking)
        if not why:
            return asked
        failed.append(why)
    return {**asked, "done": [Done("lacks", " ".join(names), "; ".join(dict.fromkeys(failed)))]}


def ends(update: Update) -> bool:
    """Returns whether the run ends because packages are missing."""
    return bool(done_of(update.get("done", []), "lacks"))


def _ask(names: tuple[str, ...], state: AgentState, context: Context) -> Update:
    may = state.config.may_install and context.session.may_install
    way = NOT_ALLOWED if may else NONE_HERE
    problem = f"the program needs {sentence_of(names)}, so that it was not run; {way}"
    ended: Update = {"done": [Done("lacks", " ".join(names))], "problems": [problem]}
    if state.config.autonomy == "full_auto" or not may:
        return ended
    payload: Payload = {"packages": list(names), "question": f"May {' and '.join(names)} be installed for this run?"}
    answer = context.put(MISSING_PACKAGES, payload)
    context.installs = answer.action == "approve"
    answers = [answer]
    if not context.installs:
        return {**ended, "answers": answers}
    return {"answers": answers, "config": replace(state.config, install_packages=True)}
