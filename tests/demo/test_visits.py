"""Whose runs are whose: a browser's, or those of an account that signed in, which no browser can claim."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import gradio as gr
import gradio.oauth
import pytest
from starlette.requests import HTTPConnection

from demo.desk import Desk
from demo.doors.gate import Gate
from demo.options import UiOptions, options_from
from demo.presses.handlers import Handlers
from demo.presses.visits import Stored, visitor
from demo.screens.run import nothing_new
from demo.server import Server
from demo.ui import build_ui
from demo.view.shot import Shot
from framework.secret import Secret
from framework.settings import Settings

ACCOUNT = {"userinfo": {"sub": "4711"}, "expires_at": time.time() + 3600}


OPEN = Gate(UiOptions(storage_secret="browser"))


def owner_of(stored: dict[str, str] | None, **session: Any) -> str:
    connection = HTTPConnection({"type": "http", "headers": [], "session": session})
    return visitor(OPEN, stored, cast(gr.Request, SimpleNamespace(request=connection))).owner


def test_an_account_owns_its_runs_in_every_browser():
    one, other = {"owner": "one"}, {"owner": "other"}
    assert owner_of(one, oauth_info=ACCOUNT) == owner_of(other, oauth_info=ACCOUNT)
    assert owner_of(one) == one["owner"]
    past = {**ACCOUNT, "expires_at": time.time() - 1}
    assert owner_of(one, oauth_info=past) == one["owner"], "a session that is over is none"


def test_no_browser_can_claim_an_account():
    for name in (owner_of(None, oauth_info=ACCOUNT), OPEN.key_owner({"x-api-key": "a key"})):
        assert name
        assert owner_of({"owner": name}) == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "buttons"),
    [
        ({}, set[str]()),
        ({"OAUTH_CLIENT_ID": "id"}, set[str]()),
        ({"SPACE_ID": "me/it"}, {"duplicate"}),
        ({"SPACE_ID": "me/it", "OAUTH_CLIENT_ID": "id"}, {"duplicate", "sign-in"}),
    ],
)
def test_signing_in_and_duplicating_are_offered_where_they_work(
    variables: dict[str, str], buttons: set[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SYSTEM", "spaces")
    monkeypatch.setenv("SPACE_ID", "me/it")
    for name in ("OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL"):
        monkeypatch.setattr(gradio.oauth, name, "x")
    options = options_from(Settings.from_env({"LLM_PROVIDER": "mock", **variables}), Secret("browser"))

    async def no_workshop() -> Any:
        raise AssertionError("the page is built without the engine")

    page = build_ui(Desk(no_workshop), Gate(options), options)
    shown = {str(block.elem_id) for block in page.blocks.values() if getattr(block, "elem_id", None)}
    assert shown & {"duplicate", "sign-in"} == buttons
    assert page.expects_oauth == ("sign-in" in buttons)
    [footer] = [str(one.value) for one in page.blocks.values() if getattr(one, "elem_id", None) == "footer"]  # type: ignore[attr-defined]
    assert ("https://huggingface.co/spaces/me/it/tree/main" in footer) == ("duplicate" in buttons)
    assert "gradio_api/mcp/" in footer


def test_the_web_app_is_made_when_it_is_served_and_not_with_each_page(monkeypatch: pytest.MonkeyPatch):
    made: list[object] = []
    monkeypatch.setattr("gradio.routes.App.create_app", lambda *given, **_: made.append(given))

    async def no_workshop() -> Any:
        raise AssertionError("the page is built without the engine")

    Server(Settings.from_env({"LLM_PROVIDER": "mock"}), Secret("browser"), no_workshop)
    assert made == []


async def test_a_page_that_loads_without_a_run_writes_nothing_over_one_that_is_started_meanwhile(handlers: Handlers):
    request: Any = SimpleNamespace(**vars(PAGE), query_params={})
    [frame] = [frame async for frame in handlers.restore(0, None, request)]
    assert all(value == gr.skip() for value in frame[2:]), "no run: the screen stays as it is"
    handlers._wish(1, request)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(gr.Error) as late:
        _ = [frame async for frame in handlers.restore(0, None, request)]
    assert not late.value.visible


async def test_a_viewer_who_is_done_says_nothing_last_and_so_undoes_nothing_of_a_newer_one():
    """Gradio sends the last frame of a generator once more when it ends."""

    class Showing(Desk):
        async def owner(self, run_id: str) -> str:
            return "somebody"

        async def shares_ended(self, run_id: str) -> int:
            return 0

        async def watch(self, run_id: str) -> AsyncGenerator[Shot]:
            yield Shot(run_id, title="first")
            await paused.wait()
            yield Shot(run_id, title="second")

    async def no_workshop() -> Any:
        raise AssertionError("nothing is asked of the engine")

    paused = asyncio.Event()
    options = UiOptions(storage_secret="browser")
    gate = Gate(options)
    handlers = Handlers(Showing(no_workshop), gate, options)
    request: Any = SimpleNamespace(
        headers={}, session_hash="page", request=HTTPConnection({"type": "http", "headers": []})
    )
    word = gate.share("r", 0)
    older, newer = handlers.show(1, word, None, request), handlers.show(2, word, None, request)
    assert "first" in str(await anext(older))
    assert "first" in str(await anext(newer))
    paused.set()
    assert [frame async for frame in older] == []
    [rest] = [frame async for frame in newer]
    assert "second" in str(rest)


class _Slow(Desk):
    """Has one run, and tells it when it is let."""

    def __init__(self) -> None:
        super().__init__(self._no_workshop)
        self.asked, self.answers = asyncio.Event(), asyncio.Event()

    async def _no_workshop(self) -> Any:
        raise AssertionError("nothing is asked of the engine")

    async def owner(self, run_id: str) -> None:
        """No other run is there."""

    async def envelopes(self, run_id: str) -> list[Any]:
        self.asked.set()
        await self.answers.wait()
        return []


@pytest.fixture
def slow() -> _Slow:
    return _Slow()


@pytest.fixture
def handlers(slow: _Slow, monkeypatch: pytest.MonkeyPatch) -> Handlers:
    async def shot(*_: object) -> Shot:
        return Shot("r", title="the end")

    options = UiOptions(storage_secret="browser")
    made = Handlers(slow, Gate(options), options)
    monkeypatch.setattr(made, "_shot", shot)
    return made


PAGE: Any = SimpleNamespace(headers={}, session_hash="page", request=HTTPConnection({"type": "http", "headers": []}))


async def test_a_replay_that_is_done_says_nothing_last(handlers: Handlers, slow: _Slow):
    slow.answers.set()
    *told, last = [frame async for frame in handlers.play(1, "r", None, 0, 1, PAGE)]
    assert "the end" in str(told)
    assert last == [gr.skip(), *nothing_new()]


async def _last_frame(frames: AsyncGenerator[list[object]]) -> list[object]:
    return [frame async for frame in frames][-1]


LATE: dict[str, Callable[[Handlers], Awaitable[object]]] = {
    "seek": lambda do: do.seek(1, "r", None, 0, PAGE),
    "skip": lambda do: do.skip("r", None, PAGE),
    "open_player": lambda do: do.here(do.open_player)("r", None, PAGE),
    "play": lambda do: _last_frame(do.play(1, "r", None, 0, 1, PAGE)),
}


@pytest.mark.parametrize("act", LATE.values(), ids=LATE)
async def test_an_answer_about_a_run_that_the_person_has_left_writes_nothing(
    act: Callable[[Handlers], Awaitable[object]], handlers: Handlers, slow: _Slow
):
    late = asyncio.ensure_future(act(handlers))
    await slow.asked.wait()
    await _goes_on(handlers)
    slow.answers.set()
    [answer] = await asyncio.gather(late, return_exceptions=True)
    assert answer == [gr.skip(), *nothing_new()] or (isinstance(answer, gr.Error) and not answer.visible)


@pytest.mark.parametrize("act", LATE.values(), ids=LATE)
async def test_an_answer_that_is_asked_for_after_the_person_went_on_writes_nothing_either(
    act: Callable[[Handlers], Awaitable[object]], handlers: Handlers, slow: _Slow
):
    """The press was before, the way to the server long."""
    slow.answers.set()
    await _goes_on(handlers)
    [answer] = await asyncio.gather(act(handlers), return_exceptions=True)
    assert isinstance(answer, gr.Error)
    assert not answer.visible


async def _goes_on(handlers: Handlers) -> None:
    """To another run, which is shown by the time that this returns."""
    handlers._wish(2, PAGE)  # pyright: ignore[reportPrivateUsage]
    handlers._take_turn(2, "another", PAGE)  # pyright: ignore[reportPrivateUsage]


def _runs(handlers: Handlers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run is there, stands still, and is told by its title."""

    async def watch(run_id: str) -> AsyncGenerator[Shot]:
        yield Shot(run_id, title=f"the task of {run_id}")

    async def see(word: str, *_: object) -> str:
        return word

    async def standing(*_: object) -> dict[str, Any]:
        return {}

    monkeypatch.setattr(handlers, "_see", see)
    monkeypatch.setattr(handlers, "_standing", standing)
    monkeypatch.setattr(handlers._desk, "watch", watch)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr("demo.presses.viewer.while_shown", lambda desk, gate, word, shots: shots)


