"""The JSON routes, through a real server."""

from __future__ import annotations

import base64
import io
import json
import re
import zipfile
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from agent.task.order import Order
from demo.doors.wire import MAX_BODY
from llm.scenarios import list_scenarios

from . import story
from .conftest import API_KEY, Served


@pytest.fixture
def client(served: Served) -> Any:
    with served.client() as opened:
        yield opened


def started(client: httpx.Client, task: str = story.TASK, **more: Any) -> str:
    answer = client.post("/api/runs", json={"task": task, **more})
    assert answer.status_code == 201, answer.text
    return answer.json()["run_id"]


def followed(client: httpx.Client, run_id: str, headers: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """The run's events until the server says that no more can come."""
    with client.stream("GET", f"/api/runs/{run_id}/events", headers=headers or {}) as stream:
        lines = list(stream.iter_lines())
    assert "event: end" in lines
    return [json.loads(line[6:]) for line in lines if line.startswith("data: {") and len(line) > 8]


def test_a_run_is_started_watched_and_told(client: httpx.Client):
    run_id = started(client)
    assert re.fullmatch(r"[0-9a-f]{32}", run_id)
    events = followed(client, run_id)
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert (events[0]["kind"], events[-1]["kind"]) == ("run_started", "run_finished")
    told = client.get(f"/api/runs/{run_id}").json()
    assert (told["verdict"], told["code"], told["scripted"]) == ("verified", story.RIGHT, "scripted demo model")


def test_a_lost_stream_continues_after_the_last_event_seen(client: httpx.Client):
    run_id = started(client)
    total = len(followed(client, run_id))
    rest = followed(client, run_id, {"Last-Event-ID": str(total - 3)})
    assert [event["seq"] for event in rest] == [total - 2, total - 1]
    lost = client.get(f"/api/runs/{run_id}/events", headers={"Last-Event-ID": "9" * 5000})
    assert (lost.status_code, set(lost.json())) == (422, {"error"})


def test_a_question_is_answered_once_by_its_id(client: httpx.Client):
    run_id = started(client, autonomy="review_repairs")
    followed(client, run_id)
    pending = client.get(f"/api/runs/{run_id}").json()["pending"]
    assert pending["kind"] == "review_repair"
    answer = {"question": pending["id"], "action": "approve", "text": ""}
    assert client.post(f"/api/runs/{run_id}/answers", json=answer).status_code == 200
    again = client.post(f"/api/runs/{run_id}/answers", json=answer)
    assert again.status_code == 409
    assert followed(client, run_id)[-1]["kind"] == "run_finished"


def test_an_answer_that_does_not_fit_leaves_the_question_open(client: httpx.Client):
    run_id = started(client, autonomy="review_repairs")
    followed(client, run_id)
    pending = client.get(f"/api/runs/{run_id}").json()["pending"]
    wrong = client.post(f"/api/runs/{run_id}/answers", json={"question": pending["id"], "action": "dance"})
    assert wrong.status_code == 422
    assert client.get(f"/api/runs/{run_id}").json()["pending"]["id"] == pending["id"]


def test_a_stopped_run_can_be_continued(client: httpx.Client, served: Served, monkeypatch: pytest.MonkeyPatch):
    run_id = started(client, "hold: " + story.TASK)
    _wait_for(client, run_id, "lessons_learned")
    assert client.post(f"/api/runs/{run_id}/stop").json() == {"stopped": True}
    assert client.post(f"/api/runs/{run_id}/stop").json() == {"stopped": False}
    told = client.get(f"/api/runs/{run_id}").json()
    assert (told["status"], told["verdict"]) == ("stopped", "unverified")
    [listed] = client.get("/api/runs", params={"verdict": "unverified"}).json()["runs"]
    assert (listed["run_id"], listed["status"]) == (run_id, "stopped")
    monkeypatch.setattr(served.player, "hold", _Open())
    assert client.post(f"/api/runs/{run_id}/resume").status_code == 200
    assert followed(client, run_id)[-1]["kind"] == "run_finished"


def test_the_api_key_is_demanded_everywhere(served: Served):
    with served.client(key="") as stranger, served.client(key="wrong") as guesser:
        for caller in (stranger, guesser):
            for path in ("/api/scenarios", "/api/runs/abc", "/api/runs/abc/events"):
                assert caller.get(path).status_code == 401
            assert caller.post("/api/runs", json={"task": story.TASK}).status_code == 401


def test_a_bearer_token_is_as_good_as_the_header(served: Served):
    with served.client(key="") as caller:
        answer = caller.get("/api/scenarios", headers={"Authorization": "Bearer correct-horse-battery"})
    assert [one["name"] for one in answer.json()["scenarios"]] == [one.name for one in list_scenarios()]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ({"task": ""}, "The task is empty"),
        ({"task": "doctor"}, "'doctor' alone is no task"),
        ({"task": "x" * 1_000_000}, "The task has 1,000,000 characters"),
        ({"task": "a\x00b"}, "The task is not text"),
        ({"task": "do", "tset": "x"}, "tset: Extra inputs are not permitted"),
        ({"task": 3}, "task: Input should be a valid string"),
        ({"task": "do", "max_repairs": "4"}, "max_repairs: Input should be a valid integer"),
        ({"task": "do", "timeout": True}, "timeout: Input should be a valid number"),
        ({"task": "do", "files": {"a.csv": {"base64": "%"}}}, "files.a.csv.EncodedFile.base64"),
        ({"task": "do", "files": {"a.csv": {"base64": "é"}}}, "files.a.csv"),
        ({"task": "do", "files": {"../a": "x"}}, "The data file name '../a' is not a plain relative path"),
        ({"task": "do", "key": "two words", "provider": "openai"}, "This does not look like an API key"),
        ({"task": "do", "key": "sk-1"}, "Choose the provider that your key belongs to"),
    ],
)
def test_bad_input_is_one_clear_line(client: httpx.Client, body: dict[str, Any], line: str):
    answer = client.post("/api/runs", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(line)
    assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe", b'{"task": ' + b"[" * 20_000])
def test_what_is_no_json_object_is_refused(client: httpx.Client, content: bytes):
    answer = client.post("/api/runs", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert set(answer.json()) == {"error"}


def test_a_form_of_another_site_cannot_start_a_run(client: httpx.Client):
    answer = client.post("/api/runs", content=b'{"task": "do"}', headers={"Content-Type": "text/plain"})
    assert answer.status_code == 415
    foreign = client.post("/api/runs", files={"task": (None, "do")}, headers={"Origin": "https://evil.example"})
    assert foreign.status_code == 403


def test_what_is_not_there_is_one_line_too(client: httpx.Client):
    for path in ("/api/runs/nope", "/api/runs/nope/events", "/runs/nope/bundle.zip", "/runs/nope/files/x", "/api/x"):
        answer = client.get(path)
        assert (answer.status_code, set(answer.json())) == (404, {"error"})
    wrong = client.put("/api/runs")
    assert (wrong.status_code, set(wrong.json())) == (405, {"error"})


def test_a_request_without_end_is_cut_off(client: httpx.Client):
    answer = client.post("/api/runs", content=b" " * (MAX_BODY + 1), headers={"Content-Type": "application/json"})
    assert (answer.status_code, set(answer.json())) == (413, {"error"})


def test_a_picture_is_shown_and_a_page_only_saved(client: httpx.Client):
    run_id = started(client)
    followed(client, run_id)
    picture, page = (client.get(f"/runs/{run_id}/files/{name}") for name in ("plot.png", "report.html"))
    assert picture.headers["content-type"] == "image/png"
    assert "content-disposition" not in picture.headers
    assert page.headers["content-type"] == "application/octet-stream"
    assert page.headers["content-disposition"] == "attachment"
    assert all("sandbox" in one.headers["content-security-policy"] for one in (picture, page))


def test_the_bundle_holds_program_evidence_journal_and_replay(client: httpx.Client):
    run_id = started(client)
    events = followed(client, run_id)
    archive = zipfile.ZipFile(io.BytesIO(client.get(f"/runs/{run_id}/bundle.zip").content))
    names = set(archive.namelist())
    assert {"solution.py", "evidence.json", "journal.jsonl", "replay.html", "requirements.txt"} <= names
    assert archive.read("solution.py").decode() == story.RIGHT
    assert len(archive.read("journal.jsonl").splitlines()) == len(events)
    assert json.loads(archive.read("evidence.json"))["verdict"] == "verified"
    replay = archive.read("replay.html").decode()
    assert replay.count("<img") == 1
    assert "data:image/png;base64," in replay
    for name in ("replay.html", "evidence.json", "README.txt"):
        assert b"cripted demo model" in archive.read(name)


def test_files_arrive_as_text_or_base64(client: httpx.Client, served: Served):
    files = {"a.csv": "x,y\n", "b.bin": {"base64": base64.b64encode(b"\x00\x01").decode()}}
    started(client, files=files)
    assert served.player.files[-1] == {"a.csv": b"x,y\n", "b.bin": b"\x00\x01"}


def test_a_form_with_files_is_as_good_as_json(client: httpx.Client, served: Served):
    parts = [("files", ("a.csv", b"x,y\n")), ("files", ("b.bin", b"\x00\x01"))]
    answer = client.post("/api/runs", data={"task": story.TASK, "max_repairs": "2"}, files=parts)
    assert answer.status_code == 201, answer.text
    assert served.player.files[-1] == {"a.csv": b"x,y\n", "b.bin": b"\x00\x01"}
    assert served.orders[-1].options == {"max_repairs": 2}
    assert client.post("/api/runs", data={"tset": "x"}, files=parts).status_code == 422


def test_a_zip_of_modules_is_a_project_whose_tests_decide(client: httpx.Client, served: Served):
    def order(named: dict[str, str], **fields: str) -> Order:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, words in named.items():
                archive.writestr(name, words)
        parts = [("files", ("it.zip", packed.getvalue())), ("files", ("a.csv", b"x,y\n"))]
        answer = client.post("/api/runs", data={"task": story.TASK, **fields}, files=parts)
        assert answer.status_code == 201, answer.text
        return served.orders[-1]

    shop = {"shop/cart.py": "total = 1\n", "shop/test_cart.py": "def test_it():\n    assert 1\n", "shop/rate.txt": "19"}
    task = order(shop).task
    assert (task.code, set(task.files)) == ("# file: cart.py\ntotal = 1\n", {"rate.txt", "a.csv"})
    assert "def test_it" in (task.tests or "")
    law = "def test_mine():\n    assert 1"
    assert order(shop, tests=law).task.tests == law
    for unread in (order(shop, code="x = 1"), order({"a.csv": "x\n"})):
        assert set(unread.task.files) == {"it.zip", "a.csv"}


def test_runs_are_listed_page_by_page_and_found_by_their_words(client: httpx.Client):
    word = "zebra"
    own = [started(client, f"{story.TASK} {word} {number}", autonomy="full_auto") for number in range(5)]
    for run_id in own:
        followed(client, run_id)
    seen: list[str] = []
    cursor = ""
    while cursor is not None:
        answer = client.get("/api/runs", params={"query": story.TASK[:20], "limit": 2, "cursor": cursor}).json()
        seen += [entry["run_id"] for entry in answer["runs"]]
        cursor = answer["cursor"]
    assert seen[:5] == own[::-1]
    assert len(seen) == len(set(seen))
    newest = client.get("/api/runs", params={"limit": 1, "verdict": "verified"}).json()["runs"][0]
    assert (newest["run_id"], newest["status"], newest["verdict"]) == (own[-1], "done", "verified")
    assert client.get("/api/runs", params={"query": "no such words"}).json() == {"runs": [], "cursor": None}
    assert client.get("/api/runs", params={"cursor": "e+e~x"}).status_code == 422


def test_deleting_a_run_that_is_at_work_leaves_nothing_of_it(client: httpx.Client):
    run_id = started(client, "hold: " + story.TASK)
    _wait_for(client, run_id, "lessons_learned")
    assert client.get(f"/api/runs/{run_id}").json()["status"] == "running"
    assert client.delete(f"/api/runs/{run_id}").status_code == 204
    assert client.get(f"/api/runs/{run_id}").status_code == 404
    assert client.delete(f"/api/runs/{run_id}").status_code == 404


def test_a_fork_and_a_follow_up_name_their_run(client: httpx.Client, served: Served):
    run_id = started(client)
    followed(client, run_id)
    edits = {"task": story.TASK, "code": "x = 1"}
    for path, body, attempt in (
        (f"/api/runs/{run_id}/fork", edits, ""),
        (f"/api/runs/{run_id}/fork", {**edits, "attempt": "c1"}, "c1"),
        ("/api/runs", {**edits, "parent": run_id}, None),
    ):
        assert client.post(path, json=body).status_code == 201
        order = served.orders[-1]
        assert (order.parent, order.attempt, order.task.code) == (run_id, attempt, "x = 1")
    for guess in ("nope", run_id[:8]):
        assert client.post("/api/runs", json={**edits, "parent": guess}).status_code == 404


def test_a_websocket_tells_the_same_events(client: httpx.Client, served: Served):
    run_id = started(client)
    events = followed(client, run_id)
    address = served.address.replace("http", "ws") + f"/api/runs/{run_id}/events"
    key = {"X-API-Key": API_KEY}
    with connect(address, additional_headers=key) as socket:
        assert [json.loads(message) for message in socket] == events
    with connect(f"{address}?after={len(events) - 3}", additional_headers=key) as socket:
        assert [json.loads(message)["seq"] for message in socket] == [len(events) - 2, len(events) - 1]
    for headers, status in (({}, 401), ({**key, "Origin": "https://elsewhere.example"}, 403)):
        with pytest.raises(InvalidStatus) as refused:
            connect(address, additional_headers=headers)
        assert refused.value.response.status_code == status


def test_health_is_told_without_a_key_and_the_api_describes_itself(served: Served):
    with served.client(key="") as anybody:
        told = anybody.get("/api/health").json()
        assert told["status"] == "ok"
        assert {"database", "sandbox", "models", "broker"} <= set(told)
        schema = anybody.get("/openapi.json").json()
        assert "/api/runs/{run_id}/answers" in schema["paths"]
        assert not [path for path in schema["paths"] if "gradio" in path]
        assert "openapi.json" in anybody.get("/docs").text


class _Open:
    async def wait(self) -> None:
        return


def _wait_for(client: httpx.Client, run_id: str, kind: str) -> None:
    with client.stream("GET", f"/api/runs/{run_id}/events") as stream:
        for line in stream.iter_lines():
            if f'"kind": "{kind}"' in line:
                return
    pytest.fail(f"{kind} did not come")
