"""What code alone can tell about a task: its kind, its names, its examples and its other demands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TaskKind = Literal["function", "class", "program", "script", "data", "fix", "extend", "tests", "explain"]
"""program: judged by argv/stdin/stdout; script: needs no input, judged by what it prints, draws and writes; data: the
same over files; fix: code is given that does wrong; extend: code is given that shall do more; tests: code is given that
is to be tested; explain: code is given that is to be explained."""
BY_OUTPUT: tuple[TaskKind, ...] = ("script", "data")
"""Kinds without asserts: what the program puts out is judged."""
AS_IT_IS: tuple[TaskKind, ...] = ("tests", "explain")
"""Kinds for which nobody asks for a change of the given code."""
OF_GIVEN_CODE: tuple[TaskKind, ...] = ("fix", "extend", *AS_IT_IS)


@dataclass(frozen=True, slots=True)
class Example:
    """Something the task text itself promises, read by code."""

    source: str
    """One assert statement, or (for stdin/stdout examples) a test using run_program."""
    sentence: str
    """Where in the task it stands, verbatim."""
    call: str | None = None
    expected: str | None = None
    """Literals of the call and of its value, where it is such a pair."""


@dataclass(frozen=True, slots=True)
class SymptomReport:
    """A call of given code that the task speaks of without demanding a value for it: what may be wrong with it."""

    call: str
    sentence: str
    """Where in the task it stands, verbatim."""
    stated: tuple[str, ...] = ()
    """Values near the call, as literals, and exceptions that the task names, as "raises X"; maybe of another call."""
    fault: bool = False
    """The sentence, or the one behind it, tells of a fault."""
    fine: bool = False
    """The sentence says that this is as it should be."""
    off: bool = False
    """The sentence says, of this call and without a condition, that what it gives is not right."""


ClauseKind = Literal[
    "type", "range", "size", "unchanged", "in_place", "forbidden", "algorithm", "complexity", "time", "memory",
    "faster", "at_once", "form", "raises", "no_raise", "output", "signature", "order", "sorted", "case",
    "any_case", "contradiction",
]  # fmt: skip
"""type: of an argument or the result. range: values of an argument. size: its length. unchanged: the argument stays as
it is; in_place: it is what changes. forbidden: what must not be used; algorithm: what must be. complexity: growth of
time or space. time: seconds, for a size where one is told. memory: megabytes. faster: than the given program. at_once:
how many of the calls that it makes may run at the same time. form: that one written otherwise, and nothing else of it
changed. raises: exceptions for inputs told in words; no_raise: none, or not that one. output: printing, rounding or a
format. signature: parameters, defaults. order: what is kept of the input stays in its order. sorted: the result stands
in an order that the task names, or is ruled by it where several things are equal. case: what holds for inputs of one
kind. any_case: upper and lower case are alike. contradiction: examples that promise
different things for one call."""


MEASURED: tuple[ClauseKind, ...] = ("complexity", "time", "memory", "faster")
"""What is measured on the running program; to keep it, another algorithm may be needed."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers between two ends; None where an end is open, `low_in` and `high_in` say whether the ends belong to it."""

    low: float | None = None
    high: float | None = None
    low_in: bool = True
    high_in: bool = True


@dataclass(frozen=True, slots=True)
class Clause:
    """A demand of the task besides its examples, read by code. Only the fields that belong to its kind are set."""

    text: str
    """The task's own words, exactly as they stand in it."""
    kind: ClauseKind
    subject: str = ""
    """What it is about: a parameter as the task names it, "result", "time" or "space"; "" where none is named."""
    names: tuple[str, ...] = ()
    """type: as an annotation. forbidden and algorithm: in lower-case English or as code. raises: exception classes.
    signature: parameters, with "=default" where there is one. output: "print", "no print", "format" and the pattern.
    at_once: the most that may run, a number or the parameter that tells it.
    sorted: which way and by what ("descending", "frequency"), "key" or "ties". case: which inputs, with their number.
    contradiction: the call, then what it is promised to give. unchanged: "new" where that is all that is said."""
    interval: Interval | None = None
    growth: str | None = None
    """complexity: "1", "log n", "n", "n log n", "n^2", ... in lower case."""
    below: bool = False
    """complexity: it has to be better than `growth`."""
    seconds: float | None = None
    size: int | None = None
    """time and memory: number of elements for which the limit is stated."""
    megabytes: float | None = None
    decimals: int | None = None
    """output: digits behind the decimal point."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """A file that one step of a task leaves behind for the next one, or for the person."""

    name: str
    columns: tuple[str, ...] = ()
    """Of a table, or keys of JSON, that it must have."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What a script must put out, and what it rests on."""

    picture: bool = False
    labelled: bool = False
    """The axes of the picture are to be labelled."""
    makes: tuple[str, ...] = ()
    """Files that it is to write, by name."""
    missing: tuple[str, ...] = ()
    """Files that the task reads and nobody gave; "*.csv" for one without a name."""
    ordered: bool = False
    """The order of what is put out matters."""
    by_chance: bool = False
    """What comes out is another thing each time, or the author's own invention."""
    numbers: tuple[int, ...] = ()
    """Whole numbers that the task names: of what is left to chance, how many there are can still be demanded."""
    leaves: tuple[Leaving, ...] = ()
    """Of these files it is looked at what they hold."""
    values: tuple[str, ...] = ()
    """What must be printed with its name."""
    programs: int = 1
    """That run one after the other, each with the time of one."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What code alone can tell about the task."""

    kind: TaskKind
    hard: bool
    entry_point: str | None
    signature: str | None
    examples: tuple[Example, ...] = ()
    clauses: tuple[Clause, ...] = ()
    """What the task demands besides its examples; `agent.law` looks at them."""
    given_form: TaskKind = "function"
    """function, class or program: what given code is."""
    reports: tuple[SymptomReport, ...] = ()
    """What the task tells of given code; nothing has been run yet."""
    wished: tuple[Example, ...] = ()
    """What a task that tells of no fault states of given code: promised where the code does something else."""
    sure: bool = True
    """The words leave no choice of another kind; where they do, the planner is asked."""
    demand: Demand = Demand()
    ties_open: bool = False
    """The text ranks, sorts or groups things and does not say which of equal ones is meant, or in which order."""
    chosen: bool = False
    """Entry point and signature are those of the first program, for the task names none."""

    @property
    def form(self) -> TaskKind:
        """function, class, program, script or data: what is written, also where the code was given."""
        return self.given_form if self.kind in OF_GIVEN_CODE else self.kind
