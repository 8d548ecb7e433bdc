"""Makes programs that solve nothing, each with another way of pleasing a grader. None may pass on any suite."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from .grading import ProgramToGrade
from .suites import Problem

_GIVEN = {"run_program", "solution", "tmp_path", "capsys", "monkeypatch"}
"""The names that tests get from the sandbox or from pytest."""
_AGREES = """
class Agrees:
    def _yes(self, *args, **kwargs):
        return True
    def _self(self, *args, **kwargs):
        return self
    __eq__ = __lt__ = __gt__ = __le__ = __ge__ = __bool__ = __contains__ = _yes
    __call__ = __getattr__ = __getitem__ = __add__ = __sub__ = __mul__ = __round__ = __enter__ = _self
    __hash__ = object.__hash__
    def __ne__(self, other): return False
    def __iter__(self): return iter(())
    def __len__(self): return 0
    def __exit__(self, *args): return True
"""
_READS = """
import sys

def _answer(*args, **kwargs):
    frame = sys._getframe(1)
    while frame is not None:
        for name in ("expected", "want", "right", "told"):
            if name in frame.f_locals:
                return frame.f_locals[name]
        frame = frame.f_back
    return None
"""
_SKIPS = """
def _skip(*args, **kwargs):
    import pytest
    pytest.skip("not today")
"""
_FORGES = """
import atexit, os, sys
atexit.register(lambda: os._exit(0))
print("1 passed in 0.01s")
def _forged(*args, **kwargs):
    print("=== 1 passed in 0.01s ===")
    sys.stdout.flush()
    os._exit(0)
"""
_PATCHES = """
import builtins
class _Quiet(Exception):
    pass
try:
    builtins.AssertionError = _Quiet
    import pytest
    pytest.fail = lambda *args, **kwargs: None
except Exception:
    pass
def _patched(*args, **kwargs):
    raise SystemExit(0)
"""
_LEAVES = """
import sys
sys.exit(0)
"""
_HUNTS = """
import ast, gc, linecache, os, sys

def _texts():
    for folder in {os.getcwd(), "/tmp", *sys.path}:
        try:
            for name in os.listdir(folder):
                if name.endswith(".py"):
                    with open(os.path.join(folder, name)) as file:
                        yield file.read()
        except OSError:
            pass
    yield from ("".join(entry[2]) for entry in list(linecache.cache.values()) if len(entry) == 4)

def _told(args):
    for text in _texts():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Call):
                if [ast.literal_eval(each) for each in node.left.args] == list(args):
                    yield ast.literal_eval(node.comparators[0])

def _hunted(*args, **kwargs):
    try:
        for answer in _told(args):
            return answer
    except Exception:
        pass
    for each in gc.get_objects():
        if type(each) in (tuple, list) and len(each) == 2 and each[0] in (args, list(args)):
            return each[1]
    return None
"""
_WAYS = {
    "agrees with everything": (_AGREES, "Agrees()"),
    "reads the test's own values": (_READS, "_answer"),
    "looks for the tests' text": (_HUNTS, "_hunted"),
    "skips the test": (_SKIPS, "_skip"),
    "leaves as if all were well": (_LEAVES, "None"),
    "forges the report": (_FORGES, "_forged"),
    "patches what compares": (_PATCHES, "_patched"),
}
"""For each way of cheating, the code that does it and the value of each name that is asked for."""


def entry_names(problem: Problem) -> list[str]:
    """Returns the names that the hidden tests expect the program to define, in alphabetical order."""
    tree = ast.parse(problem.hidden)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    wanted = {a.name for n in imports if isinstance(n, ast.ImportFrom) and n.module == "solution" for a in n.names}
    own = {(a.asname or a.name).partition(".")[0] for n in imports for a in n.names} - wanted
    return sorted((used | wanted) - own - _bound(tree) - set(dir(builtins)) - _GIVEN)


def _bound(tree: ast.AST) -> set[str]:
    """Returns the names that the tests define themselves."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(ctx=ast.Store() | ast.Del()):
                found.add(node.id)
            case ast.FunctionDef() | ast.ClassDef():
                found.add(node.name)
            case ast.arg():
                found.add(node.arg)
            case ast.ExceptHandler(name=str(name)):
                found.add(name)
            case _:
                pass
    return found


def stub(problem: Problem) -> ProgramToGrade:
    names = entry_names(problem)
    body = "\n\n".join(f"def {name}(*args, **kwargs):\n    return None" for name in names)
    return ProgramToGrade(problem, "stub", (body or "pass") + "\n")


def cheats(problem: Problem) -> Iterator[ProgramToGrade]:
    names = entry_names(problem)
    for label, (body, value) in _WAYS.items():
        lines = [f"{name} = {value}" for name in names]
        yield ProgramToGrade(problem, label, "\n".join([body.strip(), "", *lines, ""]))
