"""Everything that can go wrong between a question and a valid reply.

LLMError
├── ProviderError              the service or the way to it
│   ├── RateLimited            429; `retry_after` seconds when told
│   ├── Overloaded             500, 502, 503, 529
│   ├── Unreachable            refused, DNS, reset, timeout
│   ├── TruncatedStream        a stream ended without its terminal marker
│   ├── AlienReply             HTTP 200 (or an odd status) with a body that is not the protocol
│   ├── AuthFailed             401, 403
│   ├── PaymentRequired        402
│   ├── ModelMissing           404 for the model; says how to get it
│   ├── BadRequest             400, 413, 422
│   └── ContextTooLong         the prompt does not fit
├── BadReply                   the model answered, but not what was asked
│   ├── LengthStop             cut by the token limit
│   ├── Refusal                the model declined
│   └── InvalidReply           schema, fence or syntax; `reason` is worded for the model
├── BudgetExceeded             a limit of the run would be passed by this call
├── NoProvider                 nothing usable is configured; says what to set
└── NoScenario                 the offline demo model has no script for this task
"""

from __future__ import annotations

from .types import Usage


class LLMError(Exception):
    """Root; `usage` is what was paid before it went wrong."""

    def __init__(self, message: str, *, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.usage = usage or Usage()


class ProviderError(LLMError):
    """The service, or the way to it."""


class RateLimited(ProviderError):
    def __init__(self, message: str, *, retry_after: float | None = None, usage: Usage | None = None) -> None:
        super().__init__(message, usage=usage)
        self.retry_after = retry_after


class Overloaded(ProviderError): ...


class Unreachable(ProviderError): ...


class TruncatedStream(ProviderError): ...


class AlienReply(ProviderError): ...


class AuthFailed(ProviderError): ...


class PaymentRequired(ProviderError): ...


class ModelMissing(ProviderError): ...


class BadRequest(ProviderError): ...


class ContextTooLong(ProviderError): ...


class BadReply(LLMError):
    """The model answered, but not what was asked."""


class LengthStop(BadReply): ...


class Refusal(BadReply): ...


class InvalidReply(BadReply):
    """The message is worded for the model: it is what a re-ask shows."""


class BudgetExceeded(LLMError): ...


class NoProvider(LLMError): ...


class NoScenario(LLMError): ...
