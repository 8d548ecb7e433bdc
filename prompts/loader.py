"""Loads a YAML file into a Prompt and finds every fault of the file while loading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import jinja2
import jinja2.meta
import yaml
from jsonschema import Draft202012Validator, SchemaError

from .prompt import Prompt, PromptError, Template, block
from .schemas import PROMPT_FILE, unbounded
from .trimming import TrimRule

HERE = Path(__file__).parent
ROLES: tuple[str, ...] = tuple(sorted(path.stem for path in HERE.glob("*.yaml")))

_Signature = tuple[int, int, int, int]
_loaded: dict[Path, tuple[_Signature, Prompt]] = {}


def load_prompt(role: str, directory: Path | None = None) -> Prompt:
    """Returns the prompt of a role, read again whenever its file has changed.

    Raises PromptError, one line, for a missing or unsound file; an earlier sound version is not used in its place."""
    path = (directory or HERE) / f"{role}.yaml"
    try:
        stat = path.stat()
        signature = (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino)
        known = _loaded.get(path)
        if known and known[0] == signature:
            return known[1]
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"{path}: cannot be read: {error}") from error
    prompt = _build(role, path.name, _parse(path.name, text))
    _loaded[path] = (signature, prompt)
    return prompt


class _StrictLoader(yaml.CSafeLoader):
    """libyaml's safe loader, which also refuses a key that is given twice; the plain loader would keep the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]  # pyright: ignore[reportUnknownVariableType]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"key given twice: {key}", node.start_mark)
        return super().construct_mapping(node, deep)


def _parse(name: str, text: str) -> Mapping[str, Any]:
    try:
        content = yaml.load(text, Loader=_StrictLoader)
    except yaml.YAMLError as error:
        raise PromptError(f"{name}: not valid YAML: {' '.join(str(error).split())}") from error
    for fault in Draft202012Validator(PROMPT_FILE).iter_errors(content):
        where = ".".join(str(part) for part in fault.absolute_path) or "file"
        raise PromptError(f"{name}: {where}: {fault.message.splitlines()[0][:200]}")
    return cast("Mapping[str, Any]", content)


def _build(role: str, name: str, content: Mapping[str, Any]) -> Prompt:
    schema = cast("Mapping[str, Any] | None", content.get("schema"))
    if schema is not None:
        _check_schema(name, schema)
    elif content["code"] == "none":
        raise PromptError(f"{name}: neither a header schema nor code: there is nothing to be answered")
    return Prompt(
        role=role,
        version=content["version"],
        system=content["system"].strip() + "\n",
        templates={key: _template(f"{name}: {key}", part) for key, part in content["templates"].items()},
        schema=schema,
        code=content["code"],
        max_tokens=content["max_tokens"],
    )


def _check_schema(name: str, schema: Mapping[str, Any]) -> None:
    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        raise PromptError(f"{name}: schema: {error.message.splitlines()[0][:200]}") from error
    if schema.get("type") != "object":
        raise PromptError(f"{name}: schema: the header must be an object")
    for fault in unbounded(schema):
        raise PromptError(f"{name}: schema: {fault}")


def _template(where: str, part: Mapping[str, Any]) -> Template:
    declared = frozenset(cast("list[str]", part["variables"]))
    try:
        tree = _JINJA.parse(part["text"])
        used = jinja2.meta.find_undeclared_variables(tree)
        compiled = _JINJA.from_string(tree)
    except jinja2.TemplateError as error:
        raise PromptError(f"{where}: {error.message}") from error
    if undeclared := used - declared:
        raise PromptError(f"{where}: undeclared variable: {', '.join(sorted(undeclared))}")
    if unused := declared - used:
        raise PromptError(f"{where}: unused variable: {', '.join(sorted(unused))}")
    rules = tuple(TrimRule(**rule) for rule in part.get("trim", ()))
    for rule in rules:
        if rule.variable not in declared or rule.variable == "task":
            raise PromptError(f"{where}: trim: {rule.variable} cannot be shortened")
    return Template(compiled, declared, rules)


def lines(value: str | Sequence[str]) -> str:
    """Returns a list as lines with dashes; a text as it is."""
    return value if isinstance(value, str) else "\n".join(f"- {item}" for item in value)


def words(value: str | Sequence[str]) -> str:
    """Returns a list as one line; a text as it is."""
    return value if isinstance(value, str) else ", ".join(value)


_JINJA = jinja2.Environment(
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=False,
)
cast("dict[str, Any]", _JINJA.filters).update(block=block, lines=lines, words=words)
