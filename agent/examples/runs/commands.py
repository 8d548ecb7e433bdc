"""Reads runs of a program that a task shows or tells: commands, what they print, and how they end."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from agent.examples.grammar.doubts import Doubts
from agent.examples.grammar.reading import read
from agent.examples.types import Example
from agent.examples.vocabulary import Phrase

_GIVES = r"(?:(?:{must}\s+)?(?:{prints}|{outputs}|{gives})|->|=>|→)"
_ENDS = r"(?:exits?|ends?|terminates?|returns?)(?: with)?(?: an?)?(?: exit)?(?: status| code)+(?: of)?"
_NEXT = r"(?:`|echo\b|printf\b|python)"
_STOPS = (
    rf"(?=[ \t]*(?:\Z|[.;](?!\w)|[()]|aus\b|,?[ \t]+(?:and[ \t]+|und[ \t]+)?{_NEXT}"
    rf"|\n\s*(?:\Z|\n|[*-]|(?-i:[A-Z])|{_NEXT})))"
)
"""Follows a bare number that is all of the output; the numbers in "prints 9 lines", "9, 16 and 25", "1 to 10" and "5%"
are not."""
_QUOTED = (
    r"(?:`(?P<ticked>[^`\n]+)`|\"(?P<quoted>[^\"\n]+)\"|'(?P<single>[^'\n]+)'|"
    rf"(?P<bare>-?\d+(?:\.\d+)?){_STOPS}|(?P<words>[^\W\d_]+(?: [^\W\d_]+){{0,5}}){_STOPS})"
)
_COMMAND = r"`(?P<command>[^`\n]+)`"
_WORDS = r"(?:[ \t]+(?:--?[a-z][\w-]*|-?\d[\w.]*|\"[^\"\n]*\"|'[^'\n]*'))*"
_BARE = (
    r"(?<![\w`])(?P<plain>(?:echo|printf)[ \t]+[^|\n`]{1,80}\|[ \t]*(?:python3?[ \t]+)?[\w./-]+"
    rf"{_WORDS}|python3?[ \t]+[\w./-]+\.py{_WORDS})"
)
"""A command without backticks: anything that is piped, otherwise only arguments that are no words of the sentence."""
_RUN = re.compile(rf"^[ \t]*\$[ \t]+(?P<shown>\S[^\n]*)$|`(?P<ticked>[^`\n]+)`|{_BARE}", re.M | re.I)
"""Matches a command behind a prompt, between backticks, or bare."""
_TOLD = Phrase(rf"(?:{_COMMAND}|{_BARE})\s*,?\s*(?:it\s+)?{_GIVES}\s*:?\s*{_QUOTED}(?P<aus>\s+aus\b)?")
INPUT = (
    r"(?:(?:std)?in(?:put(?:copy)?)?|eingabe|entrada|entr[ée]e|vstup|ввод\w*|входные данные|wejście|invoer"
    r"|输入|入力|입력)"
)
OUTPUT = (
    r"(?:(?:std)?out(?:put(?:copy)?)?|ausgabe|salida|sa[ií]da|sortie|výstup|вывод\w*|выходные данные|wyjście|uitvoer"
    r"|输出|出力|출력)"
)
"""What a program is given, and what it prints, as people call it."""
ARGUMENTS = re.compile(r"\b(?:arg(?:ument|v)|parameter|option|file|datei|fichier|archivo)", re.I)
STDIN = re.compile(r"\bstdin\b|standard(?:[ -]input|eingabe)|entrada est[aá]ndar|entrée standard|标准输入", re.I)
_STATUS = re.compile(rf"{_COMMAND}[^`.\n]{{0,80}}?\b{_ENDS}\s*`?(?P<status>\d{{1,3}})\b", re.I)
_FENCE = re.compile(r"```[\w]*\n(?P<body>.*?)```", re.S)
_BLANK = re.compile(r"\n[ \t]*\n")
_SENTENCE = re.compile(r"(?:\w+\W+){3,}\w+\W*[.:!?]\s*\Z")
_PROMPT = re.compile(r"^\s*\$\s+(?P<command>\S[^\n]*)$")
_ECHO = re.compile(r"^(?:echo|printf)\s+(?P<given>.+?)\s*\|\s*(?P<rest>.+)$")
_HERE = re.compile(r"^(?P<rest>.+?)\s*<<<\s*(?P<given>.+)$")
ELSEWHERE = r"[^.\n]{0,20}\b(?:stderr|standard error|(?:in)?to (?:a|the) file|to `)"
"""Says that what was told goes elsewhere than to the standard output."""
_TAKEN_BACK = re.compile(
    rf"{ELSEWHERE}"
    r"|[ \t,;]*(?:(?:but|it|which)\b[^.\n`]{0,20}\b(?:should|must|wrong)|(?:and[ \t]+)?then[ \t]+[`\"'\d])",
    re.I,
)
_READS_A_FILE = re.compile(r"'[\w./-]*\w\.(?!py')[a-z]{2,4}'")
"""Matches an argument that names a file: nothing tells what it holds."""
_TO_EITHER = re.compile(r"^(?:usage:|traceback\b|\w*error\b)", re.I | re.M)
"""Matches what a terminal shows of the standard error as well as of the output."""
_NEGATED = re.compile(r"\b(?:not|never|instead of|wrongly|currently|nicht|no|pas)\b", re.I)


def session_examples(text: str) -> list[Example]:
    """Returns examples that use `run_program`, for each run whose input is complete: `echo 3 | prog` prints 9, `prog 2
    3` prints 5, `prog` exits with status 2, and sessions with a `$` before each command."""
    found = [*_told(text), *_statuses(text), *_sessions(text)]
    return list({example.source: example for example in found}.values())


def commands_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Yields (call of `run_program`, start, end) of each command that starts the program, whatever is said of it."""
    for match in _RUN.finditer(text):
        call = command_call(match["shown"] or match["ticked"] or match["plain"])
        if call:
            yield call, match.start(), match.end()


