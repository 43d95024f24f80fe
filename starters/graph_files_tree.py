"""YAML read so that every value knows its line and column.

Values are texts, lists and mappings, and None for nothing: what a text stands for is up to the
contract it is read into. There are no aliases, so a small file cannot stand for a huge one, and no
tags.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import yaml

Path = tuple[int | str, ...]
"""The way to a value: keys, and places in lists from 0."""

MOST_DEPTH: Final = 12
MOST_VALUES: Final = 100_000
MOST_TWICE: Final = 1_000
_NOTHING: Final = ("", "~", "null", "Null", "NULL")
_UNPRINTABLE: Final = re.compile(
    "[^\x09\x0a\x0d\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufeff\uff00-\ufffd\U00010000-\U0010ffff]"
)
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser of libyaml where PyYAML has it: it is ten times as fast."""


class Place(NamedTuple):
    """A line and a column, counted from 1."""

    line: int
    column: int


class FileFault(NamedTuple):
    """What is wrong in a file, and where."""

    place: Place
    words: str


class Unreadable(Exception):
    """The text is no YAML, or not of the kind that is read here."""

    def __init__(self, place: Place, words: str) -> None:
        super().__init__(words)
        self.fault = FileFault(place, words)


@dataclass
class Tree:
    """What a file holds, where each value and key stands, and keys that stand there twice."""

    value: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    keys: dict[Path, Place] = field(default_factory=dict)
    faults: list[FileFault] = field(default_factory=list)

    def place_of(self, path: Path, *, key: bool = False) -> Place:
        """Where a value stands, or its key; of what is not there, what it would be part of."""
        if key and path in self.keys:
            return self.keys[path]
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, Place(1, 1))


def read_tree(text: str) -> Tree:
    """The contents of a YAML file.

    Raises:
        Unreadable: it is empty or no YAML, has aliases or tags, or is nested too deeply.
    """
    bad = _UNPRINTABLE.search(text)
    if bad is not None:
        line, column = (
            text.count("\n", 0, bad.start()),
            bad.start() - text.rfind("\n", 0, bad.end()),
        )
        raise Unreadable(Place(line + 1, column), f"{bad[0]!r} is no printable character")
    tree = Tree()
    try:
        _document(yaml.parse(text, Loader=_LOADER), tree)
    except yaml.MarkedYAMLError as error:
        told = ", ".join(part for part in (error.problem, error.context) if part)
        raise Unreadable(_place(error.problem_mark), f"no usable YAML: {told}") from None
    except yaml.YAMLError as error:
        raise Unreadable(Place(1, 1), f"no usable YAML: {error}") from None
    return tree


def _document(events: Iterator[Any], tree: Tree) -> None:
    documents = 0
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise Unreadable(
                    _place(event.start_mark), "a second document: a file has one graph"
                )
            tree.value = _value(next(events), events, (), tree)
    if tree.value is None:
        raise Unreadable(Place(1, 1), "the file is empty; it begins with `graph:`")


def _value(event: Any, events: Iterator[Any], path: Path, tree: Tree) -> Any:
    place = _place(event.start_mark)
    if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
        raise Unreadable(place, "anchors and aliases are not read here: write it out")
    if event.tag is not None and event.tag != "!":
        raise Unreadable(place, f"tags such as {event.tag!r} are not read here")
    if len(path) > MOST_DEPTH:
        raise Unreadable(place, "nested too deeply for a graph")
    if len(tree.places) >= MOST_VALUES:
        raise Unreadable(place, f"more than {MOST_VALUES:,} values: too many for a graph")
    tree.places.setdefault(path, place)
    if isinstance(event, yaml.SequenceStartEvent):
        return _list(events, path, tree)
    if isinstance(event, yaml.MappingStartEvent):
        return _mapping(events, path, tree)
    return None if event.style is None and event.value in _NOTHING else event.value


def _list(events: Iterator[Any], path: Path, tree: Tree) -> list[Any]:
    found: list[Any] = []
    for event in events:
        if isinstance(event, yaml.SequenceEndEvent):
            break
        found.append(_value(event, events, (*path, len(found)), tree))
    return found


def _mapping(events: Iterator[Any], path: Path, tree: Tree) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for event in events:
        if isinstance(event, yaml.MappingEndEvent):
            break
        place = _place(event.start_mark)
        if not isinstance(event, yaml.ScalarEvent):
            raise Unreadable(place, "a key is a single word")
        key = event.value
        if key in found and len(tree.faults) < MOST_TWICE:
            first = tree.keys[(*path, key)].line
            words = f"the key {key!r} stands there twice, first in line {first}"
            tree.faults.append(FileFault(place, words))
        tree.keys.setdefault((*path, key), place)
        kept = _value(next(events), events, (*path, key), tree)
        found.setdefault(key, kept)
    return found


def _place(mark: Any) -> Place:
    return Place(1, 1) if mark is None else Place(mark.line + 1, mark.column + 1)
