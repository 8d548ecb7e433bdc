"""What is reported of given code is what running it shows; it becomes a check that the program must do otherwise."""

from __future__ import annotations

import pytest

from agent.examples import read_brief
from agent.given.symptoms import Reproduction, crashes_on, reproduce, symptom_suite, wishes_of
from agent.state import Check, Run, Suite
from sandbox.types import CallOutput, Execution, Isolation

ISOLATION = Isolation("limits", *["open"] * 6)
HALF = "def half(n):\n    return n // 2\n"
STRICT = "def half(n):\n    if n < 0:\n        raise ValueError('negative')\n    return n / 2\n"


def value(text: str) -> CallOutput:
    return CallOutput("value", text)


def raised(name: str) -> CallOutput:
    return CallOutput("exception", name)


def found(text: str, code: str = HALF, **outputs: CallOutput) -> Reproduction:
    """`outputs`: what half(3) and the like give, by their argument ("of_3")."""
    given = {f"half({name.removeprefix('of_')})": output for name, output in outputs.items()}
    return reproduce(read_brief(text, code, ()), code, given)


def calls(reproduction: Reproduction) -> list[list[str]]:
    return [list(symptom.does) for symptom in reproduction.symptoms]


@pytest.mark.parametrize(
    "told", ["half() gives 1 for 3, but should give 1.5.", "half() returns 1 instead of 1.5 for 3"]
)
def test_brackets_with_nothing_in_them_only_name_a_function_that_takes_something(told: str) -> None:
    brief = read_brief(told, HALF, ())
    assert [example.call for example in brief.examples] == ["half(3)"]
    assert brief.examples[0].sentence in told
    assert [
        one.call for one in read_brief("tick() gives 1, but should give 2.", "def tick():\n    return 1\n", ()).examples
    ] == ["tick()"]


@pytest.mark.parametrize(
    "text",
    [
        "half(3) gives 1",
        "I get 1 for half(3).",
        "half(3) returns 1 instead of 1.5",
        "half(3) -> 1",
        ">>> half(3)\n1\n\nThat is not right.",
        "half(3) gibt 1 zurück",
        "Why does half(3) return 1?",
    ],
)
def test_what_the_program_does_as_reported_is_a_symptom(text: str) -> None:
    assert calls(found(text, of_3=value("1"))) == [["half(3)"]]


@pytest.mark.parametrize(
    "text",
    [
        "The result is off by one for half(3).",
        "half(3) is wrong.",
        "half(3) is too small",
        "half(4) is fine, half(3) is wrong",
        "half(3) liefert ein falsches Ergebnis",
        "El resultado de half(3) está mal.",
    ],
)
def test_a_value_that_is_said_to_be_wrong_has_to_change_also_where_it_is_not_told(text: str) -> None:
    assert calls(found(text, of_3=value("1"), of_4=value("2"))) == [["half(3)"]]


@pytest.mark.parametrize(
    "text",
    [
        "half(3) is wrong when the cache is on",
        "The docstring of half(3) is wrong",
        "half(3) is off by one after a reset",
        "Why is half(3) wrong?",
        "I think half(3) is off by a cent",
        "half(3) is not wrong",
        "half(3) uses the wrong tax rate",
    ],
)
def test_what_is_wrong_under_a_condition_or_about_the_value_need_not_change_it(text: str) -> None:
    assert calls(found(text, of_3=value("1"))) == []


def test_what_the_program_does_not_do_is_none_and_is_said() -> None:
    tried = found("half(3) gives 7", of_3=value("1"))
    assert tried.symptoms == ()
    assert tried.doubts == ("what is reported of half(3) could not be reproduced: the given program gives 1",)


def test_what_is_right_already_is_no_symptom() -> None:
    for text in (
        "half(4) correctly gives 2 but half(3) gives 1.",
        "half(4) gives 2 but half(3) gives 1, which is wrong.",
        "half(4) should stay 2. half(3) gives 1, wrong.",
        "half(3) gives 1, while half(4) is fine with 2.",
    ):
        assert calls(found(text, of_4=value("2"), of_3=value("1"))) == [["half(3)"]], text


def test_a_value_of_another_type_is_another_value() -> None:
    assert calls(found("half(4) returns 2.0, should be 2", of_4=value("2.0"))) == [["half(4)"]]


@pytest.mark.parametrize(
    "text",
    [
        "half('x') raises TypeError",
        "It crashes on half('x')",
        "half crashes on 'x'.",
        "half('x')\nTypeError: bad operand",
    ],
)
def test_a_crash_that_the_report_speaks_of_is_a_symptom(text: str) -> None:
    brief = read_brief(text, HALF, ())
    outputs = {"half('x')": raised("TypeError")}
    assert [list(one.does) for one in reproduce(brief, HALF, outputs).symptoms] == [["half('x')"]]


