"""What compose.yaml and the Dockerfile promise, read without a daemon: nothing here shows that a container starts."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "build" in service}
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def test_there_are_two_apps_behind_one_proxy_and_two_workers() -> None:
    assert set(SERVICES) == {"app-1", "app-2", "worker", "proxy", "postgres", "redis", "ollama"}
    assert SERVICES["worker"]["deploy"]["replicas"] == 2
    assert "reverse_proxy app-1:7860 app-2:7860" in COMPOSE["configs"]["proxy"]["content"]
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_pinned_and_says_whether_it_is_well(name: str) -> None:
    service = SERVICES[name]
    assert re.fullmatch(r"[\w./-]+:\d+\.\d+\.?[\w.-]+", service["image"])
    assert "healthcheck" in service or ("build" in service and "HEALTHCHECK" in DOCKERFILE)


@pytest.mark.parametrize("name", OURS)
def test_ours_have_no_rights_and_wait_for_what_they_need(name: str) -> None:
    service = OURS[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "user" not in service
    assert "privileged" not in service
    assert {one: how["condition"] for one, how in service["depends_on"].items()} == dict.fromkeys(
        ("postgres", "redis"), "service_healthy"
    )


def test_every_setting_is_one_and_no_password_is_written_down() -> None:
    known = set(re.findall(r"^# ([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    named = {name for service in OURS.values() for name in service["environment"]}
    assert named <= known | {"OLLAMA_BASE_URL"}
    text = (ROOT / "compose.yaml").read_text()
    for name in ("API_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD"):
        assert re.search(rf"\$\{{{name}:\?", text), f"{name} may be left out"
    assert set(re.findall(r"PASSWORD(?:: |\w*@)(\S)", text)) == {"$"}


def test_the_image_runs_as_somebody_and_shows_its_sandbox_first() -> None:
    users = re.findall(r"^USER (\S+)", DOCKERFILE, re.MULTILINE)
    assert users == ["agent"]
    assert re.search(r"^FROM python:3\.\d+\.\d+-\S+$", DOCKERFILE, re.MULTILINE)
    assert '"python -m sandbox doctor; exec python app.py"' in DOCKERFILE


def test_the_image_installs_what_the_project_pins() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    uv = re.search(r"pip install --no-cache-dir (uv==\S+)", DOCKERFILE)
    assert uv
    assert uv[1] in project["dependencies"]
    assert set(re.findall(r"--extra (\w+)", DOCKERFILE)) == {"scale", "otel"} <= set(project["optional-dependencies"])


def test_secrets_stay_out_of_the_image() -> None:
    assert {".env", ".git", ".state"} <= set((ROOT / ".dockerignore").read_text().split())
