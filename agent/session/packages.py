"""Finds the packages that a task or its program needs and this installation lacks, before anything is run. They are
installed only if the person allows it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from llm.replies.files import split_files
from sandbox.packages import lacking, module_of
from sandbox.types import FileData, Program

from ..config import AgentConfig
from ..examples import read_brief
from ..examples.types import BY_OUTPUT, Brief
from ..source.files import placed
from ..state import AgentState, Task
from ..state.done import done_of
from ..state.questions import QuestionKind

MISSING_PACKAGES: QuestionKind = "missing_packages"
NONE_HERE, NOT_ALLOWED = "nothing is installed on this deployment", "installing packages was not allowed"
_NAMES = (
    "cv2|bs4|beautifulsoup4|lightgbm|networkx|nltk|numba|opencv|openpyxl|plotly|polars|pyarrow|pytorch|scikit-image"
    "|scikit-learn|scipy|seaborn|sklearn|spacy|sqlalchemy|statsmodels|sympy|tensorflow|torch|xgboost|xlsxwriter"
)
"""Names that can only mean a package. Other packages are noticed when a program imports them."""
_BEHIND = (
    r"(?<!not )(?<!n't )(?<!without )(?<!instead of )(?<!avoid )"
    r"\b(?:using|use|uses|via|import|with|mit|avec|con|usando|com|utilisant|utilisez|verwende)\s+(?:the\s+)?`?"
)
_ASKED_FOR = re.compile(rf"{_BEHIND}({_NAMES})\b", re.IGNORECASE)
_NAMED = re.compile(rf"{_BEHIND}([a-z][\w-]+)|\b({_NAMES}|numpy|pandas|matplotlib|pillow)\b", re.IGNORECASE)
_BY_PANDAS = {
    "openpyxl": re.compile(r"\b(?:read_excel|to_excel|ExcelFile|ExcelWriter)\((?![^)]*engine)"),
    "pyarrow": re.compile(r"\b(?:read|to)_(?:parquet|feather)\((?![^)]*engine)"),
}
"""The package that pandas imports when it is called like this."""
_FORMATS = {"xlsx": "openpyxl", "parquet": "pyarrow"}
"""The package that writes files of this type, if the standard library cannot."""
_SPOKEN_OF = {"openpyxl": "excel", "xlsxwriter": "excel", "pyarrow": "parquet"}
"""Package -> the word of a task that hardly leaves its author the choice of another package."""
_FILE = re.compile(r"(?<!\w)([A-Za-z_]\w*)\.py(?!\w)")
_GUARDED = re.compile(r"\bexcept\b[^:\n]*(?:ImportError|ModuleNotFoundError|Exception)")
_WORKBOOK, _DIRECTORY_BYTES = b"xl/workbook.xml", 1 << 20
"""`_WORKBOOK` stands in the list at the end of a ZIP archive that is an Excel workbook. The list is searched for in the
last _DIRECTORY_BYTES bytes (1 MiB)."""
_NICKNAMES = {"opencv": "opencv-python-headless", "pytorch": "torch"}
"""Common names of packages whose distribution is called something else."""


def needs_of_task(task: Task, brief: Brief) -> tuple[str, ...]:
    """Returns the distributions that the task lacks as it was given: packages that it asks for, what its code imports
    at the top, and readers of its data. An explanation needs none."""
    if brief.kind == "explain":
        return ()
    named: list[str] = [name.lower() for name in _ASKED_FOR.findall(task.text)]
    asked = "".join(f"import {module_of(_NICKNAMES.get(name, name))}\n" for name in named)
    made = [_FORMATS.get(name.rpartition(".")[2].lower()) for name in brief.demand.makes]
    readers = (*_readers(task), *lacking(f"import {one}" for one in made if one)) if brief.kind in BY_OUTPUT else ()
    own = "" if is_project(task) else task.code or ""
    return tuple(dict.fromkeys((*lacking([asked]), *readers, *lacking([own], deep=False))))


def libraries_named(text: str, installed: Iterable[str]) -> tuple[str, ...]:
    """Returns those of the installed distributions that a task names, by their own name or by the module's."""
    named = {(behind or alone).lower() for behind, alone in _NAMED.findall(text)}
    return tuple(one for one in installed if {one.lower(), module_of(one).lower()} & named)


