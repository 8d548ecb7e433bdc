"""The documents say what is so: their generated parts are fresh, and what they name is there."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import app
from agent.api import solve
from framework.version import version
from tests.tables import in_one_test

from .docs import MODULES, PAGES, PROGRAMS, ROOT, commands, fresh, parser_of, spans
from .test_architecture import PROJECT, ROOMS

FOLDERS = "agent|llm|sandbox|prompts|evaluation|framework|demo|tests|docs"
PROGRAM = re.compile(r"(python -m (?:agent|sandbox|llm|evaluation)|app\.py)(?![\w.])(.*)")
MADE = re.compile(r"^`([\w/.]+)`:\n\n```(?:python|yaml)", re.MULTILINE)
"""A file that the page on extending writes; an `x` stands for the name of any."""
PROMPTS = sorted((ROOT / "prompts").glob("*.yaml"))
by_name = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@by_name
def test_generated_parts_are_fresh(page: Path) -> None:
    assert page.read_text() == fresh(page.read_text()), "run `make docs`"


@in_one_test("page", [*PAGES, *PROMPTS], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_and_function_that_is_named_is_there(page: Path) -> None:
    text = page.read_text()
    made = MADE.findall(text)
    named = re.findall(rf"(?<![\w/.])((?:{FOLDERS})/[\w/.-]*\w/?)(?::(\w+(?:\.\w+)?))?", text)
    for path, name in named:
        if path in made or "/x." in path:
            continue
        assert (ROOT / path).exists(), f"{path} is not there"
        assert not name or _defined(ROOT / path).issuperset(name.split(".")), f"{path} defines no {name}"


@cache
def _defined(path: Path) -> set[str]:
    """Functions, classes and variables of a module, at any depth."""
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    return defined | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


@by_name
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        path, _, heading = target.partition("#")
        if not path.startswith("http"):
            found = (page.parent / path) if path else page
            assert found.exists(), target
            headings = re.findall(r"^#+ (.*)$", found.read_text() if heading else "", re.MULTILINE)
            assert not heading or heading in [
                re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings
            ]


@by_name
def test_every_command_that_is_shown_has_its_program_and_its_flags(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    for shown in spans(page.read_text()):
        if target := re.match(r"make ([\w-]+)$", shown):
            assert f"\n{target[1]}:" in makefile, shown
        if command := PROGRAM.search(shown):
            words = re.findall(r"--[\w-]+|(?<![\w-])\w+", command[2])
            flags = {name for action in parser_of(command[1], words[:1])._actions for name in action.option_strings}
            assert {word for word in words if word.startswith("--")} <= flags, shown


COMPLETE = re.compile(
    r"(?:uv run )?python -m "
    r"(agent (?:demo --list|doctor|memory)|sandbox doctor(?: --json)?|llm check|evaluation suites)"
)
"""Commands that need nothing of the reader, serve nobody, and end within seconds."""
AS_SHOWN = {found[1] for page in PAGES for shown in spans(page.read_text()) if (found := COMPLETE.fullmatch(shown))}


@pytest.mark.slow
@pytest.mark.parametrize("words", sorted(AS_SHOWN))
def test_a_command_that_needs_nothing_of_the_reader_works_as_it_is_shown(words: str, tmp_path: Path) -> None:
    surroundings = {**os.environ, "LLM_PROVIDER": "mock", "STATE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", *words.split()]
    done = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["a task"], ("agent.__main__", ["a task"])),
        (["run", "a task"], ("agent.__main__", ["a task"])),
        (["demo", "--list"], ("agent.__main__", ["demo", "--list"])),
        (["eval", "suites"], ("evaluation.__main__", ["suites"])),
        (["app", "--port", "1"], ("app", ["--port", "1"])),
        ([], ("agent.__main__", [])),
    ],
)
def test_the_installed_command_hands_its_words_to_a_program(
    words: list[str], asked: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[str, list[str]]] = []
    for module in ("agent.__main__", "evaluation.__main__", "app"):
        begin = lambda given, module=module: begun.append((module, given))  # noqa: E731
        monkeypatch.setattr(importlib.import_module(module), "main", begin)
    monkeypatch.setattr(app, "run_command", lambda main: main())
    monkeypatch.setattr("sys.argv", ["code-agent", *words])
    app.command()
    assert begun == [asked]


def test_every_program_of_the_installed_command_is_there() -> None:
    assert PROJECT["project"]["scripts"] == {"code-agent": "app:command"}
    assert all(callable(importlib.import_module(module).main) for module in app.PROGRAMS.values())
    assert {"app.py", *ROOMS} == {*PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]}


@pytest.mark.parametrize("command", PROGRAMS, ids=" ".join)
def test_every_program_and_each_of_its_commands_says_the_version(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    program, *words = command
    with pytest.raises(SystemExit) as ended:
        sys.exit(importlib.import_module(MODULES[program]).main([*words, "--version"]))
    assert not ended.value.code
    assert capsys.readouterr().out == f"{' '.join(command)} {version()}\n"


def test_a_program_that_only_hands_on_its_words_says_the_version_too(capsys: pytest.CaptureFixture[str]) -> None:
    for room in ("sandbox", "llm", "evaluation"):
        with pytest.raises(SystemExit) as ended:
            sys.exit(importlib.import_module(f"{room}.__main__").main(["--version"]))
        assert not ended.value.code
        assert capsys.readouterr().out == f"python -m {room} {version()}\n"


def test_every_word_of_a_command_has_its_sentence() -> None:
    assert not re.findall(r"^.*\|  \|$", commands(), re.MULTILINE)


@pytest.mark.parametrize("room", ["agent", "llm", "sandbox"])
def test_every_public_name_is_there(room: str) -> None:
    public = importlib.import_module(room)
    assert all(getattr(public, name) is not None for name in public.__all__)
    assert (ROOT / room / "py.typed").exists()


_SLOW = [pytest.mark.slow]
EXAMPLES = [
    pytest.param(source, id=re.findall(r"from (\w+) import", source)[0], marks=_SLOW * ("outcome" in source))
    for page in ("README.md", "docs/api.md")
    for source in re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
]
"""Complete programs; those that make a whole run are slow."""


@pytest.mark.parametrize("source", EXAMPLES)
def test_the_examples_for_python_run(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATE_DIR", str(tmp_path))
    exec(source, {})


async def test_inside_an_event_loop_solve_names_its_other_form() -> None:
    with pytest.raises(RuntimeError, match="await solve_async"):
        solve("a task")


def test_the_agents_wings_stand_in_the_order_that_lint_imports_holds() -> None:
    contracts = {one["name"]: one for one in PROJECT["tool"]["importlinter"]["contracts"]}
    layers = contracts["The agent's wings: calls go down"]["layers"]
    level = {name: place for place, layer in enumerate(layers) for name in layer.split(" | ")}
    table = (ROOT / "docs/architecture.md").read_text().partition("| in `agent/`")[2].partition("\n\n")[0]
    firsts = [re.split(" with |;", row)[0] for row in re.findall(r"^\| (`[^|]*)", table, re.MULTILINE)]
    named = [f"agent.{name}" for first in firsts for name in re.findall(r"`agent/(\w+)", first)]
    known = [level[name] for name in named if name in level]
    assert known == sorted(known)
    assert {*level} <= {*named}


def test_the_readme_is_one_page() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) < 120
