"""What is told of odd files: delimiters, encodings, marks, types, ranges, missing values."""

from __future__ import annotations

import json
import sqlite3
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agent.by_output import reader
from agent.by_output.data import LACKING, UNRECKONED


def told(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    describe: Any = reader.described
    return "\n".join(describe(str(path)))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            b"name,age\nann,30\nbob,\ncid,50\n",
            ["parted by comma", "3 rows", "'age': whole number, 1 missing, from 30 to 50"],
        ),
        (b"\xef\xbb\xbfname;pay\nann;1.5\nbob;2.25\n", ["semicolon", "utf-8-sig", "'pay': number, from 1.5 to 2.25"]),
        ("name\tcity\nann\tKöln\nbob\tBonn\n".encode("cp1252"), ["parted by tab", "cp1252", "2 different values"]),
        ("a|b\n1|2\n3|4\n".encode("utf-16"), ["parted by bar", "utf-16"]),
        (b"1,2\n3,4\n5,6\n", ["no header line", "3 rows", "'column 2'"]),
        (b"a,a,b\n1,2,3\n", ["encoding utf-8, 1 rows, 3 columns", "'a': whole number, from 2 to 2"]),
        (b"sep=;\na;b\n1;2\n", ["behind a first line 'sep=;', 1 rows", "'b': whole number"]),
        (b"sep=;\n", ["behind a first line 'sep=;', 0 rows"]),
        (b"d,x\n2024-01-05,1\n2024-02-05,2\n", ["'d': date", "2024-02-05"]),
        (b'm,"amount"\na,"1,200.00"\nb,$30\n', ["written with signs or separators"]),
        (b'[{"a": 1, "b": "x"}, {"a": 2}]', ["list of objects", "2 rows", "1 missing"]),
        (b'{"a": 1}\n{"a": 2}\n', ["one JSON object a line", "from 1 to 2"]),
        (b'{"items": [{"p": 1}], "n": 3}', ["object with 2 keys", "'p': whole number"]),
        (b"ERROR x\nINFO y\n", ["text, encoding utf-8, 2 lines", "ERROR x"]),
        (b"", ["empty"]),
        (b"  \n", ["blank"]),
        (bytes(range(256)) * 2 + b"\0" * 400, ["binary, 912 bytes"]),
        (bytes(range(1, 256)) * 2, ["binary, 510 bytes"]),
        (b'{"a": 1, "b": [1,2\n"c"', ["text, encoding utf-8, 2 lines"]),
        (b"\xd0\xcf\x11\xe0" + bytes(99), ["old Office file", "save it as .xlsx or CSV"]),
        (b"city,n\n" + "Köln,7\n".encode() * 1_600_000, ["1600001 lines in all", "'n': whole number, from 7 to 7"]),
    ],
)
def test_a_file_is_told_in_lines(data: bytes, words: list[str], tmp_path: Path) -> None:
    said = told(tmp_path / "file", data)
    assert all(word in said for word in words), said


def test_what_is_no_text_is_told_as_what_it_is_whatever_it_is_called(tmp_path: Path) -> None:
    path = tmp_path / "pay.csv"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a/b.txt", "x")
    assert "ZIP archive of 1 files: ['a/b.txt'], although its name says" in told(path, path.read_bytes())


