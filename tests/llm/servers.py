"""Loopback servers that speak a model service's protocol strictly, and misbehave when told to."""

from __future__ import annotations

import json
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Sent:
    """What a server sends back. `chunks` are written one after the other; `cut` closes the socket without an end."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    chunks: Iterable[bytes] = ()
    pause: float = 0.0
    """Seconds before each chunk but the first."""
    cut: bool = False
    length: int | None = None
    """Announced length; more than is sent makes the end a broken connection."""


def json_reply(body: Any, status: int = 200, **headers: str) -> Sent:
    data = json.dumps(body).encode()
    return Sent(status, {"content-type": "application/json", **_dashed(headers)}, [data], length=len(data))


def _dashed(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Answerer = Callable[[Seen], Sent]


class Server:
    """Give it answers in order; the last one repeats. `seen` are the requests; `dripping` is set once a slow reply
    began, `broken` once a client hung up."""

    def __init__(self, *answers: Answerer | Sent, check: Callable[[Seen], str] | None = None) -> None:
        self.answers: list[Answerer | Sent] = list(answers)
        self.check = check
        self.seen: list[Seen] = []
        self.broken = threading.Event()
        self.dripping = threading.Event()
        self.closing = threading.Event()
        self.failures: list[str] = []
        """What went wrong in the server itself; a client that hung up is what some tests want."""
        self._lock = threading.Lock()

    def __enter__(self) -> Server:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 30

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

            def do_POST(self) -> None:
                server._serve(self)

            do_GET = do_POST

        class Threading(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_: Any) -> None:
                error = sys.exc_info()[1]
                if not isinstance(error, OSError):
                    server.failures.append(traceback.format_exc())

        self._http = Threading(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *details: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        assert not self.failures, self.failures[0]

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length") or 0)
        raw = handler.rfile.read(length)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        seen = Seen(handler.command, handler.path, headers, json.loads(raw) if raw else {})
        with self._lock:
            self.seen.append(seen)
            complaint = self.check(seen) if self.check else ""
            if complaint:
                reply = json_reply({"error": {"type": "invalid_request_error", "message": complaint}}, 400)
            else:
                answer = self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)
                reply = answer if isinstance(answer, Sent) else answer(seen)
        self._write(handler, reply)

    def _write(self, handler: BaseHTTPRequestHandler, reply: Sent) -> None:
        handler.close_connection = True
        handler.send_response(reply.status)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.send_header("connection", "close")
        chunked = reply.length is None
        if chunked:
            handler.send_header("transfer-encoding", "chunked")
        else:
            handler.send_header("content-length", str(reply.length))
        handler.end_headers()
        try:
            for number, chunk in enumerate(reply.chunks):
                if number and reply.pause and self.closing.wait(reply.pause):
                    return
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk) if chunked else chunk)
                handler.wfile.flush()
                if reply.pause:
                    self.dripping.set()
            if chunked and not reply.cut:
                handler.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.broken.set()


def endless(first: bytes, more: bytes) -> Iterable[bytes]:
    """A body that never ends."""
    yield first
    while True:
        yield more


def until(condition: Callable[[], bool], patience_s: float = 5.0) -> bool:
    """Wait for another thread's effect."""
    end = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > end:
            return False
        threading.Event().wait(0.002)
    return True
