"""numpy and pandas values cross as data, and what is changed in place changes on both sides."""

from __future__ import annotations

import pytest

from tests.sandbox.child.harness import run_inprocess, run_split

pytest.importorskip("pandas")

SOLUTION = """
import numpy as np
import pandas as pd

def same(x): return x
def double(a): return a * 2
def double_in_place(a): a *= 2
def mean(xs): return np.mean(xs)
def matrix(): return np.eye(2, dtype=int)
def mixed(): return np.array([1, "a", None], dtype=object)
def table(): return pd.DataFrame({"k": ["a", "b"], "v": [1, 2], "f": [0.5, None]})
def grouped(df): return df.groupby("k")["v"].sum()
def days(): return pd.DataFrame({"d": pd.date_range("2024-01-01", periods=2), "c": pd.Categorical(["x", "y"])})
def stamped(): return pd.Series([1, 2], index=pd.date_range("2024-01-01", periods=2, freq="D"), name="n")
def pivot(df): return df.pivot_table(index="k", values="v", aggfunc=["sum", "mean"])
"""
TESTS = """
import numpy as np
import pandas as pd
import pytest

def test_arrays():
    a = np.array([[1.5, 2.0], [3.0, 4.0]])
    b = double(a)
    assert isinstance(b, np.ndarray) and b.shape == (2, 2) and b.dtype == float
    np.testing.assert_array_equal(b, a * 2)
    assert (matrix() == np.eye(2)).all() and matrix().dtype.kind == "i"
    assert mixed().tolist() == [1, "a", None]
    assert np.isnan(same(np.array([np.nan]))[0])
    assert same(np.array(["x", "yz"])).tolist() == ["x", "yz"]
    assert same(np.array(["2024-01-01"], dtype="datetime64[D]"))[0] == np.datetime64("2024-01-01")

def test_scalars():
    assert mean([1, 2, 3]) == 2.0 and isinstance(mean([1, 2]), np.floating)
    assert same(np.int64(5)) == 5 and same(np.bool_(True)) == True

def test_in_place():
    a = np.arange(4)
    double_in_place(a)
    assert a.tolist() == [0, 2, 4, 6]

def test_large():
    a = np.random.default_rng(1).random(200_000)
    assert np.array_equal(double(a), a * 2)

def test_frames():
    df = table()
    assert isinstance(df, pd.DataFrame) and list(df.columns) == ["k", "v", "f"] and df.shape == (2, 3)
    pd.testing.assert_frame_equal(df, pd.DataFrame({"k": ["a", "b"], "v": [1, 2], "f": [0.5, None]}))
    given = pd.DataFrame({"k": ["a", "a", "b"], "v": [1, 2, 3]})
    pd.testing.assert_series_equal(grouped(given), given.groupby("k")["v"].sum())
    pd.testing.assert_frame_equal(pivot(given), given.pivot_table(index="k", values="v", aggfunc=["sum", "mean"]))
    assert df["v"].sum() == 3 and df.loc[df["k"] == "b", "v"].iloc[0] == 2

def test_moments():
    df = days()
    expected = pd.DataFrame({"d": pd.date_range("2024-01-01", periods=2), "c": pd.Categorical(["x", "y"])})
    pd.testing.assert_frame_equal(df, expected)
    index = pd.date_range("2024-01-01", periods=2, freq="D")
    pd.testing.assert_series_equal(stamped(), pd.Series([1, 2], index=index, name="n"))
    assert same(pd.Timestamp("2024-01-02", tz="UTC")) == pd.Timestamp("2024-01-02", tz="UTC")
    assert same(pd.Timedelta("1h")) == pd.Timedelta("1h") and same(pd.NaT) is pd.NaT
    pd.testing.assert_frame_equal(same(expected.iloc[:0]), expected.iloc[:0])
    strings = pd.Series(["a", None], dtype="string")
    pd.testing.assert_series_equal(same(strings), strings)

def test_wrong():
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(double(np.ones(2)), np.ones(2))
"""


@pytest.mark.slow
@pytest.mark.parametrize("run", [run_inprocess, run_split])
def test_numbers_cross_by_value(run):
    outcome = run(SOLUTION, TESTS)
    assert outcome.passed, outcome.messages
    assert not outcome.doubts
