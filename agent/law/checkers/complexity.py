"""Checks claims on the growth of time and space: measures growing sizes until the time stands well above the noise, and
compares the fitted exponent and its interval with the claim."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from agent.examples.types import BY_OUTPUT, Clause
from agent.law.bench import LawBench
from agent.law.growth import explodes, exponent_of, growth_function, scaling_of
from agent.law.measure import CALL_SECONDS, FIRST, LARGER, SMALLER, Profile, measured, profile, space
from agent.law.objects import object_variant
from agent.law.shapes import Variant, variants_of
from agent.law.types import broken, kept, left_open
from agent.state.findings import Finding, Scaling, Standing

MARGIN = 0.4
"""How far an exponent may lie above the claimed one: caches and garbage collection make honest programs look a little
steeper."""
_BREACH, _BREACH_IN_CACHE = 0.6, 0.3
"""How far above the claim a breach is certain: on inputs that fill the memory, and on those that fit any cache."""
_CLOSE = 0.15
"""The distance for claims that the growth is better than something."""
_MUCH = 1.2
"""How much steeper than claimed a program must be whose last measurement ran out of time."""
_STEEPER, _SMALL = 0.8, 2048
"""How much steeper than claimed each of the last two doublings must be, on inputs up to _SMALL, which fit any cache."""
_FAR = 0.8
"""How far the exponent may lie above the claim: memory effects never lift an honest program this far."""
_FAR_OFF, _LARGEST, _STEP = 16, 1 << 18, 4
"""How many times larger than the largest measured input another one must be to tell more; its size; and how many times
smaller the one is that is measured before it."""
_LONGEST = 6.0
"""CPU seconds that the look at one much larger input may take at most."""
_LIST_BYTES = 7.0
"""With at least this many bytes per element, something as large as the input was certainly made; a list takes 8."""

Growth = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Judgement:
    standing: Standing
    told: str
    scaling: Scaling | None = None
    above: float = 0.0
    """How far the low end of the interval lies above the claim."""


async def check_complexity(clause: Clause, bench: LawBench) -> Finding:
    """Checks the claim on each way of making inputs grow. One certain breach breaks the claim; one doubt leaves it
    open."""
    claim = growth_function(clause.growth or "", bench.parameters)
    if claim is None:
        return left_open(clause, f"O({clause.growth}) is not understood")
    variants = _variants(clause, bench)
    claim = _of_an_object(claim) if variants and variants[0].plan and _counts_letters(clause, bench) else claim
    if not variants:
        return left_open(clause, "no inputs of growing size could be made for it")
    found: list[Judgement] = []
    for variant in variants:
        judged = await (_space if clause.subject == "space" else _time)(clause, claim, bench, variant)
        found += [judged] if judged else []
        if judged and judged.standing == "broken":
            return broken(clause, judged.told, judged.scaling)
    doubt = next((one for one in found if one.standing == "open"), None)
    if doubt or not found:
        doubt = doubt or Judgement("open", "no input of growing size was answered")
        return left_open(clause, doubt.told, doubt.scaling)
    steepest = max(found, key=lambda one: one.scaling.exponent if one.scaling else 0.0)
    return kept(clause, steepest.told, steepest.scaling)


def _variants(clause: Clause, bench: LawBench) -> list[Variant]:
    if bench.brief.form in ("program", *BY_OUTPUT):
        return []
    if not isinstance(bench.source.entry(bench.entry), ast.ClassDef):
        return variants_of(bench)
    made = object_variant(clause, bench) if clause.subject == "time" else None
    return [made] if made else []


async def _time(clause: Clause, claim: Growth, bench: LawBench, variant: Variant) -> Judgement | None:
    """Measures again if the claim is not kept: on smaller inputs, which the memory of a busy machine slows less, and on
    larger ones, which show real steepness best. A breach needs two of the three measurements, and the smaller inputs
    must not support the claim unless the breach is far."""
    found = await profile(bench, variant, FIRST)
    judged = compared_with_claim(clause, claim, variant, found)
    if judged is None or judged.standing == "kept":
        return judged and (await _steeper_far_off(claim, bench, variant, found, judged) or judged)
    found = await profile(bench, variant, SMALLER)
    smaller = compared_with_claim(clause, claim, variant, found)
    if smaller is None:
        return judged
    if smaller.standing == "kept" and judged.standing == "open":
        return await _steeper_far_off(claim, bench, variant, found, smaller) or smaller
    larger = compared_with_claim(clause, claim, variant, await profile(bench, variant, LARGER))
    breaches = [one for one in (judged, smaller, larger) if one is not None and one.standing == "broken"]
    far = len(breaches) > 1 and min(one.above for one in breaches) > _FAR
    if len(breaches) > 1 and (far or smaller.standing != "kept"):
        return breaches[0]
    return Judgement("open", judged.told, judged.scaling)


async def _steeper_far_off(
    claim: Growth, bench: LawBench, variant: Variant, found: Profile, judged: Judgement
) -> Judgement | None:
    """Looks at two much larger inputs, if the claim allows for that. Copying what is left of a list or text at each
    step costs so little for each item that its growth shows there only. Memory slows honest programs there, too: time
    has to grow much faster than claimed up to the first one as well as from that to the second, at each try, and that
    leaves the claim open and never breaks it. Returns None where nothing speaks against the claim."""
    last, far = found.readings[-1], _LARGEST
    if variant.square or variant.by_value or variant.plan or variant.most or last.size * _FAR_OFF > far:
        return None
    least = last.amount * claim(far) / claim(last.size) * (far / last.size) ** MARGIN
    if least > _LONGEST:
        return None
    near = await measured(bench, variant, far // _STEP)
    if near.error:
        return None
    least = max(least, near.amount * claim(far) / claim(near.size) * _STEP**_BREACH)
    for turn in range(FIRST.repetitions + 1):
        reading = await measured(bench, variant, far, seed=turn, seconds=least)
        if reading.error != "over":
            return None
    told = f"but size {far} takes more than {least:.3g} s, although size {near.size} takes {near.amount:.3g} s"
    return Judgement("open", f"{judged.told}; {told}", judged.scaling)


def compared_with_claim(clause: Clause, claim: Growth, variant: Variant, found: Profile) -> Judgement | None:
    """Compares a profile with the claim; None when nothing was answered."""
    scaling = found.scaling
    if not found.readings:
        return None
    sizes = [size for size, _ in found.points]
    if scaling is None:
        return Judgement("open", f"on {variant.name} only {len(sizes)} sizes were answered")
    lenient = _lenient(claim, sizes, variant)
    claimed = lenient if variant.square and _CELLS.search(clause.text) else exponent_of(claim, sizes)
    told = (
        f"exponent {scaling.exponent:z.2f} [{scaling.low:z.2f}, {scaling.high:z.2f}] of CPU time at sizes {sizes[0]} to"
        f" {sizes[-1]}, on {variant.name}, claimed {'better than ' if clause.below else ''}O({clause.growth})"
    )
    above = scaling.low - lenient
    stopped = found.stopped
    if stopped is not None and found.least_exponent > _lenient(claim, (sizes[-1], stopped.size), variant) + _MUCH:
        over = f"no end within {CALL_SECONDS:g} s of computing at size {stopped.size}, although size {sizes[-1]}"
        told = f"{over} takes {found.points[-1][1]:.3g} s; {told}"
        return Judgement("broken" if variant.strong else "open", told, scaling, above)
    last = max(_lenient(claim, pair, variant) for pair in pairwise(sizes[-3:]))
    if sizes[-1] <= _SMALL and found.steepness > last + _STEEPER:
        told = f"{told}, and {found.steepness:.1f} between the largest sizes"
        return Judgement("broken" if variant.strong else "open", told, scaling, above)
    in_cache = variant.by_value or sizes[-1] <= _SMALL
    compared = scaling
    if explodes(
        claim
    ):  # a straight line fits neither the claim nor what was measured, but what one has beyond the other
        compared = scaling_of([(size, amount / claim(size)) for size, amount in found.points])
        claimed, lenient = lenient - exponent_of(claim, sizes), lenient - exponent_of(claim, sizes)
    standing = _standing(compared, claimed, lenient, clause, strong=variant.strong, in_cache=in_cache)
    return Judgement(standing, told, scaling, above)


def _lenient(claim: Growth, sizes: Sequence[float], variant: Variant) -> float:
    """Returns the exponent of the kindest reading of the claim between the smallest and the largest of the sizes. The
    size of a square table may count its cells; whoever says O(2^n) counts the results and not what each one holds."""
    plain = exponent_of(claim, sizes)
    squared = exponent_of(lambda size: claim(size * size), sizes) if variant.square else plain
    return max(plain, squared) + explodes(claim)


def _counts_letters(clause: Clause, bench: LawBench) -> bool:
    """Returns whether the size in the claim is the length of an argument, and not how many items there are."""
    told = clause.text if re.search(r"\bn\b", clause.growth or "") else bench.task.text
    return _LENGTH.search(told) is not None


def _of_an_object(claim: Growth) -> Growth:
    """Returns the claim as it is for objects with more and more items, if it speaks of the length of an argument: that
    one stays as long as it is."""
    return lambda _size: claim(1.0)


_LENGTH = re.compile(
    r"(?:length|size|number of (?:letters|characters)) of (?:the |a |an |each |this |that )?(?:\w+ )?"
    r"(?:word|prefix|key|string|name|text|pattern|argument)"
    r"|(?:word|key|prefix|string) length|length of (?:it|them)",
    re.I,
)
_CELLS = re.compile(
    r"(?<!\w)(?:cells?|pixels?|squares|entries|elements|zellen|felder\w*|celdas|cellules|celle|células)(?!\w)", re.I
)
"""Words for what a claim on a square table counts, instead of its rows."""


def _standing(
    scaling: Scaling, claimed: float, lenient: float, clause: Clause, *, strong: bool, in_cache: bool
) -> Standing:
    """Returns kept, broken or open. `lenient` is the exponent of the kindest reading of the claim; only what exceeds
    that is broken."""
    if scaling.high <= claimed + (-_CLOSE if clause.below else MARGIN):
        return "kept"
    breach = -_CLOSE if clause.below else _BREACH_IN_CACHE if in_cache else _BREACH
    return "broken" if strong and scaling.low > lenient + breach else "open"


async def _space(clause: Clause, claim: Growth, bench: LawBench, variant: Variant) -> Judgement | None:
    """Measures the bytes that a call needs beside its input and result. What the depth of calls takes is not seen."""
    found = await space(bench, variant)
    if len(found.readings) < 3:
        return None
    scaling, sizes = found.scaling, [size for size, _ in found.points]
    claimed = exponent_of(claim, sizes)
    last = found.readings[-1]
    told = f"{last.amount:.0f} bytes beside input and result at size {last.size}"
    if scaling is None or last.amount < 2048:
        grows, told = False, f"{told}, whatever the size"
    else:
        grows = scaling.low > claimed + MARGIN
        told = (
            f"{told}; exponent {scaling.exponent:.2f} [{scaling.low:.2f}, {scaling.high:.2f}], claimed {clause.growth}"
        )
    if grows:
        certain = last.amount / last.size >= _LIST_BYTES and not variant.square
        return Judgement("broken" if certain else "open", told, scaling)
    calls = bench.source.recursion
    if calls is not None and claimed < 1 - MARGIN:
        return Judgement(
            "open", f"{calls.name} calls itself, and the depth of its calls is not measured; {told}", scaling
        )
    return Judgement("kept", told, scaling)
