"""The week that a lead is composed of, read by the rules of an edition."""

from collections.abc import Mapping
from datetime import date
from typing import Final, NamedTuple, Self

from desk.analytics.comparison import is_little_changed
from desk.analytics.names.central_banks import named_in_a_sentence
from desk.analytics.names.markets import AREAS, DOLLAR
from desk.analytics.prices.series import window_days
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.week.report import CalendarRow, Mover, ResearchReport
from desk.programs.week.document.sections.calendar import is_decided
from desk.programs.week.document.sections.lead.editions import (
    LITTLE_HAS_NO_SIDE,
    NAMES_ALL_CHANGES,
    SAYS_LARGER,
    SAYS_ONLY_KNOWN,
    SHORTER,
)
from desk.programs.week.document.sections.summary import (
    Reached,
    dollar_direction,
    is_notable,
    reached_in,
)

WITH_ARTICLES: Final = 3
"""The first version of the built-in analysts that writes banks with their article."""

DOLLAR_AREA: Final = AREAS[DOLLAR]


class LeadWeek(NamedTuple):
    """A report with its printed claims, the banks' decisions in the window and ahead, the report's
    last day, the edition of the rules, and the pairs held in a band."""

    report: ResearchReport
    claims: Mapping[str, Claim]
    decided: tuple[CalendarRow, ...]
    ahead: tuple[CalendarRow, ...]
    as_of: date
    edition: int
    pegged: frozenset[str]

    @classmethod
    def of(cls, report: ResearchReport, claims: Mapping[str, Claim], edition: int) -> Self:
        """The week of a report. `claims` are the printed ones, by id."""
        _, as_of = window_days(report.window)
        return cls(
            report,
            claims,
            decided=tuple(row for row in report.calendar if is_decided(row)),
            ahead=tuple(row for row in report.calendar if row.ahead),
            as_of=as_of,
            edition=edition,
            pegged=frozenset(spec.market for spec in report.config.markets if spec.band),
        )

    def has(self, subject: str, metric: Metric) -> bool:
        """Whether a metric of a market or an area has a printed claim."""
        return claim_id(subject, metric) in self.claims

    def side(self, row: Mover) -> int:
        """+1 if the dollar rose in a pair, -1 if it fell, 0 if neither."""
        pegged = row.market in self.pegged
        if self.edition >= LITTLE_HAS_NO_SIDE and is_little_changed(row.move, pegged=pegged):
            return 0
        return dollar_direction(row)

    def is_larger(self, row: Mover) -> bool:
        """Whether a move is called larger than usual."""
        return self.edition >= SAYS_LARGER and is_notable(row)

    @property
    def says_only_known(self) -> bool:
        """Whether the lead calls no move without a z-score usual or unusual, and gives a move of
        zero no direction."""
        return self.edition >= SAYS_ONLY_KNOWN

    @property
    def is_of_one_pair(self) -> bool:
        """Whether the report has a single move, which is then not called the largest."""
        return self.edition >= SAYS_ONLY_KNOWN and len(self.report.movers) == 1

    @property
    def is_shorter(self) -> bool:
        """Whether the lead says each thing once, in terms of the dollar."""
        return self.edition >= SHORTER

    @property
    def reached(self) -> Reached:
        """The floating pairs that reached an end of their year's range."""
        return reached_in(self.report, self.claims, self.edition)

    def bank(self, row: CalendarRow) -> str:
        """Returns a bank's name for a sentence of the lead. Earlier analysts wrote it without an
        article, and an audit recomposes their lead."""
        versions = (section.version or 0 for section in self.report.markets)
        with_article = (
            self.edition >= NAMES_ALL_CHANGES or max(versions, default=0) >= WITH_ARTICLES
        )
        return named_in_a_sentence(row.bank) if with_article else row.bank
