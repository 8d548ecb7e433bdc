"""Who has a page: a press that is made twice, one that is refused, strangers, and those without the key."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import gradio as gr
import pytest

from demo.doors.gate import Gate
from demo.options import UiOptions
from demo.presses.admission import Admission
from demo.presses.commands import FollowUp
from demo.screens.form import Form
from demo.ui import Handlers
from demo.view.shot import Shot
from framework.errors import StoreError
from framework.secret import Secret

from .visiting import OPTIONS, PAGE, Slow, Started, of, pick, told


async def test_pressing_twice_starts_one_run(handlers: Handlers, said: list[str]):
    start = Started()
    shows = handlers.viewer.goes(start.run, late="it goes on")
    twice = [asyncio.ensure_future(told(shows(number, "once", PAGE))) for number in (1, 2)]
    await start.asked.wait()
    start.may.set()
    first, second = await asyncio.gather(*twice, return_exceptions=True)
    assert start.times == 1
    assert isinstance(first, gr.Error)
    assert "the task of once" in str(second)
    assert said == [], "it is the run on the screen"
    await told(shows(3, "once", PAGE))
    assert start.times == 2, "once that is answered, a press is a new wish"


async def test_a_run_that_was_pressed_twice_and_left_is_told_of_once(handlers: Handlers, said: list[str]):
    start = Started()
    shows = handlers.viewer.goes(start.run, late="it goes on")
    twice = [asyncio.ensure_future(told(shows(number, "once", PAGE))) for number in (1, 2)]
    await start.asked.wait()
    await told(handlers.viewer.goes(handlers.afterwards.open)(3, None, pick("new"), PAGE))
    start.may.set()
    await asyncio.gather(*twice, return_exceptions=True)
    assert said == ["it goes on"]


async def test_no_answer_tells_a_browser_its_name(handlers: Handlers):
    """Whoever knows the session of a page may read its answers, too."""
    mine = {"owner": "a-secret-of-this-browser"}
    answers = [
        handlers.viewer.goes(handlers.afterwards.open)(1, mine, pick("a"), PAGE),
        handlers.viewer.restore(2, mine, {"run": "b"}, PAGE),
    ]
    for task, frames in zip("ab", answers, strict=True):
        shown = await told(frames)
        assert f"the task of {task}" in shown
        assert mine["owner"] not in shown
    assert "owner" not in await told(handlers.viewer.goes(handlers.afterwards.open)(3, None, pick("c"), PAGE))


async def test_however_many_others_come_a_page_that_is_looked_at_goes_on(
    handlers: Handlers, slow: Slow, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("demo.presses.turns._MAX_PAGES", 2)
    more = asyncio.Event()

    async def watch(run_id: str) -> AsyncGenerator[Shot]:
        yield Shot(run_id, title="begun")
        await more.wait()
        yield Shot(run_id, title="ended")

    monkeypatch.setattr(slow, "watch", watch)
    watching = handlers.viewer.show(1, "r", None, PAGE)
    await anext(watching)
    for number in range(3):
        handlers.turns.wish(1, of(f"stranger {number}"))
    handlers.turns.wish(2, PAGE)
    more.set()
    assert "ended" in str(await anext(watching))
    await watching.aclose()


async def test_nobody_without_the_key_takes_the_place_of_a_page(slow: Slow):
    options = UiOptions(storage_secret="browser", api_keys=(Secret("the key"),))
    locked = Handlers(slow, Admission(slow, Gate(options)), options)
    for frames in (
        locked.viewer.goes(locked.afterwards.open)(1, None, pick("r"), PAGE),
        locked.replays.play(1, "r", None, 0, 1, PAGE),
        locked.viewer.restore(0, None, None, PAGE),
    ):
        with pytest.raises(gr.Error):
            await anext(frames)
    with pytest.raises(gr.Error):
        await locked.replays.seek(1, "r", None, 0, PAGE)
    assert not locked.turns._pages  # pyright: ignore[reportPrivateUsage]


async def test_a_wish_that_is_refused_leaves_the_viewer_of_the_page_alone(handlers: Handlers):

    async def refused(request: gr.Request) -> Any:
        raise gr.Error("no")

    watching = handlers.viewer.show(1, "r", None, PAGE)
    await anext(watching)
    turn = handlers.turns.turn(PAGE)
    with pytest.raises(gr.Error, match="no"):
        await told(handlers.viewer.goes(refused)(2, PAGE))
    assert not handlers.turns.over(turn, PAGE)
    await watching.aclose()


async def test_nobody_starts_a_run_that_would_be_nobodys(handlers: Handlers):
    """What an old browser has kept may hold no name, and whoever posts by hand leaves it out."""
    with gr.Blocks(analytics_enabled=False):
        form, stored, words = Form(OPTIONS), gr.BrowserState(), gr.Textbox()
    filled = {one: one.value for one in form.order_inputs} | {form.task: "Write f(x).", words: "Faster"}
    for nameless in ({}, {"owner": ""}, None):
        values = {**filled, stored: nameless}
        asked = [
            handlers.commands.run(values, form, stored, PAGE),
            handlers.commands.go_on(values, form, FollowUp(words, stored, words), PAGE),
            handlers.afterwards.start_from("r", nameless, "c1", "x = 1", PAGE),
            handlers.afterwards.again("r", nameless, PAGE),
        ]
        for press in asked:
            with pytest.raises(gr.Error, match="press again"):
                await press


async def test_an_engine_that_says_no_is_told_under_what_was_asked_for(handlers: Handlers, slow: Slow):
    async def away(*_: object, **__: object) -> Any:
        raise StoreError("the database does not answer")

    slow.history = slow.events = away
    asked = {
        "Not listed": handlers.afterwards.history({"owner": "me"}, "", "", 5, PAGE),
        "Not compared": handlers.afterwards.open_compare("r", {"owner": "me"}, PAGE),
        "Not replayed": handlers.replays.open_player("r", {"owner": "me"}, PAGE),
    }
    for title, answer in asked.items():
        with pytest.raises(gr.Error, match="The database does not answer") as told:
            await answer
        assert told.value.title == title
