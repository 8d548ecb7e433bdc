"""A generator and a validator of inputs are tried before anything relies on them, and thrown away when they fail."""

from __future__ import annotations

import pytest

from agent.checks.trial import Unusable, refusals, try_domain
from agent.config import AgentConfig
from agent.session.roles import InputsReply
from agent.state import Task
from agent.state.domain import calls_in
from sandbox.types import Program, Sandbox
from tests.agent.alone import alone

pytestmark = pytest.mark.asyncio(loop_scope="session")

TASK = Task("top(words, k) gives the k most frequent words. The list is never empty. k is at least 1.")
MODULE = """
def allowed(words, k):
    if not words:
        return "The list is never empty."
    return "" if k >= 1 else "k is at least 1."


def inputs(draw, size):
    while True:
        yield [draw.choice("abc") for _ in range(size)], draw.randint(0, 3)
        yield ["a"] * size, 1
"""
EXAMPLE = "top(['b', 'a', 'b'], 1)"
CONFIG = AgentConfig()


async def test_what_the_validator_refuses_is_not_among_the_inputs(sandbox: Sandbox) -> None:
    reply = InputsReply(MODULE, ("k is at least 1.", "The words are short."), "checker")
    domain = await try_domain(alone(sandbox, TASK), CONFIG, reply, "top", [EXAMPLE], is_class=False)
    assert len(domain.small) >= 20
    assert len(set(domain.calls)) == len(domain.calls)
    assert not any("[]" in call or ", 0)" in call for call in domain.calls)
    assert domain.brute_force == "checker"
    assert domain.limits == ("k is at least 1.",), "a sentence that does not stand in the task is no limit of it"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (MODULE.replace("k >= 1", "k >= 2"), r"refuses an example .*\['b', 'a', 'b'\], 1\): k is at least 1"),
        (MODULE.replace("if not words", "if word"), "refuses an example .* no answer: raises NameError"),
        (MODULE.replace("yield [", "return; yield ["), "yields only 0 different inputs .* 20 are needed"),
        (MODULE.replace("while True", "for _ in range(1)"), "different inputs"),
        (MODULE.replace("draw.choice", "sys.exit"), "yields only .* different inputs"),
        ("def allowed(words, k):\n    return ''\n", "yields only 0 different inputs .* 20 are needed"),
        (
            MODULE.replace("draw.choice", "draw.chose"),
            "20 are needed; `inputs.draw, 1.` gives nothing usable: raises Attr",
        ),
        (
            MODULE.replace('"" if k >= 1 else "k is at least 1."', "k >= 1"),
            r"refuses an example .*: `allowed` gives True instead of a sentence",
        ),
        (MODULE.replace('"" if k >= 1', '"" if k == 1'), "yields only .* 20 are needed$"),
        (
            MODULE.replace('"" if k >= 1 else "k is', '"" if k == 1 else 5 or "k is').replace("randint(0", "randint(2"),
            r"20 are needed; for top\(.*, [23]\) `allowed` gives 5 instead of a sentence",
        ),
        ("import no_such_module_here\n", "cannot be run"),
        ("def allowed(:\n", "cannot be run"),
        pytest.param("while True:\n    pass\n", "refuses an example|cannot be run", marks=pytest.mark.slow),
    ],
)
async def test_a_module_that_fails_its_trial_is_refused_in_words(sandbox: Sandbox, source: str, why: str) -> None:
    trial = try_domain(alone(sandbox, TASK), CONFIG, InputsReply(source), "top", [EXAMPLE], is_class=False)
    with pytest.raises(Unusable, match=why):
        await trial


async def test_inputs_of_another_shape_than_the_examples_are_refused(sandbox: Sandbox) -> None:
    source = (
        "def allowed(words, k):\n    return ''\n\n\n"
        "def inputs(draw, size):\n    while True:\n        yield str(draw.random()), 1\n"
    )
    with pytest.raises(Unusable, match="of another shape"):
        await try_domain(alone(sandbox, TASK), CONFIG, InputsReply(source), "top", [EXAMPLE], is_class=False)


