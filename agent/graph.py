"""THE DIAGRAM: boxes, the ways between them, and nothing else. What happens next is decided by `judge` alone."""

from __future__ import annotations

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from . import nodes
from .context import Session
from .nodes import RepairOrder
from .nodes.repair import STRATEGIES
from .state import Action, AgentState

Graph = StateGraph[AgentState, Session, AgentState, AgentState]


def build_graph() -> Graph:
    graph: Graph = StateGraph(AgentState, context_schema=Session)

    graph.add_sequence([nodes.intake, nodes.classify])
    for box in (
        nodes.reproduce,
        nodes.plan,
        nodes.review_plan,
        nodes.write_spec_tests,
        nodes.write_code,
        nodes.run_tests,
    ):
        graph.add_node(box)
    for box in (nodes.judge, nodes.conclude):
        graph.add_node(box)
    graph.add_sequence([nodes.diagnose, nodes.learn, nodes.review_repair])
    for box in (nodes.second_attempt, nodes.arbitrate, nodes.quarantine, nodes.ask_person):
        graph.add_node(box)
    for box in (nodes.write_inputs, nodes.write_adversarial_tests, nodes.critic):
        graph.add_node(box)
    graph.add_node("repair", nodes.repair, input_schema=RepairOrder)

    graph.add_edge(START, "intake")
    graph.add_conditional_edges("classify", after_classify, ["reproduce", "plan", "review_plan", *WRITERS])
    graph.add_conditional_edges("reproduce", before_writing, ["plan", "review_plan", *WRITERS])
    graph.add_conditional_edges("plan", after_plan, ["review_plan", *WRITERS])
    graph.add_conditional_edges("review_plan", after_plan_review, [*WRITERS, "conclude"])
    graph.add_edge([*WRITERS], "run_tests")
    graph.add_edge("run_tests", "judge")
    graph.add_conditional_edges("judge", decided, list(BOXES))
    graph.add_conditional_edges("review_repair", after_review, ["repair", "judge", "conclude"])
    for box in ("repair", "second_attempt", "arbitrate", "ask_person"):
        graph.add_edge(box, "run_tests")
    for box in ("write_inputs", "write_adversarial_tests", "critic"):
        graph.add_edge(box, "run_tests")
    graph.add_edge("quarantine", "judge")
    graph.add_edge("conclude", END)
    return graph


WRITERS = ("write_spec_tests", "write_code")
BOXES: tuple[Action, ...] = (
    "run_tests", "diagnose", "second_attempt", "arbitrate", "ask_person", "quarantine", "write_inputs",
    "write_adversarial_tests", "critic", "conclude",
)  # fmt: skip


def decided(state: AgentState) -> Action:
    """The judge's last word."""
    return state.decisions[-1].action


def after_classify(state: AgentState) -> list[str]:
    """What is reported of given code is tried on it before anybody is told of it."""
    reported = state.brief is not None and bool(state.brief.reports)
    return ["reproduce"] if reported else before_writing(state)


def before_writing(state: AgentState) -> list[str]:
    """A plan when the task is hard or the flag says so."""
    hard = state.brief is not None and state.brief.hard
    wanted = state.config.plan == "always" or (state.config.plan == "auto" and hard)
    return ["plan"] if wanted else after_plan(state)


def after_plan(state: AgentState) -> list[str]:
    """Tests and code are written at the same time; before that, review_all shows what is going to be done."""
    return ["review_plan"] if state.config.autonomy == "review_all" else [*WRITERS]


def after_plan_review(state: AgentState) -> list[str]:
    return ["conclude"] if _aborted(state) else [*WRITERS]


def after_review(state: AgentState) -> list[Send] | str:
    """One repair, or several strategies in parallel; none when the debugger does not blame the code."""
    if _aborted(state):
        return "conclude"
    if state.diagnoses[-1].fault != "code":
        return "judge"
    chosen = STRATEGIES[: state.config.strategies]
    return [Send("repair", RepairOrder(state, strategy, place)) for place, strategy in enumerate(chosen)]


def _aborted(state: AgentState) -> bool:
    return any(answer.action == "abort" for answer in state.answers)
