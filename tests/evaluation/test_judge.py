"""A model's opinion is asked for by a fixed rubric, checked, kept apart from the truth, and measured against labels."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.__main__ import main
from evaluation.commands.judge import labelled, rate, returned
from evaluation.commands.report import markdown
from evaluation.significance import opinions, weighted_kappa
from evaluation.trials import FILE, RATINGS, Rating, Rubric, TrialStore
from framework.settings import Settings
from llm.errors import AuthFailed, LLMError
from tests.evaluation.made import HEADER, trial
from tests.llm.scripted import Scripted, router_of, says

PIECES = labelled()


def scored(score: object, why: object = "It names its parts.") -> str:
    return json.dumps({"why": why, "score": score})


def filled(folder: Path) -> TrialStore:
    store = TrialStore(folder)
    store.begin(HEADER, resume=False)
    store.add(trial("a", final=True))
    return store


def test_the_labelled_answers_cover_both_rubrics_and_every_score() -> None:
    assert len({piece.key for piece in PIECES}) == len(PIECES) == 24
    assert Counter((piece.kind, piece.label) for piece in PIECES) == {
        (kind, score): 3 for kind in ("code", "words") for score in range(4)
    }


@pytest.mark.asyncio
async def test_each_answer_is_rated_once_by_one_judge_and_its_label_is_not_shown(tmp_path: Path) -> None:
    store, model = filled(tmp_path), Scripted("one", says(scored(2)))
    assert [r.score for r in await rate(router_of(model), PIECES, store, 3)] == [2] * 24
    assert await rate(router_of(model), PIECES, store, 3) == []
    assert len(model.requests) == 24
    for piece in PIECES:
        told = "".join(m.content for r in model.requests if r.question == f"judge:{piece.key}" for m in r.messages)
        assert piece.task in told
        assert piece.text.splitlines()[-1] in told
        assert (piece.code.strip() or piece.text.strip()) in told
        assert "label" not in told
        assert piece.key not in told
    assert len(await rate(router_of(Scripted("two", says(scored(1)))), PIECES, store, 3)) == 24
    assert {(r.judge, r.score) for r in store.ratings()} == {("one:m1, prompt v1", 2), ("two:m1, prompt v1", 1)}


@pytest.mark.asyncio
@pytest.mark.parametrize("text", [scored(4), scored("high"), scored(None), scored(2, ""), "three of three", "{}"])
async def test_a_reply_that_breaks_the_rubric_is_no_rating_and_is_asked_again_later(tmp_path: Path, text: str) -> None:
    store = filled(tmp_path)
    (found,) = await rate(router_of(Scripted("one", says(text))), PIECES[:1], store, 1)
    assert (found.score, bool(found.error)) == (None, True)
    assert opinions(store.ratings()) == []
    (found,) = await rate(router_of(Scripted("one", says(scored(0)))), PIECES[:1], store, 1)
    assert (found.score, found.tokens) == (0, 150)
    assert [rating.score for rating in store.ratings()] == [0]


@pytest.mark.asyncio
async def test_a_service_that_refuses_ends_it_and_keeps_what_was_paid(tmp_path: Path) -> None:
    store = filled(tmp_path)
    model = Scripted("one", says(scored(3)), AuthFailed("no such key"))
    with pytest.raises(LLMError, match="no such key"):
        await rate(router_of(model), PIECES, store, 1)
    assert [rating.score for rating in store.ratings()] == [3]


def rating(key: str, score: int, label: int | None = None, kind: Rubric = "code") -> Rating:
    return Rating(key, kind, key if label is None else "", label, "one:m1, prompt v1", score)


def test_opinions_change_no_figure_and_stand_in_a_section_of_their_own(tmp_path: Path) -> None:
    store = filled(tmp_path)
    before = markdown(store.header(), store.read())
    for each in [rating("a#0", 1), *(rating(f"l{n}", n % 4, n % 4) for n in range(12))]:
        store.add(each)
    store.close()
    text = markdown(store.header(), store.read(), store.ratings())
    assert text.startswith(before + "\n\n## Model judge")
    assert "| one:m1, prompt v1, code | 1 | 1.00 | 0.08 to 2.72 | 0, 1, 0, 0 | 12 | 12 | 1.00 |" in text
    assert "score" not in (tmp_path / FILE).read_text()


def test_a_torn_rating_is_cut_off_before_the_next(tmp_path: Path) -> None:
    store = filled(tmp_path)
    store.add(rating("a#0", 1))
    store.close()
    with (tmp_path / RATINGS).open("a") as file:
        file.write('{"key": "b')
    again = TrialStore(tmp_path)
    again.hold()
    again.add(rating("c#0", 2))
    again.close()
    assert [(r.key, r.score) for r in again.ratings()] == [("a#0", 1), ("c#0", 2)]


def test_kappa_agrees_with_its_definition() -> None:
    given, labels = [0, 1, 2, 3, 3, 2, 1, 0, 2, 1], [0, 1, 2, 3, 2, 2, 0, 1, 2, 3]
    shares = {pair: count / 10 for pair, count in Counter(zip(given, labels, strict=True)).items()}
    rows, columns = Counter(given), Counter(labels)
    observed = sum((a - b) ** 2 * share for (a, b), share in shares.items())
    expected = sum((a - b) ** 2 * rows[a] * columns[b] / 100 for a in rows for b in columns)
    kappa, bounds = weighted_kappa(given, labels)
    assert kappa == pytest.approx(1 - observed / expected, abs=1e-3)
    assert kappa is not None
    assert bounds is not None
    assert -1 < bounds[0] < kappa < bounds[1] < 1


def test_kappa_claims_nothing_from_nothing() -> None:
    assert weighted_kappa([], []) == (None, None)
    assert weighted_kappa([1, 2], [3, 3]) == (None, None)
    assert weighted_kappa([2] * 8, [0, 1, 2, 3] * 2) == (pytest.approx(0, abs=1), None)
    kappa, bounds = weighted_kappa([0, 1, 2, 3] * 2, [0, 1, 2, 3] * 2)
    assert kappa == 1
    assert kappa is not None
    assert bounds is not None
    assert bounds[0] < 0.2, "eight equal pairs are no proof of agreement"


def test_a_folder_whose_runs_lie_elsewhere_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(tmp_path).close()
    assert main(["judge", str(tmp_path), "--provider", "mock"]) == 2
    assert "holds no run of these trials" in capsys.readouterr().err
    assert main(["judge", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.endswith("none holds no trials\n")


@pytest.mark.slow
def test_what_a_run_handed_over_is_what_is_rated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--suite", "scenarios", "--provider", "mock", "--task-ids", "slugify", "--out", str(tmp_path)]
    assert main(["run", *asked]) == 0
    store = TrialStore(tmp_path)
    (piece,) = returned(store, Settings.from_env({}))
    assert (piece.key, piece.kind, piece.label) == ("slugify#0", "code", None)
    assert "slug" in piece.task
    assert "def slugify" in piece.text
    store.add(replace(trial("gone"), run_id="gone"))
    assert len(list(returned(store, Settings.from_env({})))) == 1
    capsys.readouterr()
    assert main(["judge", str(tmp_path), "--provider", "mock"]) == 3
    assert "scripted demo model" in capsys.readouterr().err
