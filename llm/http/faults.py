"""Turns what services and sockets do wrong into the errors of `llm.errors`: who, what was said, and what helps.

An HTTP answer that is an error (`from_status`), an error object in a stream (`from_stream`), an answer that holds no
reply (`from_body`), and whatever a client library raises (`from_exception`) each become one class of error: by the
service's own code, else by its words (`llm/http/phrases.py`), else by the status (`kind_of`). `Whom.error` writes the
sentence.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import urlsplit

from .. import errors
from ..errors import LLMError, ProviderError
from ..redact import scrub
from .complaint import SHOWN_CHARS, Complaint, read_complaint
from .phrases import BROKEN_REPLIES, IN_STREAM, MINUTE, RULES, TOLD_STATUS, Kind

E = TypeVar("E", bound=ProviderError)

IN_WORDS: dict[Kind, str] = {
    errors.ContextTooLong: "the prompt is too long",
    errors.ModelMissing: "the model cannot be had there",
    errors.NotLoaded: "the model does not run there",
    errors.PaymentRequired: "the account has no credit left",
    errors.AuthFailed: "the key was not accepted",
    errors.RateLimited: "too many requests",
    errors.Overloaded: "the service is in trouble",
    errors.Unreachable: "the service timed out",
    errors.BadRequest: "the request was refused",
    errors.AlienReply: "an answer that does not belong to the protocol",
}
NO_SUCH_HOST = re.compile(r"Name or service|nodename|getaddrinfo|No address|Temporary failure in name", re.IGNORECASE)
NOBODY_LISTENS = re.compile(
    r"refused|Errno (111|61|10061)|all connection attempts failed|connect call failed", re.IGNORECASE
)
TLS_REFUSED = re.compile(
    "certificate|WRONG_VERSION|RECORD_LAYER|UNKNOWN_CA|HANDSHAKE_FAILURE|PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL"
    "|UNRECOGNIZED_NAME|HTTP_REQUEST",
    re.IGNORECASE,
)
"""The TLS faults that stay however often one asks. Any other TLS fault counts as a connection that was cut."""
BY_STATUS: dict[int, Kind] = {
    **dict.fromkeys((401, 403), errors.AuthFailed),
    402: errors.PaymentRequired,
    429: errors.RateLimited,
    413: errors.ContextTooLong,
    **dict.fromkeys((408, 504, 522, 524), errors.Unreachable),
    **dict.fromkeys((400, 405, 406, 411, 412, 414, 415, 416, 422, 431, 451, 501, 505), errors.BadRequest),
}
"""What a status means if nothing else says more. Any other status from 498 on means trouble at the service."""
MAX_CAUSES = 8
"""How many causes of an exception are looked at."""
NOT_HTTP = re.compile(r"illegal (status|request|header) line|invalid http", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Whom:
    """Whom an error is about, what helps there, and what must not appear in its words."""

    provider: str
    model: str = ""
    address: str = ""
    secret: str = field(default="", repr=False)
    private: tuple[str, ...] = field(default=(), repr=False)
    """The texts of the question. If a service repeats them, those pieces are not quoted."""
    key_name: str = ""
    """The name of the key's variable."""
    url_name: str = ""
    model_help: str = "check the model's name"
    """What a person can do about a missing model."""
    start: str = ""
    """What a person can do if their own server does not answer."""
    proxy: str = ""
    """The host and port of a proxy in between, which may be what does not answer."""

    def error(self, kind: type[E], what: str = "", said: str = "", *, retry_after: float | None = None) -> E:
        """Returns the error with its one sentence. `said` holds the status and the service's words."""
        target = f"{self.provider}:{self.model}" if self.model else self.provider
        parts = urlsplit(self.address)
        where = f" at {parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if self.address else ""
        where += f" through the proxy {self.proxy}" if self.proxy and issubclass(kind, errors.Unreachable) else ""
        words = f"{target}{where}: {what or IN_WORDS[kind]}{f' ({said})' if said else ''}"
        return kind(scrub(words, self.secret), helps=self._helps(kind), retry_after=retry_after)

    def quoted(self, complaint: Complaint) -> str:
        """Returns the service's own words, without what is secret or private, then cut to SHOWN_CHARS."""
        clean = scrub(complaint.shown[: SHOWN_CHARS * 5], self.secret, private=self.private)
        return f"{clean[:SHOWN_CHARS]}..." if len(clean) > SHOWN_CHARS else clean

    def _helps(self, kind: Kind) -> str:
        url = f"check {self.url_name}" if self.url_name else "check the address"
        # The key may be a visitor's own.
        check = "check the key, or " if self.secret else ""
        advice: dict[Kind, str] = {
            errors.AuthFailed: f"{check}set {self.key_name} to a key of this service" if self.key_name else "",
            errors.PaymentRequired: "add credit to the account or choose another provider",
            errors.ModelMissing: self.model_help,
            errors.NotLoaded: "free memory on that machine or choose a smaller model",
            errors.ContextTooLong: "shorten the task or choose a model with a larger context",
            errors.BadRequest: f"choose another model{errors.NAME_ANOTHER}",
            errors.AlienReply: url,
            errors.NotThere: self.start or url,
        }
        return advice.get(kind, f"wait{errors.NAME_ANOTHER}")


