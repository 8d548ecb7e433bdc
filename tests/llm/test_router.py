"""Who is asked, how often, when, and what is paid for it."""

from __future__ import annotations

import asyncio
import time

import pytest

from llm import errors
from llm.chains import Target
from llm.meter import Meter, PaidCall
from llm.types import Caps, Completion, Note, ToolSpec, Usage

from .conftest import ask
from .scripted import GOOD, QUESTION, SCHEMA, Clock, Scripted, outcomes, router_of, says

PASSING = [errors.Overloaded("x"), errors.Unreachable("x"), errors.TruncatedStream("x"), errors.RateLimited("x")]
LASTING = (
    *(errors.AuthFailed, errors.PaymentRequired, errors.ModelMissing, errors.ContextTooLong, errors.BadRequest),
    *(errors.AlienReply, errors.NotThere, errors.NoAnswer),
)


class RealTime(Clock):
    def __call__(self) -> float:
        return time.monotonic()


async def test_a_good_reply_costs_one_call() -> None:
    meter = Meter()
    answer = await router_of(Scripted("a", GOOD)).ask(QUESTION, meter)
    assert (dict(answer.reply.header), outcomes(answer), answer.cost_usd) == ({"ok": True}, ["ok"], 0.15)
    assert meter.settled == (PaidCall("planner", "first", "a:m1", Usage(100, 50), 0.15),)


async def test_the_advice_names_a_fallback_only_where_there_is_none() -> None:
    def bad(name: str) -> Scripted:
        return Scripted(name, errors.BadRequest(f"{name} refused", helps=f"choose another model{errors.NAME_ANOTHER}"))

    with pytest.raises(errors.BadRequest, match=r"LLM_FALLBACK\.$"):
        await router_of(bad("a")).ask(QUESTION, Meter())
    with pytest.raises(errors.NobodyAnswered) as told:
        await router_of(bad("a"), bad("b")).ask(QUESTION, Meter())
    assert "LLM_FALLBACK" not in str(told.value)
    assert str(told.value).count("choose another model") == 2


@pytest.mark.parametrize("fault", PASSING, ids=lambda fault: type(fault).__name__)
async def test_a_fault_of_the_service_is_tried_again_with_pauses(fault: errors.LLMError) -> None:
    clock, provider = Clock(), Scripted("a", fault, fault, GOOD)
    answer = await router_of(provider, clock=clock).ask(QUESTION, Meter())
    assert outcomes(answer) == ["retry", "retry", "ok"]
    assert clock.slept == [0.75, 1.25]


async def test_after_two_retries_the_next_in_the_chain_is_asked() -> None:
    first, second = Scripted("a", errors.Overloaded("x")), Scripted("b", GOOD)
    answer = await router_of(first, second).ask(QUESTION, Meter())
    assert outcomes(answer) == ["retry", "retry", "fallback", "ok"]
    assert (answer.provider, len(first.requests)) == ("b", 3)
    assert any("a:m1 gave no answer, the next one is asked" in note for note in answer.notes)


@pytest.mark.parametrize("kind", LASTING)
async def test_a_fault_that_stays_is_not_tried_again(kind: type[errors.ProviderError]) -> None:
    first, second, clock = Scripted("a", kind("x")), Scripted("b", GOOD), Clock()
    answer = await router_of(first, second, clock=clock).ask(QUESTION, Meter())
    assert outcomes(answer) == ["fallback", "ok"]
    assert (clock.slept, len(first.requests)) == ([], 1)


async def test_a_task_without_a_script_is_said_at_once() -> None:
    first, second = Scripted("a", errors.NoScenario("x")), Scripted("b", GOOD)
    with pytest.raises(errors.NoScenario):
        await router_of(first, second).ask(QUESTION, Meter())
    assert (len(first.requests), len(second.requests)) == (1, 0)


async def test_one_target_alone_is_told_as_it_failed_and_how_often() -> None:
    with pytest.raises(errors.Overloaded, match=r"^a is down, tried 3 times; wait\.$"):
        await router_of(Scripted("a", errors.Overloaded("a is down.", helps="wait"))).ask(QUESTION, Meter())


async def test_a_chain_of_which_nobody_answers_is_told_line_by_line() -> None:
    first, second = Scripted("a", errors.AuthFailed("first", helps="set A")), Scripted("b", errors.Overloaded("second"))
    with pytest.raises(errors.NobodyAnswered) as raised:
        await router_of(first, second).ask(QUESTION, Meter())
    assert str(raised.value) == "no model answered:\n- first; set A.\n- second, tried 3 times."


async def test_the_wait_that_a_service_asks_for_is_kept() -> None:
    clock, provider = Clock(), Scripted("a", errors.RateLimited("x", retry_after=7), GOOD)
    await router_of(provider, clock=clock).ask(QUESTION, Meter())
    assert clock.slept == [7]


@pytest.mark.parametrize("kind", [errors.RateLimited, errors.Overloaded])
async def test_a_wait_that_is_too_long_is_kept_only_where_nobody_else_can_be_asked(kind: type) -> None:
    clock, first, second = Clock(), Scripted("a", kind("x", retry_after=40)), Scripted("b", GOOD)
    answer = await router_of(first, second, clock=clock).ask(QUESTION, Meter())
    assert (outcomes(answer), clock.slept) == (["fallback", "ok"], [])
    alone = Scripted("a", kind("x", retry_after=40), GOOD)
    await router_of(alone, clock=clock).ask(QUESTION, Meter())
    assert clock.slept == [40]
    with pytest.raises(kind):
        await router_of(Scripted("a", kind("x", retry_after=3600)), clock=clock).ask(QUESTION, Meter())
    assert clock.slept == [40]


