"""Figures as links from the archive into a report's page, each to the trace of its claim."""

from copy import copy
from typing import Self

from markupsafe import Markup, escape

from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.figure_links import MARKS, FigureLinks
from desk.documents.rendering.wording import typographic


class TraceLinks(FigureLinks):
    """The figures of one report as seen from another page.

    A figure links to the element in the report's page that holds its trace, and is marked by its
    verdict as it is there.
    """

    def __init__(self, report: ResearchReport, page: str) -> None:
        super().__init__(report)
        self._page = page
        self._made: dict[tuple[str, str, str | None], Markup] = {}
        self._known: dict[tuple[str, str | None], str | None] = {}

    def below(self, prefix: str) -> Self:
        """The same as seen from a folder from which `prefix` leads to the first one."""
        other = copy(self)
        other._page, other._made = f"{prefix}{self._page}", {}
        return other

    def of(self, name: str, printed: str, market: str | None = None) -> Markup:
        """A printed figure as a link to its trace; as plain text where nobody claims it."""
        asked = (name, printed, market)
        made = self._made.get(asked)
        if made is None:
            made = self._made[asked] = self._link(name, printed, market)
        return made

    def _link(self, name: str, printed: str, market: str | None) -> Markup:
        key = self._traces.key(name, market)
        if key is None or printed != self._printed(name, market):
            return escape(typographic(printed))
        return self._element(key, printed)

    def _element(self, key: str, printed: str) -> Markup:
        words = escape(typographic(printed))
        verdict = self._traces.entries[key].verdict
        mark = MARKS.get(verdict.status, "") if verdict else ""
        address = escape(f"{self._page}#{self._ids[key]}")
        return Markup(f'<a class="f{mark}" href="{address}">{words}</a>')  # noqa: S704

    def _printed(self, name: str, market: str | None) -> str | None:
        asked = (name, market)
        if asked not in self._known:
            self._known[asked] = super()._printed(name, market)
        return self._known[asked]