class StatusFault(Exception):
    """An HTTP answer that is an error; callers of `llm` never see this exception. `said` tells how the error came if
    the status is only a guess."""

    def __init__(self, status: int, headers: Mapping[str, str], text: str, said: str = "") -> None:
        super().__init__(said or f"HTTP {status}")
        self.status, self.headers, self.text = status, headers, text

    @cached_property
    def complaint(self) -> Complaint:
        return read_complaint(self.text)


def from_status(fault: StatusFault, whom: Whom) -> LLMError:
    """Returns the error for an HTTP answer: by the service's own code, else by its words, else by the status."""
    complaint = fault.complaint
    if BROKEN_REPLIES & set(complaint.codes):
        return errors.InvalidReply(f"The service could not read the reply: {whom.quoted(complaint)}")
    kind = kind_of(fault)
    wait = retry_after(fault.headers)
    code = f", {scrub(complaint.code, whom.secret)}" if complaint.code else ""
    quoted = f": {words!r}" if (words := whom.quoted(complaint)) and words.lower() != complaint.code else ""
    told = complaint.wait_s if wait is None else wait
    return whom.error(kind, _between(fault), f"{fault}{code}{quoted}", retry_after=told)


def _between(fault: StatusFault) -> str:
    """Returns what stands in the way if something else than the service answered; "" if the service answered."""
    if 300 <= fault.status < 400:
        return "it sent a redirect, which is not followed"
    if fault.status == 407:
        return "the proxy in between wants a login, which HTTPS_PROXY may hold"
    vague = _by_status(fault.status, "") in (errors.AuthFailed, errors.BadRequest, errors.AlienReply)
    blocked = 400 <= fault.status < 500 and fault.status != 404 and vague and fault.complaint.page
    return "a web page answered instead of the service, which may be blocked from here" if blocked else ""


def kind_of(fault: StatusFault) -> Kind:
    """Returns the class of error for which an HTTP answer stands."""
    status, complaint = _status(fault), fault.complaint
    if _between(fault):
        return errors.AlienReply
    if status >= 400 and (size := MINUTE.search(complaint.words)) and int(size[2]) > int(size[1]):
        return errors.ContextTooLong  # this one question is larger than a whole minute allows, so waiting does not help
    if status == 429 and complaint.wait_s is not None:
        return errors.RateLimited
    codes, words = complaint.codes, complaint.plain
    found = next((rule.kind for rule in RULES if rule.fits(status, codes, words)), None)
    return found or _by_status(status, words)


def _status(fault: StatusFault) -> int:
    """Returns the status that counts. A gateway often answers with a status of its own and tells in the body the status
    that it got."""
    if fault.status not in (400, *range(500, 600)):
        return fault.status
    numbers = [int(code) for code in fault.complaint.codes if re.fullmatch(r"[45]\d\d", code)]
    numbers += map(int, TOLD_STATUS.findall(fault.complaint.words))
    return (fault.status, *numbers)[-1]