def is_project(task: Task) -> bool:
    """Returns whether several files were given. Some of them may import what the task does not need."""
    return split_files(task.code or "") is not None


def needs(task: Task, program: Program) -> tuple[str, ...]:
    """Returns the distributions that one run of a program lacks, readers of the task's data included."""
    return tuple(dict.fromkeys((*_readers(task), *needs_of_program(program, task.text))))


def needs_of_program(program: Program, task: str) -> tuple[str, ...]:
    """Returns the distributions that the program's modules and tests import and that are not installed here. A module
    whose file the `task` names is no package but a part of the program, even if the program lacks that part."""
    whole = placed(program)
    here = (path.partition("/")[0].removesuffix(".py") for path in (*whole.package, *whole.files, "program.py"))
    own = (*here, *_FILE.findall(task))
    sources = [whole.solution, whole.tests or "", *whole.package.values()]
    return lacking([*sources, *(f"import {one}" for text in sources for one in _by_pandas(text))], own)


def _by_pandas(text: str) -> list[str]:
    if "pandas" not in text or _GUARDED.search(text):
        return []
    return [package for package, called in _BY_PANDAS.items() if called.search(text)]


def _readers(task: Task) -> tuple[str, ...]:
    found = map(_reader, task.files.values())
    return lacking(f"import {reader}" for reader in found if reader)


def _reader(data: FileData) -> str:
    """Returns the package that reads this file, if the standard library cannot; "" otherwise. The bytes decide, not the
    name."""
    if isinstance(data, bytes):
        begins, ends = data[:4], data[-_DIRECTORY_BYTES:]
    else:
        try:
            with open(data.path, "rb") as file:
                begins = file.read(4)
                file.seek(max(0, data.size - _DIRECTORY_BYTES))
                ends = file.read(_DIRECTORY_BYTES)
        except OSError:
            return ""  # gone since it was given; the run reports that when it begins
    if begins == b"PAR1":
        return "pyarrow"
    return "openpyxl" if begins == b"PK\x03\x04" and _WORKBOOK in ends else ""


def may_do_without(state: AgentState, names: tuple[str, ...]) -> bool:
    """Returns whether the program's author is told, once, that these packages are missing, before the run ends because
    of them. That is done when the task does not name the packages: the author alone chose them."""
    told = state.did("without")
    if not names or told or state.task.code or state.config.autonomy != "full_auto" or not state.config.max_repairs:
        return False
    text = state.task.text.lower().replace("_", "-")
    words = {one.lower().replace("_", "-") for name in names for one in (name, module_of(name))}
    spoken = {_SPOKEN_OF[name] for name in names if name in _SPOKEN_OF}
    named = any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) for word in words)
    return not named and not any(word in text for word in spoken)


def sentence_of(names: tuple[str, ...]) -> str:
    """Returns the packages as part of a sentence: "scipy, which is not installed here"."""
    one = len(names) == 1
    return f"{' and '.join(names)}, which {'is' if one else 'are'} not installed here"


def unmet(task: Task, config: AgentConfig) -> str:
    """Returns why the task cannot be worked on when nobody can be asked for packages; "" when it can."""
    names = () if config.install_packages else needs_of_task(task, read_brief(task.text, task.code, task.files))
    extra = " (the extra `data` has it)" if {"openpyxl", "pyarrow"} & set(names) else ""
    way = "install it, or allow packages to be installed for the run" if config.may_install else NONE_HERE
    told = f"the task needs {sentence_of(names)}{extra}: {way}"
    return told if names else ""


def lacks(state: AgentState) -> str:
    """Returns which missing packages kept the program from being run; "" when none did."""
    found = done_of(state.done, "lacks")
    why = f": {found[0].word}" if found and found[0].word else ""
    return f"it needs {sentence_of(tuple(found[0].about.split()))}{why}" if found else ""
