"""Prints what the files of a task hold: format, columns with types, ranges and missing values, and a few rows. The text
of this module runs in the sandbox, beside the files. It needs the standard library only; Excel and Parquet files are
read if openpyxl and pyarrow are installed. Of a large file only the part that memory and time allow is read."""

# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false

import codecs
import csv
import html
import io
import json
import os
import re
import sqlite3
import zipfile
from itertools import islice

CHARS = 3600
"""Characters of the description, all files together."""
HEAD_BYTES = 10 << 20
"""Bytes of a long text that are described."""
MOST_ROWS = 100_000
"""Rows of a table that are read."""
MOST_COLUMNS, MOST_KEYS = 40, 12
"""Columns of a table, and keys of an object, that are described."""
WIDEST = 200
"""Cells of a sheet's row that are looked at: a sheet may claim sixteen thousand."""
MOST_CELLS = 300_000
"""Cells of a workbook that are read, all sheets together, because its reader is slow."""
BOMB_BYTES, BOMB_RATIO = 64 << 20, 100
"""A ZIP that unpacks to more than BOMB_BYTES and more than BOMB_RATIO times its size is not opened: it could fill the
memory."""
SAMPLE = 3
"""Rows or values that are quoted."""
MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "?"}
DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}")
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
WITHOUT_VALUE = re.compile(rb"(?:<f\b[^>]*/>|(?<=>)([^<>]*)</f>)(?=\s*(?:<v\s*/>|<v>\s*</v>|</c>))")
"""Matches a formula of a sheet without a stored value, and captures its text if that is stored."""
JSON_BEGINS = re.compile(r'\s*(?:\{|\[\s*[\[{"\d-])')
MARKED = re.compile(r"[^\w\s.,-]?\s?[+-]?\d{1,3}(?:[ ,.']\d{3})*(?:[.,]\d+)?\s?[^\w\s]?")

CONTROLS = bytes({*range(32), 127} - {*b"\t\n\v\f\r\x1b"})
"""Bytes that hardly occur in text, but make up one in nine of random bytes."""


def decoded(data, whole=True):
    """Returns the text and the name of its encoding; (None, "") for binary data. `whole` says that the data do not end
    within a character."""
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(name, "replace"), name
    head = data[:4000]
    if len(head) - len(head.translate(None, CONTROLS)) > len(head) // 20:
        return None, ""
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data, final=whole), "utf-8"
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "cp1252 (not utf-8)"


def delimiter_of(text):
    """Returns the character that splits the first lines into equally many cells, the most of all candidates; "" for
    none."""
    lines = [line for line in text[:20_000].splitlines() if line.strip()][:20]
    best, most = "", 1
    for sign in (",", ";", "\t", "|"):
        widths = [len(row) for row in csv.reader(lines, delimiter=sign)]
        common = max(set(widths), key=widths.count) if widths else 1
        if common > most and widths.count(common) * 10 >= len(widths) * 8:
            best, most = sign, common
    return best


def kind_of(values):
    if not values:
        return "empty"
    if all(re.fullmatch(r"[+-]?\d+", value) for value in values):
        return "whole number"
    if all(NUMBER.fullmatch(value) for value in values):
        return "number"
    if all(DATE.match(value) for value in values):
        return "date"
    if all(value.lower() in ("true", "false", "yes", "no") for value in values):
        return "yes or no"
    if all(MARKED.fullmatch(value) for value in values):
        return "number written with signs or separators"
    return "text"


def column(name, cells):
    """Returns one line: type, how many cells are missing, range or values."""
    values = [str(cell).strip() for cell in cells if cell is not None]
    present = [value for value in values if value.lower() not in MISSING]
    kind = kind_of(present)
    parts = [f"{name!r}: {kind}"]
    if lost := len(cells) - len(present):
        parts.append(f"{lost} missing")
    if kind in ("whole number", "number"):
        low, high = min(present, key=float), max(present, key=float)
        parts.append(f"from {low[:30]} to {high[:30]}")
    elif kind == "date":
        parts.append(f"e.g. {present[0]}, {present[-1]}")
    elif present:
        known = list(dict.fromkeys(present))
        shown = ", ".join(repr(value[:30]) for value in known[:6])
        parts.append(f"{len(known)} different values, " + ("" if len(known) <= 6 else "e.g. ") + shown)
    return "  " + ", ".join(parts)


def table(rows, names, how, count=None):
    """Describes a table. `count` says in words how many rows there are in all, if `rows` are only the first."""
    wide = [list(row) + [None] * (len(names) - len(row)) for row in rows]
    told = f"{len(rows)} rows" if count is None else f"{count} rows, of which the first {len(rows)} are told"
    lines = [f"{how}, {told}, {len(names)} columns"]
    for place, name in enumerate(names[:MOST_COLUMNS]):
        lines.append(column(name, [row[place] for row in wide]))
    lines += [f"  and {len(names) - MOST_COLUMNS} more columns"] if len(names) > MOST_COLUMNS else []
    lines += [f"  row {number}: {[str(cell)[:40] for cell in row[:12]]}" for number, row in enumerate(rows[:SAMPLE], 1)]
    odd = sum(len(row) != len(names) for row in rows)
    return lines + ([f"  {odd} rows have another number of cells"] if odd else [])


