"""Lists everything that can go wrong between a question and a valid reply.

LLMError ├── ProviderError the service or the way to it │ ├── RateLimited 429, or a limit of the account under another
number │ ├── Overloaded 500, 502, 503, 529 │ ├── Unreachable reset, timeout, a name that cannot be looked up now │ │ ├──
NotThere nothing answers at the address, and will not the next second either │ │ ├── NoTime the question has no time
left │ │ ├── NoAnswer the target's share of that time went by │ │ └── Resting the model is left alone for a while after
it failed again and again │ ├── TruncatedStream a stream ended without its terminal marker │ ├── AlienReply an answer
that is not the protocol: a wrong address │ ├── AuthFailed 401, 403 │ ├── PaymentRequired 402 │ ├── ModelMissing the
model is unknown there, or not for this account │ │ └── NotLoaded the server has it and cannot run it │ ├── BadRequest
400, 413, 422 │ ├── ContextTooLong the prompt does not fit │ └── NobodyAnswered each target of a chain failed; one line
for each ├── BadReply the model answered, but not what was asked │ ├── LengthStop cut by the token limit │ ├── Refusal
the model declined; the message is its own words │ └── InvalidReply schema, fence or syntax; the message is worded for
the model │ └── OnlyWords sentences where a program was asked for ├── BudgetExceeded this call would pass a limit of the
run ├── NoProvider nothing usable is configured; the message says what to set └── NoScenario the offline demo model has
no script for this task
"""

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


class RateLimited(ProviderError): ...


class Overloaded(ProviderError): ...


class Unreachable(ProviderError): ...


class NotThere(Unreachable): ...


class NoTime(Unreachable): ...


class NoAnswer(Unreachable): ...


class Resting(Unreachable): ...


class TruncatedStream(ProviderError): ...


TRANSIENT = (RateLimited, Overloaded, Unreachable, TruncatedStream)
LASTING = (NotThere, NoTime, NoAnswer, Resting)


class AlienReply(ProviderError): ...


class AuthFailed(ProviderError): ...


class PaymentRequired(ProviderError): ...


class ModelMissing(ProviderError): ...


class NotLoaded(ModelMissing): ...


class BadRequest(ProviderError): ...


class ContextTooLong(ProviderError): ...


class NobodyAnswered(ProviderError):
    """Every target of a chain failed."""

    def __init__(self, errors: Sequence[LLMError]) -> None:
        super().__init__("no model answered")
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join(("no model answered:", *(f"- {error}" for error in self.errors)))


class BadReply(LLMError):
    """The model answered, but not what was asked."""


class LengthStop(BadReply): ...


class Refusal(BadReply):
    """The model declined. The message is what the model said, shortened, and is never an instruction to anybody."""


class InvalidReply(BadReply):
    """The reply breaks its form. The message is worded for the model, which reads it when it is asked again."""


class OnlyWords(InvalidReply):
    """The model wrote sentences (`words`) instead of a program; it may have declined."""

    def __init__(self, message: str, words: str) -> None:
        super().__init__(message)
        self.words = words


class BudgetExceeded(LLMError): ...


class NoProvider(LLMError): ...


class NoScenario(LLMError):
    http_status: ClassVar[int] = 422