class _Started:
    """What starts a run, in its own time."""

    def __init__(self) -> None:
        self.times = 0
        self.asked, self.may = asyncio.Event(), asyncio.Event()

    async def run(self, task: str, request: gr.Request) -> tuple[str, Stored]:
        self.times += 1
        self.asked.set()
        await self.may.wait()
        return task, {"owner": "me"}


async def _told(frames: AsyncGenerator[list[object]]) -> str:
    return str([frame async for frame in frames])


async def test_the_late_answer_of_a_start_does_not_take_the_page_from_what_was_opened_after_it(
    handlers: Handlers, monkeypatch: pytest.MonkeyPatch
):
    _runs(handlers, monkeypatch)
    said: list[str] = []
    monkeypatch.setattr("gradio.Info", said.append)
    start = _Started()
    first = asyncio.ensure_future(_told(handlers.goes(start.run, late="it goes on")(1, "old", PAGE)))
    await start.asked.wait()
    event = gr.EventData(None, {"name": "new"})
    assert "the task of new" in await _told(handlers.goes(handlers.open)(2, None, event, PAGE))
    start.may.set()
    [answer] = await asyncio.gather(first, return_exceptions=True)
    assert isinstance(answer, gr.Error)
    assert not answer.visible
    assert said == ["it goes on"]
    assert handlers._turn(PAGE).word == "new"  # pyright: ignore[reportPrivateUsage]


