"""Puts a program together again whose strings contain fences as long as its own, which close its block too early."""

from __future__ import annotations

from .blocks import Block, VisibleReply, opened
from .program import is_python, syntax_problem


def rejoined(page: VisibleReply) -> VisibleReply:
    """Returns the page with its one program whole again, or the page as it is.

    A fence line is Python only inside a string. There is exactly one program if everything from the first opening to
    the last fence parses, the part before the first closing fence does not, and the fences in between pair up.
    """
    first = next((block for block in page.blocks if is_python(block.info)), None)
    if first is None or page.blocks[-1] is first or syntax_problem(first.text) is None:
        return page
    end = page.blocks[-1].last if page.blocks[-1].closed else page.blocks[-1].first
    inside = page.lines[first.first + 1 : end]
    code = "".join(line + "\n" for line in inside)
    if not _bare(page.lines[end]) or not _paired(inside) or syntax_problem(code) is not None:
        return page
    before = tuple(block for block in page.blocks if block.last < first.first)
    after = "\n".join(page.lines[end + 1 :])
    prose = (*page.prose[: _parts_before(page, first)], after)
    whole = Block(first.info, code, True, first.first, end)
    return VisibleReply(
        page.lines, (*before, whole), tuple(part for part in prose if part.strip()), page.thought, rejoined=True
    )


def _paired(lines: tuple[str, ...]) -> bool:
    """Returns whether the fences among the lines open with a language and close without one, in turn."""
    fences = [fence for line in lines if (fence := opened(line))]
    named = [bool(fence.info) for fence in fences]
    return bool(named) and named == [True, False] * (len(named) // 2)


def _bare(line: str) -> bool:
    fence = opened(line)
    return fence is not None and not fence.info


def _parts_before(page: VisibleReply, first: Block) -> int:
    """Returns how many stretches of prose come before a block."""
    starts = [0, *(block.last + 1 for block in page.blocks)]
    ends = [*(block.first for block in page.blocks), len(page.lines)]
    stretches = [(a, b) for a, b in zip(starts, ends, strict=True) if "".join(page.lines[a:b]).strip()]
    return sum(1 for _, end in stretches if end <= first.first)
