"""The words that a person reads for the engine's names, on the screen and in a terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agent.state import AttemptKind, Origin

SCRIPTED = "Demo model"
_SCRIPTED_PROVIDER = "mock"
SCRIPTED_LONG = "Scripted demo model: its text is prepared, everything else (tests, sandbox, verdict) runs live."

ORIGIN_WORDS: Mapping[Origin, str] = {
    "person": "your own tests",
    "task": "read from the task by code",
    "spec": "from the task alone",
    "adversary": "by the adversary",
    "critic": "from the critic's input",
    "reference": "by a checker that tries every possibility",
    "arbiter": "from the arbiter, where programs differ",
    "answer": "from your answer",
    "symptom": "reported as wrong, and seen",
    "kept": "what your code did before",
}

ATTEMPT_WORDS: Mapping[AttemptKind, str] = {
    "given": "your code",
    "first": "first attempt",
    "independent": "independent attempt",
    "reference": "reference",
    "repair": "repair",
    "rewrite": "fresh attempt",
}

TIER_WORDS: Mapping[str, str] = {
    "T0": "promised by you or by the task",
    "T1": "confirmed by a second source",
    "T2": "the model's own, never decide alone",
}

_VERDICTS: Mapping[str, str] = {
    "verified": "Verified",
    "partly_verified": "Partly verified",
    "unverified": "Unverified",
    "failed": "Failed",
}


def role_words(role: str) -> str:
    return role.replace("_", " ").replace("summarizer", "summariser").capitalize()


def verdict_words(verdict: str) -> str:
    return _VERDICTS.get(verdict, "none")


def counted(value: int) -> str:
    """Returns a count in short: 8765 becomes "8.8k"."""
    return str(value) if value < 1000 else f"{value / 1000:.1f}k" if value < 100_000 else f"{value // 1000}k"


def plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def money(usd: float | None) -> str:
    """Returns a price in dollars; an unknown price is never shown as zero."""
    if usd is None:
        return "price unknown"
    return "no cost" if usd == 0 else f"${usd:.4f}" if usd < 1 else f"${usd:.2f}"


def reads_well(text: str) -> str:
    """Rewords counts as a person would say them: "1 of 1 checks pass" becomes "the one check passes", "3 of 3" becomes
    "all 3"."""
    text = text.replace(
        "compared with 1 independent program: 1 of 1 inputs equal", "an independent program gives the same result"
    )
    single = re.sub(r"\b1 of 1 (other |confirmed )?(check|demand)s(.*?)\b(pass|are|hold)\b", _single, text)
    return re.sub(r"\b([2-9]|\d\d+) of \1\b(?! inputs)", r"all \1", single)


def _single(found: re.Match[str]) -> str:
    verb = {"pass": "passes", "are": "is", "hold": "holds"}[found[4]]
    return f"the one {found[1] or ''}{found[2]}{found[3]}{verb}"


def who_answers(provider: str, model: str) -> str:
    """Returns the name of a model for people; "" when none is known."""
    return SCRIPTED if provider == _SCRIPTED_PROVIDER else " · ".join(filter(None, (provider, model)))


def decisive_first(reason: str) -> str:
    """Sorts reasons, which are separated by semicolons: parts in which everything passed ("3 of 3 ...") go last."""
    parts = [part.strip() for part in reason.split(";") if part.strip()]
    return "; ".join(sorted(parts, key=lambda part: bool(re.match(r"(\d+) of \1\b", part))))


def sentence(text: str) -> str:
    """Returns the text with a capital first letter, unless it begins with an identifier, which keeps its case."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return text if re.search(r"[_.(:\[\d]", first.rstrip(".:,;")) else text[:1].upper() + text[1:]