@pytest.mark.parametrize(("of", "usable"), [(2, True), (3, False)])
async def test_one_in_two_inputs_must_look_like_the_examples(sandbox: Sandbox, of: int, *, usable: bool) -> None:
    source = (
        "def allowed(words, k):\n    return ''\n\n\ndef inputs(draw, size):\n    while True:\n"
        f"        yield [str(draw.random())], 1\n"
        f"        yield from [(str(draw.random()), 1) for _ in range({of - 1})]\n"
    )
    trial = try_domain(alone(sandbox, TASK), CONFIG, InputsReply(source), "top", [EXAMPLE], is_class=False)
    if usable:
        assert (await trial).calls
    else:
        with pytest.raises(Unusable, match="of another shape"):
            await trial


async def test_a_named_argument_of_an_example_tells_nothing_of_those_without_names(sandbox: Sandbox) -> None:
    source = (
        "def allowed(argv=(), stdin='', files=None):\n    return ''\n\n\n"
        "def inputs(draw, size):\n    while True:\n        yield [], str(draw.random()), {}\n"
    )
    examples = ["run_program(stdin='3\\n')"]
    made = await try_domain(alone(sandbox, TASK), CONFIG, InputsReply(source), "run_program", examples, is_class=False)
    assert made.calls


async def test_the_validator_answers_later_calls_and_gives_its_sentence(sandbox: Sandbox) -> None:
    calls = ["top(['a'], 1)", "top([], 1)", "top(['a'], 'x')", "top(1)"]
    found = await refusals(alone(sandbox, TASK), CONFIG, MODULE, "top", calls)
    assert found[calls[0]] == ""
    assert found[calls[1]] == "The list is never empty."
    assert "raises TypeError" in found[calls[2]]
    assert "raises TypeError" in found[calls[3]]


async def test_inputs_of_a_class_are_an_object_and_what_its_methods_give(sandbox: Sandbox) -> None:
    source = (
        "def allowed(start, steps):\n    return '' if len(steps) < 6 else 'too long'\n\n\n"
        "def inputs(draw, size):\n    while True:\n"
        "        yield (3,), [(draw.choice(['push', 'pop']), (draw.randint(0, 9),)) for _ in range(size)]\n"
    )
    context = alone(sandbox, Task("a stack"))
    domain = await try_domain(context, CONFIG, InputsReply(source), "Stack", [], is_class=True)
    call = domain.small[-1]
    program = "class Stack:\n    def __init__(self, n): self.n = n\n    def push(self, x): return x\n    pop = push\n"
    (output,) = (await sandbox.run(Program(solution=program, calls=(call,), mode="inprocess"))).outputs
    assert call.endswith("for it in [Stack(3)]][0]")
    assert output.kind == "value"


STACK = Task("Write a class Stack(n): push(x) puts an integer on it, pop() takes it off. It holds at most n things.")
STACK_MODULE = """
def allowed(start, steps):
    return "" if len(steps) < 8 else "It holds at most n things."


def inputs(draw, size):
    while True:
        yield (3,), [(draw.choice(["push", "push", "top"]), (draw.randint(0, 9),)) for _ in range(size)]
"""
PUSHED = "[[it.push(1), it.push(2), it.pop()] for it in [Stack(2)]][0]"


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (STACK_MODULE, ""),
        (STACK_MODULE.replace("< 8", "< 2"), r"refuses an example .*it\.push\(1\).*: It holds at most n things"),
        (STACK_MODULE.replace("draw.randint(0, 9)", "str(draw.random())"), "of another shape than the task's own"),
        (STACK_MODULE.replace("(3,), [", "('3',), ["), "of another shape than the task's own"),
    ],
)
async def test_of_a_class_too_both_are_tried_on_the_tasks_examples(sandbox: Sandbox, source: str, why: str) -> None:
    """What no example uses may be anything."""
    trial = try_domain(alone(sandbox, STACK), CONFIG, InputsReply(source), "Stack", [PUSHED], is_class=True)
    if why:
        with pytest.raises(Unusable, match=why):
            await trial
    else:
        assert len((await trial).small) >= 20


async def test_calls_with_literal_arguments_are_found_in_a_check() -> None:
    source = "def test_x():\n    with pytest.raises(ValueError):\n        f(-1)\n    assert f(x) == g(f([2]))"
    assert calls_in(source, "f") == ["f(-1)", "f([2])"]
