"""The errors that refuse or end a run. Each message is one line for the person; the class's `exit_code` and
`http_status` tell a program, on the command line and on the web."""

from __future__ import annotations

from framework.errors import FrameworkError
from llm.errors import LLMError
from prompts import PromptError
from sandbox.types import LevelTooLow, SandboxBroken

from .request import BadInput

REFUSALS = (BadInput, FrameworkError, LLMError, LevelTooLow, SandboxBroken, PromptError)
"""Any other exception is a fault of the product."""
BAD_USE = 2
"""The exit code for a fault in a request, or in the settings, state and prompt files behind it; models and the sandbox
have codes of their own."""