def _told(text: str) -> Iterator[Example]:
    reading = read(text)
    text, doubts = reading.text, Doubts(reading)
    for match in _TOLD.finditer(text):
        begin, end = reading.sentence(match.start(), match.end())
        if doubts.between(begin, end, "reported", "denied", "imagined") or (doubts.bug_talk and doubts.taken_back(end)):
            continue
        call, value = _commanded(match)
        taken_back = _TAKEN_BACK.match(text, match.end())
        if call and value and not _READS_A_FILE.search(call) and not (taken_back or _NEGATED.search(match.group())):
            yield Example(prints(call, value.replace("\\n", "\n")), _plain(match.group()))


def _commanded(match: re.Match[str]) -> tuple[str, str]:
    """Returns the call of a command that is told, and its output; "" for what is not told."""
    command = match.group("command") or match.group("plain")
    value = next((match.group(name) for name in ("ticked", "quoted", "single", "bare") if match.group(name)), "")
    return command_call(command), value or _rearranged_input(match.group("words") or "", command)


def _rearranged_input(words: str, command: str) -> str:
    """Returns words without quotes as output if they are the letters that are piped in, reversed, sorted or in
    capitals: `echo hello | prog` gives HELLO. "gives JSON" and "prints nothing" only describe the output; "" is
    returned."""
    piped = _ECHO.match(command)
    given, told = ([*filter(str.isalpha, text.casefold())] for text in (piped.group("given") if piped else "", words))
    return words if sorted(given) == sorted(told) else ""


def _statuses(text: str) -> Iterator[Example]:
    for match in _STATUS.finditer(text):
        call = command_call(match.group("command"))
        if call and not _NEGATED.search(match.group()):
            source = f"ran = {call}\nassert ran.exit_code == {int(match.group('status'))}"
            yield Example(source, _plain(match.group()))


def _sessions(text: str) -> Iterator[Example]:
    for lines in _shown(text):
        starts = [place for place, line in enumerate(lines) if _PROMPT.match(line)]
        for start, end in zip(starts, [*starts[1:], len(lines)][: len(starts)], strict=True):
            prompt = _PROMPT.match(lines[start])
            call = command_call(prompt.group("command")) if prompt else ""
            shown = "\n".join(lines[start + 1 : end]).strip("\n")
            unsure = _READS_A_FILE.search(call) or _TO_EITHER.search(shown) or "..." in shown
            if call and shown.strip() and not unsure:
                yield Example(prints(call, shown), _plain("\n".join(lines[start:end])))


def _shown(text: str) -> Iterator[list[str]]:
    """Yields the lines of each fence, and commands without a fence with what follows up to the next blank line. Without
    a fence nothing marks the program's output, so such lines are skipped if one reads like a sentence, or the text
    tells of a fault."""
    for fence in _FENCE.finditer(text):
        yield fence.group("body").rstrip("\n").split("\n")
    if Doubts(read(text)).bug_talk:
        return
    for paragraph in _BLANK.split(_FENCE.sub("\n\n", text)):
        lines = paragraph.split("\n")
        start = next((place for place, line in enumerate(lines) if _PROMPT.match(line)), len(lines))
        if not any(_SENTENCE.search(line) for line in lines[start:] if not _PROMPT.match(line)):
            yield [line.strip() for line in lines[start:]]


def command_call(command: str) -> str:
    """Returns the command as a call of `run_program`; "" when it is none, or when it reads a file that is not shown."""
    given = ""
    piped, here = _ECHO.match(command), _HERE.match(command)
    if piped or here:
        match = piped or here
        assert match is not None
        given, command = match.group("given"), match.group("rest")
    try:
        words, said = shlex.split(command), shlex.split(given)
    except ValueError:
        return ""
    words = words[1:] if words[:1] in (["python"], ["python3"]) else words
    if not words or any(sign in word for word in words for sign in "|<>;&$*") or not _is_program(words, bool(given)):
        return ""
    text = (
        _input(said, escaped="printf" in command or bool(piped and piped.group().startswith("printf"))) if given else ""
    )
    return f"run_program({words[1:]!r}, {text!r})"


def _input(said: list[str], *, escaped: bool) -> str:
    """Returns what echo or printf writes."""
    interpreted = escaped or said[:1] == ["-e"]
    said = [word for word in said if word not in ("-e", "-n")] if said[:1] in (["-e"], ["-n"]) else said
    text = " ".join(said)
    text = text.replace("\\n", "\n") if interpreted else text
    return text if escaped else text + "\n"


def _is_program(words: list[str], piped: bool) -> bool:
    """Returns whether the words start a program: a script by its name, or any word with a pipe before it or arguments
    after it."""
    return (
        words[0].endswith(".py")
        or piped
        or (len(words) > 1 and re.fullmatch(r"\.?/?[^\W\d][\w-]*", words[0]) is not None)
    )


def typed(given: str) -> str:
    """Returns the call that runs the program with this text as its standard input and without arguments."""
    return f"run_program([], {given!r})"


def prints(call: str, shown: str) -> str:
    """Returns statements that check that the run prints these lines."""
    return (
        f"ran = {call}\n"
        "lines = [line.rstrip() for line in ran.stdout.rstrip().splitlines()]\n"
        f"assert lines == {[line.rstrip() for line in shown.rstrip().splitlines()]!r}"
    )


def _plain(text: str) -> str:
    return " ".join(text.split())
