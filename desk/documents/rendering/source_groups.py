"""The sources of a report, put together by who was asked what kind of question."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from desk.contracts.agents.tools import DataSource, SourceTier
from desk.documents.rendering.wording import instant


class SourceGroup(NamedTuple):
    """All questions to one tool that one publisher answered, and when they were asked."""

    name: str
    tier: SourceTier
    url: str | None
    server: str
    tool: str
    answers: int
    first: datetime | None
    last: datetime | None

    @property
    def retrieved(self) -> str:
        """When the answers were retrieved: an instant, or the first and the last one."""
        if self.first is None or self.last is None:
            return "not recorded"
        if f"{self.first:%F %R}" == f"{self.last:%F %R}":
            return instant(self.first)
        return f"{instant(self.first)} to {instant(self.last)}"


def group_sources(sources: Iterable[DataSource]) -> tuple[SourceGroup, ...]:
    """The groups in the order in which their first source stands in the report."""
    groups: dict[tuple[str, ...], list[DataSource]] = {}
    for source in sources:
        key = (source.server, source.tool, source.name, source.tier, source.url or "")
        groups.setdefault(key, []).append(source)
    return tuple(_group(members) for members in groups.values())


def _group(members: list[DataSource]) -> SourceGroup:
    one = members[0]
    instants = [source.retrieved_at for source in members if source.retrieved_at]
    return SourceGroup(
        name=one.name,
        tier=one.tier,
        url=one.url,
        server=one.server,
        tool=one.tool,
        answers=len(members),
        first=min(instants, default=None),
        last=max(instants, default=None),
    )
