"""How services word what is wrong: rules in order, the first that fits counts. Codes of a service's own come before
words; the words of money stand between them, because an empty account is often called a rate limit."""

from __future__ import annotations

import re
from dataclasses import dataclass

from . import errors
from .complaint import Complaint
from .errors import ProviderError

Kind = type[ProviderError]


@dataclass(frozen=True, slots=True)
class PhraseRule:
    """Fits a complaint at certain statuses (none named: at every refusal) by a whole code or by words."""

    kind: Kind
    statuses: frozenset[int]
    codes: re.Pattern[str] | None = None
    words: re.Pattern[str] | None = None

    def fits(self, status: int, complaint: Complaint) -> bool:
        if (status not in self.statuses) if self.statuses else status < 400:
            return False
        if self.codes is not None:
            return any(map(self.codes.fullmatch, complaint.codes))
        return self.words is not None and self.words.search(complaint.words) is not None


def _codes(kind: Kind, *codes: str, at: tuple[int, ...] = ()) -> PhraseRule:
    return PhraseRule(kind, frozenset(at), codes=re.compile("|".join(codes)))


def _words(kind: Kind, *phrases: str, at: tuple[int, ...]) -> PhraseRule:
    return PhraseRule(kind, frozenset(at), words=re.compile("|".join(phrases), re.IGNORECASE | re.DOTALL))


