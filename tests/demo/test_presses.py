"""Who has a page: a press that is made twice, one that is refused, strangers, and those without the key."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import gradio as gr
import pytest

from demo.doors.gate import Gate
from demo.options import UiOptions
from demo.presses.handlers import FollowUp, Handlers
from demo.screens.form import Form
from demo.view.shot import Shot
from framework.errors import StoreError
from framework.secret import Secret

from .visiting import OPTIONS, PAGE, Slow, Standing, Started, of, pick, told


async def test_pressing_twice_starts_one_run(handlers: Standing, said: list[str]):
    start = Started()
    shows = handlers.goes(start.run, late="it goes on")
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


async def test_a_run_that_was_pressed_twice_and_left_is_told_of_once(handlers: Standing, said: list[str]):
    start = Started()
    shows = handlers.goes(start.run, late="it goes on")
    twice = [asyncio.ensure_future(told(shows(number, "once", PAGE))) for number in (1, 2)]
    await start.asked.wait()
    await told(handlers.goes(handlers.open)(3, None, pick("new"), PAGE))
    start.may.set()
    await asyncio.gather(*twice, return_exceptions=True)
    assert said == ["it goes on"]


async def test_no_answer_tells_a_browser_its_name(handlers: Standing):
    """Whoever knows the session of a page may read its answers, too."""
    mine = {"owner": "a-secret-of-this-browser"}
    answers = [handlers.goes(handlers.open)(1, mine, pick("a"), PAGE), handlers.restore(2, mine, {"run": "b"}, PAGE)]
    for task, frames in zip("ab", answers, strict=True):
        shown = await told(frames)
        assert f"the task of {task}" in shown
        assert mine["owner"] not in shown
    assert "owner" not in await told(handlers.goes(handlers.open)(3, None, pick("c"), PAGE))


async def test_however_many_others_come_a_page_that_is_looked_at_goes_on(
    handlers: Standing, slow: Slow, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("demo.presses.visits._MOST_PAGES", 2)
    more = asyncio.Event()

    async def watch(run_id: str) -> AsyncGenerator[Shot]:
        yield Shot(run_id, title="begun")
        await more.wait()
        yield Shot(run_id, title="ended")

    monkeypatch.setattr(slow, "watch", watch)
    watching = handlers.show(1, "r", None, PAGE)
    await anext(watching)
    for number in range(3):
        handlers._wish(1, of(f"stranger {number}"))  # pyright: ignore[reportPrivateUsage]
    handlers._wish(2, PAGE)  # pyright: ignore[reportPrivateUsage]
    more.set()
    assert "ended" in str(await anext(watching))
    await watching.aclose()


async def test_nobody_without_the_key_takes_the_place_of_a_page(slow: Slow):
    options = UiOptions(storage_secret="browser", api_keys=(Secret("the key"),))
    locked = Handlers(slow, Gate(options), options)
    for frames in (
        locked.goes(locked.open)(1, None, pick("r"), PAGE),
        locked.play(1, "r", None, 0, 1, PAGE),
        locked.restore(0, None, None, PAGE),
    ):
        with pytest.raises(gr.Error):
            await anext(frames)
    with pytest.raises(gr.Error):
        await locked.seek(1, "r", None, 0, PAGE)
    assert not locked._pages  # pyright: ignore[reportPrivateUsage]


async def test_a_wish_that_is_refused_leaves_the_viewer_of_the_page_alone(handlers: Standing):

    async def refused(request: gr.Request) -> Any:
        raise gr.Error("no")

    watching = handlers.show(1, "r", None, PAGE)
    await anext(watching)
    turn = handlers._turn(PAGE)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(gr.Error, match="no"):
        await told(handlers.goes(refused)(2, PAGE))
    assert not handlers._over(turn, PAGE)  # pyright: ignore[reportPrivateUsage]
    await watching.aclose()


async def test_nobody_starts_a_run_that_would_be_nobodys(handlers: Standing):
    """What an old browser has kept may hold no name, and whoever posts by hand leaves it out."""
    with gr.Blocks(analytics_enabled=False):
        form, stored, words = Form(OPTIONS), gr.BrowserState(), gr.Textbox()
    filled = {one: one.value for one in form.order_inputs} | {form.task: "Write f(x).", words: "Faster"}
    for nameless in ({}, {"owner": ""}, None):
        values = {**filled, stored: nameless}
        asked = [
            handlers.run(values, form, stored, PAGE),
            handlers.go_on(values, form, FollowUp(words, stored, words), PAGE),
            handlers.start_from("r", nameless, "c1", "x = 1", PAGE),
            handlers.again("r", nameless, PAGE),
        ]
        for press in asked:
            with pytest.raises(gr.Error, match="press again"):
                await press


async def test_an_engine_that_says_no_is_told_under_what_was_asked_for(handlers: Standing, slow: Slow):
    async def away(*_: object, **__: object) -> Any:
        raise StoreError("the database does not answer")

    slow.history = slow.envelopes = away
    asked = {
        "Not listed": handlers.history({"owner": "me"}, "", "", 5, PAGE),
        "Not compared": handlers.open_compare("r", {"owner": "me"}, PAGE),
        "Not replayed": handlers.open_player("r", {"owner": "me"}, PAGE),
    }
    for title, answer in asked.items():
        with pytest.raises(gr.Error, match="The database does not answer") as told:
            await answer
        assert told.value.title == title
