"""The chat-completions provider against a server that somebody else wrote: `transformers serve` with a tiny model."""

from __future__ import annotations

import asyncio
import http.client
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from llm import errors
from llm.chains import Chains, Target
from llm.meter import Meter
from llm.pool import alone
from llm.providers import open_provider
from llm.router import Router
from llm.types import Completion, Delta, Provider, ProviderSettings, ToolSpec
from tests.agent.command_line import free_port

from .conftest import ask
from .servers import until

pytestmark = [pytest.mark.local, pytest.mark.slow]
TOOL = ToolSpec("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("torch", reason="needs the extra `local`")
    from .local.conftest import make_model

    return make_model(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def url(model: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    port = free_port()
    program = [str(Path(sys.executable).with_name("transformers")), "serve", "--host", "127.0.0.1", "--port", str(port)]
    cache = str(tmp_path_factory.mktemp("cache"))
    environment = {"PATH": "/usr/bin:/bin", "HF_HUB_OFFLINE": "1", "HF_HOME": cache, "HOME": cache}
    with subprocess.Popen(program, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            if (
                not until(lambda: server.poll() is not None or answers(port), patience_s=180)
                or server.poll() is not None
            ):
                pytest.skip("`transformers serve` does not start here")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()


def answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@pytest.fixture
def served(url: str) -> Provider:
    return open_provider("vllm", ProviderSettings(base_url=url, options={"stall_s": 120}))


async def test_a_real_server_answers_whole_and_in_pieces(served: Provider, model: str) -> None:
    request = ask(max_tokens=12)
    whole = await served.complete(request, model=model)
    items = [item async for item in served.stream(request, model=model)]
    last = items[-1]
    assert isinstance(last, Completion)
    assert last.text == whole.text == "".join(item.text for item in items if isinstance(item, Delta))
    assert (whole.finish, last.finish) == ("length", "length")
    assert whole.usage == last.usage
    assert last.usage.output == 12


async def test_a_real_server_takes_tools_and_a_schema(served: Provider, model: str) -> None:
    schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    for request in (ask(max_tokens=8, tools=(TOOL,)), ask(max_tokens=8, schema=schema)):
        assert (await served.complete(request, model=model)).finish in ("length", "stop", "tool")


async def test_nonsense_of_a_real_model_is_refused_not_read(served: Provider, model: str) -> None:
    router = Router(alone({"vllm": served}), Chains((Target("vllm", model),)))
    meter = Meter()
    with pytest.raises(errors.BadReply):
        await router.ask(ask(code="required", max_tokens=8), meter)
    assert len(meter.settled) == 2


async def test_a_missing_model_of_a_real_server_is_an_error(served: Provider) -> None:
    with pytest.raises(errors.ProviderError):
        await served.complete(ask(max_tokens=4), model="no/such-model")


async def test_a_real_server_can_be_left(served: Provider, model: str) -> None:
    heard = asyncio.Event()

    async def listen() -> None:
        async for _ in served.stream(ask(max_tokens=400), model=model):
            heard.set()

    task = asyncio.create_task(listen())
    await asyncio.wait_for(heard.wait(), 60)
    loop = asyncio.get_running_loop()
    began = loop.time()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert loop.time() - began < 1
