"""A model on loopback: the chat-completions protocol, with answers made up by a test from the role that is asked."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[str, int], str]
"""(role in plain words, how many times it was asked before) -> the reply's text."""
ROLES = (
    "spec tester", "input writer", "reference writer", "adversarial tester", "generator", "debugger", "arbiter",
    "critic", "planner", "reviewer", "explainer", "memory summariser",
)  # fmt: skip


def fenced(code: str) -> str:
    return f"```python\n{code}\n```\n"


class ModelServer:
    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.prompts: list[tuple[str, str]] = []
        """(role, all the words that were sent)"""
        self.answer: Answer = lambda role, times: "?"
        self.refuses = ""
        """A part of a request that is refused as unknown."""
        self.on_request: Callable[[str], None] = lambda role: None
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any) -> None: ...

            def do_POST(self) -> None:
                server._reply(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    def hold(self, role: str, *, seconds: float) -> Callable[[], None]:
        """Let `role` wait for its answer until the returned function is called, or `seconds` have passed."""
        released = threading.Event()

        def wait(asked: str) -> None:
            if asked == role:
                released.wait(seconds)

        self.on_request = wait
        return released.set

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply_to(self, role: str, words: str) -> str:
        return self.answer(role, self.asked[role])

    def _reply(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        if self.refuses in body:
            refuse(handler, f"Unrecognized request argument supplied: {self.refuses}")
            return
        words = [str(message.get("content")) for message in body["messages"]]
        role = next(role for role in ROLES if f"You are the {role}" in words[0])
        self.prompts.append((role, "\n".join(words)))
        self.on_request(role)
        text = self.reply_to(role, "\n".join(words))
        self.asked[role] += 1
        stream(handler, text, {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})


def refuse(handler: BaseHTTPRequestHandler, words: str) -> None:
    told = json.dumps({"error": {"message": words, "type": "invalid_request_error"}}).encode()
    handler.send_response(400)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(told)))
    handler.end_headers()
    handler.wfile.write(told)


def stream(handler: BaseHTTPRequestHandler, text: str, usage: dict[str, Any]) -> None:
    """Answers as an OpenAI-compatible service that streams: the whole text in one chunk, then what it took."""
    parts: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": usage},
    ]
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.send_header("connection", "close")
    handler.end_headers()
    for part in parts:
        chunk = {"id": "r1", "object": "chat.completion.chunk", "created": 1, "model": "loopback", **part}
        handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
    handler.wfile.write(b"data: [DONE]\n\n")
    handler.close_connection = True
