"""The house keeps its shape: sizes, registrations, one list of packages, and a diagram that is what it says."""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import distributions
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from packaging.requirements import Requirement

from agent.graph import CHOICES, build_graph
from agent.session.roles import ROLES
from agent.state import AgentState, Update
from agent.tools import TOOLS
from llm.services import SERVICES
from tests.constraints import direct, named

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("agent", "llm", "sandbox", "prompts", "evaluation", "framework", "demo")
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def test_files_and_functions_stay_small_and_open_with_what_they_are() -> None:
    wrong: list[str] = []
    for path in SOURCES:
        source = path.read_text()
        tree, name = tree_of(path), path.relative_to(ROOT)
        longest = 80 if name.parts[0] == "demo" else 50
        if (lines := len(source.splitlines())) > 350:
            wrong.append(f"{name} has {lines} lines")
        if source.strip() and not ast.get_docstring(tree):
            wrong.append(f"{name} has no docstring")
        for node in functions_in(tree):
            length = (node.end_lineno or 0) - node.lineno + 1
            wrong += [f"{name}: {node.name} has {length} lines"] * (length > longest)
    assert not wrong


def functions_in(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function at any depth. Expressions, which hold none, are most of a tree and are passed by."""
    for block in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, block, ()):
            if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                yield inner
            yield from functions_in(inner)


def test_no_two_public_classes_share_a_name() -> None:
    """One name, one thing: a reader who has met a class in one room must not take another one for it."""
    places: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not {name: found for name, found in places.items() if len(found) > 1}


@pytest.mark.slow
def test_a_table_by_the_words_of_a_closed_list_holds_them_all() -> None:
    """A type checker does not see that a table lacks a word of its `Literal` keys; whoever looks it up does."""
    for path in SOURCES:
        has_tables = re.search(r"^\w+: Mapping\[", path.read_text(), re.M)
        if has_tables and path.relative_to(ROOT).parts[0] in ("agent", "demo"):
            module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
            for name, kind in get_type_hints(module).items():
                keys = get_args(kind)[0] if get_origin(kind) is Mapping else None
                if get_origin(keys) is Literal:
                    assert set(get_args(keys)) == set(vars(module)[name]), f"{path}: {name}"


def test_an_update_has_exactly_the_keys_of_the_state() -> None:
    assert set(Update.__annotations__) == {field.name for field in dataclasses.fields(AgentState)}


def test_every_role_has_its_prompt_and_every_prompt_its_role() -> None:
    assert {path.stem for path in (ROOT / "prompts").glob("*.yaml")} == {role.name for role in ROLES}


def test_every_tool_file_is_registered() -> None:
    files = {path.stem for path in (ROOT / "agent/tools").glob("*.py")} - {"__init__", "tool"}
    assert files == set(TOOLS)
    assert all(name == tool.spec.name for name, tool in TOOLS.items())


def test_every_provider_file_is_registered() -> None:
    files = {path.stem for path in (ROOT / "llm/providers").glob("*.py")} - {"__init__"}
    wires = {service.wire.partition(":")[0] for service in SERVICES.values()}
    assert files == {wire for wire in wires if "." not in wire}, "a wire with dots lies in another room"


def test_every_word_of_the_judge_is_a_box() -> None:
    assert set(CHOICES) <= set(build_graph().nodes)


def _names(requirements: list[str]) -> set[str]:
    return {line.strip() for line in requirements if line.strip() and not line.startswith("#")}


def test_a_space_installs_core_local_and_space() -> None:
    project, extras = PROJECT["project"], PROJECT["project"]["optional-dependencies"]
    listed = _names(project["dependencies"]) | _names(extras["local"]) | _names(extras["space"])
    gradio = {line for line in listed if line.startswith("gradio[")}
    widest = max(gradio, key=len)
    assert _names((ROOT / "requirements.txt").read_text().splitlines()) == (listed - gradio) | {widest}


def test_every_requirement_is_pinned_exactly() -> None:
    groups = [
        PROJECT["build-system"]["requires"],
        PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"].values(),
    ]
    for line in [line for group in groups for line in group] + PROJECT["dependency-groups"]["dev"]:
        assert re.fullmatch(r"[A-Za-z0-9_.\-]+(\[[a-z,]+\])?==[\w.]+", line), line


def test_packages_that_ours_bring_along_are_the_ones_that_were_tried() -> None:
    listed = map(Requirement, PROJECT["tool"]["uv"]["constraint-dependencies"])
    pinned = {named(one.name): one.specifier for one in listed if one.marker is None or one.marker.evaluate()}
    installed = {named(one.name): one for one in distributions()}
    asked = [Requirement(line) for one in installed.values() for line in one.requires or ()]
    needed = {named(one.name) for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})}
    assert installed.keys() & needed <= pinned.keys() | direct(PROJECT), "`make constraints` lists them"
    assert not [name for name in installed.keys() & pinned.keys() if installed[name].version not in pinned[name]]


def test_the_space_runs_the_gradio_that_is_pinned() -> None:
    pinned = next(line for line in PROJECT["project"]["dependencies"] if line.startswith("gradio"))
    front = (ROOT / "README.md").read_text().split("---")[1]
    assert f"sdk_version: {pinned.split('==')[1]}" in front
    description = re.search(r"short_description: (.*)", front)
    assert description is not None
    assert len(description[1]) <= 60


@pytest.mark.slow
def test_importing_the_engine_does_not_import_the_heavy_packages() -> None:
    heavy = ("gradio", "torch", "transformers", "anthropic", "pandas", "matplotlib")
    code = f"import sys, agent.engine; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
