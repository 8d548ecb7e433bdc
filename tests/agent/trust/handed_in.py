"""Code that was handed in, its repairs and programs beside it, as facts of the policy."""

from __future__ import annotations

from typing import Any

from agent.trust import CheckFacts, Facts, verdict

from .build import anchor, check, program

SYMPTOM = CheckFacts("symptom", "symptom", anchor=True)
KEPT = CheckFacts("kept", "kept", call="f(5)", against="c1")
CHECKS = [anchor(), SYMPTOM, KEPT, check("a", call="f(1)")]


def given(letters: str = "FFPP", **more: Any):
    return program("c1", letters, CHECKS, kind="given", fingerprint="old", **_answers(more))


def repair(name: str, letters: str, **more: Any):
    more = {"fingerprint": name, "root": "c1", **more}
    return program(name, letters, CHECKS, kind="repair", **_answers(more))


def stranger(name: str, letters: str, **more: Any):
    return program(name, letters, CHECKS, kind="independent", **_answers({"fingerprint": name, **more}))


def _answers(more: dict[str, Any]) -> dict[str, Any]:
    return {"answers": {"f(5)": more.pop("five", "5"), "f(1)": "1"}, **more}


def word(known: Facts) -> str:
    return verdict(known, confirmed=True).word


def reasons(known: Facts) -> str:
    return "; ".join(verdict(known, confirmed=True).reasons)
