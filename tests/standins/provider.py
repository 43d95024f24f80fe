"""What a provider's stand-in is, what it is asked, and in which ways it can fail."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import cache
from urllib.parse import parse_qs, urlsplit


class Failure(StrEnum):
    """What a provider does in place of its usual answer."""

    REDIRECT = "redirect"
    """It redirects to another path of its own, which answers."""

    REDIRECT_LOOP = "redirect_loop"
    """It redirects to itself."""

    TOO_MANY = "too_many"
    """429 with `Retry-After: 30`."""

    ERROR = "error"
    """500."""

    HTML = "html"
    """A page that says maintenance, with status 200."""

    EMPTY = "empty"
    """Nothing, with status 200."""

    TRUNCATED = "truncated"
    """The first half of the answer, as if it were the whole."""

    RENAMED = "renamed"
    """A column or a field has another name. The provider's module does it."""

    REVISED = "revised"
    """A figure of the past differs from what it was. The provider's module does it."""

    LATE = "late"
    """What should have been there lately is not, as before a late publication. The provider's
    module does it."""

    SLOW = "slow"
    """The answer comes after a minute."""

    CLOSED = "closed"
    """The connection is closed without an answer."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request: the path behind the provider's own, its query, the last day of which anything
    was published yet, and what the provider's module is to do otherwise."""

    path: str
    until: date
    failure: Failure | None = None
    form: str = ""
    cookie: str = ""

    @property
    def route(self) -> str:
        """The path without its query, without a slash at its beginning."""
        return urlsplit(self.path).path.lstrip("/")

    @property
    def query(self) -> Mapping[str, str]:
        """The query's parameters; of one that is repeated the last."""
        return {name: values[-1] for name, values in parse_qs(urlsplit(self.path).query).items()}

    @property
    def renamed(self) -> bool:
        """Whether a column is to have another name."""
        return self.failure is Failure.RENAMED

    @property
    def revised(self) -> bool:
        """Whether a figure of the past is to differ."""
        return self.failure is Failure.REVISED

    @property
    def late(self) -> bool:
        """Whether the newest data are to be lacking."""
        return self.failure is Failure.LATE


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered."""

    content: bytes
    content_type: str = "text/plain; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


NOT_FOUND = Reply(b"there is nothing here", status=404)


def nothing_to_add(_url: str) -> Mapping[str, tuple[str, ...]]:
    """For a provider to which no server of `.mcp.json` is led."""
    return {}


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider's stand-in. `name` is its path; `answer` answers a request.

    `arguments` gives, for the address of the stand-in, what the `args` of servers in `.mcp.json`
    have to have besides: by the server's name, such as `{"ecb": ("--url", ...)}`.
    """

    name: str
    answer: Callable[[Ask], Reply]
    arguments: Callable[[str], Mapping[str, tuple[str, ...]]] = nothing_to_add


@cache
def providers() -> Mapping[str, Provider]:
    """All providers by name: a `PROVIDER` in a module of `providers` makes one, `PROVIDERS` makes
    several."""
    package = importlib.import_module("tests.standins.providers")
    modules = [
        importlib.import_module(f"{package.__name__}.{each.name}")
        for each in pkgutil.iter_modules(package.__path__)
    ]
    found: list[Provider] = [each.PROVIDER for each in modules if hasattr(each, "PROVIDER")]
    found += [one for each in modules for one in getattr(each, "PROVIDERS", ())]
    return {provider.name: provider for provider in found}


def today() -> date:
    """The present day, UTC."""
    return datetime.now(UTC).date()
