"""Writes several files as one text, and reads the files of a reply with named blocks.

In the text, a line `# file: path` opens each file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .blocks import Block, VisibleReply

_PATH = r"[\w.-]+(?:/[\w.-]+)*\.(?:py|txt|csv|tsv|json|toml|ya?ml|ini|cfg|md|html|sql)"
_MARK = re.compile(
    rf"^(?:# file: (?P<path>{_PATH})|(?P<quote>['\"]{{1,3}})# file: (?P<quoted>{_PATH})(?P=quote))[ \t]*$", re.M
)
_DATA = "#| "
"""How each line begins of a file that is no Python, so that the whole text is still a program."""
_IN_INFO = re.compile(rf"(?:^|[\s:=\"'])(?P<path>{_PATH})[\"']?\s*\}}?$")
_FIRST_LINE = re.compile(rf"^\s*(?:#|//|--)\s*(?:(?:file|filename|path)\s*:\s*)?(?P<path>{_PATH})\s*$", re.I)
_HEADING = re.compile(
    rf"^[\s#*>\d.)(-]*(?:(?:file|filename)\s*:?\s*)?[`*\"]*(?P<path>{_PATH})[`*\"]*\s*:?[\s*]*$", re.I
)
_TESTS = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$|(?:^|/)tests?/")
"""The names of test files. Tests are not the program's part, so a program with tests beside it still counts as one
file."""
_MARKUP = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*")


def split_files(text: str) -> dict[str, str] | None:
    """Returns the content of each file by its path, for a text that opens with the name of a file. Returns None for a
    single program, even for one that opens with a comment on a data file."""
    marks = list(_MARK.finditer(text))
    if not marks or text[: marks[0].start()].strip():
        return None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    files = {_path(mark): _plain(_path(mark), text[mark.end() : end]) for mark, end in zip(marks, ends, strict=True)}
    return files if any(map(_is_python, files)) else None


def join_files(files: Mapping[str, str]) -> str:
    """Returns the files as one text, which is valid Python if each of the modules is."""
    return "\n".join(f"# file: {path}\n{_as_section(path, content)}" for path, content in files.items())


def with_lasting_marks(text: str) -> str:
    """Returns the same lines with the names of files as string literals, which a syntax tree keeps while it drops
    comments."""
    return _MARK.sub(lambda mark: f"'# file: {_path(mark)}'", text) if split_files(text) else text


def with_data_of(text: str, whole: str) -> str:
    """Returns a text that came out of a syntax tree, together with the files of `whole` that are no Python, which the
    tree dropped."""
    files, before = split_files(text), split_files(whole)
    if files is None or before is None:
        return text
    return join_files({path: files[path] if _is_python(path) else before[path] for path in before})


def named_files(page: VisibleReply) -> str | None:
    """Returns the files of a reply whose blocks are named, as one text. Returns None if there is only one file and it
    lies in no folder."""
    found: dict[str, str] = {}
    for block in page.blocks:
        path = _name_of(page, block)
        if path is not None and ".." not in path.split("/") and not path.startswith((".", "/")):
            first, _, rest = block.text.partition("\n")
            found[path] = rest if _FIRST_LINE.match(first) else block.text
    own = [path for path in found if not _TESTS.search(path)]
    several = len(own) > 1 or any("/" in path for path in own)
    return (
        join_files({path: found[path] for path in own}) if several and any(_is_python(path) for path in own) else None
    )


def _name_of(page: VisibleReply, block: Block) -> str | None:
    """Returns the file name of a block, from its fence, its first line, or the line before it; None if it has none."""
    before = next((line for line in reversed(page.lines[: block.first]) if line.strip()), "")
    tries = (
        _IN_INFO.search(_MARKUP.sub("", page.lines[block.first]).strip()),
        _FIRST_LINE.match(block.text.partition("\n")[0]),
        _HEADING.match(before),
    )
    return next((found["path"] for found in tries if found), None)


def _is_python(path: str) -> bool:
    return path.endswith(".py")


def _path(mark: re.Match[str]) -> str:
    return mark["path"] or mark["quoted"]


def _as_section(path: str, content: str) -> str:
    ended = content if content.endswith("\n") or not content else content + "\n"
    if _is_python(path):
        return _MARK.sub(_hidden, ended)
    return "".join(f"{_DATA}{line}" for line in ended.splitlines(keepends=True))


def _hidden(mark: re.Match[str]) -> str:
    """Returns a line inside a file that reads like the beginning of another file in a form that does not, and that
    means the same."""
    return f"({mark[0].rstrip()})" if mark["quoted"] else f"#{mark[0]}"


def _plain(path: str, section: str) -> str:
    content = section.removeprefix("\n").rstrip("\n") + "\n" if section.strip() else ""
    return content if _is_python(path) else "".join(_without_marks(content))


def _without_marks(content: str) -> Iterator[str]:
    for line in content.splitlines(keepends=True):
        yield line.removeprefix(_DATA) if line.startswith(_DATA) else line.removeprefix(_DATA.rstrip())
