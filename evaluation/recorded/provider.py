"""Replays recorded programs and tests of real models.

Roles without recordings are simulated, and their replies say so.
"""

from __future__ import annotations

import ast
import json
import random
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from llm.errors import BadReply, NoScenario
from llm.types import Caps, Completion, Delta, Provider, ProviderSettings, Request, estimated_usage

from .recordings import Claim, Recorded, Recording, open_recordings

MODEL = "recorded"
FAMILY = "gpt-3.5-turbo-1106"
"""The model whose recordings are replayed by default."""
ACCURACY = 0.8
"""The share of calls in which a simulated role tells the truth, by default."""
MAX_INPUTS = 20
"""The most inputs that the adversary supplies."""


def simulated_parts(accuracy: float = ACCURACY, *, plant: bool = False) -> list[str]:
    """Returns what is simulated, in sentences for the header of every report."""
    planted = ["one wrong test was planted in each suite: the value of a right one, changed"] if plant else []
    return [
        *planted,
        "programs and tests are stored outputs of real models; a repair or second attempt is the next stored program of"
        " the same model, which saw no feedback",
        f"debugger and arbiter are simulated: they know the truth and tell it in {100 * accuracy:g} % of their calls",
        "the adversary supplies the inputs of another stored suite, without expected values; planner, reviewer, critic"
        " and memory summariser say nothing of use",
    ]


class ReplayProvider(Provider):
    """Answers from the request and the recordings alone, so that any number of runs, resumed or not, may share it.

    The model is "FAMILY@SEED", FAMILY alone, or "recorded". The options are `data` (folder of the recordings),
    `family`, `seed`, `accuracy` of the simulated roles, `suite` (name of the spec tester's stored suite; by default the
    seed chooses), and `plant` (a wrong test joins that suite).
    """

    def __init__(self, name: str = "replay", settings: ProviderSettings | None = None) -> None:
        """Raises NoProvider if the recordings cannot be read."""
        self.name = name
        self._options = (settings or ProviderSettings()).options
        self._recordings = open_recordings(str(self._options.get("data") or ""))

    def caps(self, model: str) -> Caps:  # noqa: ARG002 - the protocol's signature
        return Caps(tools=True, schema="native", context=None, local=True)

    async def stream(self, request: Request, *, model: str) -> AsyncIterator[Delta | Completion]:
        """Yields the reply. Raises NoScenario for a task that was not recorded, and BadReply if the recordings are used
        up."""
        recording = self._recordings.find(request.task)
        if recording is None:
            raise NoScenario(
                "The provider 'replay' has no recording of this task; it answers recorded benchmarks only."
            )
        if request.role not in _ROLES:
            raise BadReply(f"nothing is recorded of the {request.role.replace('_', ' ')}")
        text, note = _ROLES[request.role](_Asked(request, recording, model, self._options))
        yield Delta(text)
        yield Completion(
            text, "stop", estimated_usage(request, text), self.name, model, schema_mode="native", notes=(note,)
        )


class _Asked:
    """One request, and what is recorded about its task."""

    def __init__(self, request: Request, recording: Recording, model: str, options: Mapping[str, Any]) -> None:
        self.request, self.recording, self.data = request, recording, request.data
        family, _, seed = model.partition("@")
        self.family = str(options.get("family", FAMILY)) if family == MODEL else family
        self.seed = int(seed) if seed else int(options.get("seed", 0))
        self._accuracy = float(options.get("accuracy", ACCURACY))
        self._suite = options.get("suite")
        self.plant = bool(options.get("plant"))

    def programs(self) -> list[Recorded]:
        return self.recording.order(self.family, self.seed)

    def suites(self) -> list[tuple[str, list[Claim]]]:
        """Returns the stored suites with their names: the spec tester's first, then the adversary's, then the
        others."""
        return list(self.recording.suites(self.seed, self._suite).items())

    def accurate(self) -> bool:
        """Returns whether a simulated role tells the truth in this call. The same call always gets the same answer."""
        draw = random.Random(f"{self.seed}/{self.recording.task_id}/{self.request.role}/{self.request.question}")
        return draw.random() < self._accuracy

    def note(self, part: str = "") -> str:
        return f"recorded: {part}" if part else f"simulated: no {self.request.role.replace('_', ' ')} was recorded"


