"""Everything that can go wrong between a question and a valid reply.

LLMError
├── ProviderError              the service or the way to it
│   ├── RateLimited            429, or a limit of the account under another number
│   ├── Overloaded             500, 502, 503, 529
│   ├── Unreachable            reset, timeout, a name that cannot be looked up now
│   │   ├── NotThere           nothing answers at the address, and will not the next second either
│   │   ├── NoTime             no time is left of the question's own
│   │   ├── NoAnswer           its share of that time went by
│   │   └── Resting            left alone for a while after it failed again and again
│   ├── TruncatedStream        a stream ended without its terminal marker
│   ├── AlienReply             an answer that is not the protocol: a wrong address
│   ├── AuthFailed             401, 403
│   ├── PaymentRequired        402
│   ├── ModelMissing           the model is unknown there, or not for this account
│   │   └── NotLoaded          the server has it and cannot run it
│   ├── BadRequest             400, 413, 422
│   ├── ContextTooLong         the prompt does not fit
│   └── NobodyAnswered         each target of a chain failed; one line for each
├── BadReply                   the model answered, but not what was asked
│   ├── LengthStop             cut by the token limit
│   ├── Refusal                the model declined; the message is its own words
│   └── InvalidReply           schema, fence or syntax; the message is worded for the model
│       └── OnlyWords          sentences where a program was asked for
├── BudgetExceeded             a limit of the run would be passed by this call
├── NoProvider                 nothing usable is configured; says what to set
└── NoScenario                 the offline demo model has no script for this task
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from .types import Usage

NAME_ANOTHER = ", or name another in LLM_FALLBACK"
"""Ends an advice where nobody else can be asked."""


class LLMError(Exception):
    """Root; `usage` is what was paid before it went wrong. `exit_code` and `http_status`: how a command and a web app
    tell it."""

    exit_code: ClassVar[int] = 3
    http_status: ClassVar[int] = 503

    def __init__(self, message: str, *, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()


class ProviderError(LLMError):
    """One sentence: who, what was said, how often it was tried, and what helps."""

    def __init__(
        self, message: str, *, helps: str = "", retry_after: float | None = None, usage: Usage | None = None
    ) -> None:
        """`helps`: what a person can do. `retry_after`: seconds that the service asked to wait."""
        super().__init__(message, usage=usage)
        self.helps = helps
        self.retry_after = retry_after
        self.tried = 1
        self.lonely = True
        """Nobody else could be asked."""

    @property
    def transient(self) -> bool:
        """Tells whether the same call is worth another try: what went wrong may be over the next moment."""
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
    """Nobody of a chain answered."""

    def __init__(self, errors: Sequence[LLMError]) -> None:
        super().__init__("no model answered")
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join(("no model answered:", *(f"- {error}" for error in self.errors)))


class BadReply(LLMError):
    """The model answered, but not what was asked."""


class LengthStop(BadReply): ...


class Refusal(BadReply):
    """The message is what the model said, shortened; never an instruction to it."""


class InvalidReply(BadReply):
    """The message is worded for the model: it is what a re-ask shows."""


class OnlyWords(InvalidReply):
    """The model wrote sentences (`words`) where a program was asked for; it may have declined."""

    def __init__(self, message: str, words: str) -> None:
        super().__init__(message)
        self.words = words


class BudgetExceeded(LLMError): ...


class NoProvider(LLMError): ...


class NoScenario(LLMError):
    http_status: ClassVar[int] = 422
