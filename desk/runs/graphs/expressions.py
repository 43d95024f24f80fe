"""Finds the faults of a condition before it is evaluated."""

import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from jmespath.exceptions import JMESPathError
from jmespath.functions import Functions
from jmespath.parser import Parser

from desk.analytics.names.nearest import suggestion

WHOLE: Final = "@"
"""JMESPath's name for the whole input of an expression."""

_OWN_SCOPE: Final = {
    "pipe": 1,
    "subexpression": 1,
    "index_expression": 1,
    "projection": 1,
    "value_projection": 1,
    "flatten": 1,
    "filter_projection": 1,
    "expref": 0,
    "key_val_pair": 1,
}
"""How many children of an expression read the same input as the expression itself; the others read
what the first one has found. Of types that are not listed, all children do."""


def expression_fault(expression: str) -> str | None:
    """Returns why a condition is not JMESPath that can be evaluated, with the column; None if it
    is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", PendingDeprecationWarning)
            parsed = Parser().parse(expression).parsed
    except PendingDeprecationWarning:
        return "no JMESPath: what stands between two backticks is no JSON"
    except JMESPathError as error:
        column = getattr(error, "lex_position", 0) or 0
        return f"no JMESPath, at column {min(column, len(expression)) + 1}: {_reason(error)}"
    except RecursionError:
        return "nested too deeply for a condition"
    return next(_wrong_calls(parsed), None)


@lru_cache(maxsize=2_000)
def names_in(expression: str) -> frozenset[str]:
    """Returns the names of the state that a condition reads; with `WHOLE` if it reads all of it, or
    cannot be parsed."""
    try:
        return frozenset(_roots(Parser().parse(expression).parsed))
    except (JMESPathError, RecursionError):
        return frozenset({WHOLE})


def _reason(error: JMESPathError) -> str:
    token = getattr(error, "token_value", None)
    kind = str(getattr(error, "token_type", None) or "").casefold()
    if token is None or kind == "eof":
        return "the expression is not complete"
    if kind.startswith("unclosed"):
        return f"the {kind.split()[1]} is not closed"
    return f"{str(token)!r} is not expected here"


def _wrong_calls(node: Any) -> Iterator[str]:
    for part in _walk(node):
        if part["type"] != "function_expression":
            continue
        name, given = part["value"], len(part["children"])
        function = Functions.FUNCTION_TABLE.get(name)
        if function is None:
            yield f"{name}() is no function of JMESPath{suggestion(name, Functions.FUNCTION_TABLE)}"
            continue
        signature = function["signature"]
        variadic = bool(signature) and bool(signature[-1].get("variadic"))
        if given < len(signature) or (given > len(signature) and not variadic):
            yield f"{name}() takes {len(signature)} arguments, and {given} are given"


def _walk(node: Any) -> Iterator[Any]:
    stack = [node]
    while stack:
        part = stack.pop()
        yield part
        stack += reversed(part.get("children", ()))


def _roots(node: Any) -> Iterator[str]:
    stack = [node]
    while stack:
        part = stack.pop()
        if part["type"] == "field":
            yield part["value"]
            continue
        if part["type"] in ("current", "identity"):
            yield WHOLE
        children = part.get("children", ())
        stack += reversed(children[: _OWN_SCOPE.get(part["type"], len(children))])
