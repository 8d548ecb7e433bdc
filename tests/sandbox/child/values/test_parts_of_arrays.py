"""An array within another one crosses as its place there, which never reaches beyond it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sandbox.child.values import arrays

_VIEWS = {
    "row": lambda whole: whole[1],
    "column": lambda whole: whole[:, 1],
    "reversed": lambda whole: whole[::-1, ::2],
    "transposed": lambda whole: whole.T,
    "bytes": lambda whole: whole.view(np.uint8),
}


@pytest.mark.parametrize("view", _VIEWS.values(), ids=_VIEWS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_view_is_the_same_part_of_the_same_array_elsewhere(view: Any, order: Any) -> None:
    here = np.array(np.arange(12).reshape(3, 4), order=order)
    if order == "F" and view is _VIEWS["bytes"]:
        pytest.skip("numpy views the bytes of rows only")
    there = here.copy(order="K")
    place = arrays.place_in(here, view(here))
    assert place is not None
    made = arrays.part_of(there, *place)
    assert made.tolist() == view(there).tolist()
    made[...] = 7
    assert there.tolist() == _view_filled(view, here)


def _view_filled(view: Any, whole: Any) -> list[Any]:
    filled = whole.copy(order="K")
    view(filled)[...] = 7
    return filled.tolist()


@pytest.mark.parametrize(
    "place",
    [
        [-8, [1], [8], "<i8", True],
        [0, [7], [8], "<i8", True],
        [40, [2], [-64], "<i8", True],
        [0, [6], [8], "O", True],
        [0, [2**60], [2**60], "<i8", True],
        [48, [1], [8], "<i8", True],
    ],
)
def test_what_reaches_beyond_the_array_or_holds_objects_is_refused(place: list[Any]) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        arrays.part_of(np.arange(6), *place)


def test_a_read_only_part_stays_one() -> None:
    whole = np.arange(4)
    part = whole[1:]
    part.flags.writeable = False
    place = arrays.place_in(whole, part)
    assert place is not None
    assert not arrays.part_of(whole, *place).flags.writeable


def test_what_owns_its_memory_or_lies_elsewhere_is_no_part() -> None:
    whole = np.arange(4)
    assert arrays.place_in(whole, whole.copy()) is None
    assert arrays.place_in(whole, np.arange(8)[2:]) is None
