"""Maps module names to distributions: which can be imported here, and which to install for a missing import."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import sysconfig
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.machinery import PathFinder

_OTHER_NAMES_WORDS = """
cv2=opencv-python-headless sklearn=scikit-learn skimage=scikit-image PIL=pillow bs4=beautifulsoup4 yaml=pyyaml
dateutil=python-dateutil dotenv=python-dotenv docx=python-docx pptx=python-pptx fitz=pymupdf git=gitpython jwt=pyjwt
Crypto=pycryptodome serial=pyserial usb=pyusb wx=wxpython attr=attrs pkg_resources=setuptools google.protobuf=protobuf
mpl_toolkits=matplotlib OpenSSL=pyopenssl MySQLdb=mysqlclient psycopg2=psycopg2-binary telegram=python-telegram-bot
magic=python-magic slugify=python-slugify Levenshtein=levenshtein community=python-louvain umap=umap-learn
shapefile=pyshp ruamel=ruamel.yaml zmq=pyzmq
"""
_OTHER_NAMES = {module: name for module, _, name in (word.partition("=") for word in _OTHER_NAMES_WORDS.split())}
"""Module -> the distribution that provides it, when the names differ."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_STUBS = re.compile(r"^types-|-stubs$", re.IGNORECASE)
_IMPORTABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def module_of(distribution: str) -> str:
    """Returns the module name under which a distribution is imported."""
    return next((module for module, name in _OTHER_NAMES.items() if name == distribution), distribution)


def distributions_of(modules: Iterable[str], own: Iterable[str] = ()) -> tuple[str, ...]:
    """Returns the distributions for missing modules, without the standard library and the program's `own` modules."""
    local = {"solution", *own}
    found: list[str] = []
    for module in modules:
        top = module.partition(".")[0]
        if top in sys.stdlib_module_names or top in local or not _IMPORTABLE.fullmatch(top):
            continue
        found.append(_OTHER_NAMES.get(module) or _OTHER_NAMES.get(top) or top.replace("_", "-"))
    return tuple(dict.fromkeys(found))


def lacking(sources: Iterable[str], own: Iterable[str] = (), *, deep: bool = True) -> tuple[str, ...]:
    """Returns the distributions that the sources import and that are not installed here, read from the text. An import
    that may fail (`try: import x except ...`) asks for nothing, and neither does a source that does not parse. `deep`
    also counts imports inside functions."""
    wanted = [name for source in sources for name in _imports(source, deep)]
    foreign = [name for name in wanted if name.partition(".")[0] not in sys.stdlib_module_names]
    gone = [name for name in foreign if PathFinder.find_spec(name.partition(".")[0], _folders()) is None]
    return distributions_of(gone, own)


@cache
def _folders() -> list[str]:
    paths = sysconfig.get_paths()
    return [paths["purelib"], paths["platlib"]]


@lru_cache(maxsize=64)
def _imports(source: str, deep: bool) -> list[str]:
    """Returns the full names of the modules that a source must be able to import. Cached, because one suite is run with
    many programs."""
    try:
        waiting: list[ast.AST] = [ast.parse(source)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: list[str] = []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append(node.module or "")
        elif not (isinstance(node, ast.Try) and node.handlers) and (deep or not isinstance(node, _FUNCTIONS)):
            waiting += reversed(list(ast.iter_child_nodes(node)))
    return found


@cache
def importable() -> tuple[str, ...]:
    """Returns the names of installed distributions, read from the names of their folders."""
    entries = [entry for folder in _folders() if os.path.isdir(folder) for entry in os.scandir(folder)]
    there = [entry.name for entry in entries if entry.name.endswith(".dist-info") and not _lies_elsewhere(entry.path)]
    names = {name.partition("-")[0].replace("_", "-") for name in there}
    return tuple(sorted((name for name in names if not _STUBS.search(name)), key=str.lower))


def _lies_elsewhere(distribution: str) -> bool:
    """Returns whether a distribution is an editable project, such as the app itself, whose folder no program can
    see."""
    try:
        with open(os.path.join(distribution, "direct_url.json"), encoding="utf-8") as file:
            return bool(json.load(file).get("dir_info", {}).get("editable"))
    except (OSError, ValueError):
        return False
