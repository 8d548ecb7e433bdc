"""The types for what code alone can tell about a task: its kind, its names, its examples and its other demands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

TaskKind = Literal["function", "class", "program", "script", "data", "fix", "extend", "tests", "explain"]
"""function, class: definitions that tests call. program: judged by argv, stdin and stdout. script: takes no input,
judged by what it prints, draws and writes. data: a script over files. fix: given code that does wrong. extend: given
code that shall do more. tests: given code that is to be tested. explain: given code that is to be explained."""
BY_OUTPUT: tuple[TaskKind, ...] = ("script", "data")
"""Kinds without asserts; the program is judged by what it puts out."""
AS_IT_IS: tuple[TaskKind, ...] = ("tests", "explain")
"""Kinds of tasks that change nothing in the given code."""
OF_GIVEN_CODE: tuple[TaskKind, ...] = ("fix", "extend", *AS_IT_IS)


@dataclass(frozen=True, slots=True)
class Example:
    """Something that the task text itself promises, read by code."""

    source: str
    """One assert statement, or a test that uses run_program (for stdin/stdout examples)."""
    sentence: str
    """The sentence of the task, verbatim."""
    call: str | None = None
    expected: str | None = None
    """The call and its value as literals, if the example is such a pair."""


@dataclass(frozen=True, slots=True)
class SymptomReport:
    """A call of given code that the task mentions without demanding a value for it; something may be wrong with it."""

    call: str
    sentence: str
    """The sentence of the task, verbatim."""
    stated: tuple[str, ...] = ()
    """Values near the call, as literals, and exceptions that the task names, as "raises X". Some may belong to another
    call."""
    fault: bool = False
    """Whether the sentence, or the next one, tells of a fault."""
    fine: bool = False
    """Whether the sentence says that this is as it should be."""
    off: bool = False
    """Whether the sentence says, of this call and without a condition, that its result is wrong."""
    written: bool = False
    """Whether the call stands for steps that have lines of their own, so that they were surely read."""


ClauseKind = Literal[
    "type", "range", "size", "unchanged", "in_place", "forbidden", "algorithm", "complexity", "time", "memory",
    "faster", "at_once", "form", "raises", "no_raise", "output", "signature", "order", "sorted", "case",
    "any_case", "contradiction",
]  # fmt: skip
"""type: type of an argument or the result. range: values of an argument. size: length of an argument. unchanged: the
argument stays as it is. in_place: the argument is changed. forbidden: what must not be used. algorithm: what must be
used. complexity: growth of time or space. time: seconds, for a size if one is told. memory: megabytes. faster: faster
than the given program. at_once: how many of its calls may run at the same time. form: the given program in another
form, with nothing else changed. raises: exceptions for inputs told in words. no_raise: no exception, or not a certain
one. output: printing, rounding or a format. signature: parameters and defaults. order: what is kept of the input stays
in its order. sorted: the result stands in an order that the task names, or the task says how ties are ordered. case:
what holds for inputs of one kind. any_case: upper and lower case are equal. contradiction: examples that promise
different results for one call."""


MEASURED: tuple[ClauseKind, ...] = ("complexity", "time", "memory", "faster")
"""Clauses that are measured on the running program. Keeping them may take another algorithm."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers between two ends; None for an open end. `low_in` and `high_in` say whether the ends belong to it."""

    low: float | None = None
    high: float | None = None
    low_in: bool = True
    high_in: bool = True


@dataclass(frozen=True, slots=True)
class Clause:
    """A demand of the task besides its examples, read by code. Only the fields that belong to its kind are set."""

    text: str
    """The task's own words, verbatim."""
    kind: ClauseKind
    subject: str = ""
    """What the clause is about: a parameter as the task names it, "result", "time" or "space"; "" if none is named."""
    names: tuple[str, ...] = ()
    """type: an annotation. forbidden and algorithm: names in lower-case English or as code. raises: exception classes;
    with the subject "state", what is left behind is as it was before. signature: parameters, with "=default" if any.
    output: "print", "no print", or "format" and the pattern. at_once: the most that may run, as a number or the
    parameter that holds it. sorted: direction and key ("descending", "frequency"), or "key", or "ties". case: which
    inputs, with their number. contradiction: the call, then the results promised for it. unchanged: "new" if only a new
    result is asked for."""
    interval: Interval | None = None
    growth: str | None = None
    """complexity: "1", "log n", "n", "n log n", "n^2", ... in lower case."""
    below: bool = False
    """complexity: whether the growth has to be better than `growth`."""
    seconds: float | None = None
    size: int | None = None
    """time and memory: the number of elements for which the limit is stated."""
    megabytes: float | None = None
    decimals: int | None = None
    """output: digits after the decimal point."""

    def named(self, names: Iterable[str]) -> list[str]:
        """Returns those of the names that its words hold."""
        return [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.text)]


@dataclass(frozen=True, slots=True)
class Leaving:
    """A file that one step of a task leaves for the next one, or for the person."""

    name: str
    columns: tuple[str, ...] = ()
    """The columns of a table, or keys of JSON, that the file must have."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a script must put out, and what it depends on."""

    picture: bool = False
    labelled: bool = False
    """Whether the picture's axes must be labelled."""
    makes: tuple[str, ...] = ()
    """Files that the script must write, by name."""
    missing: tuple[str, ...] = ()
    """Names of files that the task reads and nobody gave; "*.csv" for a file without a name."""
    ordered: bool = False
    """Whether the order of the output matters."""
    by_chance: bool = False
    """Whether the output differs each time, or is the author's own invention."""
    numbers: tuple[int, ...] = ()
    """Whole numbers that the task names; in random output the number of things can still be checked against them."""
    leaves: tuple[Leaving, ...] = ()
    """Files whose content is checked."""
    values: tuple[str, ...] = ()
    """Names of values that must be printed."""
    programs: int = 1
    """How many programs run one after the other; each gets the time of one."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What code alone can tell about the task."""

    kind: TaskKind
    hard: bool
    entry_point: str | None
    signature: str | None
    examples: tuple[Example, ...] = ()
    clauses: tuple[Clause, ...] = ()
    """What the task demands besides its examples; `agent.law` checks it."""
    given_form: TaskKind = "function"
    """What given code is: function, class or program."""
    reports: tuple[SymptomReport, ...] = ()
    """What the task tells of given code; nothing has been run yet."""
    wished: tuple[Example, ...] = ()
    """Results that a task without a reported fault states of given code. They become promises if the code does
    something else."""
    guessed: tuple[Example, ...] = ()
    """Results that the report may call right; believed if the given program does what is reported of the same call."""
    stepwise: tuple[SymptomReport, ...] = ()
    """What the task tells of given code after steps that it writes down, each call being those steps as one expression,
    and of runs of a given program."""
    sure: bool = True
    """Whether the words leave no choice of another kind; otherwise the planner is asked."""
    demand: Demand = Demand()
    ties_open: bool = False
    """Whether the text ranks, sorts or groups things and does not say which of equal ones is meant, or in which
    order."""
    chosen: bool = False
    """Whether entry point and signature were taken from the first program, because the task names none."""

    @property
    def form(self) -> TaskKind:
        """What is to be written: function, class, program, script or data; for given code, what that is."""
        return self.given_form if self.kind in OF_GIVEN_CODE else self.kind
