"""What a run is refused with, or ends for: each message is one line for the person, and each class says by its
`exit_code` and `http_status` how command line and web tell it to a program."""

from __future__ import annotations

from framework.errors import FrameworkError
from llm.errors import LLMError
from prompts import PromptError
from sandbox.types import LevelTooLow, SandboxBroken

from .task.request import BadInput

REFUSALS = (BadInput, FrameworkError, LLMError, LevelTooLow, SandboxBroken, PromptError)
"""Whatever else is raised is a fault of ours."""
BAD_USE = 2
"""The exit code of what is wrong with a request, or with settings, state and prompt files that it rests on; not with
models or the sandbox."""
