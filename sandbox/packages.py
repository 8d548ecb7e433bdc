"""Names of distributions: what may be imported here, and what to install for an import that is missing."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections.abc import Iterable
from functools import cache

_OTHER_NAMES = {
    "cv2": "opencv-python-headless",
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "yaml": "pyyaml",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "docx": "python-docx",
    "pptx": "python-pptx",
    "fitz": "pymupdf",
    "git": "gitpython",
    "jwt": "pyjwt",
    "Crypto": "pycryptodome",
    "serial": "pyserial",
    "usb": "pyusb",
    "wx": "wxpython",
    "attr": "attrs",
    "pkg_resources": "setuptools",
    "google.protobuf": "protobuf",
    "mpl_toolkits": "matplotlib",
    "OpenSSL": "pyopenssl",
    "MySQLdb": "mysqlclient",
    "psycopg2": "psycopg2-binary",
    "telegram": "python-telegram-bot",
    "magic": "python-magic",
    "slugify": "python-slugify",
    "Levenshtein": "levenshtein",
    "community": "python-louvain",
    "umap": "umap-learn",
    "shapefile": "pyshp",
    "ruamel": "ruamel.yaml",
    "zmq": "pyzmq",
}
_IMPORTABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def distributions_of(modules: Iterable[str], own: Iterable[str] = ()) -> tuple[str, ...]:
    """Distribution names for missing modules; the standard library and the program's `own` modules are none."""
    local = {"solution", *own}
    found: list[str] = []
    for module in modules:
        top = module.partition(".")[0]
        if top in sys.stdlib_module_names or top in local or not _IMPORTABLE.fullmatch(top):
            continue
        found.append(
            _OTHER_NAMES.get(module) or _OTHER_NAMES.get(top) or _installed().get(top, [top.replace("_", "-")])[0]
        )
    return tuple(dict.fromkeys(found))


@cache
def _installed() -> dict[str, list[str]]:
    return {name: list(owners) for name, owners in importlib.metadata.packages_distributions().items()}


def importable() -> tuple[str, ...]:
    """Distributions that offer something to import, by name. Reads the whole installation: slow the first time."""
    owners = {owner for name, owners in _installed().items() if _IMPORTABLE.fullmatch(name) for owner in owners}
    return tuple(sorted(owners, key=str.lower))
