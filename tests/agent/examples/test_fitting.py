"""Which values fit which types, as they are written in annotations."""

from __future__ import annotations

from typing import Any

from agent.examples import read_brief
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


@in_one_test(
    "text, wanted",
    [
        ("Write def depth(root: Optional[TreeNode]) -> int.\n\nInput: root = [3,9]\nOutput: 2", []),
        ("class Solution:\n    def depth(self, root: TreeNode) -> int:\n\nInput: root = [3,9]\nOutput: 2", []),
        ("Write def lca(root: 'TreeNode', p: int) -> int.\n\nInput: root = [3, 5], p = 5\nOutput: 3", []),
        ("Write def head(n: int) -> ListNode.\n\nhead(2) -> [1, 2]", []),
        ("Write def depth(rows: IntRows) -> int.\n\nIntRows = list\n\ndepth([3]) -> 1", ["assert depth([3]) == 1"]),
        ("Write def first(root: Optional[TreeNode]) -> int.\n\nfirst(None) -> 0", ["assert first(None) == 0"]),
        ("Write def turn(s: list[str]) -> None.\n\nturn(['a', 'b']) -> ['b', 'a']", []),
        ("Write def count(n: int) -> Iterator[int].\n\ncount(2) -> [0, 1]", []),
        ("Write turn(xs), which reverses the list in place and returns nothing.\n\nturn([1, 2]) -> [2, 1]", []),
        ("Write turn(xs), which reverses the list in place.\n\nInput: xs = [1, 2]\nOutput: [2, 1]", []),
        (
            "Write turn(xs), which reverses the list in place and returns it.\n\nturn([1, 2]) -> [2, 1]",
            ["assert turn([1, 2]) == [2, 1]"],
        ),
        ("Write pairs(xs), which returns all pairs in any order.\n\npairs([1, 2]) -> [[1, 2], [2, 1]]", []),
        ("Write parts(s).\n\nparts('a-b') -> a, b", []),
        ("f(2) -> 4, f(3) -> 9, f(4) -> 16. Write it in Python and name it sq.", []),
        ("Write peak(xs). If there are several peaks, return any of them.\n\npeak([1, 3, 1, 3]) -> 1", []),
        (
            "Write parts(xs), which returns the parts in any order.\n\nparts([]) -> []\nparts([1]) -> [[1]]",
            ["assert parts([]) == []", "assert parts([1]) == [[1]]"],
        ),
    ],
)
def test_a_right_program_may_give_another_thing_than_is_shown(text: str, wanted: list[str]) -> None:
    assert [one.source for one in read_brief(text, None, ()).examples] == wanted
