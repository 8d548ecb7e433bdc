"""Lists everything that can go wrong between a question and a valid reply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .types import Usage

NAME_ANOTHER = ", or name another in LLM_FALLBACK"
"""How advice ends that makes sense only if nobody else can be asked."""


class LLMError(Exception):
    """The root of these errors. `usage` holds the tokens that were paid for before the failure. A command ends with
    `exit_code`, and a web app answers with `http_status`."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 503

    def __init__(self, message: str, *, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()


class ProviderError(LLMError):
    """A failure of a service. Its text is one sentence: who, what was said, how often it was tried, and what helps."""

    def __init__(
        self, message: str, *, helps: str = "", retry_after: float | None = None, usage: Usage | None = None
    ) -> None:
        """Takes in `helps` what a person can do, and in `retry_after` the seconds that the service asked to wait."""
        super().__init__(message, usage=usage)
        self.helps = helps
        self.retry_after = retry_after
        self.tried = 1
        self.lonely = True
        """Whether nobody else could be asked."""

    @property
    def transient(self) -> bool:
        """Whether the same call is worth another try because the fault may be over the next moment."""
        return isinstance(self, TRANSIENT) and not isinstance(self, LASTING)

    def __str__(self) -> str:
        tried = f", tried {self.tried} times" if self.tried > 1 else ""
        helps = self.helps if self.lonely else self.helps.removesuffix(NAME_ANOTHER)
        return f"{super().__str__().rstrip('.')}{tried}{f'; {helps}' if helps else ''}."


class RateLimited(ProviderError):
    """429, or a limit of the account under another number."""


class Overloaded(ProviderError):
    """500, 502, 503, 529."""


class Unreachable(ProviderError):
    """A reset, a timeout, a name that cannot be looked up now."""


class NotThere(Unreachable):
    """Nothing answers at the address, and will not the next second either."""


class NoTime(Unreachable):
    """The question has no time left."""


class NoAnswer(Unreachable):
    """The target's share of the question's time went by."""


class Resting(Unreachable):
    """The model is left alone for a while after it failed again and again."""


class TruncatedStream(ProviderError):
    """A stream ended without its terminal marker."""


TRANSIENT = (RateLimited, Overloaded, Unreachable, TruncatedStream)
LASTING = (NotThere, NoTime, NoAnswer, Resting)


class AlienReply(ProviderError):
    """An answer that is not the protocol: a wrong address."""


class AuthFailed(ProviderError):
    """401, 403."""


class PaymentRequired(ProviderError):
    """402."""


class ModelMissing(ProviderError):
    """The model is unknown there, or not for this account."""


class NotLoaded(ModelMissing):
    """The server has the model and cannot run it."""


class BadRequest(ProviderError):
    """400, 413, 422."""


class ContextTooLong(ProviderError):
    """The prompt does not fit."""


class NobodyAnswered(ProviderError):
    """Every target of a chain failed."""

    def __init__(self, errors: Sequence[LLMError]) -> None:
        super().__init__("no model answered")
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join(("no model answered:", *(f"- {error}" for error in self.errors)))


class BadReply(LLMError):
    """The model answered, but not what was asked."""


class LengthStop(BadReply):
    """The reply was cut by the token limit."""


class Refusal(BadReply):
    """The model declined. The message is what the model said, shortened, and is never an instruction to anybody."""


class InvalidReply(BadReply):
    """The reply breaks its form. The message is worded for the model, which reads it when it is asked again."""


class OnlyWords(InvalidReply):
    """The model wrote sentences (`words`) instead of a program; it may have declined."""

    def __init__(self, message: str, words: str) -> None:
        super().__init__(message)
        self.words = words


class BudgetExceeded(LLMError):
    """This call would pass a limit of the run."""


class NoProvider(LLMError):
    """Nothing usable is configured; the message says what to set."""


class NoScenario(LLMError):
    """The offline demo model has no script for this task."""

    http_status: ClassVar[int] = 422