async def test_presses_are_met_in_the_order_of_the_person_and_not_of_the_network(
    handlers: Handlers, monkeypatch: pytest.MonkeyPatch
):
    _runs(handlers, monkeypatch)
    opens = handlers.goes(handlers.open)
    assert "the task of b" in await _told(opens(2, None, gr.EventData(None, {"name": "b"}), PAGE))
    with pytest.raises(gr.Error) as late:
        await _told(opens(1, None, gr.EventData(None, {"name": "a"}), PAGE))
    assert not late.value.visible


async def test_pressing_twice_starts_one_run(handlers: Handlers, monkeypatch: pytest.MonkeyPatch):
    _runs(handlers, monkeypatch)
    said: list[str] = []
    monkeypatch.setattr("gradio.Info", said.append)
    start = _Started()
    shows = handlers.goes(start.run, late="it goes on")
    twice = [asyncio.ensure_future(_told(shows(number, "once", PAGE))) for number in (1, 2)]
    await start.asked.wait()
    start.may.set()
    first, second = await asyncio.gather(*twice, return_exceptions=True)
    assert start.times == 1
    assert isinstance(first, gr.Error)
    assert "the task of once" in str(second)
    assert said == [], "it is the run on the screen"
    await _told(shows(3, "once", PAGE))
    assert start.times == 2, "once that is answered, a press is a new wish"


async def test_a_run_that_was_pressed_twice_and_left_is_told_of_once(
    handlers: Handlers, monkeypatch: pytest.MonkeyPatch
):
    _runs(handlers, monkeypatch)
    said: list[str] = []
    monkeypatch.setattr("gradio.Info", said.append)
    start = _Started()
    shows = handlers.goes(start.run, late="it goes on")
    twice = [asyncio.ensure_future(_told(shows(number, "once", PAGE))) for number in (1, 2)]
    await start.asked.wait()
    await _told(handlers.goes(handlers.open)(3, None, gr.EventData(None, {"name": "new"}), PAGE))
    start.may.set()
    await asyncio.gather(*twice, return_exceptions=True)
    assert said == ["it goes on"]


