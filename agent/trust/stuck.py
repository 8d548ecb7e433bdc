"""Computes failure signatures, and tells when repairing a family has stopped to help."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from .facts import Facts

_VOLATILE = re.compile(r"0x[0-9a-fA-F]+|line \d+|\b\d+(?:\.\d+)?\s*(?:ms|s|seconds)\b|/[\w./-]+|\.py:\d+")


def signature(failures: Mapping[str, str]) -> str:
    """Returns a short hash of failures {check id: message} that stays the same if only addresses, lines, paths or times
    differ; "" without failures."""
    if not failures:
        return ""
    lines = [f"{check}:{_VOLATILE.sub('_', failures[check]).strip()}" for check in sorted(failures)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def stuck(facts: Facts, root: str) -> str:
    """Returns, in words, why another repair of this family is pointless; "" while one may help. The given program is no
    attempt, and if there is one it alone is repaired, so all repairs may go to its family."""
    family = [candidate for candidate in facts.candidates if candidate.root == root]
    attempts = [candidate for candidate in family if candidate.kind != "given"]
    own = len(attempts) < len(family)
    if _twice([c.fingerprint for c in attempts]):
        return "a repair gave the same program again"
    if _twice([c.signature for c in attempts]):
        return "two programs of this family failed in exactly the same way"
    spent = facts.spent
    if spent.repairs.get(root, 0) >= spent.max_repairs_per_root and not own:
        return f"{spent.max_repairs_per_root} repairs of this family did not heal it"
    if sum(spent.repairs.values()) >= spent.max_repairs:
        return f"all {spent.max_repairs} repairs are spent"
    return ""


def _twice(values: list[str]) -> bool:
    known = [value for value in values if value]
    return len(known) != len(set(known))