def first_of(rows):
    """Returns the rows that are described, and, if there are more, words for how many."""
    found = list(islice(rows, MOST_ROWS + 1))
    return found[:MOST_ROWS], f"more than {MOST_ROWS}" if len(found) > MOST_ROWS else None


def has_header(rows):
    """Returns whether the first row holds names: no numbers, and none twice unless numbers stand below."""
    first = [cell.strip() for cell in rows[0]]
    below = [NUMBER.fullmatch(cell.strip()) for row in rows[1:2] for cell in row]
    return not any(map(NUMBER.fullmatch, first)) and (len(set(first)) == len(first) or any(below))


def delimited(text, sign, encoding):
    rows = filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=sign))
    head = next(rows)
    told = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}[sign]
    how = f"table parted by {told}, encoding {encoding}"
    if head[0].startswith("sep=") and not any(head[1:]):
        how, head = f"{how}, behind a first line {text.splitlines()[0]!r}", next(rows, [])
    rows, count = first_of(rows)
    if has_header([head, *rows]):
        return table(rows, head, how, count)
    names = [f"column {place}" for place in range(1, len(head) + 1)]
    return table([head, *rows], names, f"{how}, no header line", count)


def records(found, how):
    rows, count = first_of(found)
    names = list(dict.fromkeys(key for one in rows for key in one))
    return table([[one.get(name) for name in names] for one in rows], names, how, count and str(len(found)))


def jsonish(value, how):
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        return records(value, f"{how}: list of objects")
    if isinstance(value, dict):
        lines = [f"{how}: object with {len(value)} keys"]
        for key, inner in list(value.items())[:MOST_KEYS]:
            size = f" of {len(inner)}" if isinstance(inner, (list, dict)) else f" {inner!r}"[:60]
            lines.append(f"  {key!r}: {type(inner).__name__}{size}")
            if isinstance(inner, list) and inner and isinstance(inner[0], dict):
                lines += ["  " + line for line in records(inner, f"{key}")[1:]]
        return lines + ([f"  and {len(value) - MOST_KEYS} more keys"] if len(value) > MOST_KEYS else [])
    return [f"{how}: {type(value).__name__} of {len(value) if hasattr(value, '__len__') else 1}", f"  {value!r}"[:300]]


def plain(text, encoding):
    lines = text.splitlines()
    return [f"text, encoding {encoding}, {len(lines)} lines", *(f"  {line[:160]}" for line in lines[:6])]


def lacks(what, package):
    """Says which package is missing. `LACKING` of data.py finds the package in this line, which a person reads too."""
    return [f"{what}; the package {package}, which reads it, is not installed here (it is in the extra `data`)"]


def workbook(path):
    try:
        import openpyxl  # noqa: PLC0415 - an optional extra
    except ImportError:
        return lacks("Excel workbook", "openpyxl")
    # Read until the process ends. openpyxl would refuse a path with a wrong suffix, but takes a file
    file = open(path, "rb")  # noqa: SIM115
    book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    lines, left = [f"Excel workbook, sheets: {', '.join(map(repr, book.sheetnames))}"], MOST_CELLS
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # what a file claims of its size may be untrue
        rows = list(islice(rows_of(sheet.iter_rows(max_col=WIDEST, values_only=True), left), MOST_ROWS))
        left -= sum(map(len, rows))
        cut = left < 0 or len(rows) == MOST_ROWS
        hidden = "" if sheet.sheet_state == "visible" else " (hidden)"
        lines += sheet_of(rows, f" sheet {sheet.title!r}{hidden}", f"{len(rows) - 1} or more" if cut else None)
        if left < 0:
            return [*lines, " (no further sheet is told)"] if sheet is not book.worksheets[-1] else lines
    return lines


def rows_of(sheet, left):
    """Yields rows that are not empty, each up to its last filled cell, until `left` cells were yielded."""
    for row in sheet:
        width = max((place for place, cell in enumerate(row, 1) if cell is not None), default=0)
        if width:
            yield row[:width]
        left -= width
        if left < 0:
            return


def sheet_of(rows, how, count):
    """Describes a sheet. A title may stand above the table: a single cell at the table's left edge, above rows that
    mostly have more cells."""
    if not rows:
        return []
    width = max(map(len, rows))
    left = min(next(place for place, cell in enumerate(row) if cell is not None) for row in rows)
    wider = [place for place, row in enumerate(rows) if len(row) > left + 1]
    begin = wider[0] if 2 * len(wider) >= len(rows) else 0
    rows = [[*row, *[None] * (width - len(row))] for row in rows]
    above = [f"  above the table: {[str(cell) for cell in row if cell is not None]}" for row in rows[:begin][:SAMPLE]]
    names = ["" if cell is None else str(cell) for cell in rows[begin]]
    first, *more = table(rows[begin + 1 :], names, how, count)
    return [first, *above, *more]