async def test_all_that_a_page_starts_belongs_to_one_browser_before_the_page_knows_its_name(
    handlers: Handlers, monkeypatch: pytest.MonkeyPatch
):
    _runs(handlers, monkeypatch)
    opened = [await handlers.open(None, gr.EventData(None, {"name": name}), PAGE) for name in ("a", "b")]
    [looked, *_] = [frame async for frame in handlers.restore(0, {}, _of("page"))]
    [elsewhere, *_] = [frame async for frame in handlers.restore(0, {}, _of("another page"))]
    owners = [kept["owner"] for _, kept, *_ in opened] + [_owner(looked), _owner(elsewhere)]
    assert owners[0]
    assert owners[0] == owners[1] == owners[2] != owners[3]
    _, kept, *_ = await handlers.open({"owner": "me"}, gr.EventData(None, {"name": "a"}), PAGE)
    assert kept["owner"] == "me", "a browser that has a name keeps it"


def _of(page: str) -> Any:
    return SimpleNamespace(**{**vars(PAGE), "session_hash": page}, query_params={})


def _owner(frame: list[Any]) -> str:
    return frame[1]["value"]["owner"]


async def test_however_many_others_come_a_page_that_is_looked_at_goes_on(
    handlers: Handlers, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("demo.presses.visits._MOST_PAGES", 2)
    _runs(handlers, monkeypatch)
    more = asyncio.Event()

    async def watch(run_id: str) -> AsyncGenerator[Shot]:
        yield Shot(run_id, title="begun")
        await more.wait()
        yield Shot(run_id, title="ended")

    monkeypatch.setattr(handlers._desk, "watch", watch)  # pyright: ignore[reportPrivateUsage]
    watching = handlers.show(1, "r", None, PAGE)
    await anext(watching)
    for number in range(3):
        handlers._wish(1, _of(f"stranger {number}"))  # pyright: ignore[reportPrivateUsage]
    handlers._wish(2, PAGE)  # pyright: ignore[reportPrivateUsage]
    more.set()
    assert "ended" in str(await anext(watching))
    await watching.aclose()


async def test_nobody_without_the_key_takes_the_place_of_a_page(slow: _Slow):
    options = UiOptions(storage_secret="browser", api_keys=(Secret("the key"),))
    locked = Handlers(slow, Gate(options), options)
    event = gr.EventData(None, {"name": "r"})
    for frames in (
        locked.goes(locked.open)(1, None, event, PAGE),
        locked.play(1, "r", None, 0, 1, PAGE),
        locked.restore(0, {}, _of("page")),
    ):
        with pytest.raises(gr.Error):
            await anext(frames)
    with pytest.raises(gr.Error):
        await locked.seek(1, "r", None, 0, PAGE)
    assert not locked._pages  # pyright: ignore[reportPrivateUsage]


async def test_a_wish_that_is_refused_leaves_the_viewer_of_the_page_alone(
    handlers: Handlers, monkeypatch: pytest.MonkeyPatch
):
    _runs(handlers, monkeypatch)

    async def refused(request: gr.Request) -> Any:
        raise gr.Error("no")

    watching = handlers.show(1, "r", None, PAGE)
    await anext(watching)
    turn = handlers._turn(PAGE)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(gr.Error, match="no"):
        await _told(handlers.goes(refused)(2, PAGE))
    assert not handlers._over(turn, PAGE)  # pyright: ignore[reportPrivateUsage]
    await watching.aclose()


async def test_an_answer_about_the_run_on_the_screen_comes_whatever_is_done_with_it_meanwhile(
    handlers: Handlers, slow: _Slow
):
    asked = asyncio.ensure_future(handlers.here(handlers.open_player)("r", None, PAGE))
    await slow.asked.wait()
    slow.answers.set()
    await _last_frame(handlers.play(1, "r", None, 0, 1, PAGE))
    shown, _ = await asked
    assert shown == gr.update(visible=True)