def test_an_error_raised_on_purpose_counts_only_where_it_is_called_a_fault() -> None:
    two = "half(3) gives 1, that is wrong. half(-1) raises ValueError"
    assert calls(found(two, STRICT, of_3=value("1"), **{"of_-1": raised("ValueError")})) == [["half(3)"]]
    one = "half(-1) crashes with ValueError"
    assert calls(found(one, STRICT, **{"of_-1": raised("ValueError")})) == [["half(-1)"]]


def test_of_several_plain_statements_one_must_change_at_the_least() -> None:
    tried = found("half(3) gives 1, half(5) gives 2", of_3=value("1"), of_5=value("2"))
    assert calls(tried) == [["half(3)", "half(5)"]]


def test_plain_statements_about_code_that_shall_be_extended_are_no_faults() -> None:
    text = "half(3) gives 1. Add an optional parameter digits=0, half(3, digits=1) should give 1.5"
    assert calls(found(text, of_3=value("1"))) == []


def passes(check: Check, code: str) -> bool:
    space: dict[str, object] = {}
    exec(f"{code}\n\n{check.source}\n\n{check.name}()", space)
    return True


@pytest.mark.parametrize(
    ("does", "code", "same"),
    [
        (value("1"), HALF, True),
        (value("1"), "def half(n):\n    return n / 2\n", False),
        (value("1"), "def half(n):\n    raise ValueError\n", False),
        (value("{'a': 1}"), "def half(n):\n    return {'a': 1}\n", True),
        (raised("IndexError"), "def half(n):\n    return [][n]\n", True),
        (raised("IndexError"), HALF, False),
    ],
)
def test_the_check_of_a_symptom_fails_exactly_while_it_shows(does: CallOutput, code: str, *, same: bool) -> None:
    brief = read_brief("half(3) is wrong", HALF, ())
    suite = symptom_suite(reproduce(brief, "", {"half(3)": does}).symptoms) or _reported(does)
    if same:
        with pytest.raises(AssertionError):
            passes(suite.checks[0], code)
    else:
        assert passes(suite.checks[0], code)


def _reported(does: CallOutput) -> Suite:
    text = f"half(3) gives {does.text}" if does.kind == "value" else f"half(3) raises {does.text}"
    suite = symptom_suite(reproduce(read_brief(text, HALF, ()), "", {"half(3)": does}).symptoms)
    assert suite is not None
    return suite


def test_a_crash_on_a_call_that_suits_the_parameters_is_the_codes_own() -> None:
    def states(call: str) -> Suite:
        return Suite("spec:1", "spec", "", (Check("spec:1.t", "t", "spec", "", call, "1"),))

    crash = raised("TypeError")
    assert crashes_on([states("half('x')")], HALF, {"half('x')": crash}) == {"spec:1.t"}
    assert crashes_on([states("half(1, 2)")], HALF, {"half(1, 2)": crash}) == frozenset()
    assert crashes_on([states("half(-1)")], STRICT, {"half(-1)": raised("ValueError")}) == frozenset()


@pytest.mark.parametrize(
    ("text", "symptoms"),
    [
        ("half is too slow: it must handle n = 10^6 within 1 second. half(3) == 1", []),
        ("Make half faster. half(3) -> 1", []),
        ("half is too slow, and half(3) is wrong.", [["half(3)"]]),
        ("Something is off. half(3) == 1", [["half(3)"]]),
    ],
)
def test_where_slowness_is_the_fault_a_plain_example_is_no_symptom(text: str, symptoms: list[list[str]]) -> None:
    assert calls(found(text, of_3=value("1"))) == symptoms


def test_what_an_object_is_asked_for_last_belongs_to_the_call() -> None:
    code = (
        "class Box:\n    def __init__(self, n):\n        self.n = n\n    def twice(self):\n        return Box(self.n)\n"
    )
    (report,) = read_brief("Box(2).twice().n gives 2, that is wrong.", code, ()).reports
    assert report.call == "Box(2).twice().n"
    (example,) = read_brief("Box(2).twice().n should be 4.", code, ()).examples
    assert example.source == "assert Box(2).twice().n == 4"


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("half is too slow, it must handle n = 10^6 within 1 second. half(3) == 1", ["half(3)"]),
        ("half is too slow. half(3) gives 1.", []),
        ("half is too slow. half(3) -> 1", []),
        ("half is too slow. Currently half(3) == 1.", []),
        ("half is too slow, and there is a bug: half(3) == 1", []),
        ("half(3) == 1", []),
    ],
)
def test_beside_a_complaint_about_speed_alone_an_equation_is_a_promise(text: str, law: list[str]) -> None:
    assert [example.call for example in read_brief(text, HALF, ()).examples] == law


