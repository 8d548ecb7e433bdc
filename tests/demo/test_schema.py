"""The whole API against its own OpenAPI document, with requests that schemathesis makes up: nothing breaks, and what is
answered is what is documented. The engine is the real one with the scripted demo model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from app import open_workshop
from demo.server import Server
from framework.secret import Secret
from framework.settings import Settings

schemathesis: Any = pytest.importorskip("schemathesis")
pytestmark = pytest.mark.slow
KEY = "correct-horse-battery"
EXAMPLES = 20
ANY_HEALTH: Any = list(HealthCheck)


# Python 3.11 may not parse two programs at once (gh-106905): what is read here is read before the server has threads.
pytest.importorskip("schemathesis.specs.openapi.schemas")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    found = Settings.from_env(
        {
            "STATE_DIR": str(tmp_path_factory.mktemp("state")),
            "LLM_PROVIDER": "mock",
            "API_KEY": KEY,
            "RATE_LIMIT": "100000/minute",
        }
    )
    server = Server(found, Secret("browser secret"), lambda: open_workshop(found))
    yield server.launch("127.0.0.1", None).rstrip("/")
    server.page.close()


@pytest.fixture(scope="module")
def api(address: str) -> Any:
    return schemathesis.openapi.from_url(f"{address}/openapi.json")


@pytest.fixture(scope="module")
def ended(address: str) -> str:
    """A run that has concluded."""
    with httpx.Client(base_url=address, headers={"X-API-Key": KEY}, timeout=120) as client:
        task = client.get("/api/scenarios").json()["scenarios"][0]["task"]
        run_id = client.post("/api/runs", json={"task": task}).json()["run_id"]
        client.get(f"/api/runs/{run_id}/events")
        assert client.get(f"/api/runs/{run_id}").json()["status"] == "done"
    return run_id


def test_every_answer_is_one_that_is_documented(api: Any, ended: str) -> None:
    operations = [found.ok() for found in api.get_all_operations()]
    assert len(operations) > 12
    for operation in operations:
        for mode in schemathesis.GenerationMode:
            _try(operation, mode, ended)


@st.composite
def _made(draw: st.DrawFn, requests: st.SearchStrategy[Any]) -> Any:
    """Schemathesis cannot tell of some forms with bytes whether they break the shape; those are passed over."""
    try:
        return draw(requests)
    except ValueError as error:
        if "Unsupported type" not in str(error):
            raise
        reject()


def _try(operation: Any, mode: Any, ended: str) -> None:
    """Requests of the documented shape are made of a run that is there; some others break the shape."""
    breakable = operation.body or operation.path_parameters or operation.query
    if mode.is_negative and not breakable:
        return
    # What has the right shape may still be no task to work on, and what an address says beyond it is passed over.
    names = ["positive_data_acceptance", *([] if operation.body else ["negative_data_rejection"])]
    ignored = [schemathesis.checks.CHECKS.get_one(name) for name in names]

    @given(case=_made(operation.as_strategy(generation_mode=mode)))
    @settings(max_examples=EXAMPLES, derandomize=True, deadline=None, suppress_health_check=ANY_HEALTH)
    def answers(case: Any) -> None:
        if mode.is_positive and case.method == "GET" and "run_id" in case.path_parameters:
            case.path_parameters["run_id"] = ended
        case.call_and_validate(headers={"X-API-Key": KEY}, excluded_checks=ignored)

    answers()
