"""The boxes of the diagram, one file per group; `agent/graph.py` takes them from here. `allow`, `hints` and `reference`
hold no box, but parts that several boxes use."""

from .adversary import write_adversarial_tests
from .conclude import conclude
from .critic import critic
from .diagnose import diagnose
from .explain import explain
from .explore import write_inputs
from .intake import classify, intake
from .judge import judge
from .look_again import look_again
from .next_step import next_step
from .plan import plan, review_plan
from .renew import renew_tests
from .repair import RepairOrder, learn, repair
from .repair_review import review_repair
from .reproduce import reproduce
from .run_tests import run_tests
from .settle import arbitrate, ask_person, quarantine
from .write import second_attempt, write_code, write_spec_tests

__all__ = [
    "RepairOrder", "arbitrate", "ask_person", "classify", "conclude", "critic", "diagnose", "explain", "intake",
    "judge", "learn", "look_again", "next_step", "plan", "quarantine", "renew_tests", "repair", "reproduce",
    "review_plan", "review_repair", "run_tests", "second_attempt", "write_adversarial_tests", "write_code",
    "write_inputs", "write_spec_tests",
]  # fmt: skip
