"""Decides from a task's words whether its small inputs can be solved by trying every possibility."""

from __future__ import annotations

import re
from typing import Literal, get_args

Form = Literal["program", "checker"]
"""program: a slow and obvious program gives the only right answer. checker: several answers are right, and a slow
program says whether one of them is."""

_SEVERAL = re.compile(
    r"\b(?:return|give|print|output)s? any\b"
    r"|\bany (?:one |such |valid |correct |of (?:them|these) )"
    r"|\bany (?:order|answer|solution|pair|one) (?:is|are|will|may|can|of)\b"
    r"|\bone (?:such|possible|valid)\b|\bin any order\b"
    r"|\b(?:several|multiple|more than one|many) (?:\w+ )?(?:answers|solutions|possibilities|orders)\b"
    r"|\b(?:need not|not necessarily) (?:be )?unique\b"
    r"|\ban? (?:valid|possible|topological) "
    r"(?:order|ordering|assignment|colou?ring|arrangement|schedule|partition|path)\b",
    re.I,
)
_ONE = re.compile(r"\b(?:answer|solution|result) is (?:always |guaranteed to be )?unique\b", re.I)
_BEST = (
    r"(?:min(?:imum|imal|imi[sz]e)?|max(?:imum|imal|imi[sz]e)?|smallest|largest|biggest|longest|shortest|fewest|"
    r"cheapest|closest|nearest|best|optimal|least|greatest|highest|lowest|earliest|k-?th)"
)
_WHAT = (
    r"(?:possible|number|sum|sums|total|product|difference|cost|length|path|distance|amount|profit|value|subarray|"
    r"sub-?array|substring|subsequence|subset|prefix|rectangle|area|gap|interval|pair|pairs|element|palindrome|common)"
)
_COUNTED = (
    r"(?:ways|pairs|triples|triplets|subsets|subarrays|substrings|subsequences|paths|permutations|combinations|"
    r"partitions|inversions|arrangements|islands|divisors|primes|squares|rectangles|components|steps)"
)
_SEARCHED = re.compile(
    rf"\b(?<!\bat ){_BEST} (?:\w+ ){{0,3}}{_WHAT}\b"
    rf"|\b(?:number of|how many|count(?:s|ing)?(?: of)?(?: the| all)?) (?:\w+ ){{0,2}}{_COUNTED}\b"
    r"|\b(?:all|every) (?:\w+ ){0,2}(?:subsets|permutations|combinations|partitions|substrings|subsequences|divisors)\b"
    r"|\b(?:contiguous (?:part|slice|section|run)|knapsack|coin change|coins|edit distance|levenshtein|inversions"
    r"|n-?queens|next (?:greater|permutation)|median|prime factors?|primes?|divisors?|gcd|lcm|perfect square"
    r"|can be (?:reached|split|divided|partitioned|formed|made|sorted|written|segmented)"
    r"|is (?:possible|a permutation|an anagram|a subsequence|a substring|reachable)"
    r"|merge(?:s|d)? (?:\w+ ){0,3}intervals|overlapping intervals|overlap|range (?:sum|minimum|query|queries)"
    r"|shortest path|reachable|connected components|cycle|inverse permutation|sliding window"
    r"|two (?:numbers|elements|values|indices) (?:\w+ ){0,2}(?:that sum|that add|whose))\b",
    re.I,
)


def reference_form(text: str) -> Form | None:
    """Returns how small inputs can be decided by brute force; None when the task's words do not say that they can."""
    if _SEVERAL.search(text) and not _ONE.search(text):
        return "checker"
    return "program" if _SEARCHED.search(text) else None


def said_form(word: str) -> Form | None:
    """Returns a model's word for the form; None for any other word."""
    forms: tuple[Form, ...] = get_args(Form)
    return next((form for form in forms if form == word), None)
