"""A loaded prompt of a role: renders it strictly, and fits the rendered text into a token limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import jinja2

from .trimming import TrimRule, shorten, size

Code = Literal["none", "optional", "required"]


class PromptError(Exception):
    """A prompt file or a rendering is unsound; the message is one line."""

    exit_code: ClassVar[int] = 2
    http_status: ClassVar[int] = 500


class PromptTooLong(Exception):
    """A prompt exceeds its token limit although everything that may be shortened was shortened. Its file is not at
    fault."""

    def __init__(self, needed: int, limit: int) -> None:
        super().__init__(f"it needs about {needed} tokens, and there is room for {limit}")
        self.needed, self.limit = needed, limit


@dataclass(frozen=True, slots=True)
class Fitted:
    """A rendered text within its limit, and the names of the variables that were shortened for it."""

    text: str
    trimmed: tuple[str, ...]
    stable: int = 0
    """How many leading characters stay the same between questions about the same task: the block of the task itself."""


@dataclass(frozen=True, slots=True)
class Template:
    """One user message of a role."""

    compiled: jinja2.Template
    variables: frozenset[str]
    trim: tuple[TrimRule, ...]
    """The order in which variables are shortened; a variable without a rule is never shortened."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What one role is told and what it must answer."""

    role: str
    version: int
    system: str
    templates: Mapping[str, Template]
    schema: Mapping[str, Any] | None
    """JSON Schema of the reply's header."""
    code: Code
    """Whether one fenced block follows the header."""
    max_tokens: int

    def render(self, template: str, **variables: Any) -> str:
        """Returns the user message. Raises PromptError for an unknown template and for a missing or surplus
        variable."""
        found = self._template(template)
        self._check_names(template, found, variables)
        try:
            return found.compiled.render(**variables).strip() + "\n"
        except jinja2.TemplateError as error:
            raise PromptError(f"{self.role}/{template}: {error.message}") from error

    def fit(self, template: str, variables: Mapping[str, Any], *, limit: int, count: Callable[[str], int]) -> Fitted:
        """Renders within `limit` tokens, the system text included, and shortens variables as the template's rules
        allow.

        `count` returns the tokens of a text. Raises PromptTooLong when the rules do not suffice, and PromptError as
        `render` does."""
        rules, values, trimmed = self._template(template).trim, dict(variables), list[str]()
        budget = limit - count(self.system)

        def rendered(changes: Mapping[str, Any]) -> tuple[str, int]:
            text = self.render(template, **{**values, **changes})
            return text, count(text)

        text, tokens = rendered({})
        for rule in rules:
            if tokens <= budget:
                break
            kept = _largest_fitting(rule, values[rule.variable], lambda change: rendered(change)[1] <= budget)
            if kept is values[rule.variable]:
                continue
            values[rule.variable] = kept
            trimmed.append(rule.variable)
            text, tokens = rendered({})
        if tokens > budget:
            raise PromptTooLong(tokens + limit - budget, limit)
        return Fitted(text, tuple(trimmed), _shared(text, str(values.get("task", ""))))

    def _template(self, name: str) -> Template:
        if name not in self.templates:
            raise PromptError(f"{self.role} has no template {name!r}; it has: {', '.join(sorted(self.templates))}")
        return self.templates[name]

    def _check_names(self, template: str, found: Template, variables: Mapping[str, Any]) -> None:
        if missing := found.variables - variables.keys():
            raise PromptError(f"{self.role}/{template}: missing variable: {', '.join(sorted(missing))}")
        if surplus := variables.keys() - found.variables:
            raise PromptError(f"{self.role}/{template}: unknown variable: {', '.join(sorted(surplus))}")


def block(text: object, name: str) -> str:
    """Puts text of unknown origin between tags. The tag gets a number if its closing form occurs in the text, so that
    the text cannot end its block and pose as instructions."""
    body, tag, number = str(text), name, 0
    while f"</{tag}>" in body:
        number += 1
        tag = f"{name}-{number}"
    return f"<{tag}>\n{body.strip(chr(10))}\n</{tag}>"


def _shared(text: str, task: str) -> int:
    """Returns the length of the task's own block, if the rendered text begins with it; 0 otherwise."""
    told = block(task, "task")
    return len(told) if task and text.startswith(told) else 0


def _largest_fitting(
    rule: TrimRule, value: str | Sequence[str] | None, fits: Callable[[Mapping[str, Any]], bool]
) -> str | Sequence[str] | None:
    """Returns the value shortened just enough to fit, or to the rule's floor when nothing longer fits."""
    if value is None or size(value) <= rule.at_least:
        return value
    low, high = rule.at_least, size(value) - 1
    best = shorten(value, rule.cut, low)
    while low <= high:
        middle = (low + high) // 2
        shortened = shorten(value, rule.cut, middle)
        if fits({rule.variable: shortened}):
            best, low = shortened, middle + 1
        else:
            high = middle - 1
    return best if size(best) < size(value) else value