_EMPTY = "(insufficient|out of|not enough|no (more|remaining)|any|paid) (account )?(credits?|balance|funds)"
RULES = (
    _codes(
        errors.ContextTooLong,
        r"context_(length|size|window)\w*",
        "exceed_context_size_error",
        "tokens_limit_reached",
        "max_tokens_per_request",
        "request_too_large",
    ),
    _codes(
        errors.ModelMissing,
        r"(model|deployment)_?not_?(found|available|supported)",
        "model_decommissioned",
        "(invalid|unknown)_model",
        "notfounderror",
        "dedicated_endpoint_not_running",
        "unsupported_api_for_model",
        r"model_no_support\w*",
        at=(400, 401, 403, 404, 410, 422, 500, 503),
    ),
    _codes(
        errors.PaymentRequired,
        r"insufficient_\w*(quota|balance|credits?|funds)",
        r"\w*budget_?exceeded\w*",
        r"billing\w*",
        "exceeded_current_quota_error",
        "credits?_(exhausted|required)",
        "payment_required",
        "arrearage",
        "(account|access)_(suspended|terminated|deactivated)",
    ),
    _codes(
        errors.AuthFailed,
        "(invalid|wrong|missing|incorrect|expired)_api_key",
        r"api_key_\w+",
        "authentication_?error",
        r"invalid_authentication\w*",
        "unauthenticated",
        "unauthorized",
        "permission_(denied|error)",
        "token_expired",
    ),
    _words(
        errors.PaymentRequired,
        "credit balance",
        _EMPTY,
        "purchase (more )?credits",
        "(balance|credits?) (is|are) (insufficient|exhausted|too low)",
        "account .{0,60}(suspended|not active|in arrears|overdue|in good standing)",
        "(spending|hard) limit",
        "(exceeded|over) .{0,30}(budget|credits)",
        "budget .{0,20}exceeded",
        "(recharge|top up) ",
        r"requires? an? (\w+ )?subscription",
        "余额不足|欠费",
        at=(400, 403, 412, 422, 429),
    ),
    _words(errors.PaymentRequired, _EMPTY, at=(500,)),
    _codes(
        errors.RateLimited,
        r"rate_?limit\w*",
        "resource_exhausted",
        r"too_many_requests\w*",
        r"throttl\w*",
        r"\w*quota_exceeded",
        at=(400, 403, 413, 429, 498, 500, 503, 529),
    ),
    _codes(
        errors.Overloaded,
        r"overloaded\w*",
        r"unavailable\w*",
        "server_(overloaded|busy)",
        r"engine_overloaded\w*",
        at=(409, 498, 500, 502, 503, 520, 529),
    ),
    _words(
        errors.BadRequest,
        r"(?<!\+ )`max_\w*tokens` must be",
        r"max(imum)?[_ ]\w*tokens\b.{0,30}(requested exceeds|cannot exceed)",
        at=(400, 422),
    ),
    _words(
        errors.ContextTooLong,
        "context[ _](length|size|window|limit)",
        r"max(imum)? (\w+ )?length",
        "n_ctx",
        "(prompt|input)s? (is|are) too long",
        "too many (input |prompt )?tokens",
        "(model )?token limit",
        r"too large .{0,60}\d tokens",
        "reduce (the|your) (length|prompt|input|message)",
        "(prompt|input|requested) tokens?.{0,40}exceed",
        "tokens? (count )?.{0,20}exceeds",
        "`inputs`.{0,60}must (be|have)",
        at=(400, 404, 413, 422, 500),
    ),
    _words(
        errors.AuthFailed,
        r"(api|auth\w*)[ _-]?(key|token).{0,40}(not valid|invalid|incorrect|expired|not found|missing|required)",
        "(invalid|incorrect|no|missing|wrong|expired) .{0,20}(api[ _-]?key|credentials)",
        "(organization|account|project|workspace|key) (has been|is|was) (disabled|blocked|revoked|deactivated)",
        at=(400, 404, 422, 500),
    ),
    _words(
        errors.ModelMissing,
        r"\bmodels?\b.{0,160}?(not found|not exist|unknown|decommissioned|no longer|deprecated|not available)",
        r"\bmodels?\b.{0,160}?(not supported by any|unavailable|not running|been removed|shut ?down|retired)",
        "(unknown|invalid|no such|not a valid|non-serverless|unsupported|find( the)?) model",
        "(no|not have|n't have) access to (the |this )?model",
        "not allowed to use .{0,20}model",
        "model (name|id) is invalid",
        r"\bmodels?\b.{0,120}?not support .{0,25}(chat|completions|endpoint|api)\b",
        "no healthy deployments",
        "(function|deployment) .{0,80}(not found|not exist|cannot be invoked)",
        "no endpoints found",
        "no allowed providers",
        "unable to access .{0,20} model",
        "not supported by your version",
        "try pulling",
        at=(400, 403, 404, 410, 422, 500),
    ),
    _words(
        errors.NotLoaded,
        "memory .{0,40}than is available",
        r"(load|malloc)\w*\b.{0,160}out of memory",
        r"out of memory\b.{0,160}\bload",
        "runner (process|has)",
        "(error|failed|unable) (to )?(loading|load).{0,20} model",
        at=(400, 404, 500),
    ),
    _words(errors.ModelMissing, r"(?<!/)\bmodels?\b", at=(404, 410)),
    _words(errors.ModelMissing, "no available channel", "无可用渠道", at=(503,)),
    _words(
        errors.RateLimited,
        "rate.?limit",
        "too many requests",
        "per (minute|day|hour)",
        "quota exceeded",
        at=(400, 403, 413),
    ),
)

BROKEN_REPLIES = frozenset({"tool_use_failed", "json_validate_failed", "output_parse_failed"})
"""The service read the model's reply and found it broken; nothing is wrong with the question."""
IN_STREAM: dict[str, int] = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "authentication_error": 401,
    "permission_error": 403,
    "billing_error": 402,
    "invalid_request_error": 400,
    "badrequesterror": 400,
    "not_found_error": 404,
    "timeout_error": 504,
    "request_too_large": 413,
}
"""What a service calls a fault in the middle of a stream, as the status it would have had."""
MINUTE = re.compile(r"limit:? ?(\d+).{0,60}?requested:? ?~?(\d+)", re.IGNORECASE | re.DOTALL)
"""How many tokens a minute allows, and how many one question asked for."""
