"""Composes the lead of a report."""

from collections.abc import Mapping

from desk.contracts.findings.claims import Claim
from desk.contracts.week.report import Lead, ResearchReport
from desk.programs.week.document.sections.lead.headline import headline
from desk.programs.week.document.sections.lead.lead_week import LeadWeek
from desk.programs.week.document.sections.lead.phrases import optional_sentence
from desk.programs.week.document.sections.lead.standfirst import standfirst
from desk.programs.week.document.sections.lead.themes import themes
from desk.programs.week.document.sections.summary import EDITION
from desk.trust.prose import sentence


def lead_of(report: ResearchReport, claims: Mapping[str, Claim], edition: int = EDITION) -> Lead:
    """Composes the lead of a report; ignores the lead that it has.

    `claims` are the printed ones of the week, by id. `edition` is that of the rules: an audit
    recomposes a lead by its original rules.
    """
    week = LeadWeek.of(report, claims, edition)
    return Lead(
        headline=sentence(headline(week), claims),
        standfirst=optional_sentence(standfirst(week), claims),
        themes=tuple(themes(week)),
        edition=edition,
    )