def _generator(asked: _Asked) -> tuple[str, str]:
    written, programs = int(asked.data.get("written", 0)), asked.programs()
    if written >= len(programs):
        raise BadReply(f"only {len(programs)} programs of {asked.family} are recorded for this task")
    return _fenced(programs[written].code), asked.note(programs[written].id)


def _spec_tester(asked: _Asked) -> tuple[str, str]:
    suites = asked.suites()
    if not suites:
        raise BadReply("no suite is recorded for this task")
    name, claims = suites[0]
    if asked.plant:
        wrong = (claim.falsified() for claim in claims if not claim.stated)
        claims = [*claims, *[claim for claim in wrong if claim][:1]]
    tests = [f"def test_{place}():\n    {claim.source}" for place, claim in enumerate(claims, 1)]
    return _fenced("\n\n\n".join(tests)), asked.note(f"suite {name}")


def _adversary(asked: _Asked) -> tuple[str, str]:
    if len(asked.suites()) < 2:
        raise BadReply("no second suite is recorded for this task")
    name, claims = asked.suites()[1]
    calls = [claim.call for claim in claims if claim.call and 3 <= len(claim.call) <= 400]
    inputs = list(dict.fromkeys(calls))[:MAX_INPUTS]
    return json.dumps({"inputs": inputs}), asked.note(f"inputs of suite {name}")


def _debugger(asked: _Asked) -> tuple[str, str]:
    place, programs = int(str(asked.data.get("candidate", "c0")).lstrip("c")) - 1, asked.programs()
    wrong = not (programs[place].right if 0 <= place < len(programs) else False)
    finding = {
        "fault": "code" if wrong == asked.accurate() else "test",
        "category": "assertion",
        "confidence": 0.9,
        "explanation": "simulated finding: nobody looked at the program",
        "repair_hint": "",
    }
    return json.dumps(finding), asked.note()


def _arbiter(asked: _Asked) -> tuple[str, str]:
    """Returns the value that a valid stored assert gives for the call. Without one, it returns any answer that is not
    known to be wrong."""
    call, outputs = asked.data.get("call"), [str(output) for output in asked.data.get("outputs", ())]
    claims = [claim for claim in asked.recording.claims if call and claim.call == call]
    right = next((claim.expected for claim in claims if claim.valid), None)
    false = {claim.expected for claim in claims if claim.valid is False}
    told = right or next((output for output in outputs if output not in false), None) if claims else None
    if told is not None and not asked.accurate():
        told = next((output for output in outputs if output != told), told)
    ruling = {"expected": told or "", "quote": _sentence(asked.recording.prompt), "ambiguous": told is None}
    return json.dumps(ruling), asked.note()


def _nothing(**reply: object) -> Callable[[_Asked], tuple[str, str]]:
    """Returns a role that always says the same, and nothing of use."""
    return lambda asked: (json.dumps(reply), asked.note())


_ROLES: Mapping[str, Callable[[_Asked], tuple[str, str]]] = {
    "generator": _generator,
    "spec_tester": _spec_tester,
    "adversarial_tester": _adversary,
    "debugger": _debugger,
    "arbiter": _arbiter,
    "critic": _nothing(objection="", input="", expected=""),
    "planner": _nothing(plan="Do what the task says.", steps=[]),
    "reviewer": _nothing(findings=[]),
    "memory_summarizer": _nothing(lessons=["An earlier program failed a check."]),
}


def _fenced(code: str) -> str:
    fence = "````" if "```" in code else "```"
    return f"{fence}python\n{code.strip()}\n{fence}"


def _sentence(prompt: str) -> str:
    """Returns a line of the task's own words, for a role that must quote one."""
    try:
        functions = [node for node in ast.parse(prompt).body if isinstance(node, ast.FunctionDef)]
        words = ast.get_docstring(functions[-1]) if functions else None
    except SyntaxError:
        words = None
    lines = [line.strip() for line in (words or prompt).splitlines() if line.strip()]
    return lines[0][:500] if lines else ""
