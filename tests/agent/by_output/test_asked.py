"""A statistic that the task names and that nothing put out is called by is told; what is called otherwise is not."""

from __future__ import annotations

import pytest

from agent.by_output.asked import not_put_out
from sandbox.types import Artifact


@pytest.mark.parametrize(
    ("text", "printed", "absent"),
    [
        ("Print the mean, the median and the standard deviation.", "Mean: 3\nMedian: 2", ["standard deviation"]),
        ("Print the mean, the median and the standard deviation.", "avg 3, median 2, std 1", []),
        ("Compute the variance of the sums.", "Mean of the sums: 6.8", ["variance"]),
        ("Compute the variance and the standard deviation.", "\u03c3\u00b2 = 4, \u03c3 = 2", []),
        ("Gib Mittelwert und Standardabweichung je Region aus.", "Nord: Mittelwert 3", ["standard deviation"]),
        ("Calcula la media y la mediana.", "Media: 3", ["median"]),
        ("Calcule l'écart-type et la moyenne.", "moyenne: 3, écart type: 1", []),
        ("计算平均值和标准差", "平均值: 3", ["standard deviation"]),
        ("Which regions sell more than the average?", "North, South", []),
        ("How many calls end in a timeout? By that I mean over 5 s, which means a loss.", "12", []),
        ("Count the social media posts.", "12", []),
        ("What is the average salary by department?", "Engineering: 75000\nSales: 52000", []),
    ],
)
def test_a_statistic_that_nothing_is_called_by_is_told(text: str, printed: str, absent: list[str]) -> None:
    wanted = [f"the task speaks of the {name}, and nothing that was put out is called so" for name in absent]
    assert list(not_put_out(text, printed, ())) == wanted


def test_a_file_may_hold_it_and_what_cannot_be_read_may_hold_anything() -> None:
    table = Artifact("stats.csv", "text/csv", b"region,median\nNorth,3\n")
    picture = Artifact("plot.png", "image/png", b"\x89PNG")
    assert not list(not_put_out("Print the median.", "done", (table,)))
    assert not list(not_put_out("Draw the median.", "done", (picture,)))
