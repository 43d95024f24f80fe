"""The state of the desk: its forecasts that have come due, and the health of its agents and
sources."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from desk.contracts.learning.lessons import Scorecard
from desk.contracts.runs.messages import AgentStatus
from desk.documents.rendering.words.wording import share_words
from desk.learning.hypotheses import statement_of_hypothesis
from desk.learning.standing import is_backtested
from desk.programs.week.document.rendering.record_words import (
    SCORE_COLUMNS,
    brier_words,
    score_cells,
    score_notes,
    scored_apart,
)
from starters.learning.queries import NOTHING_YET, learned_at, learned_question
from starters.learning.scorecard import AFTERWARDS, DeskScorecard, rows_of, scorecard_of
from starters.monitoring.agents.command import (
    AgentLine,
    SourceWorkLine,
    agents_at,
    span_words,
)
from starters.operations.serve.serving.site import site_of
from starters.runs.market_choice import known_market
from starters.terminal.exit_status import UsageError

MOST_HYPOTHESES: Final = 20
ANSWER_SECONDS: Final = 5.0
"""How long a page waits for a worker's answer."""


class HealthRow(NamedTuple):
    """An agent or a source as a page shows it; `well` is when it last succeeded, in words."""

    name: str
    line: AgentLine | SourceWorkLine
    well: str

    @property
    def healthy(self) -> bool:
        """Whether nothing about it needs attention."""
        return self.line.status is AgentStatus.HEALTHY

    @property
    def shown(self) -> str:
        """Its state, in a word or two."""
        line = self.line
        return line.shown if isinstance(line, SourceWorkLine) else line.status

    @property
    def idle(self) -> bool:
        """Whether it is healthy, and had no work."""
        return self.healthy and not self.line.asked


async def show_health(request: Request) -> Response:
    """Shows the state of every agent and source, and the reasons."""
    site = site_of(request)
    found = await agents_at(site.desk)

    def row(name: str, line: AgentLine | SourceWorkLine) -> HealthRow:
        ago = (found.at - line.last_success).total_seconds() if line.last_success else None
        return HealthRow(name, line, "" if ago is None else f"{span_words(ago)} ago")

    every = not found.nothing_runs
    groups = {
        "Agents": _unwell_first(
            row(line.agent, line) for line in found.agents if every or line.asked
        ),
        "Sources": _unwell_first(
            row(line.server, line) for line in found.sources if every or line.asked
        ),
    }
    unwell = [row for rows in groups.values() for row in rows if not row.healthy]
    return site.page(
        request,
        "health.html.j2",
        found=found,
        groups=groups,
        unwell=unwell,
    )


def _unwell_first(rows: Iterable[HealthRow]) -> list[HealthRow]:
    return sorted(rows, key=lambda row: row.healthy)


async def show_scorecard(request: Request) -> Response:
    """Shows how the forecasts did whose horizon has passed, of all markets or of one."""
    site = site_of(request)
    given = {name: request.query_params.get(name, "").strip() for name in ("week", "market")}
    card: DeskScorecard | None = None
    wrong = None
    try:
        config = site.settings.config
        market = known_market(config, given["market"]) if given["market"] else None
        view = await learned_at(
            site.desk.client,
            learned_question(site.settings, given["week"] or None, market),
            ANSWER_SECONDS,
        )
        card = scorecard_of(view, market) if view is not None else None
    except UsageError as error:
        wrong = str(error)
    return site.page(
        request,
        "scorecard.html.j2",
        200 if wrong is None else 422,
        given=given,
        wrong=wrong,
        card=card,
        nothing=NOTHING_YET,
        columns=SCORE_COLUMNS,
        rows=_rows(card.scorecard) if card else (),
        notes=score_notes(card.scorecard) if card else (),
        apart=[(each.title, _rows(each.card), each.notes) for each in scored_apart(card.scorecard)]
        if card
        else (),
        hypotheses=_hypotheses(card) if card else (),
        markets=site.settings.config.market_names,
    )


def _rows(card: Scorecard) -> list[tuple[str, ...]]:
    return [score_cells(row) for row in rows_of(card)]


def _hypotheses(card: DeskScorecard) -> list[tuple[str, str, str, str, str]]:
    return [
        (
            statement_of_hypothesis(one.hypothesis),
            share_words(one.hypothesis.probability),
            str(one.state),
            brier_words(one.score),
            AFTERWARDS if is_backtested(one) else "in time",
        )
        for one in card.hypotheses[:MOST_HYPOTHESES]
    ]