def test_an_archive_that_would_fill_the_memory_is_not_opened(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/workbook.xml", bytes(65 << 20))
    assert "unpack to 65 MB" in told(tmp_path / "a.xlsx", (tmp_path / "a.xlsx").read_bytes())


@pytest.mark.parametrize(("module", "data"), [("openpyxl", "xl/workbook.xml"), ("pyarrow", "PAR1")])
def test_a_reader_that_is_not_installed_is_named(
    module: str, data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    path = tmp_path / "file"
    path.write_bytes(data.encode())
    if module == "openpyxl":
        with zipfile.ZipFile(path, "w") as file:
            file.writestr(data, "")
    assert LACKING.findall(told(path, path.read_bytes())) == [module]


@pytest.fixture
def book(tmp_path: Path) -> Any:
    """Makes a workbook of named sheets, each a list of rows, and tells it."""
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra `data` (openpyxl)")

    def describe(**sheets: list[list[object]]) -> str:
        made = openpyxl.Workbook()
        made.remove(made.active)
        for name, rows in sheets.items():
            sheet = made.create_sheet(name)
            sheet.sheet_state = "hidden" if name.startswith("Hidden") else "visible"
            for row in rows:
                sheet.append(row)
        made.save(tmp_path / "a.xlsx")
        return told(tmp_path / "a.csv", (tmp_path / "a.xlsx").read_bytes())

    return describe


def parquet(columns: dict[str, object], path: Path) -> str:
    arrow: Any = pytest.importorskip("pyarrow", reason="needs the extra `data` (pyarrow)")
    writer: Any = pytest.importorskip("pyarrow.parquet", reason="needs the extra `data` (pyarrow)")
    writer.write_table(arrow.table(columns), path)
    return told(path.with_name("b"), path.read_bytes())


def test_each_sheet_is_told_under_its_name(book: Any) -> None:
    said = book(Staff=[["name", "pay"], ["ann", 10], [], ["bob", None]], Empty=[], Hidden=[["a"], [1]])
    assert "sheets: 'Staff', 'Empty', 'Hidden', although its name says that it is text" in said
    assert "sheet 'Staff', 2 rows, 2 columns" in said
    assert "'pay': whole number, 1 missing, from 10 to 10" in said
    assert "sheet 'Hidden' (hidden), 1 rows" in said
    assert "another number of cells" not in said


def test_a_title_above_a_table_gives_no_names(book: Any) -> None:
    said = book(Report=[["Sales 2024"], [], ["region", "q1", "q2"], ["north", 1, 2], ["south", 3, 4]])
    assert "above the table: ['Sales 2024']" in said
    assert "'q2': whole number, from 2 to 4" in said


@pytest.mark.parametrize(
    ("rows", "names", "above"),
    [
        ([["city", "temp"], ["Nice", 20], ["Brest", 11, "measured", "by", "hand"], ["Lille", 9]], "'city' 'temp'", ""),
        ([["city"], ["Nice"], ["Brest", "by hand"], ["Lille"]], "'city'", ""),
        ([["Sales"], ["region", "q1"], ["north", 1], ["south", 3]], "'region' 'q1'", "['Sales']"),
        ([[None, "Sales"], [None, "region", "q1"], [None, "north", 1]], "'region' 'q1'", "['Sales']"),
        ([[None, "value"], ["a", 1], ["b", 2]], "'value'", ""),
        ([["n"], [1], [2]], "'n'", ""),
    ],
)
def test_names_are_those_of_the_table(rows: list[list[object]], names: str, above: str) -> None:
    sheet_of: Any = reader.sheet_of
    said = "\n".join(sheet_of(rows, "sheet", None))
    assert [name for name in names.split() if f"  {name}: " not in said] == [], said
    assert (f"above the table: {above}" in said) if above else ("above the table" not in said), said


def test_columns_of_a_parquet_table_are_told_with_their_types(tmp_path: Path) -> None:
    said = parquet({"n": [1, 2, None], "tags": [["x"], [], None]}, tmp_path / "a.parquet")
    assert "'n': whole number, 1 missing, from 1 to 2 (int64)" in said
    assert "(list<" in said
    wide = parquet({f"c{place}": [place] for place in range(300)}, tmp_path / "w.parquet")
    assert "row 1: " in wide, "types of hundreds of columns leave room for the rest"
    assert "and 260 more columns" in wide


def test_what_was_read_in_part_is_said_to_be_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, book: Any) -> None:
    monkeypatch.setattr(reader, "MOST_ROWS", 3)
    monkeypatch.setattr(reader, "MOST_CELLS", 5)
    assert "6 rows, of which the first 3 are told" in parquet({"n": list(range(6))}, tmp_path / "a.parquet")
    sheets = {"A": [["n"], [1], [2], [3], [4]], "B": [["m"], [5], [6], [7]]}
    assert "sheet 'A', 2 or more rows, of which the first 2 are told" in book(**sheets)
    assert "'m': whole number, from 5 to 6" in book(**sheets)
    assert "(no further sheet is told)" in book(**sheets, C=[["k"], [8]])


def test_a_table_that_is_told_in_part_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_ROWS", 3)
    for data, count in (
        (b"n,m\n1,1\n2,2\n3,3\n4,4\n", "more than 3"),
        (b'[{"n": 1}, {"n": 2}, {"n": 3}, {"n": 4}]', "4"),
        (b'{"n": 1}\n{"n": 2}\n{"n": 3}\n{"n": 4}\n', "4"),
    ):
        said = told(tmp_path / "file", data)
        assert f"{count} rows, of which the first 3 are told" in said
        assert "from 1 to 3" in said
    assert ", 3 rows, 2 columns" in told(tmp_path / "file", b"n,m\n1,1\n2,2\n3,3\n")


def test_the_tables_of_a_database_are_told(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE books (title, year)")
        connection.execute("INSERT INTO books VALUES ('x', 1999)")
    connection.close()
    describe: Any = reader.described
    assert "'year': whole number, from 1999 to 1999" in "\n".join(describe(str(tmp_path / "a.db")))


def test_a_broken_file_is_said_to_be_unreadable_and_the_others_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.zip").write_bytes(b"PK\x03\x04 broken")
    Path("b.json").write_text(json.dumps({"x": list(range(5000))}))
    main: Any = reader.main
    main(["a.zip", "b.json"])
    out = capsys.readouterr().out
    assert "cannot be read: BadZipFile" in out
    assert "'x': list of 5000" in out
    assert len(out) <= 4000


@pytest.mark.parametrize(
    ("cell", "unreckoned"),
    [
        (b'<c r="A1"><f>B1*2</f><v></v></c>', 1),
        (b'<c r="A1"><f>B1*2</f><v /></c>', 1),
        (b'<c r="A1"><f>B1*2</f></c>', 1),
        (b'<c r="A1"><f t="shared" si="0"/></c>', 1),
        (b'<c r="A1"><f>B1*2</f><v>4</v></c>', 0),
        (b'<c r="A1"><f t="shared" si="0"/><v>4</v></c>', 0),
        (b'<c r="A1"><v>4</v></c>', 0),
    ],
)
def test_formulas_without_a_stored_value_are_counted(cell: bytes, unreckoned: int, tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("xl/workbook.xml", "<workbook/>")
        file.writestr("xl/worksheets/sheet1.xml", b"<sheetData>" + cell + b"</sheetData>")
    count: Any = reader.unreckoned
    said = "\n".join(count(str(path)))
    assert [found.split()[0] for found in UNRECKONED.findall(said)] == ([str(unreckoned)] if unreckoned else [])


def test_a_workbook_of_formulas_says_so(book: Any) -> None:
    said = book(Sums=[["a", "b"], [1, "=A2*2"], [2, "=A3*2"]])
    assert UNRECKONED.search(said)
    assert "such as =A2*2, =A3*2" in said, "the model can then compute what Excel would"
