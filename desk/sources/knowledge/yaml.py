"""Reading what a person wrote in YAML strictly: an error names the file, the line and the field."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

_Model = TypeVar("_Model", bound=BaseModel)

LARGEST_FILE = 64_000_000
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class DamagedCorpus(Exception):
    """A corpus cannot be used. The message names the file, the line and the reason."""

    def __init__(self, file: Path, line: int, reason: str) -> None:
        super().__init__(f"{file}, line {line}: {reason}. Correct the file or take it away.")
        self.file = file
        self.line = line
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Entry:
    """A mapping in a YAML file, with what is needed to name it in an error."""

    file: Path
    line: int
    lines: dict[str, int]
    fields: dict[str, Any]

    def read(self, model: type[_Model]) -> _Model:
        """The mapping as a model.

        Raises:
            DamagedCorpus: it is no such thing.
        """
        try:
            return model.model_validate(self.fields)
        except ValidationError as error:
            wrong = error.errors()[0]
            place = ".".join(str(part) for part in wrong["loc"])
            line = self.lines.get(str(wrong["loc"][0]), self.line) if wrong["loc"] else self.line
            raise DamagedCorpus(self.file, line, f"{place}: {_said(wrong['msg'])}") from error

    def damaged(self, reason: str, field: str = "") -> DamagedCorpus:
        """The error to raise for this mapping, or for one of its fields."""
        return DamagedCorpus(self.file, self.lines.get(field, self.line), reason)


def read_text(file: Path) -> str:
    """The text of a file, with line feeds between its lines.

    Raises:
        DamagedCorpus: it cannot be read, is too large or is no UTF-8.
    """
    try:
        if file.exists() and not file.is_file():
            raise DamagedCorpus(file, 1, "it is a device or a pipe, and no file")
        if file.stat().st_size > LARGEST_FILE:
            raise DamagedCorpus(file, 1, f"it is above {LARGEST_FILE // 1_000_000} MB")
        content = file.read_bytes()
    except OSError as error:
        raise DamagedCorpus(file, 1, f"it cannot be read ({error.strerror})") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DamagedCorpus(file, line, "it is no UTF-8 text") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_list(file: Path) -> Iterator[Entry]:
    """The mappings of a file that is a list of them; an empty file holds none.

    Raises:
        DamagedCorpus: it is something else.
    """
    loader, node = _parsed(file, read_text(file), 0)
    if node is None:
        return
    if not isinstance(node, yaml.SequenceNode):
        raise DamagedCorpus(file, _line(node, 0), "a list belongs here, each item after a dash")
    for child in node.value:
        yield _entry(file, loader, child, 0)


def read_mapping(file: Path, text: str, lines_before: int) -> Entry:
    """The one mapping that a part of a file holds, which begins after `lines_before` lines.

    Raises:
        DamagedCorpus: it is something else.
    """
    loader, node = _parsed(file, text, lines_before)
    if node is None:
        raise DamagedCorpus(file, lines_before + 1, "the front matter is empty")
    return _entry(file, loader, node, lines_before)


def _parsed(file: Path, text: str, lines_before: int) -> tuple[Any, yaml.Node | None]:
    try:
        loader = _LOADER(text)
        return loader, loader.get_single_node()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = (mark.line if mark else 0) + 1 + lines_before
        raise DamagedCorpus(file, line, _said(getattr(error, "problem", None) or error)) from error


def _entry(file: Path, loader: Any, node: yaml.Node, lines_before: int) -> Entry:
    line = _line(node, lines_before)
    if not isinstance(node, yaml.MappingNode):
        raise DamagedCorpus(file, line, "fields with a colon belong here")
    lines: dict[str, int] = {}
    fields: dict[str, Any] = {}
    for key, value in node.value:
        name, at = str(key.value), _line(key, lines_before)
        if name in lines:
            raise DamagedCorpus(file, at, f"{name} stands there twice")
        lines[name] = at
        fields[name] = _value(file, loader, value, at)
    return Entry(file, line, lines, fields)


def _value(file: Path, loader: Any, node: yaml.Node, line: int) -> Any:
    try:
        return loader.construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError) as error:
        raise DamagedCorpus(file, line, _said(getattr(error, "problem", None) or error)) from error


def _line(node: yaml.Node, lines_before: int) -> int:
    return int(node.start_mark.line) + 1 + lines_before


def _said(reason: object) -> str:
    return " ".join(str(reason).split())[:300].rstrip(".")
