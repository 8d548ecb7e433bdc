"""Several files as one text, and replies whose blocks are named."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.replies.blocks import read_page
from llm.replies.files import join_files, named_files, split_files, with_data_of, with_lasting_marks

LINES = st.lists(st.sampled_from(["x = 1", "", "def f():", "    return 'a'", "# note", "'''d'''"]), max_size=5)
TEXTS = LINES.map(lambda lines: "".join(f"{line}\n" for line in lines).rstrip("\n"))
PATHS = st.sampled_from(["shop/__init__.py", "shop/cart.py", "main.py", "data/a.csv", "b.txt"])


@given(st.dictionaries(PATHS, TEXTS, min_size=1))
def test_files_come_back_as_they_were_joined(files: dict[str, str]) -> None:
    ended = {path: f"{text}\n" if text.strip() else "" for path, text in {"main.py": "x", **files}.items()}
    assert split_files(join_files(ended)) == ended


@pytest.mark.parametrize(
    "text", ["", "x = 1\n", "x = 1\n# file: a.py\n", "# file: a.csv\nx = 1\n", '"""# file: a.py is named"""\n']
)
def test_a_single_program_is_no_set_of_files(text: str) -> None:
    assert split_files(text) is None


@pytest.mark.parametrize("line", ["# file: b.csv", "'# file: b.csv'"])
def test_a_line_that_names_a_file_does_not_part_a_joined_one(line: str) -> None:
    found = split_files(join_files({"main.py": f"x = 1\n{line}\ny = 2\n", "a.py": "z = 3\n"}))
    assert found is not None
    assert list(found) == ["main.py", "a.py"]
    assert "y = 2" in found["main.py"]
    assert "b.csv" in found["main.py"]


def test_names_and_data_outlive_a_syntax_tree() -> None:
    whole = join_files(
        {"a/__init__.py": '"""Doc."""\nfrom .b import f\n', "a/b.py": "def f(): return 1\n", "c.csv": "x\n"}
    )
    again = with_data_of(ast.unparse(ast.parse(with_lasting_marks(whole))), whole)
    files = split_files(again)
    assert files is not None
    assert list(files) == ["a/__init__.py", "a/b.py", "c.csv"]
    assert files["c.csv"] == "x\n"
    assert with_lasting_marks("# note\nx = 1") == "# note\nx = 1"


@pytest.mark.parametrize(
    "reply",
    [
        "```python shop/a.py\nx = 1\n```\n```python shop/b.py\ny = 2\n```",
        "```python:shop/a.py\nx = 1\n```\n```python:shop/b.py\ny = 2\n```",
        '```python title="shop/a.py"\nx = 1\n```\n```python title="shop/b.py"\ny = 2\n```',
        "**shop/a.py**\n```python\nx = 1\n```\n### `shop/b.py`:\n```python\ny = 2\n```",
        "1. `shop/a.py`\n\n```python\nx = 1\n```\nFile: shop/b.py\n```python\ny = 2\n```",
        "```python\n# file: shop/a.py\nx = 1\n```\n```python\n# shop/b.py\ny = 2\n```",
    ],
)
def test_named_blocks_are_files(reply: str) -> None:
    told = named_files(read_page(reply))
    assert told is not None
    assert split_files(told) == {"shop/a.py": "x = 1\n", "shop/b.py": "y = 2\n"}


@pytest.mark.parametrize(
    "reply",
    [
        "```python\nx = 1\n```\nUse it so:\n```python\nprint(x)\n```",
        "**solution.py**\n```python\nx = 1\n```\n**test_solution.py**\n```python\nassert x\n```",
        "```python\n# file: ../../etc/a.py\nx = 1\n```\n```python\n# file: /abs/b.py\ny = 1\n```",
        "```text\n# file: notes/a.txt\nhello\n```",
    ],
)
def test_one_program_with_something_beside_it_is_one_file(reply: str) -> None:
    assert named_files(read_page(reply)) is None