def _by_status(status: int, words: str) -> Kind:
    """Returns the class of error that the status means by itself."""
    if status in (404, 410) and re.search(r"(?<!/)\bmodels?\b", words, re.IGNORECASE):
        return errors.ModelMissing
    if status in (409, 423, 425) or (status >= 498 and status not in BY_STATUS):
        return errors.Overloaded
    return BY_STATUS.get(status, errors.AlienReply)


def from_stream(error: Any, whom: Whom) -> LLMError:
    """Returns the error for an error object in the middle of a stream, by the status that it would have had."""
    text = json.dumps({"error": error}, default=str)
    named = (IN_STREAM[code] for code in read_complaint(text).codes if code in IN_STREAM)
    return from_status(StatusFault(next(named, 500), {}, text, "in its answer"), whom)


def from_body(body: Mapping[str, Any], whom: Whom) -> LLMError:
    """Returns the error for a whole answer that succeeded by its status but holds no reply."""
    if error := body.get("error"):
        return from_stream(error, whom)
    fault = StatusFault(400, {}, json.dumps(body, default=str))
    kind, said = kind_of(fault), whom.quoted(fault.complaint)
    what = "" if kind is not errors.BadRequest else "an answer without a reply"
    return whom.error(errors.AlienReply if what else kind, what, repr(said) if said else "")


def from_exception(error: Exception, whom: Whom) -> LLMError:
    """Returns the error for anything that a client library raises."""
    if isinstance(error, LLMError):
        return error
    if isinstance(error, StatusFault):
        return from_status(error, whom)
    if isinstance(error, ImportError):
        missing = f"pip install {error.name}" if error.name else error
        return errors.NoProvider(f"{whom.provider}: a package is missing: {missing}")
    return _from_transport(error, whom)


def _from_transport(error: Exception, whom: Whom) -> LLMError:
    """Returns the error for a fault of the connection, by the names and words of its causes."""
    chain = _causes(error)
    kinds, words = {type(one).__name__ for one in chain}, " ".join(str(one) for one in chain)
    kind = type(chain[-1] if "Connection" in type(error).__name__ else error).__name__
    if any("Timeout" in name for name in kinds):
        return whom.error(errors.Unreachable, "no answer in time")
    unsendable = kinds & {"DecodingError", "InvalidURL", "UnsupportedProtocol", "LocalProtocolError", "OverflowError"}
    if unsendable or isinstance(error, ValueError | AttributeError | TypeError | LookupError | RuntimeError):
        return whom.error(errors.AlienReply, f"the question cannot be sent or its answer not be read ({kind})")
    if NO_SUCH_HOST.search(words):
        return whom.error(errors.NotThere, "there is no such host")
    if TLS_REFUSED.search(words):
        return whom.error(errors.AlienReply, f"no secure connection ({kind})")
    if NOT_HTTP.search(words):
        return whom.error(errors.AlienReply, "no HTTP is spoken there; is it https?")
    if NOBODY_LISTENS.search(words):
        return whom.error(errors.NotThere, "nothing answers there")
    return whom.error(errors.Unreachable, f"the connection failed ({kind})")


def _causes(error: BaseException) -> list[BaseException]:
    """Returns the exception and what caused it, at most MAX_CAUSES of them."""
    found = [error]
    while (inner := _inner(found[-1])) is not None and len(found) < MAX_CAUSES:
        found.append(inner)
    return found


def _inner(error: BaseException) -> BaseException | None:
    first: BaseException | None = getattr(error, "exceptions", (None,))[0]
    return error.__cause__ or error.__context__ or first


def as_status(error: Exception) -> StatusFault | None:
    """Returns the HTTP answer inside a client library's exception; None if there is none."""
    if isinstance(error, StatusFault):
        return error
    response: Any = getattr(error, "response", None)
    status = getattr(error, "status_code", None)
    if response is None or not isinstance(status, int):
        return None
    return StatusFault(status, response.headers, response.text)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds that a service asks to wait, from either form of the header; None if it names none."""
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
