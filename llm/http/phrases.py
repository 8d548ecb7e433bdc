"""Lists how services word what is wrong; the first rule that fits counts.

The services' own codes mostly come before words. The words for money come before the codes of a rate limit, because
services often call an empty account a rate limit or a refused key.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from .. import errors
from ..errors import ProviderError

Kind = type[ProviderError]
REFUSED = frozenset(range(400, 500)) - {402, 408, 429}
"""The statuses that leave open what is wrong with the question; 402, 408 and 429 say it themselves."""
TROUBLE = frozenset(range(500, 600)) - {504, 522, 524}
"""The statuses for a fault of the service itself. Many services use them for what they refuse, but none for a
timeout."""


@dataclass(frozen=True, slots=True)
class PhraseRule:
    """A rule that fits an answer of certain statuses by a whole code or by words."""

    kind: Kind
    pattern: re.Pattern[str]
    at: Collection[int]
    coded: bool

    def fits(self, status: int, codes: Collection[str], words: str) -> bool:
        if status not in self.at:
            return False
        return any(map(self.pattern.fullmatch, codes)) if self.coded else self.pattern.search(words) is not None


def _codes(kind: Kind, codes: str, at: Collection[int] = range(400, 600)) -> PhraseRule:
    return PhraseRule(kind, re.compile(codes), at, coded=True)


def _words(kind: Kind, phrases: str, at: Collection[int] = REFUSED | TROUBLE) -> PhraseRule:
    return PhraseRule(kind, re.compile(phrases, re.IGNORECASE | re.DOTALL), at, coded=False)


_ODD = "(unsupported|not supported|improperly|malformed)"
_ASKED = "(param|argument|field|role|message|request|input|image|tool|schema|format)"
"""The words for the parts of a question."""

RULES = (
    _codes(
        errors.ContextTooLong,
        r"context_(length|size|window)\w*|exceed_context_size_error|tokens_limit_reached|max_tokens_per_request|"
        "request_too_large",
    ),
    _codes(
        errors.ModelMissing,
        "(model|deployment)_?not_?(found|available|supported)|model_decommissioned|(invalid|unknown)_model|"
        r"notfounderror|dedicated_endpoint_not_running|unsupported_api_for_model|model_no_support\w*",
        at=REFUSED | TROUBLE,
    ),
    _codes(
        errors.PaymentRequired,
        r"insufficient_\w*(quota|balance|credits?|funds)|\w*budget_?exceeded\w*|billing\w*|"
        "exceeded_current_quota_error|credits?_(exhausted|required)|payment_required|arrearage|"
        "(account|access)_(suspended|terminated|deactivated)",
    ),
    _words(errors.PaymentRequired, r"requires? an? (\w+ )?subscription|extra usage is required", at=REFUSED | {429}),
    _codes(
        errors.AuthFailed,
        r"(invalid|wrong|missing|incorrect|expired)_api_key|api_key_\w+|authentication_?error|"
        r"invalid_authentication\w*|unauthenticated|unauthorized|permission_(denied|error)|token_expired",
    ),
    _words(
        errors.PaymentRequired,
        "(insufficient|out of|not enough|no (more|remaining)|not have any|have no|paid) "
        "(account )?(credits?|balance|funds)|will regain access on",
        at=range(400, 600),
    ),
    _words(
        errors.PaymentRequired,
        "credit balance|purchase (more )?credits|(balance|credits?) (is|are) (insufficient|exhausted|too low)|"
        "account .{0,60}(suspended|not active|in arrears|overdue|in good standing)|(spending|hard) limit|"
        r"\A(?!.*(\d requests|per (second|minute))).*key limit|"
        "(exceeded|over) .{0,30}(budget|credits)|budget .{0,20}exceeded|(recharge|top up) |"
        "余额不足|欠费",
        at=REFUSED | {429},
    ),
    _codes(errors.RateLimited, r"rate_?limit\w*|resource_exhausted|too_many_requests\w*|throttl\w*|\w*quota_exceeded"),
    _codes(errors.Overloaded, r"overloaded\w*|unavailable\w*|server_(overloaded|busy)|engine_overloaded\w*"),
    # An unexpected token belongs to the model's reply, and the next reply need not repeat it.
    _words(errors.Overloaded, r"unexpected token \d|\bbusy\b"),
    _words(errors.AlienReply, "invalid url"),
    _codes(errors.BadRequest, r"unsupported_country\w*"),
    _words(
        errors.BadRequest,
        r"(?<!\+ )`max_\w*tokens` must be|max(imum)?[_ ]\w*tokens\b.{0,30}(requested exceeds|cannot exceed)|"
        "(country|region).{0,40}not supported|request was blocked",
        at=REFUSED,
    ),
    _words(
        errors.ContextTooLong,
        r"context[ _](length|size|window|limit)|max(imum)? (\w+ )?length|n_ctx|(prompt|input)s? (is|are) too long|"
        r"too many (input |prompt )?tokens|(model )?token limit|too large .{0,60}\d tokens|"
        "reduce (the|your) (length|prompt|input|message)|(prompt|input|requested) tokens?.{0,40}exceed|"
        "tokens? (count )?.{0,20}exceeds|`inputs`.{0,60}must (be|have)|range of input length",
    ),
    _words(
        errors.AuthFailed,
        r"(api|auth\w*)[ _-]?(key|token).{0,40}(not valid|invalid|incorrect|expired|not found|missing|required)|"
        "(invalid|incorrect|no|missing|wrong|expired) .{0,20}(api[ _-]?key|credentials)|not find a secret|"
        "(organization|account|project|workspace|key) (has been|is|was) (disabled|blocked|revoked|deactivated)",
    ),
    _words(
        errors.Overloaded,  # whatever is missing, the service says that it comes back
        r"temporar|currently(?! supp)|right now|\byet\b|(?<!or )later\b|shortly|please (retry|try again)(?! with)|"
        r"(retry|try again) (in|after)\b|\b(is|still) (re)?(load|start)ing|restarting",
        at=TROUBLE,
    ),
    _words(
        errors.ModelMissing,
        r"\bmodels?\b.{0,160}?(not found|not exist|unknown|decommissioned|no longer|deprecated)|"
        r"\bmodels?\b.{0,160}?(not (available|allowed|running|supported by any)|unavailable|on-demand)|"
        r"\bmodels?\b.{0,160}?(been removed|shut ?down|retired)|"
        "(unknown|invalid|no such|not a valid|non-serverless|unsupported|find( the)?) model|"
        "(no|not have) access to (the |this )?model|not allowed to use .{0,20}model|"
        "model (name|id) is invalid|(choose|select) (a )?(different|another|valid) model|"
        r"\bmodels?\b.{0,120}?not support .{0,25}(chat|completions|endpoint|api)\b|no healthy deployments|"
        "(function|deployment) .{0,80}(not found|not exist|cannot be invoked)|no endpoints (found|available)|"
        "no allowed providers|unable to access .{0,20} model|not supported by your version|try pulling|"
        "no available channel|无可用渠道",
        at=(REFUSED - {401}) | TROUBLE,
    ),
    _words(
        errors.NotLoaded,
        r"memory .{0,40}than is available|(load|malloc)\w*\b.{0,160}out of memory|out of memory\b.{0,160}\bload|"
        "runner (process|has)|error starting|(error|failed|unable) (to )?(loading|load).{0,20} model",
    ),
    _words(
        errors.BadRequest,
        r"\A(?!.*\b(response|upstream|backend|proxy)\b).*(jinja|chat template|"
        "(invalid|missing|unknown) (parameter|param|argument|field|role)|"
        f"{_ODD}.{{0,40}}{_ASKED}|{_ASKED}.{{0,40}}{_ODD})",
        at=TROUBLE,
    ),
    _words(errors.RateLimited, "rate.?limit|too many requests|per (minute|day|hour)|quota exceeded", at=REFUSED),
)

BROKEN_REPLIES = frozenset({"tool_use_failed", "json_validate_failed", "output_parse_failed"})
"""The codes by which a service says that it found the model's reply broken; nothing is wrong with the question."""
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
"""The status for each code of a fault in the middle of a stream."""
MINUTE = re.compile(r"limit:? ?(\d+).{0,60}?requested:? ?~?(\d+)", re.IGNORECASE | re.DOTALL)
"""The tokens that a minute allows, and the tokens that one question asked for."""
TOLD_STATUS = re.compile(
    r"(?:\b(?:status|code|http|provider)\W{0,3}(?:code|error)?\W{0,3}|\berror[^\w(]{0,3}(?=\d+(?! from)\b)|"
    r"error from [\w ]{1,40}: <)\b(4[0-3]\d|5[0-3]\d)\b",
    re.IGNORECASE,
)
"""The status of an answer that is quoted inside another answer."""
