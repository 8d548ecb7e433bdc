"""May what is missing be installed? Asked once, before anything is run."""

from __future__ import annotations

from dataclasses import replace

from agent.context import Context
from agent.events import QuestionAnswered, QuestionAsked
from agent.packages import LACKS, MISSING_PACKAGES, NONE_HERE, sentence_of
from agent.state import AgentState, PersonAnswer, Update


def allow(names: tuple[str, ...], state: AgentState, context: Context) -> Update:
    """Ask the person once; in full_auto the run ends with what it has. Returns an update, empty where it is allowed."""
    if not names or context.installs:
        return {}
    may = state.config.may_install and context.session.may_install
    way = "--install-packages allows it" if may else NONE_HERE
    problem = f"the program needs {sentence_of(names)}, so that it was not run; {way}"
    ended: Update = {"done": [f"{LACKS}{' '.join(names)}"], "problems": [problem]}
    if state.config.autonomy == "full_auto" or not may:
        return ended
    payload = {"packages": list(names), "question": f"May {' and '.join(names)} be installed for this run?"}
    context.emit(QuestionAsked(MISSING_PACKAGES, payload))
    answer = context.pause(MISSING_PACKAGES, payload)
    action = str(answer.get("action", "abort"))
    context.emit(QuestionAnswered(MISSING_PACKAGES, action, ""))
    context.installs = action == "approve"
    answers = [PersonAnswer(MISSING_PACKAGES, action)]
    if not context.installs:
        return {**ended, "answers": answers}
    return {"answers": answers, "config": replace(state.config, install_packages=True)}
