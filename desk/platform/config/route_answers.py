"""Whether a route says in a usable way where the fields of an answer are found."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

import jmespath
from jmespath.exceptions import EmptyExpressionError, LexerError, ParseError
from jmespath.functions import Functions

from desk.contracts.agents.capabilities import Capability, Route
from desk.contracts.base import Contract
from desk.contracts.question.knowledge import DocumentAnswer, PdfAnswer, SearchAnswer, TicketAnswer
from desk.platform.config.settings_error import nearest

MISSING: Final = "missing"
"""A field of every answer: why there is none of what was asked for."""

_FORMS: Final[Mapping[Capability, type[Contract]]] = MappingProxyType(
    {
        Capability.TICKET: TicketAnswer,
        Capability.DOCUMENT: DocumentAnswer,
        Capability.PDF: PdfAnswer,
        Capability.WEB_SEARCH: SearchAnswer,
    }
)
"""The answers that the desk reads in another's form."""


class RouteAnswerError(Exception):
    """An `answer` cannot be used. The message names the key, the place in it, and what may be."""


def check_answers(capabilities: Mapping[Capability, tuple[Route, ...]]) -> None:
    """Looks at where the routes find the fields of their answers.

    Raises:
        RouteAnswerError: an expression is no JMESPath, a field is none of the desk's own answer,
            or the capability is one whose answers are read in the desk's own form only.
    """
    for capability, routes in capabilities.items():
        for number, route in enumerate(routes, start=1):
            if route.answer:
                _check(f"capabilities.{capability}[{number}].answer", capability, route.answer)


def _check(key: str, capability: Capability, answer: Mapping[str, str]) -> None:
    form = _FORMS.get(capability)
    if form is None:
        raise RouteAnswerError(
            f"{key} is not read: allowed for {', '.join(_FORMS)}; the others answer in the "
            "desk's own form"
        )
    known = sorted({*form.model_fields, MISSING})
    for field, expression in answer.items():
        if field not in known:
            hint = nearest(field, known)
            raise RouteAnswerError(f"unknown key '{key}.{field}'; known: {', '.join(known)}{hint}")
        fault = _fault(expression)
        if fault:
            raise RouteAnswerError(
                f"{key}.{field} is '{expression}'; allowed: a JMESPath expression; {fault}"
            )


def _fault(expression: str) -> str | None:
    """What is wrong with an expression, and at which character, counted from 1."""
    try:
        parsed = jmespath.compile(expression).parsed
    except EmptyExpressionError:
        return "it is empty"
    except LexerError as error:
        return f"at character {error.lexer_position + 1}: a sign that has no meaning there"
    except ParseError as error:
        what = f"'{error.token_value}'" if error.token_value else "its end"
        return f"at character {error.lex_position + 1}: {what} cannot stand there"
    unknown = next((name for name in _functions(parsed) if name not in _KNOWN), None)
    if unknown is None:
        return None
    return f"at character {expression.index(unknown) + 1}: there is no function {unknown}"


_KNOWN: Final = frozenset(Functions.FUNCTION_TABLE)


def _functions(node: Mapping[str, Any]) -> Iterator[str]:
    """The functions that an expression calls."""
    if node["type"] == "function_expression":
        yield node["value"]
    for child in node["children"]:
        yield from _functions(child)