async def test_no_pause_goes_past_the_deadline() -> None:
    clock, provider = Clock(), Scripted("a", errors.RateLimited("x", retry_after=10))
    with pytest.raises(errors.RateLimited):
        await router_of(provider, clock=clock).ask(QUESTION, Meter(), deadline=15)
    assert clock.slept == [10]


async def test_a_model_that_hangs_does_not_take_the_time_of_the_next() -> None:
    first, second = Scripted("a", "hang"), Scripted("b", GOOD)
    router = router_of(first, second, clock=RealTime())
    answer = await router.ask(QUESTION, Meter(), deadline=2.0)
    assert outcomes(answer) == ["fallback", "ok"]


async def test_the_deadline_ends_a_call() -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    with pytest.raises(errors.NoAnswer, match="no answer in the"):
        await router_of(Scripted("a", "hang")).ask(QUESTION, Meter(), deadline=0.05)
    assert loop.time() - began < 2


async def test_what_happens_is_told_while_it_happens() -> None:
    told: list[str] = []
    first, second = Scripted("a", errors.Overloaded("a is down")), Scripted("b", GOOD)
    await router_of(first, second).ask(QUESTION, Meter(), on_note=told.append)
    assert [words.partition(":")[0] for words in told[:1]] == ["a"]
    assert "asked again in 0.8 s" in told[0]
    assert "the next one is asked" in told[2]


async def test_what_a_provider_tells_before_it_answers_is_passed_on() -> None:
    class Loading(Scripted):
        async def stream(self, request, *, model):
            yield Note("loading 3 GB")
            async for item in super().stream(request, model=model):
                yield item

    told: list[str] = []
    answer = await router_of(Loading("a", GOOD)).ask(QUESTION, Meter(), on_note=told.append)
    assert (told, answer.notes) == (["loading 3 GB"], ())


async def test_escalation_asks_the_stronger_model_and_says_so() -> None:
    provider = Scripted("a", GOOD)
    router = router_of(provider, ladder=(Target("a", "m2"), Target("a", "m3")))
    answers = [await router.ask(QUESTION, Meter(), escalate=step) for step in (0, 1, 2, 9)]
    assert [answer.model for answer in answers] == ["m1", "m2", "m3", "m3"]
    assert "escalated from a:m1 to a:m2" in answers[1].notes


async def test_without_a_stronger_model_escalation_says_so() -> None:
    answer = await router_of(Scripted("a", GOOD)).ask(QUESTION, Meter(), escalate=1)
    assert answer.model == "m1"
    assert any("no stronger model" in note for note in answer.notes)


async def test_a_role_has_its_own_chain() -> None:
    first, second = Scripted("a", GOOD), Scripted("b", GOOD)
    router = router_of(first, second, roles={"planner": (Target("b", "m9"),)})
    assert (await router.ask(QUESTION, Meter())).model == "m9"
    assert (await router.ask(ask(role="critic", schema=SCHEMA), Meter())).provider == "a"


async def test_an_empty_chain_is_said_in_one_line() -> None:
    with pytest.raises(errors.NoProvider, match="No model is configured"):
        await router_of().ask(QUESTION, Meter())


async def test_pieces_are_heard_and_a_new_start_is_marked() -> None:
    heard: list[str] = []
    await router_of(Scripted("a", errors.Overloaded("x"), GOOD)).ask(QUESTION, Meter(), on_text=heard.append)
    assert heard == ["", "", '{"o', 'k": true}']


async def test_not_too_many_calls_at_a_time() -> None:
    provider = Scripted("a", GOOD)
    router = router_of(provider)
    await asyncio.gather(*(router.ask(QUESTION, Meter()) for _ in range(20)))
    assert 1 < provider.most_active <= 4


async def test_tools_are_told_in_words_where_a_model_has_none() -> None:
    tool = ToolSpec("look", "Looks.", {"type": "object", "properties": {"at": {"type": "string"}}})
    plain = Scripted("a", says('{"tool": "look", "arguments": {"at": "x"}}'), caps=Caps(tools=False))
    answer = await router_of(plain).ask(ask(schema=SCHEMA, tools=(tool,)), Meter())
    assert [(call.name, dict(call.arguments)) for call in answer.reply.tool_calls] == [("look", {"at": "x"})]
    assert plain.requests[0].tools == ()
    assert plain.requests[0].data["spoken_tools"] == (tool,)
    assert "- look: Looks." in plain.requests[0].messages[0].content


async def test_what_a_service_changed_is_told() -> None:
    odd = Completion(
        "{}", "stop", Usage(1, 1), "a", "m1", "other-model", ignored=("temperature",), notes=("a downgrade",)
    )
    answer = await router_of(Scripted("a", odd)).ask(ask(), Meter())
    assert answer.notes == ("a downgrade", "a:m1 does not apply: temperature", "a:m1 answered as other-model")