def parquet(path):
    try:
        import pyarrow.parquet as reader  # noqa: PLC0415 - an optional extra
    except ImportError:
        return lacks("Parquet table", "pyarrow")
    file = reader.ParquetFile(path)
    fields, count = list(file.schema_arrow), file.metadata.num_rows
    batches = file.iter_batches(MOST_ROWS, columns=[one.name for one in fields[:MOST_COLUMNS]], use_threads=False)
    rows = [list(row.values()) for row in next(batches).to_pylist()] if count else []
    lines = table(rows, [one.name for one in fields], "Parquet", str(count) if count > len(rows) else None)
    typed = [f"{line} ({one.type})" for line, one in zip(lines[1:], fields[:MOST_COLUMNS], strict=False)]
    return [lines[0], *typed, *lines[1 + len(typed) :]]


def archive(path):
    with zipfile.ZipFile(path) as file:
        names, size = file.namelist(), sum(one.file_size for one in file.infolist())
    if size > BOMB_BYTES and size > BOMB_RATIO * os.path.getsize(path):
        return [f"ZIP archive that would unpack to {size >> 20} MB, more than {BOMB_RATIO} times its size: not opened"]
    if "xl/workbook.xml" not in names:
        return [f"ZIP archive of {len(names)} files: {names[:10]}"]
    first, *more = workbook(path)
    return [first, *unreckoned(path), *more]


def unreckoned(path):
    """Counts formulas without a stored value. `UNRECKONED` of data.py finds the number in this line, which a person
    reads too."""
    with zipfile.ZipFile(path) as file:
        sheets = [name for name in file.namelist() if name.startswith("xl/worksheets/")]
        found = [one for name in sheets for one in WITHOUT_VALUE.findall(file.open(name).read(HEAD_BYTES))]
    told = f" {len(found)} cells hold a formula whose value is not stored: read without Excel they are empty"
    shown = [f"={html.unescape(one.decode('utf-8', 'replace'))}"[:80] for one in dict.fromkeys(filter(None, found))]
    return [told, *([f" such as {', '.join(shown[:SAMPLE])}"] if shown else [])] if found else []


def database(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        lines = [f"SQLite database, tables: {', '.join(names)}"]
        for name in names:
            found = connection.execute(f'SELECT * FROM "{name}" LIMIT 1000')
            lines += table([list(row) for row in found], [one[0] for one in found.description], f" table {name!r}")
    return lines


SIGNED = {
    b"PK\x03\x04": archive,
    b"PAR1": parquet,
    b"SQLite format 3\x00": database,
    b"\xd0\xcf\x11\xe0": lambda _: [
        "old Office file (such as .xls) or one with a password, which is not read here: save it as .xlsx or CSV"
    ],
    b"\x1f\x8b": lambda _: ["compressed with gzip"],
}
"""The first bytes of files of a known kind, whatever their names."""
TEXTS = (".csv", ".json", ".jsonl", ".ndjson", ".tsv", ".txt")


def described(path):
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        data = file.read(HEAD_BYTES)
    if not data:
        return ["empty"]
    for sign, tell in SIGNED.items():
        if data.startswith(sign):
            first, *more = tell(path)
            odd = path.lower().endswith(TEXTS)
            return [first + (", although its name says that it is text" if odd else ""), *more]
    text, encoding = decoded(data, whole=size == len(data))
    if text is None:
        return [f"binary, {size} bytes"]
    if not text.strip():
        return ["blank"]
    if size == len(data):
        return of_text(text, encoding)
    with open(path, "rb") as file:
        lines = sum(part.count(b"\n") for part in iter(lambda: file.read(1 << 20), b""))
    first, *more = of_text(text[: text.rfind("\n") + 1] or text, encoding)
    return [f"{lines} lines in all, of which the first {HEAD_BYTES >> 20} MB are told: {first}", *more]


def of_text(text, encoding):
    if text.lstrip()[:1] in ("{", "["):
        try:
            return jsonish(json.loads(text), f"JSON, encoding {encoding}")
        except ValueError:
            pass
        try:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
            if all(isinstance(one, dict) for one in found):
                return records(found, f"one JSON object a line, encoding {encoding}")
        except ValueError:
            pass
    if JSON_BEGINS.match(text):
        return plain(text, encoding)  # broken or cut JSON: its commas separate no cells
    sign = delimiter_of(text)
    return delimited(text, sign, encoding) if sign else plain(text, encoding)


def main(names):
    share = CHARS // max(1, len(names))
    for name in names:
        try:
            lines = described(name)
        except Exception as problem:  # noqa: BLE001 - whatever is wrong with one file, the others are told
            lines = [f"cannot be read: {type(problem).__name__}: {problem}"[:200]]
        told = "\n".join([f"{name} ({os.path.getsize(name)} bytes): {lines[0]}", *lines[1:]])
        print(told if len(told) <= share else told[:share].rpartition("\n")[0] + "\n  ...")  # noqa: T201
