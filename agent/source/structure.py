"""Reads a program from its syntax tree: what it uses, by which names, and how it is built. Nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .parsing import Function, module_of

DYNAMIC = frozenset(("eval", "exec", "getattr", "__import__", "globals", "locals", "vars", "compile", "importlib"))
"""Names with which a program can reach what its syntax tree does not show."""


@dataclass(frozen=True, slots=True)
class NameUse:
    """One place where a name is used: `math.sqrt` with its imports resolved, `.sort` for an attribute of a value."""

    name: str
    line: int


@dataclass(frozen=True)
class Source:
    code: str

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; an empty module when the code does not parse. Such a program fails its checks anyway."""
        return module_of(self.code)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def imports(self) -> dict[str, int]:
        """Dotted name of each imported module or member -> line. `from __future__` is left out, because it adds no name
        to use."""
        found: dict[str, int] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found |= {alias.name: node.lineno for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
                found |= {f"{node.module or ''}.{alias.name}": node.lineno for alias in node.names}
        return found

    @cached_property
    def _aliases(self) -> dict[str, str]:
        """Local name -> dotted name of what was imported under it."""
        found: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    local = alias.asname or alias.name.partition(".")[0]
                    found[local] = alias.name if alias.asname else local
            elif isinstance(node, ast.ImportFrom):
                found |= {alias.asname or alias.name: f"{node.module or ''}.{alias.name}" for alias in node.names}
        return found

    @cached_property
    def own_names(self) -> set[str]:
        """Names that the program itself defines: functions, classes, parameters and variables."""
        own = {node.name for node in self.nodes if isinstance(node, Function | ast.ClassDef)}
        own |= {node.arg for node in self.nodes if isinstance(node, ast.arg)}
        return own | {n.id for n in self.nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}

    @cached_property
    def uses(self) -> tuple[NameUse, ...]:
        """Uses of names that the program does not define itself, and of attributes."""
        found: list[NameUse] = []
        for node in self.nodes:
            if isinstance(node, ast.Attribute):
                dotted = self._dotted(node)
                found.append(NameUse(dotted or f".{node.attr}", node.lineno))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in self.own_names:
                found.append(NameUse(self._aliases.get(node.id, node.id), node.lineno))
        return tuple(found)

    def _dotted(self, node: ast.Attribute) -> str:
        """Returns `math.sqrt` when the root is an import; "" for an attribute of a value."""
        parts = [node.attr]
        value = node.value
        while isinstance(value, ast.Attribute):
            parts.append(value.attr)
            value = value.value
        if not isinstance(value, ast.Name) or value.id not in self._aliases:
            return ""
        return ".".join([self._aliases[value.id], *reversed(parts)])

    @cached_property
    def dynamic(self) -> NameUse | None:
        """The first use of a name with which the program can reach more than its tree shows; None without one."""
        return next((use for use in self.uses if use.name.partition(".")[0] in DYNAMIC), None)

    def functions(self) -> Iterator[Function]:
        return (node for node in self.nodes if isinstance(node, Function))

    @property
    def top_functions(self) -> list[Function]:
        """Public functions at the top of the module, in order."""
        return [node for node in self.tree.body if isinstance(node, Function) and not node.name.startswith("_")]

    def entry(self, name: str | None) -> Function | ast.ClassDef | None:
        """Returns the function or class of that name at the top of the module; None without one."""
        named = (node for node in self.tree.body if isinstance(node, Function | ast.ClassDef) and node.name == name)
        return next(named, None)

    def signature(self, name: str | None) -> ast.arguments | None:
        """Returns the parameters of the function, or of the class's `__init__`; None without any."""
        found = self.entry(name)
        if isinstance(found, ast.ClassDef):
            made = [node for node in found.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
            return made[0].args if made else None
        return found.args if found is not None else None

    def parameters(self, name: str | None) -> tuple[str, ...]:
        """Returns the names of the entry's parameters, without `self`."""
        spec = self.signature(name)
        if spec is None:
            return ()
        names = tuple(arg.arg for arg in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs))
        return names[1:] if isinstance(self.entry(name), ast.ClassDef) else names

    @cached_property
    def recursion(self) -> NameUse | None:
        """The first function that calls itself, directly or through others of the program; None without one."""
        calls = {function.name: _called(function) for function in self.functions()}
        for function in self.functions():
            reached: set[str] = set()
            pending = set(calls[function.name])
            while pending:
                name = pending.pop()
                reached.add(name)
                pending |= calls.get(name, set()) - reached
            if function.name in reached:
                return NameUse(function.name, function.lineno)
        return None

    def first(self, *kinds: type[ast.AST]) -> int | None:
        """Returns the line of the first node of one of the kinds; None without one."""
        return next((getattr(node, "lineno", 0) for node in self.nodes if isinstance(node, kinds)), None)

    def names_used(self, *names: str) -> NameUse | None:
        """Returns the first use of one of the names, or of a member of such a module; None without one."""
        return next(
            (use for use in self.uses if any(use.name == n or use.name.startswith(f"{n}.") for n in names)), None
        )


def _called(function: Function) -> set[str]:
    """Returns the names that a function calls: functions by name, and methods of `self` or `cls`."""
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            target = node.func
            if isinstance(target, ast.Name):
                found.add(target.id)
            elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                found |= {target.attr} if target.value.id in ("self", "cls") else set()
    return found


def may_remember(code: str) -> bool:
    """Returns whether a call of the program can depend on calls before it: a default, or a variable of the module or of
    a class, holds something that can change, or a function sets a variable of the module."""
    tree = module_of(code)
    bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    held = [step.value for body in bodies for step in body if isinstance(step, ast.Assign | ast.AnnAssign)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            return True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            held += [*node.args.defaults, *node.args.kw_defaults]
    return any(isinstance(value, _CHANGING) for value in held)


_CHANGING = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Call)
