"""Loads the YAML file of each role: what a model is told and which reply is expected. Loading is strict, and an edited
file is read again."""

from .loader import ROLES, load_prompt
from .prompt import Fitted, Prompt, PromptError, PromptTooLong, Template

__all__ = ["ROLES", "Fitted", "Prompt", "PromptError", "PromptTooLong", "Template", "load_prompt"]
