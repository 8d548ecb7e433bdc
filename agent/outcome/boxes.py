"""The words that a person reads for each box of the diagram, one row per box. `agent/graph.py` holds the edges between
them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Phase = Literal["Understand", "Write", "Run", "Repair", "Prove"]
PHASES: tuple[Phase, ...] = get_args(Phase)


@dataclass(frozen=True, slots=True)
class Box:
    phase: Phase
    words: str
    """The title in the list of what was done."""
    doing: str
    """The title while the box is at work, or while it waits for a person."""


BOXES: Mapping[str, Box] = {
    "intake": Box("Understand", "Read the task", "Reading the task"),
    "classify": Box("Understand", "Classify the task", "Reading the task"),
    "reproduce": Box("Understand", "Try what is reported on your code", "Trying what is reported on your code"),
    "plan": Box("Understand", "Plan", "Planning"),
    "review_plan": Box("Understand", "Your review of the plan", "Your review of the plan"),
    "look_again": Box("Understand", "Look again at what is asked for", "Looking again at what is asked for"),
    "next_step": Box("Write", "Go on to the next step", "Going on to the next step"),
    "write_spec_tests": Box("Write", "Write checks from the task alone", "Writing checks from the task alone"),
    "renew_tests": Box("Write", "Replace checks that cannot run", "Replacing checks that cannot run"),
    "write_code": Box("Write", "Write code", "Writing the program"),
    "second_attempt": Box("Write", "Write an independent program", "Writing a second, independent program"),
    "explain": Box("Write", "Explain the code", "Explaining the code"),
    "run_tests": Box("Run", "Run the checks", "Running the checks"),
    "judge": Box("Run", "Judge", "Deciding what comes next"),
    "quarantine": Box("Run", "Set a check aside", "Setting a check aside"),
    "arbitrate": Box("Run", "Ask the arbiter", "Settling a dispute"),
    "diagnose": Box("Repair", "Find the cause", "Looking for the cause"),
    "learn": Box("Repair", "Keep the lesson", "Noting the lesson"),
    "review_repair": Box("Repair", "Your review before the repair", "Your review before the repair"),
    "repair": Box("Repair", "Repair", "Repairing"),
    "write_inputs": Box("Prove", "Make inputs that the task allows", "Making inputs that the task allows"),
    "write_adversarial_tests": Box("Prove", "Attack the code", "Attacking the program"),
    "critic": Box("Prove", "Ask the critic", "Looking for an objection"),
    "ask_person": Box("Prove", "Ask you", "Ask you"),
    "conclude": Box("Prove", "Conclude", "Counting the evidence"),
}


def box_named(name: str) -> Box:
    """Returns the row of a box. For a name that this version does not have, which a stored run may hold, makes a row
    from the name."""
    told = name.replace("_", " ").capitalize()
    return BOXES.get(name) or Box("Run", told, told)
