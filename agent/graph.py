"""THE DIAGRAM: the nodes, the edges between them, and nothing else. `judge` alone decides what follows an executed
program, except here: an abort, a missing package, an explanation and the last of several steps end a run without the
judge, `look_again` reads the kind of the task once more when no test fits the program, and `renew_tests` replaces tests
that cannot run whatever the program does."""

from __future__ import annotations

from functools import cache
from typing import get_args

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from . import nodes
from .checks.own_faults import own_faults
from .dialogue.telling import leaves_name_open
from .given.symptoms import calls_to_try
from .nodes import RepairOrder
from .nodes.intake import is_aborted
from .nodes.look_again import doubt_of
from .nodes.plan import to_be_revised
from .nodes.repair import STRATEGIES
from .nodes.repair_review import MAX_SENT_BACK, sent_back
from .session import Session
from .session.packages import lacks
from .state import Action, AgentState
from .task.steps import may_have_steps

Graph = StateGraph[AgentState, Session, AgentState, AgentState]
NODES = (
    nodes.intake,
    nodes.classify,
    nodes.reproduce,
    nodes.explain,
    nodes.plan,
    nodes.review_plan,
    nodes.next_step,
    nodes.write_spec_tests,
    nodes.write_code,
    nodes.run_tests,
    nodes.look_again,
    nodes.renew_tests,
    nodes.judge,
    nodes.conclude,
    nodes.diagnose,
    nodes.learn,
    nodes.review_repair,
    nodes.second_attempt,
    nodes.arbitrate,
    nodes.quarantine,
    nodes.ask_person,
    nodes.write_inputs,
    nodes.write_adversarial_tests,
    nodes.critic,
)
"""Every node except `repair`, which is started several times at once. The titles that a person reads are in
`agent/outcome/boxes.py`."""


@cache
def build_graph() -> Graph:
    graph: Graph = StateGraph(AgentState, context_schema=Session)

    for node in NODES:
        graph.add_node(node)
    graph.add_node("repair", nodes.repair, input_schema=RepairOrder)

    graph.add_edge(START, "intake")
    graph.add_conditional_edges("intake", after_intake, ["plan", "classify"])
    graph.add_conditional_edges("classify", after_classify, [*AFTER_CLASSIFY])
    graph.add_conditional_edges("reproduce", before_writing, ["plan", "review_plan", "next_step", *WRITERS])
    graph.add_conditional_edges("plan", after_plan, ["classify", "review_plan", "next_step", *WRITERS, "conclude"])
    graph.add_conditional_edges("review_plan", after_plan_review, ["plan", "next_step", *WRITERS, "conclude"])
    graph.add_conditional_edges("next_step", after_step, [*WRITERS, "conclude"])
    graph.add_conditional_edges("write_code", after_code, ["write_spec_tests"])
    graph.add_edge([*WRITERS], "run_tests")
    graph.add_conditional_edges("run_tests", after_tests, ["look_again", "renew_tests", "judge", *ENDS])
    graph.add_edge("explain", "run_tests")
    graph.add_edge("look_again", "run_tests")
    graph.add_edge("renew_tests", "run_tests")
    graph.add_conditional_edges("judge", decided, [*CHOICES, "next_step"])
    graph.add_edge("diagnose", "learn")
    graph.add_conditional_edges("learn", after_diagnosis, ["repair", "judge"])
    graph.add_edge("repair", "review_repair")
    graph.add_conditional_edges("review_repair", after_review, ["repair", "run_tests", *ENDS])
    for node in ("second_attempt", "arbitrate", "ask_person"):
        graph.add_edge(node, "run_tests")
    for node in ("write_inputs", "write_adversarial_tests", "critic"):
        graph.add_edge(node, "run_tests")
    graph.add_edge("quarantine", "judge")
    graph.add_edge("conclude", END)
    return graph


ENDS = ("next_step", "conclude")
WRITERS = ("write_spec_tests", "write_code")
AFTER_CLASSIFY = ("reproduce", "explain", "plan", "review_plan", "next_step", *WRITERS, "conclude")
CHOICES: tuple[Action, ...] = get_args(Action)


def decided(state: AgentState) -> str:
    """Returns the judge's last decision. When it concludes one of several steps, the run goes on with the next step."""
    action = state.decisions[-1].action
    return _end(state) if action == "conclude" else action


