"""Which values fit which types, as they are written in annotations."""

from __future__ import annotations

from typing import Any

from agent.examples.fitting import fits
from tests.tables import in_one_test


@in_one_test(
    "value, annotation, fitting",
    [
        (1, "int", True),
        (True, "float", False),
        (None, "None", True),
        (1, "None", False),
        (1, "'int'", True),
        ("a", "int | str", True),
        (1.5, "int | str", False),
        (None, "Optional[int]", True),
        ("a", "Optional[int]", False),
        ("a", "Union[int, str]", True),
        ("a", "typing.Union[int, Shape]", None),
        ([1, 2], "list[int]", True),
        ([1, "a"], "list[int]", False),
        ({"a": [1]}, "dict[str, list[int]]", True),
        ({"a": ["b"]}, "dict[str, list[int]]", False),
        ((1, "a"), "tuple[int, str]", True),
        ((1, 2, 3), "tuple[int, str]", False),
        ((1, 2, 3), "tuple[int, ...]", True),
        ((1, "a"), "tuple[int, ...]", False),
        (len, "Callable[[str], int]", True),
        (1, "Callable", False),
        (1, "Shape", None),
        ([1], "list[Shape]", None),
        (1, "not a type", None),
        (1, "3", None),
    ],
)
def test_a_value_fits_does_not_or_nobody_can_tell(value: Any, annotation: str, fitting: bool | None) -> None:
    assert fits(value, annotation) is fitting
