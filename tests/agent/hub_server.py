"""What of huggingface.co an upload to a data set asks, on loopback; a data set called `open` is public."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Hub(ThreadingHTTPServer):
    def __init__(self, token: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.token = token
        self.asked: list[str] = []
        self.sent: list[dict[str, Any]] = []
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, *args: Any) -> None: ...

    def do_GET(self) -> None:
        told = {"id": "me/data", "_id": "1", "private": "open" not in self.path, "tags": [], "siblings": []}
        self._reply(told if self._known() else None)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self.server.asked.append(self.path)
        self._reply(self._told(body) if self._known() else None)

    def _told(self, body: str) -> dict[str, Any]:
        if self.path.endswith("/preupload/main"):
            regular = {"uploadMode": "regular", "shouldIgnore": False}
            return {"files": [{"path": one["path"], **regular} for one in json.loads(body)["files"]]}
        self.server.sent += map(json.loads, body.splitlines())
        if self.path.endswith("/commit/main"):
            return {"commitUrl": f"{self.server.url}/datasets/me/data/commit/{'1' * 40}", "commitOid": "1" * 40}
        name = f"me/{json.loads(body)['name']}"
        return {"url": f"{self.server.url}/datasets/{name}", "name": name, "id": "1"}

    def _known(self) -> bool:
        return self.headers["authorization"] == f"Bearer {self.server.token}"

    def _reply(self, told: dict[str, Any] | None) -> None:
        self.send_response(200 if told else 401)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(told or {"error": "no such token"}).encode())