def after_intake(state: AgentState) -> str:
    """Sends the run to the planner first when code is unsure what kind of program the task wants."""
    unsure = state.brief is not None and not state.brief.sure
    return "plan" if unsure and state.config.plan != "never" else "classify"


def after_classify(state: AgentState) -> list[str]:
    """Sends a text that names calls of given code to `reproduce` before anything is written, so that a symptom is seen
    and not believed, and so is what the program does already."""
    if _aborted(state) or lacks(state):
        return ["conclude"]
    if _explains(state):
        return ["explain"]
    named = calls_to_try(state.brief) if state.brief is not None and state.task.code else ()
    return ["reproduce"] if named else before_writing(state)


def before_writing(state: AgentState) -> list[str]:
    """Sends the run to the planner when the task may have several steps or is hard, when the person wants to see a plan
    first, or when `config.plan` says so. A plan is asked for once, and a hard task with given code needs none."""
    hard = state.brief is not None and state.brief.hard and not state.task.code
    hard = hard or may_have_steps(state) or state.config.autonomy == "review_all"
    wanted = state.config.plan == "always" or (state.config.plan == "auto" and hard)
    asked = state.plan is not None or state.did("failed", "plan")
    return ["plan"] if wanted and not asked else _planned(state)


def after_plan(state: AgentState) -> list[str]:
    """Sends a task that was planned only to learn its kind back to `classify`."""
    return _planned(state) if state.did("classified") else ["classify"]


def _planned(state: AgentState) -> list[str]:
    """Shows the plan before anything is written, if the autonomy is review_all."""
    if _aborted(state):
        return ["conclude"]
    return ["review_plan"] if state.config.autonomy == "review_all" and state.plan else _work(state)


def _work(state: AgentState) -> list[str]:
    """Writes tests and code at the same time. When the task leaves the name of the program open, the code is written
    first, and the tests use the name that its author chose."""
    if state.steps:
        return ["next_step"]
    return ["write_code"] if leaves_name_open(state) else [*WRITERS]


def after_code(state: AgentState) -> list[str]:
    """Starts the spec tests that waited for the program's name."""
    waited = leaves_name_open(state) or (state.brief is not None and state.brief.chosen)
    return ["write_spec_tests"] if waited else []


def after_step(state: AgentState) -> list[str]:
    """Works on the open step like on any task; after the last step the run concludes."""
    return [*WRITERS] if state.steps and state.steps.at < len(state.steps.parts) else ["conclude"]


def after_plan_review(state: AgentState) -> list[str]:
    """Makes a plan anew when the person sent it back."""
    if _aborted(state):
        return ["conclude"]
    return ["plan"] if to_be_revised(state) else _work(state)


def after_tests(state: AgentState) -> str:
    """Sends the run to `look_again` when no test fits the program, because the kind of the task may have been misread,
    and to `renew_tests` when tests cannot run by a fault of their own. An explanation is never judged, and a program
    that lacks packages is not repaired."""
    if _explains(state) or _aborted(state) or lacks(state):
        return _end(state)
    if doubt_of(state):
        return "look_again"
    return "renew_tests" if own_faults(state) else "judge"


def after_review(state: AgentState) -> list[Send] | str:
    """Writes repairs anew that the person sent back, and shows them again; otherwise runs the repairs."""
    if _aborted(state):
        return _end(state)
    return _repairs(state) if 0 < sent_back(state) <= MAX_SENT_BACK else "run_tests"


def after_diagnosis(state: AgentState) -> list[Send] | str:
    """Starts one repair, or several strategies in parallel; none when the debugger does not blame the code."""
    return _repairs(state) if state.diagnoses[-1].fault == "code" else "judge"


def _repairs(state: AgentState) -> list[Send]:
    chosen = STRATEGIES[: state.config.strategies]
    return [Send("repair", RepairOrder(state, strategy, place)) for place, strategy in enumerate(chosen)]


def _explains(state: AgentState) -> bool:
    return state.brief is not None and state.brief.kind == "explain"


def _end(state: AgentState) -> str:
    """Goes on to the next step of a task of several steps; otherwise ends the run."""
    return "next_step" if state.steps else "conclude"


def _aborted(state: AgentState) -> bool:
    return is_aborted(state.answers)
