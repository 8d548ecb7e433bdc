"""One YAML file per role: what a model is told and which reply is expected; strict, and reloaded when edited."""

from .loader import ROLES, load_prompt
from .prompt import Fitted, Prompt, PromptError, PromptTooLong, Template

__all__ = ["ROLES", "Fitted", "Prompt", "PromptError", "PromptTooLong", "Template", "load_prompt"]
