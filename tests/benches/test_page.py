"""The bench of the page counts updates as a person sees them, and the server's work over a whole run."""

from __future__ import annotations

from demo.view.watch import FRAME
from tests.benches.page import Visit, bars, busiest, updates_of, work
from tests.demo import story


def test_parts_of_one_update_are_one_and_two_updates_are_two() -> None:
    assert updates_of([(0.0, 10), (0.01, 5), (0.2, 7)]) == [(0.0, 15), (0.2, 7)]


def test_the_busiest_seconds_count() -> None:
    slow = [(float(number), 1) for number in range(20)]
    assert busiest([*slow, *((20 + 0.25 * number, 1) for number in range(20))]) == 4.0
    assert busiest(slow[:3]) == 1.0


def test_an_update_that_arrives_late_makes_no_more_than_five_a_second() -> None:
    late = [(FRAME * number + 0.4 * (number % 11 == 0), 1) for number in range(60)]
    assert busiest(sorted(late)) <= 5.0


def test_the_work_for_each_event_is_measured() -> None:
    events = story.whole()
    spent = work(events)
    assert len(spent) == len(events)
    assert max(spent) > 0


def test_each_bar_says_whether_it_is_met() -> None:
    visit = Visit(1.0, 2600.0, 100.0, [(0.0, 1000)])
    told = bars([visit], [Visit(1.0, 1300.0, 50.0)], [1.0])
    assert [line.split()[0] for line in told[:-1]] == ["pass", "MISSED", "pass", "pass", "pass"]
    assert "2.00x" in told[1]
