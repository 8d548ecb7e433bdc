"""The replay's figures as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .data import POOLS, SELECTIONS
from .figures import describe

_LOOP = ("final", "attempts", "broken_of_right", "healed_of_wrong")


def table(report: Mapping[str, Any]) -> str:
    """Returns the report as text: one block for each section, 95 % intervals in brackets."""
    lines = [f"{report['tasks']} tasks, {report['seeds']} orders. {report['note']}"]
    policies: Mapping[str, Any] = report["policies"]
    if not all(policies.values()):
        return "\n".join(lines)
    for suffix in ("", "_without_examples"):
        lines += ["", f"accept{suffix}: right rejected / wrong among accepted, percent"]
        lines += [_accept_line(name, p["accept" + suffix]) for name, p in policies.items() if p["accept" + suffix]]
        lines += ["", f"select{suffix}: right programs chosen, percent"]
        lines += [_select_line(name, p["select" + suffix]) for name, p in policies.items() if p["select" + suffix]]
    for kind in ("with_examples", "without_examples"):
        lines += ["", f"loop {kind}: final, attempts, broken of right, healed of wrong"]
        lines += [_loop_line(name, p["loop"][kind]) for name, p in policies.items() if p["loop"] and p["loop"][kind]]
        for name, policy in policies.items():
            lines += _verdict_lines(name, policy["verdicts"][kind] or {})
    for group, found in report.get("calibration", {}).items():
        lines += _curve_lines(group, found)
    for name, gaps in report.get("product_minus", {}).items():
        lines += ["", f"product minus {name} (paired)"]
        lines += [f"  {figure:<48}{describe(gap)}" for figure, gap in gaps.items()]
    return "\n".join(lines)


def _accept_line(name: str, figures: Mapping[str, Any]) -> str:
    cells = [
        f"{pool} {_cell(figures[pool], 'false_reject')} / {_cell(figures[pool], 'wrong_among_accepted')}"
        for pool in POOLS
    ]
    return f"  {name:<22}" + "   ".join(cells)


def _select_line(name: str, figures: Mapping[str, Any]) -> str:
    return f"  {name:<22}" + "   ".join(f"{pool} {_cell(figures[pool], 'accuracy')}" for pool in SELECTIONS)


def _loop_line(name: str, figures: Mapping[str, Any]) -> str:
    return f"  {name:<22}" + "   ".join(_cell(figures, key) for key in _LOOP)


def _verdict_lines(name: str, figures: Mapping[str, Any]) -> list[str]:
    return [
        f"    {name}, {word}: given {_cell(cells, 'given')}, right {_cell(cells, 'right')}"
        for word, cells in figures.items()
    ]


def _curve_lines(group: str, found: Mapping[str, Any]) -> list[str]:
    """The risk-coverage curve: one rule for `verified` a line."""
    title = f"rules for `verified`, {group}: risk {found['risk']:.0%} at confidence {1 - found['level']:.0%}"
    lines = ["", f"{title}, tested in the order [{'; '.join(found['sequence'])}], in use: {found['in_use']}"]
    for point in found["curve"]:
        wrong = "-" if point["wrong"] is None else f"{point['wrong']:.2f}"
        counted = f"{point['wrong_problems']} of {point['problems']} problems wrong"
        bound = f"at most {point['wrong_at_most']:.2f} %, p = {point['p_value']:.3f}"
        share = f"share {point['share']:.2f}, wrong {wrong}, {counted} ({bound})"
        lines.append(f"  {point['rule']}: {share}{', passes in this order' if point['passes'] else ''}")
    return lines


def _cell(figures: Mapping[str, Any], name: str) -> str:
    if figures[name] is None:
        return "-"
    low, high = figures[f"{name}_ci"]
    return f"{figures[name]:.2f} [{low:.2f}, {high:.2f}]"