@pytest.mark.parametrize(
    "text",
    [
        "This also counts odd ones: half(3) = 1. It must only count even ones.",
        "half(3) -> 1, because odd ones are counted too.",
        "Also, half(3) -> 1, which puzzles me",
        "half(2) -> 1 as well as half(3) -> 1, they must differ",
        "Sie zählt auch ungerade: half(3) -> 1.",
        "La función también cuenta los impares: half(3) -> 1. No debería.",
        "La fonction compte aussi les impairs : half(3) -> 1.",
        "Conta anche i dispari: half(3) -> 1.",
        "Функция также считает нечётные: half(3) -> 1.",
        "函数也计算奇数: half(3) -> 1。不应该。",
        "It also removes digits. Only letters should be removed",
        "The output also includes None at the end",
        "It counts the first element too",
        "函数也把空格算进去了, 不应该。",
        "add a docstring and fix the bug",
    ],
)
def test_what_given_code_also_does_is_a_symptom(text: str) -> None:
    brief = read_brief(text, HALF, ())
    assert (brief.kind, brief.examples) == ("fix", ())


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("It should also count halves: half(3) -> 1", "1"),
        ("make it handle floats too; half(3.0) -> 1.5", "1.5"),
        ("Also accept texts, e.g. half('ab') == 'a'", "'a'"),
    ],
)
def test_beside_an_order_for_more_a_value_may_still_be_what_comes_today(text: str, stated: str) -> None:
    brief = read_brief(text, HALF, ())
    assert (brief.kind, brief.examples) == ("extend", ())
    assert [report.stated for report in brief.reports] == [(stated,)]


def test_of_several_statements_none_must_change_where_one_was_not_seen() -> None:
    """It may be the fault: a second call may do otherwise than a first one."""
    tried = found("half(4) gives 2, then half(3) gives 7", of_4=value("2"), of_3=value("1"))
    assert calls(tried) == []


@pytest.mark.parametrize(
    "text",
    [
        "half(4) then gives [1, 2] instead of 2.",
        "The second call of half(4) gives 7, it should be 2.",
        "half(4) (2, correct) is fine but for odd ones it does not work: half(3) gives 1",
        "half(4) is 2, that's ok, but the argument changes",
    ],
)
def test_what_should_be_is_no_symptom_where_the_program_does_it(text: str) -> None:
    assert all("half(4)" not in told for told in calls(found(text, of_4=value("2"), of_3=value("1"))))


def test_of_an_object_nobody_can_say_that_it_was_not_reproduced() -> None:
    tried = found("half(3) gives 7", of_3=value("<Half object at 0x7f>"))
    assert tried.doubts == ()


def test_what_a_program_used_to_give_is_wished_for() -> None:
    brief = read_brief("half(3) used to return 1.5, since our last refactoring it returns 1.", HALF, ())
    assert brief.kind == "fix"
    assert [wish.call for wish in brief.wished] == ["half(3)"]
    for text in ("half(3) used to return 1.5, which was wrong.", "half(3) used to return 2 and must return 1.5 now"):
        assert read_brief(text, HALF, ()).wished == ()


SESSION = (
    'def half(n):\n    """Half of it.\n\n    >>> half(3)\n    1\n    >>> half(4)\n    2\n    """\n    return n // 2\n'
)


@pytest.mark.parametrize(
    "text", ["half(3) gives 1 but should give 1.5", "half(3) should be 1.5", "half(3) must return 1.5"]
)
def test_what_the_person_says_of_a_call_is_newer_than_the_documentation(text: str) -> None:
    examples = read_brief(text, SESSION, ()).examples
    assert [(one.call, one.expected) for one in examples] == [("half(3)", "1.5"), ("half(4)", "2")]


@pytest.mark.parametrize(("given", "law"), [("1", ["7"]), ("7", ["1"]), ("2", ["7"])])
def test_of_two_results_that_text_and_documentation_show_the_one_that_is_not_given_is_wished_for(
    given: str, law: list[str]
) -> None:
    brief = read_brief("it is wrong for odd numbers, 3 -> 7 (so the docstring is, too)", SESSION, ())
    assert [one.call for one in brief.examples] == ["half(4)"]
    outputs = {"half(3)": value(given), "half(4)": value("2")}
    run = Run("c1", "probes", Execution("ok", ISOLATION), outputs=outputs)
    assert [one.expected for one in wishes_of(brief, run)] == law
