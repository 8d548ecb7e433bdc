"""`report DIR --html FILE`: writes one self-contained page with figures, pictures, and every trial to open."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import jinja2
import matplotlib as mpl
import yaml
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .commands.report import Table, counted, mixed, number, preamble, tables, title
from .metrics import VERDICTS, by_problem, risk_coverage
from .significance import reliability
from .trials import Trial, TrialStore

_TEMPLATE = Path(__file__).with_name("page.html.jinja")
_SIZE = (7.0, 3.6)
"""The width and height of a picture, in inches."""
_MEANS = ("attempts", "calls", "input_tokens", "output_tokens", "seconds")
"""The means of a trial that are shown for each problem."""
_RIGHT, _WRONG = "#2a8a43", "#c0392b"


def page(store: TrialStore) -> str:
    """Returns the page of the trials in a folder. Raises BadSuite."""
    header, trials = store.header(), store.read()
    graded = [trial for trial in trials if not trial.error]
    drawn = [(heading, _svg(draw, graded)) for heading, draw in PICTURES.items() if graded]
    made = next((dict(trial.made) for trial in trials if trial.made), None)
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        title=title(header),
        notes=[*preamble(header), *mixed(trials)],
        counted=counted(trials),
        tables=[*tables(trials, store.ratings()), *_problems(trials)],
        pictures=[(heading, picture) for heading, picture in drawn if picture],
        trials=sorted(trials, key=lambda trial: (not trial.error, trial.final_correct, trial.key)),
        folder=str(store.folder),
        made=made and yaml.safe_dump(made, sort_keys=False),
    )


def _problems(trials: Sequence[Trial]) -> list[Table]:
    rows = [
        (
            name, str(told["trials"]), number(told["first_correct"]), number(told["final_correct"]),
            ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in told["verdicts"].items()),
            *(number(told[f"mean_{of}"], 2) for of in _MEANS), number(told["cost_usd"], 4),
        )
        for name, told in by_problem(trials).items()
    ]  # fmt: skip
    head = ("problem", "trials", "first right, percent", "right, percent", "verdicts", *_MEANS, "cost, dollars")
    return [Table("Problems", [each.replace("_", " ") for each in head], rows, "Means of a trial.")] if rows else []


def _svg(draw: Callable[[Axes, Sequence[Trial]], bool], trials: Sequence[Trial]) -> Markup | None:
    """Returns a picture as SVG text for the page; None if there is nothing to draw. The same trials give the same
    text."""
    figure = Figure(figsize=_SIZE, layout="constrained")
    if not draw(figure.subplots(), trials):
        return None
    target = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": draw.__name__}):
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    # matplotlib draws it from numbers and from words of this file alone, so it holds no model's text that needs
    # escaping.
    return Markup(re.sub(r"\A.*?(?=<svg)", "", target.getvalue(), flags=re.DOTALL))


def _verdicts(axes: Axes, trials: Sequence[Trial]) -> bool:
    right = [sum(t.final_correct for t in trials if t.verdict == word) for word in VERDICTS]
    wrong = [sum(not t.final_correct for t in trials if t.verdict == word) for word in VERDICTS]
    names = [word.replace("_", " ") for word in VERDICTS]
    axes.bar(names, right, color=_RIGHT, label="right")
    axes.bar(names, wrong, bottom=right, color=_WRONG, label="wrong")
    axes.set_ylabel("trials")
    axes.legend()
    return True


def _heals(axes: Axes, trials: Sequence[Trial]) -> bool:
    healed = Counter(t.attempts for t in trials if t.final_correct and not t.first_correct)
    lost = Counter(t.attempts for t in trials if not t.final_correct and not t.first_correct)
    places = sorted(set(healed) | set(lost))
    axes.bar(places, [healed[n] for n in places], color=_RIGHT, label="healed")
    axes.bar(places, [lost[n] for n in places], bottom=[healed[n] for n in places], color=_WRONG, label="not healed")
    axes.set(xlabel="programs written", ylabel="trials whose first program was wrong", xticks=places)
    axes.legend()
    return bool(places)


def _risk(axes: Axes, trials: Sequence[Trial]) -> bool:
    points = risk_coverage(trials)
    axes.plot([p["share"] for p in points], [p["wrong"] for p in points], marker="o", color=_WRONG)
    for point in points:
        axes.plot([point["share"]] * 2, point["wrong_ci"], color="#999", zorder=0)
    axes.set(xlabel="taken, percent of trials", ylabel="wrong among them, percent", xlim=(0, 105), ylim=(0, None))
    return bool(points)


def _honest(axes: Axes, trials: Sequence[Trial]) -> bool:
    groups = reliability(trials)
    axes.plot([0, 100], [0, 100], color="#999", linestyle="--")
    for group in groups:
        axes.plot([group["chance"]] * 2, group["right_ci"], color="#999", zorder=0)
    axes.plot([g["chance"] for g in groups], [g["right"] for g in groups], "o", color=_RIGHT)
    axes.set(xlabel="calibrated chance, percent", ylabel="right, percent", xlim=(0, 102), ylim=(0, 102))
    return bool(groups)


PICTURES: Mapping[str, Callable[[Axes, Sequence[Trial]], bool]] = {
    "Verdicts, and whether they were right": _verdicts,
    "Healed, by programs written": _heals,
    "Risk and coverage": _risk,
    "Reliability of the calibrated chance": _honest,
}
