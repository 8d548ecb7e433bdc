"""Turns what services and sockets do wrong into the errors of this room, without repeating what the service said."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

from . import errors
from .errors import LLMError
from .redact import identifier, scrub

CONTEXT = re.compile(
    r"context[_ ](length|size|window)|maximum context|prompt is too long|too many tokens|exceeds? the context"
    r"|exceeds? the available context|input is too long|n_ctx|reduce the length",
    re.IGNORECASE,
)
MISSING = re.compile(
    r"model_(not_found|decommissioned)|(unknown|invalid|no such) model"
    r"|model[^.\n]{0,80}(not found|does not exist|not exist|unknown|decommissioned|no longer)",
    re.IGNORECASE,
)
KEY = re.compile(
    r"api[_ ]key[^.\n]{0,30}(invalid|not valid|incorrect|expired)|(invalid|incorrect)[^.\n]{0,20}api[_ ]?key",
    re.IGNORECASE,
)
QUOTA = re.compile(r"insufficient[_ ](quota|balance|credit)|billing|credit balance", re.IGNORECASE)

KINDS: dict[str, int] = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "internal_server_error": 500,
    "service_unavailable": 503,
    "authentication_error": 401,
    "permission_error": 403,
    "billing_error": 402,
    "insufficient_quota": 402,
    "invalid_request_error": 400,
    "not_found_error": 404,
    "timeout_error": 504,
    "request_too_large": 413,
}
"""What a service calls a fault in the middle of a stream, as the status it would have had."""


@dataclass(frozen=True, slots=True)
class Service:
    """Whom an error is about, and what must not appear in it."""

    provider: str
    model: str = ""
    secret: str = field(default="", repr=False)
    get_model: str = "check the model's name"
    """What to do about a missing model."""

    def words(self, text: str) -> str:
        return scrub(f"{self.provider}: {text}", self.secret)


class StatusFault(Exception):
    """An HTTP answer that is an error; never leaves this room."""

    def __init__(self, status: int, headers: Mapping[str, str], text: str) -> None:
        super().__init__(f"HTTP {status}")
        self.status, self.headers, self.text = status, headers, text

    @property
    def code(self) -> str:
        """The service's own word for it, when it is one."""
        error = error_object(self.text)
        return next(filter(None, (identifier(error.get(key)) for key in ("code", "type", "status"))), "")


def error_object(text: str) -> Mapping[str, Any]:
    """The `error` object of a body, or an empty one."""
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    error: Any = cast(dict[str, Any], body).get("error", cast(dict[str, Any], body)) if isinstance(body, dict) else {}
    return cast(dict[str, Any], error) if isinstance(error, dict) else {"message": error}


def from_status(fault: StatusFault, service: Service) -> LLMError:
    """The error for an HTTP status; the body is only looked at, never repeated."""
    status, text = fault.status, fault.text[:20_000]
    said = f"HTTP {status}{f' ({fault.code})' if fault.code else ''}"
    if status in (400, 404, 413, 422, 500) and CONTEXT.search(text):
        return errors.ContextTooLong(service.words(f"the prompt does not fit the context of {service.model} [{said}]."))
    if status == 401 or status == 403 or (status == 400 and KEY.search(text)):
        return errors.AuthFailed(service.words(f"the key was not accepted [{said}]."))
    if status == 402 or (status in (400, 429) and QUOTA.search(text)):
        return errors.PaymentRequired(service.words(f"the account has no credit left [{said}]."))
    if status in (400, 404) and (MISSING.search(text) or fault.code == "not_found_error"):
        return errors.ModelMissing(service.words(f"there is no model {service.model!r}; {service.get_model} [{said}]."))
    return _by_number(status, said, fault.headers, service)


def _by_number(status: int, said: str, headers: Mapping[str, str], service: Service) -> LLMError:
    if 300 <= status < 400:
        return errors.AlienReply(
            service.words(f"it sent a redirect, which is not followed; check the base URL [{said}].")
        )
    if status == 429:
        return errors.RateLimited(service.words(f"too many requests [{said}]."), retry_after=retry_after(headers))
    if status in (408, 504):
        return errors.Unreachable(service.words(f"the service timed out [{said}]."))
    if status in (400, 405, 413, 422, 501):
        return errors.BadRequest(service.words(f"the request was refused [{said}]."))
    if status == 409 or status >= 498:
        return errors.Overloaded(service.words(f"the service is in trouble [{said}]."))
    return errors.AlienReply(
        service.words(f"an answer that does not belong to the protocol; check the base URL [{said}].")
    )


def from_stream(error: Mapping[str, Any], service: Service) -> LLMError:
    """The error for an error object in the middle of a stream."""
    code, kind = error.get("code"), error.get("type")
    status = code if isinstance(code, int) else KINDS.get(str(code)) or KINDS.get(str(kind)) or 500
    return from_status(StatusFault(status, {}, json.dumps({"error": dict(error)}, default=str)), service)


def from_exception(error: Exception, service: Service) -> LLMError:
    """The error for anything that a client library raises."""
    if isinstance(error, LLMError):
        return error
    if isinstance(error, StatusFault):
        return from_status(error, service)
    cause = error.__cause__ if "Connection" in type(error).__name__ and error.__cause__ else error
    kind = type(cause).__name__
    if isinstance(cause, TimeoutError) or "Timeout" in kind:
        return errors.Unreachable(service.words("no answer in time."))
    if isinstance(cause, (ValueError, RecursionError)) or kind in (
        "DecodingError",
        "InvalidURL",
        "UnsupportedProtocol",
    ):
        return errors.AlienReply(
            service.words(f"an answer that does not belong to the protocol, or a wrong base URL ({kind}).")
        )
    return errors.Unreachable(service.words(f"the service cannot be reached ({kind})."))


def as_status(error: Exception) -> StatusFault | None:
    """The HTTP answer inside a client library's exception, when there is one."""
    if isinstance(error, StatusFault):
        return error
    response: Any = getattr(error, "response", None)
    status = getattr(error, "status_code", None)
    if response is None or not isinstance(status, int):
        return None
    return StatusFault(status, response.headers, response.text)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a service asks to wait, or None; both forms of the header are read."""
    told = headers.get("retry-after-ms") or headers.get("retry-after") or ""
    scale = 0.001 if headers.get("retry-after-ms") else 1.0
    try:
        seconds = float(told) * scale
    except ValueError:
        seconds = _until(told)
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, TypeError, OverflowError):
        return math.nan
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
