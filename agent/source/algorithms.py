"""Finds the marks that algorithms leave in the syntax tree of a program."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from .structure import Source

Mark = Callable[[Source], str]
"""Returns, in words, the mark that was seen; "" when it is missing."""


def _one_line(source: Source) -> str:
    functions = [node for node in source.nodes if isinstance(node, ast.FunctionDef)]
    bodies = [node.body[1:] if ast.get_docstring(node) else node.body for node in functions]
    short = all(len(body) == 1 and not isinstance(body[0], ast.For | ast.While | ast.If | ast.With) for body in bodies)
    return "each function is one statement" if functions and short else ""


def _recursion(source: Source) -> str:
    found = source.recursion
    return f"{found.name} in line {found.line} calls itself" if found else ""


def _memoization(source: Source) -> str:
    cached = source.names_used("functools.lru_cache", "functools.cache")
    if cached:
        return f"line {cached.line} uses {cached.name}"
    named = (n for n in source.nodes if isinstance(n, ast.Name) and n.id.lower() in ("memo", "cache", "seen", "known"))
    found = next((n for n in named if isinstance(n.ctx, ast.Store)), None)
    return f"line {found.lineno} keeps values in {found.id}" if found else ""


def _table(source: Source) -> str:
    """Looks for a cell of a table that is assigned in a loop from other cells of the table."""
    for loop in (n for n in source.nodes if isinstance(n, ast.For | ast.While)):
        for node in ast.walk(loop):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                table = ast.unparse(node.targets[0].value).split("[")[0]
                if f"{table}[" in ast.unparse(node.value):
                    return f"line {node.lineno} fills {table} from its other cells"
    return _memoization(source)


def _halving(source: Source) -> str:
    use = source.names_used("bisect")
    if use:
        return f"line {use.line} uses {use.name}"
    for node in source.nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv | ast.RShift):
            by = node.right.value if isinstance(node.right, ast.Constant) else None
            if by == (2 if isinstance(node.op, ast.FloorDiv) else 1):
                return f"line {node.lineno} halves an interval"
    return ""


def _nested(depth: int) -> Mark:
    """Returns a mark for loops that stand inside each other, at least `depth` deep."""

    def mark(source: Source) -> str:
        def depth_of(node: ast.AST) -> int:
            inner = max(map(depth_of, ast.iter_child_nodes(node)), default=0)
            return inner + isinstance(node, ast.For | ast.While)

        return f"{depth} loops inside each other" if depth_of(source.tree) >= depth else ""

    return mark


def _uses(*names: str) -> Mark:
    def mark(source: Source) -> str:
        use = source.names_used(*names)
        return f"line {use.line} uses {use.name}" if use else ""

    return mark


def _stepping(source: Source) -> str:
    """Looks for `range(p * p, n + 1, p)` or `flags[p * p :: p]`, which strike out multiples."""
    for node in source.nodes:
        ranged = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
        if (ranged and len(getattr(node, "args", ())) == 3) or (isinstance(node, ast.Slice) and node.step is not None):
            return f"line {getattr(node, 'lineno', 0)} walks through multiples"
    return ""


def _modulo(source: Source) -> str:
    found = next(
        (n for n in source.nodes if isinstance(n, ast.BinOp | ast.AugAssign) and isinstance(n.op, ast.Mod)), None
    )
    use = source.names_used("math.gcd")
    return f"line {found.lineno} takes a remainder" if found else f"line {use.line} uses math.gcd" if use else ""


def _first(*marks: Mark) -> Mark:
    return lambda source: next((seen for mark in marks if (seen := mark(source))), "")


ALGORITHMS: Mapping[str, Mark] = {
    "binary search": _halving,
    "floyd-warshall": _nested(3),
    "dijkstra": _uses("heapq", "queue.PriorityQueue"),
    "bubble sort": _nested(2),
    "insertion sort": _nested(2),
    "selection sort": _nested(2),
    "merge sort": _first(_recursion, _nested(2)),
    "quicksort": _first(_recursion, _nested(2)),
    "sieve of eratosthenes": _stepping,
    "euclid": _modulo,
    "breadth-first search": _uses("collections.deque", "queue.Queue"),
    "depth-first search": _first(_recursion, _uses(".pop")),
    "levenshtein": _table,
}
"""What a program may be as a whole. Keyed by the names that the reader of clauses gives, as MARKS is."""
MARKS: Mapping[str, Mark] = {
    **ALGORITHMS,
    "recursion": _recursion,
    "memoization": _memoization,
    "dynamic programming": _table,
    "backtracking": _recursion,
    "one line": _one_line,
}
"""Algorithms and ways of writing that can be seen in the text. Whatever has no entry cannot be seen."""
