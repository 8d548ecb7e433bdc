"""What a run may ask the person, and what it shows them to decide by."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

QuestionKind = Literal["missing_file", "missing_packages", "clarify", "review_plan", "review_repair", "ambiguous"]
"""missing_file: the task reads files that nobody gave. missing_packages: packages are to be installed. clarify: the
planner wants to know how the task is meant. review_plan, review_repair: the person sees the plan, or the repairs,
before they count. ambiguous: the task leaves open which of several outputs is right."""


class Proposal(TypedDict):
    """A repair that the person may approve."""

    code: str
    diff: str
    """Unified diff to the program that it repairs."""
    strategy: str
    note: str


class Payload(TypedDict, total=False):
    """What a question shows. Each kind of question has some of the fields."""

    question: str
    """The question in words, if its kind does not say it."""
    reason: str
    """Why it is asked."""
    files: list[str]
    packages: list[str]
    task: str
    plan: str
    examples: list[str]
    """What the task gives as examples, each as it stands there."""
    options: list[str]
    """Answers to choose from."""
    call: str | None
    """The input on which programs or checks give the `options`."""
    by: dict[str, list[str]]
    """Option -> ids of the programs and checks that give it."""
    check: str
    candidate: str
    """The program that the proposals repair."""
    proposals: list[Proposal]
    """The repairs; the first one also stands in the fields `code` to `note`."""
    code: str
    diff: str
    strategy: str
    note: str
    failures: list[str]
    fault: str
    category: str
    confidence: float
    explanation: str
    repair_hint: str
