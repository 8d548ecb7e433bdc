"""What answers late writes nothing over what a person has gone on to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

import gradio as gr
import pytest

from demo.desk import Desk
from demo.doors.gate import Gate
from demo.presses.admission import Admission
from demo.screens.run import nothing_new
from demo.ui import Handlers
from demo.view.shot import Shot

from .visiting import OPTIONS, PAGE, Slow, Started, no_workshop, pick, told


async def test_a_page_that_loads_without_a_run_writes_nothing_over_one_that_is_started_meanwhile(handlers: Handlers):
    [frame] = [frame async for frame in handlers.viewer.restore(0, None, None, PAGE)]
    assert all(value == gr.skip() for value in frame[2:]), "no run: the screen stays as it is"
    handlers.turns.wish(1, PAGE)
    with pytest.raises(gr.Error) as late:
        _ = [frame async for frame in handlers.viewer.restore(0, None, None, PAGE)]
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

    paused, gate = asyncio.Event(), Gate(OPTIONS)
    handlers = Handlers(desk := Showing(no_workshop), Admission(desk, gate), OPTIONS)
    ref = gate.share("r", 0)
    older, newer = handlers.viewer.show(1, ref, None, PAGE), handlers.viewer.show(2, ref, None, PAGE)
    assert "first" in str(await anext(older))
    assert "first" in str(await anext(newer))
    paused.set()
    assert [frame async for frame in older] == []
    [rest] = [frame async for frame in newer]
    assert "second" in str(rest)


async def test_a_replay_that_is_done_says_nothing_last(handlers: Handlers, slow: Slow):
    slow.answers.set()
    *shown, last = [frame async for frame in handlers.replays.play(1, "r", None, 0, 1, PAGE)]
    assert "the end" in str(shown)
    assert last == [gr.skip(), *nothing_new()]


async def _last_frame(frames: AsyncGenerator[list[object]]) -> list[object]:
    return [frame async for frame in frames][-1]


LATE: dict[str, Callable[[Handlers], Awaitable[object]]] = {
    "seek": lambda do: do.replays.seek(1, "r", None, 0, PAGE),
    "skip": lambda do: do.replays.skip("r", None, PAGE),
    "open_player": lambda do: do.turns.here(do.replays.open_player)("r", None, PAGE),
    "play": lambda do: _last_frame(do.replays.play(1, "r", None, 0, 1, PAGE)),
}


@pytest.mark.parametrize("act", LATE.values(), ids=LATE)
async def test_an_answer_about_a_run_that_the_person_has_left_writes_nothing(
    act: Callable[[Handlers], Awaitable[object]], handlers: Handlers, slow: Slow
):
    late = asyncio.ensure_future(act(handlers))
    await slow.asked.wait()
    await _goes_on(handlers)
    slow.answers.set()
    [answer] = await asyncio.gather(late, return_exceptions=True)
    assert answer == [gr.skip(), *nothing_new()] or (isinstance(answer, gr.Error) and not answer.visible)


@pytest.mark.parametrize("act", LATE.values(), ids=LATE)
async def test_an_answer_that_is_asked_for_after_the_person_went_on_writes_nothing_either(
    act: Callable[[Handlers], Awaitable[object]], handlers: Handlers, slow: Slow
):
    """The press was before, the way to the server long."""
    slow.answers.set()
    await _goes_on(handlers)
    [answer] = await asyncio.gather(act(handlers), return_exceptions=True)
    assert isinstance(answer, gr.Error)
    assert not answer.visible


async def _goes_on(handlers: Handlers) -> None:
    """To another run, which is shown by the time that this returns."""
    handlers.turns.wish(2, PAGE)
    handlers.turns.take(2, "another", PAGE)


async def test_the_late_answer_of_a_start_does_not_take_the_page_from_what_was_opened_after_it(
    handlers: Handlers, said: list[str]
):
    start = Started()
    first = asyncio.ensure_future(told(handlers.viewer.goes(start.run, late="it goes on")(1, "old", PAGE)))
    await start.asked.wait()
    assert "the task of new" in await told(handlers.viewer.goes(handlers.afterwards.open)(2, None, pick("new"), PAGE))
    start.may.set()
    [answer] = await asyncio.gather(first, return_exceptions=True)
    assert isinstance(answer, gr.Error)
    assert not answer.visible
    assert said == ["it goes on"]
    assert handlers.turns.turn(PAGE).ref == "new"


async def test_presses_are_met_in_the_order_of_the_person_and_not_of_the_network(handlers: Handlers):
    opens = handlers.viewer.goes(handlers.afterwards.open)
    assert "the task of b" in await told(opens(2, None, pick("b"), PAGE))
    with pytest.raises(gr.Error) as late:
        await told(opens(1, None, pick("a"), PAGE))
    assert not late.value.visible


async def test_an_answer_about_the_run_on_the_screen_comes_whatever_is_done_with_it_meanwhile(
    handlers: Handlers, slow: Slow
):
    asked = asyncio.ensure_future(handlers.turns.here(handlers.replays.open_player)("r", None, PAGE))
    await slow.asked.wait()
    slow.answers.set()
    await _last_frame(handlers.replays.play(1, "r", None, 0, 1, PAGE))
    shown, _ = await asked
    assert shown == gr.update(visible=True)
