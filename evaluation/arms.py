"""Defines the arms: the same model and budget, with one thing of the loop or all of it switched off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ONE_SHOT: Mapping[str, Any] = {
    "plan": "never", "second_suite": False, "reference": False, "valid_inputs": False, "adversary": False,
    "critic": False, "arbiter": False, "independent_attempts": 0, "max_repairs": 0, "max_rewrites": 0,
}  # fmt: skip
"""Hands the first program over. One blind suite is still written, so that there is a verdict."""
BELIEVING: Mapping[str, Any] = {**ONE_SHOT, "believe_tests": True, "mutation_seconds": 0.0, "held_out": 0.0}
"""Accepts whatever passes all of the model's own tests, as most such systems do."""
ATTEMPTS = 4
"""How many further programs an arm may write that believes its tests."""

ARMS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "full": ("the whole loop", {}),
    "one_shot": ("the first program, no repair", ONE_SHOT),
    "naive_repair": (
        "tests of models are believed: repairs until all pass, else the best program",
        {**BELIEVING, "max_repairs": ATTEMPTS},
    ),
    "resample": (
        "tests of models are believed: further samples until one passes all, else the one that passes most",
        {**BELIEVING, "max_rewrites": ATTEMPTS, "blind_rewrites": True},
    ),
    "no_examples": ("the examples of the task are not executed", {"examples": False}),
    "no_properties": ("nothing that is said of every input is a check", {"properties": False}),
    "no_spec_tests": ("no suite is written from the task", {"spec_tests": False}),
    "no_second_suite": ("one blind suite at most", {"second_suite": False}),
    "no_reference": ("no slow and obvious second program", {"reference": False}),
    "no_valid_inputs": ("no generator and validator of inputs", {"valid_inputs": False}),
    "no_adversary": ("nobody attacks the program", {"adversary": False}),
    "one_look": ("the adversary never sees how programs answer its inputs", {"adversary_turns": 1}),
    "no_critic": ("nobody objects at the end", {"critic": False}),
    "no_arbiter": ("nobody rules on disputes", {"arbiter": False}),
    "no_independent": ("no independent second program", {"independent_attempts": 0}),
    "no_repair": ("programs are written anew, never repaired", {"max_repairs": 0}),
    "no_rewrite": ("programs are repaired, never written anew", {"max_rewrites": 0}),
    "no_mutation": ("suites are not tried on mutants", {"mutation_seconds": 0.0}),
    "no_held_out": ("repair prompts see every check", {"held_out": 0.0}),
    "no_plan": ("no plan is made", {"plan": "never"}),
}
"""For each arm, what it is and the fields of AgentConfig that make it."""


def config_of(arm: str, budget_tokens: int | None) -> dict[str, Any]:
    """Returns the configuration of an arm. `budget_tokens` is the budget of each trial, the same in all arms; None: no
    budget."""
    return {**ARMS[arm][1], **({} if budget_tokens is None else {"budget_tokens": budget_tokens})}
