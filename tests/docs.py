"""What the documents take from the code: `make docs` writes it into them, tests/test_docs.py compares."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

from agent.graph import build_graph
from evaluation.__main__ import COMMANDS as EVALUATION

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
PAGES += [*sorted((ROOT / "docs").glob("*.md")), ROOT / "sandbox/README.md", ROOT / "evaluation/README.md"]
MODULES = {"app.py": "app", **{f"python -m {room}": f"{room}.__main__" for room in ("agent", "sandbox", "llm")}}
MODULES["python -m evaluation"] = "evaluation.__main__"
PROGRAMS = (
    ("app.py",), ("python -m agent",), *(("python -m agent", word) for word in (
        "demo", "runs", "show", "resume", "fork", "memory", "worker", "doctor",
    )),
    *(("python -m sandbox", word) for word in ("run", "batch", "doctor")), ("python -m llm", "check"),
    *(("python -m evaluation", word) for word in EVALUATION),
)  # fmt: skip
_PART = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


class Parsed(Exception):
    """Carries the parser that a command reads its words with."""


def parser_of(program: str, words: Sequence[str], *, read: bool = False) -> argparse.ArgumentParser:
    """The parser of a program and its command (the first of `words`). With `read` it reads the words as well, and
    raises SystemExit where it refuses them."""
    parse = argparse.ArgumentParser.parse_args

    def stop(self: argparse.ArgumentParser, args: Sequence[str] | None = None) -> None:
        if read:
            parse(self, args)
        raise Parsed(self)

    with patch.object(argparse.ArgumentParser, "parse_args", stop):
        try:
            importlib.import_module(MODULES[program]).main([*words])
        except Parsed as found:
            parser: argparse.ArgumentParser = found.args[0]
        else:
            raise AssertionError(f"{program} parses nothing")
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and words and words[0] in action.choices:
            return action.choices[words[0]]
    return parser


def commands() -> str:
    """A table of words and flags for each command."""
    return "\n".join(_command(program, words) for program, *words in PROGRAMS)


def _command(program: str, words: list[str]) -> str:
    parser = parser_of(program, words)
    rows = [
        f"| `{name}` | {about} |"
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
        and "--version" not in action.option_strings
        for name, about in [_row(action)]
    ]
    about = [parser.description, ""] if parser.description else []
    table = ["| word | what it says |", "|---|---|", *rows] if rows else ["No words of its own."]
    return "\n".join([f"### `{' '.join([program, *words])}`", "", *about, *table, ""])


def _row(action: argparse.Action) -> tuple[str, str]:
    value = str(action.metavar or ("{" + ",".join(map(str, action.choices)) + "}" if action.choices else ""))
    value = value or ("" if action.nargs == 0 else action.dest.upper())
    name = " ".join([" / ".join(action.option_strings), value]).strip()
    return name.replace("|", "\\|"), (action.help or "").replace("|", "\\|").replace("%%", "%")


def settings() -> str:
    """A table of what `.env.example` says of each variable; tests/framework/test_settings.py proves that those are the
    variables that are read, with their defaults."""
    parts: list[str] = []
    for section in re.split(r"^# ---- (.*?) -+$", (ROOT / ".env.example").read_text(), flags=re.MULTILINE)[1:]:
        rows = re.findall(r"((?:^# (?![A-Z0-9_]+=).*\n)*)((?:^# [A-Z0-9_]+=.*\n)+)", section + "\n", re.MULTILINE)
        table = ["", "| variable, with its default | what it sets |", "|---|---|"]
        table += [
            f"| {_names(names)} | {' '.join(re.findall('^# (.*)', about, re.MULTILINE))} |" for about, names in rows
        ]
        parts += table if rows else ["", f"### {section}"]
    return "\n".join(parts).strip()


def _names(lines: str) -> str:
    """Variables that share a sentence, one below the other."""
    return "<br>".join(f"`{line.removeprefix('# ').removesuffix('=')}`" for line in lines.splitlines())


def diagram() -> str:
    """The graph as LangGraph draws it."""
    return f"```mermaid\n{build_graph().compile().get_graph().draw_mermaid(with_styles=False)}```"


PARTS = {"commands": commands, "settings": settings, "diagram": diagram}


def fresh(text: str) -> str:
    """The page with every generated part written anew."""
    return _PART.sub(lambda part: f"{part[1]}{PARTS[part[2]]()}\n{part[3]}", text)


def spans(text: str) -> Iterator[str]:
    """What a page shows as code: lines of shell blocks without their comments, and words between backticks."""
    for block in re.findall(r"^```(?:sh)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        yield from (re.split(r"\s{2,}|\s#", line.strip())[0] for line in block.splitlines())
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(fresh(page.read_text()))
