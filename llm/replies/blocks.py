"""Takes a reply apart into thoughts, fenced blocks, and the prose around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from llm.errors import InvalidReply

OPENING = re.compile(r"^([ \t]*)(`{3,}|~{3,})[ \t]*([^\n]*?)[ \t]*$")
THOUGHT = re.compile(r"^\s*<(think|thinking|reasoning)>", re.IGNORECASE)
FUSED = re.compile(r"(?P<fence>`{3,}|~{3,})(?P<info>[A-Za-z][\w+.-]*)?$")
TAIL_CHARS = 40
"""The characters at the end of a line in which a fence is looked for, so that long lines stay cheap."""
MAX_BLOCKS = 60
"""The most blocks of a reply that is read; a reply with more has run away."""
ANY_TAG = re.compile(r"</?(think|thinking|reasoning)>", re.IGNORECASE)
ORPHAN = re.compile(r"</(think|thinking|reasoning)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a reply."""

    info: str
    """The first word after the opening fence, in lower case."""
    text: str
    """The content without the fences. Each line ends with a newline."""
    closed: bool
    first: int
    last: int
    """The numbers of the fence lines, from 0."""


@dataclass(frozen=True, slots=True)
class VisibleReply:
    """A reply without its thoughts."""

    lines: tuple[str, ...]
    blocks: tuple[Block, ...]
    prose: tuple[str, ...]
    """The stretches of text outside the blocks, in order and without blank ones."""
    thought: bool = False
    """Whether thoughts were left out."""
    rejoined: bool = False
    """Whether a program was put together again over fences inside it."""


@dataclass(frozen=True, slots=True)
class Fence:
    """An open fence, while lines are read."""

    mark: str
    indent: str
    info: str

    def closes(self, line: str) -> bool:
        if self.mark not in line:
            return False
        bare = line.strip()
        deep = len(line) - len(line.lstrip()) - len(self.indent)
        return len(bare) >= len(self.mark) and bare == self.mark[0] * len(bare) and deep <= 3

    def unindented(self, line: str) -> str:
        """Returns a line of the block without the indentation of the fence."""
        return line.removeprefix(self.indent) if line.startswith(self.indent) else line.lstrip(" \t")


def read_page(text: str) -> VisibleReply:
    """Splits a reply. Raises InvalidReply for a thought that never ends, and for too many blocks."""
    plain, thought = without_thoughts(text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = plain.split("\n")
    blocks, prose = _split(lines)
    if len(blocks) > MAX_BLOCKS:
        raise InvalidReply("There are far too many fenced blocks.")
    return VisibleReply(tuple(lines), tuple(blocks), tuple(part for part in prose if part.strip()), thought)


def unfused(text: str) -> str:
    """Returns the reply with a fence that ends a line of other words on a line of its own. This is a last resort,
    because a sentence may speak of a fence."""
    lines: list[str] = []
    for line in text.splitlines():
        bare = line.rstrip()
        found = FUSED.search(bare, max(0, len(bare) - TAIL_CHARS))
        before = bare[: found.start()] if found else ""
        if found and before.strip(" \t`~"):
            lines += [before.rstrip(), bare[found.start() :]]
        else:
            lines.append(line)
    return "\n".join(lines) if len(lines) > text.count("\n") + 1 else text


def opened(line: str) -> Fence | None:
    """Returns the fence that this line opens; None if it opens none."""
    match = OPENING.match(line)
    if match is None:
        return None
    indent, mark, info = match.groups()
    if mark[0] == "`" and "`" in info:
        return None
    return Fence(mark, indent, info.split()[0].strip("{}.").lower() if info.split() else "")


def _split(lines: list[str]) -> tuple[list[Block], list[str]]:
    blocks: list[Block] = []
    prose: list[str] = []
    at, free = 0, 0
    while at < len(lines):
        fence = opened(lines[at])
        if fence is None:
            at += 1
            continue
        prose.append("\n".join(lines[free:at]))
        end = next((n for n in range(at + 1, len(lines)) if fence.closes(lines[n])), None)
        last = len(lines) if end is None else end
        content = "".join(fence.unindented(line) + "\n" for line in lines[at + 1 : last])
        blocks.append(Block(fence.info, content, end is not None, at, last))
        at = free = last + 1
    prose.append("\n".join(lines[free:]))
    return blocks, prose


def without_thoughts(text: str) -> tuple[str, bool]:
    """Returns the reply without `<think>` passages outside fences, and whether there was one."""
    if not ANY_TAG.search(text):
        return text, False
    kept: list[str] = []
    at, thought, fence = 0, False, None
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        line = text[at:end].rstrip("\n")
        if fence is None and (match := THOUGHT.match(line)):
            closed = _end_of_thought(text, at, match[1])
            if closed is None:
                raise InvalidReply(f"The reply ended inside <{match[1]}>; give the answer itself after </{match[1]}>.")
            at, thought = closed, True
            continue
        if fence is None:
            fence = opened(line)
        elif fence.closes(line):
            fence = None
        kept.append(text[at:end])
        at = end
    plain = "".join(kept)
    return (plain, True) if thought else _without_orphan(plain)


def _end_of_thought(text: str, start: int, name: str) -> int | None:
    """Returns where a thought ends, which may hold other thoughts: at the last closing tag if tags do not pair up; None
    without any."""
    depth, end = 0, None
    for tag in re.compile(rf"<(/?){name}>", re.IGNORECASE).finditer(text, start):
        depth, end = (depth - 1, tag.end()) if tag[1] else (depth + 1, end)
        if depth == 0:
            break
    return end


def _without_orphan(text: str) -> tuple[str, bool]:
    """Removes a thought that has only its closing tag. Some chat templates put the opening tag into the prompt."""
    found = list(ORPHAN.finditer(text))
    if len(found) != 1:
        return text, False
    before = text[: found[0].start()]
    blocks, _ = _split(before.split("\n"))
    if any(not block.closed for block in blocks) or before.lstrip()[:1] in ("{", "["):
        return text, False
    return text[found[0].end() :], True
