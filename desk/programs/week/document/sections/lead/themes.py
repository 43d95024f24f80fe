"""The themes: which a report has, and what was decided, written and is ahead beside each."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from desk.analytics.names.listing import listed
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Reported
from desk.contracts.week.report import CalendarRow, Theme
from desk.programs.week.document.sections.lead.decisions import (
    BANKS_NAMED,
    decision_words,
    later_than_the_calendar,
    next_decision,
    none_soon,
    rate_change,
    unknown_beside,
)
from desk.programs.week.document.sections.lead.drafts import (
    ThemeDraft,
    banks_draft,
    bloc_drafts,
    dollar_draft,
    single_move_drafts,
    week_end_drafts,
    year_end_drafts,
)
from desk.programs.week.document.sections.lead.editions import SAYS_NONE_SOON
from desk.programs.week.document.sections.lead.lead_week import DOLLAR_AREA, LeadWeek
from desk.programs.week.document.sections.lead.movers import rarity
from desk.programs.week.document.sections.lead.phrases import (
    figure,
    in_the_week,
    opening,
    optional_sentence,
)
from desk.programs.week.document.sections.summary import is_unusual
from desk.trust.prose import sentence

MOST_THEMES: Final = 5
MOST_BLOCS: Final = 2


def themes(week: LeadWeek) -> Iterator[Theme]:
    """The themes of a week, at most `MOST_THEMES`, each story in one of them."""
    used: set[str] = set()
    for draft in _chosen(week):
        story = _story(draft, week, used)
        if story is not None:
            used.add(story.title)
        yield Theme(
            title=draft.title,
            markets=draft.markets,
            moved=sentence(draft.moved, week.claims),
            why=optional_sentence(draft.why or _beside(draft, week), week.claims),
            story=story,
            ahead=optional_sentence(draft.ahead or _ahead(draft, week), week.claims),
        )


def _chosen(week: LeadWeek) -> list[ThemeDraft]:
    """The themes: the dollar, the banks, blocs that moved together, and single moves."""
    blocs = list(bloc_drafts(week))[:MOST_BLOCS]
    within = {market for bloc in blocs for market in bloc.markets}
    alone = [row for row in week.report.movers if row.market not in within]
    if week.edition:
        ends = list(year_end_drafts(week))
        at_ends = {market for draft in ends for market in draft.markets}
        alone = [row for row in alone if row.market not in at_ends]
        others = [*ends, *blocs, *single_move_drafts(alone, week)]
        if week.is_shorter:
            others.sort(key=lambda draft: _rarest(draft, week))
        drafts = [*dollar_draft(week), *banks_draft(week), *others]
    else:
        drafts = [
            *dollar_draft(week),
            *banks_draft(week),
            *blocs,
            *week_end_drafts(week),
            *single_move_drafts(alone, week),
        ]
    return drafts[:MOST_THEMES]


def _rarest(draft: ThemeDraft, week: LeadWeek) -> Decimal:
    """Orders the themes with an unusual move, the most unusual one first, before all others."""
    rows = (row for row in week.report.movers if row.market in draft.markets)
    return min((rarity(row) for row in rows if is_unusual(row)), default=Decimal(0))


def _beside(draft: ThemeDraft, week: LeadWeek) -> str | None:
    """Says what the theme's banks decided in the same week, or else how yields changed."""
    rows = [row for row in week.decided if row.area in draft.areas]
    if week.is_shorter:
        # The theme of the banks has every change but that of the dollar's bank.
        rows = [row for row in rows if row.area == DOLLAR_AREA or not rate_change(row, week)]
    if rows:
        decided = (decision_words(row, week) for row in rows[:BANKS_NAMED])
        return f"{in_the_week(week)} {'; '.join(decided)}."
    changes = [
        f"{market} {figure(market, Metric.YIELD_DIFFERENTIAL_CHANGE)}"
        for market in draft.markets
        if week.has(market, Metric.YIELD_DIFFERENTIAL_CHANGE)
    ]
    if not changes:
        return None
    words = "the two-year yield differential changed"
    return f"{opening(words, week)}: {', '.join(changes)}."


def _ahead(draft: ThemeDraft, week: LeadWeek) -> str | None:
    """The next decision of each of the theme's banks, or else the pair's position in its year's
    range."""
    rows: dict[str, CalendarRow] = {}
    for row in week.ahead:
        if row.area in draft.areas:
            rows.setdefault(row.area, row)
    if rows:
        dated = listed(next_decision(row, week) for row in list(rows.values())[:BANKS_NAMED])
        return f"{dated}{'' if week.is_shorter else unknown_beside(draft.areas, week)}."
    if week.is_shorter:
        return next((f"{words}." for words in later_than_the_calendar(draft.areas, week)), None)
    placed = [market for market in draft.markets if week.has(market, Metric.RANGE_POSITION)]
    if not placed or draft.at_the_edge:
        return None
    positions = [
        f"{market} at {figure(market, Metric.RANGE_POSITION)}" for market in placed[:BANKS_NAMED]
    ]
    if not week.edition:
        return f"No decision day is on record; in the 52-week range, {', '.join(positions)}."
    range_words = f"in the 52-week range, {listed(positions)}"
    if week.edition < SAYS_NONE_SOON:
        return f"the day of the next decision is not on record; {range_words}."
    return f"{'; '.join((*none_soon(draft.areas, week), range_words))}."


def _story(draft: ThemeDraft, week: LeadWeek, used: set[str]) -> Reported | None:
    """The story on the theme that most publishers have and that no other theme uses."""
    wanted = {*draft.markets, *draft.areas}
    of_others = set() if DOLLAR_AREA in draft.areas else _titles_of_the_dollar(week)
    found = [
        story
        for section in week.report.markets
        if section.market in wanted
        for story in section.reported
        if story.title not in used | of_others
    ]
    return max(found, key=lambda story: story.publishers, default=None)


def _titles_of_the_dollar(week: LeadWeek) -> set[str]:
    """The titles about the dollar's own bank, which are in every pair's section."""
    sections = (part for part in week.report.markets if part.market == DOLLAR_AREA)
    return {story.title for section in sections for story in section.reported}
