"""What a person may hand in: limits checked at the door, each refusal one clear line."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.config import AUTONOMY, AgentConfig
from agent.state import Task
from framework.secret import Secret

MAX_TASK = 20_000
"""Characters of a task."""
MAX_SOURCE = 200_000
"""Characters of given code, and of given tests."""
MAX_FILES = 8
MAX_FILE_BYTES = 5 * 2**20
MAX_KEY = 400


class BadInput(ValueError):
    """The message is one line for the person."""


@dataclass(frozen=True, slots=True)
class Order:
    """A run as the person asked for it. The key stays in this process and is never stored."""

    task: Task
    config: AgentConfig
    provider: str = ""
    """"" leaves the choice to the settings."""
    model: str = ""
    base_url: str = ""
    key: Secret | None = None
    owner: str = ""
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex)


def checked_task(text: str, code: str = "", tests: str = "", files: Mapping[str, bytes] | None = None) -> Task:
    """Raises BadInput."""
    if not text.strip():
        raise BadInput("Please describe the task in a sentence or two.")
    _checked_text("task", text, MAX_TASK)
    _checked_text("code", code, MAX_SOURCE)
    _checked_text("tests", tests, MAX_SOURCE)
    return Task(
        text=text.strip(),
        code=code if code.strip() else None,
        tests=tests if tests.strip() else None,
        files=files or {},
    )


def _checked_text(name: str, text: str, limit: int) -> None:
    if len(text) > limit:
        raise BadInput(f"The {name} has {len(text):,} characters; the limit is {limit:,}.")
    if any(character < " " and character not in "\t\n\r\f" for character in text):
        raise BadInput(f"The {name} contains control characters; please give plain text.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadInput(f"The {name} is not valid text.") from None


def read_uploads(paths: Sequence[str]) -> dict[str, bytes]:
    """Name -> bytes of uploaded files. Raises BadInput."""
    return checked_files({Path(path).name: _read(Path(path)) for path in paths}, given=len(paths))


def _read(path: Path) -> bytes:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise BadInput(f"{path.name} is larger than {MAX_FILE_BYTES // 2**20} MB.")
    return path.read_bytes()


def checked_files(files: dict[str, bytes], given: int | None = None) -> dict[str, bytes]:
    """Raises BadInput for too many, too large, unsafe or doubled names."""
    if (given or len(files)) > MAX_FILES:
        raise BadInput(f"At most {MAX_FILES} data files can be given.")
    if given is not None and given != len(files):
        raise BadInput("Two data files have the same name.")
    for name, data in files.items():
        if not name or name.startswith(("/", ".")) or ".." in name.split("/") or "\\" in name or "\0" in name:
            raise BadInput(f"A data file may not be called {name[:60]!r}.")
        if len(data) > MAX_FILE_BYTES:
            raise BadInput(f"{name} is larger than {MAX_FILE_BYTES // 2**20} MB.")
    return files


def checked_config(
    autonomy: str, max_repairs: float, strategies: float, budget_usd: float | None, budget_calls: float | None
) -> AgentConfig:
    """Raises BadInput."""
    if autonomy not in AUTONOMY:
        raise BadInput(f"autonomy is one of {', '.join(AUTONOMY)}.")
    if not 0 <= max_repairs <= 4 or not 1 <= strategies <= 3:
        raise BadInput("max repairs is 0 to 4, strategies 1 to 3.")
    if (budget_usd is not None and budget_usd <= 0) or (budget_calls is not None and budget_calls < 1):
        raise BadInput("A budget must be positive.")
    return AgentConfig(
        autonomy=autonomy,
        max_repairs=int(max_repairs),
        strategies=int(strategies),
        budget_usd=budget_usd,
        budget_calls=int(budget_calls) if budget_calls is not None else None,
    )


def checked_key(key: str, base_url: str, *, public: bool) -> Secret | None:
    """The visitor's own key. On a public deployment an own address never meets the owner's keys. Raises BadInput."""
    text = key.strip()
    if len(text) > MAX_KEY or any(character.isspace() for character in text):
        raise BadInput("This does not look like an API key.")
    if base_url.strip() and not base_url.strip().startswith(("http://", "https://")):
        raise BadInput("The address must start with http:// or https://.")
    if public and base_url.strip() and not text:
        raise BadInput("An own address needs an own key here.")
    return Secret(text) if text else None
