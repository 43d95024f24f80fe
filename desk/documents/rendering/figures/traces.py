"""Traces of the figures of a document, by claim, each down to its source: value, verdict, formula,
inputs, evidence, and the part of a tool's content that it was read from.

Content is parsed as one of the desk's own source results. Content of another shape gives no
excerpt: the fields of a third-party server are not guessed.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Final, NamedTuple

from pydantic import Field, JsonValue, ValidationError

from desk.analytics.figures import day_of, print_claim, print_full_day, print_known_day
from desk.analytics.units import BAND_EDGES
from desk.contracts.agents.tools import CallPlace, DataSource, SourceTier, ToolResult, ToolStatus
from desk.contracts.base import Contract, Instant, ShortText, Text, is_none
from desk.contracts.episode.analysis import Analysis
from desk.contracts.findings.claims import Claim, ClaimId, Metric
from desk.contracts.findings.document import Document
from desk.contracts.findings.results import ConflictRecord
from desk.contracts.findings.source_results import (
    CrossLegs,
    DatePrecision,
    History,
    MonthAverages,
    MonthEndRates,
    PolicyRates,
    Provenance,
    Quote,
    RateDecisions,
)
from desk.contracts.findings.verdicts import ClaimStatus, ClaimVerdict
from desk.contracts.markets import Band, MarketName
from desk.documents.rendering.words.trust import verdict_words, verdicts_of
from desk.documents.rendering.words.wording import human, instant, span_words
from desk.trust.claims.rate_claims import IN_A_ROW
from desk.trust.claims.week_counts import WEEK_METRICS
from desk.trust.ledger import Answer, EvidenceUnusable, read_answer


class Excerpt(Contract):
    """The part of a tool's content that a figure was read from.

    `row` is the source's row, `words` a sentence on it. `cross_of` names the published rates that
    an unpublished cross rate is computed from: `EUR/JPY over EUR/USD`.
    """

    words: Text
    cross_of: Annotated[ShortText | None, Field(exclude_if=is_none)] = None
    row: dict[str, JsonValue] = Field(default_factory=dict)


OF_SERIES: Final = frozenset(
    {
        *(Metric.Z_SCORE, Metric.STREAK, Metric.LARGEST_DAY, Metric.WEEK_STREAK),
        *(Metric.FIXINGS_WITHIN, Metric.DAYS_RISEN, Metric.DAYS_FALLEN),
        *(Metric.LONGEST_RISE, Metric.LONGEST_FALL),
        *(Metric.DAYS_ABOVE, Metric.DAYS_BELOW, Metric.SPAN_MEAN, Metric.SPAN_VOLATILITY),
    }
)
SINCE: Final = frozenset(
    {
        *(Metric.HIGHEST_SINCE, Metric.LOWEST_SINCE, Metric.FIRST_ABOVE, Metric.FIRST_BELOW),
        *(Metric.LAST_ABOVE, Metric.LAST_BELOW),
    }
)
OF_DECISIONS: Final = frozenset({Metric.DECISION_RATE, Metric.DECISION_CHANGE})


def excerpt_of(claim: Claim, answer: Answer | None) -> Excerpt | None:
    """Returns the part of a tool's answer on a claim; None if nothing can be shown."""
    match answer:
        case History():
            return _of_history(claim, answer)
        case Quote():
            return _of_quote(answer)
        case PolicyRates():
            return _of_policy_rates(claim, answer)
        case RateDecisions():
            return _of_decisions(claim, answer)
        case MonthAverages():
            return _of_month_averages(claim, answer)
        case MonthEndRates():
            return _of_month_ends(claim, answer)
        case Analysis():
            return _of_analysis(claim, answer)
        case _:
            return None


def provenance_of(result: ToolResult) -> Provenance | None:
    """Returns the source that a result names itself, in the desk's form."""
    content = result.content
    if not isinstance(content, dict):
        return None
    try:
        return Provenance.model_validate(content.get("source"))
    except ValidationError:
        return None


def row_origin(excerpt: Excerpt | None) -> str | None:
    """Returns the first publisher of a row, if the row names one."""
    origin = excerpt.row.get("origin") if excerpt else None
    return origin if isinstance(origin, str) else None


def _of_history(claim: Claim, history: History) -> Excerpt | None:
    if not history.days or len(history.days) != len(history.values):
        return None
    if claim.metric in BAND_EDGES:
        return None
    if claim.metric in OF_SERIES:
        first, last = history.days[0], history.days[-1]
        words = (
            f"{len(history.days)} fixings of {history.symbol}, {print_full_day(first)} to "
            f"{print_full_day(last)}"
        )
        row: dict[str, JsonValue] = {"first_day": _written(first), "last_day": _written(last)}
        row |= {"fixings": len(history.days)}
        return Excerpt(words=words, row=row, cross_of=_cross_of(history))
    day = day_of(claim.value) if claim.metric in SINCE else claim.as_of
    if day is None or day not in history.days:
        return None
    value = history.values[history.days.index(day)]
    words = f"fixing of {print_full_day(day)}: {value:,f}"
    legs = next((each for each in history.legs if each.day == day), None)
    cross_of = _cross_of(history)
    if cross_of is not None:
        words += f", computed as {legs.written if legs else f'{cross_of} of that day'}"
    read: dict[str, JsonValue] = {"day": _written(day), "value": str(value)}
    return Excerpt(words=words, row=read | _row_of(legs), cross_of=cross_of)


def _cross_of(history: History) -> str | None:
    return history.legs[0].formula if history.legs else None


def _row_of(legs: CrossLegs | None) -> dict[str, JsonValue]:
    """Returns the published rates by their names."""
    rates = (legs.base, legs.quote) if legs else ()
    return {rate.symbol: str(rate.value) for rate in rates if rate is not None}


def _of_quote(quote: Quote) -> Excerpt | None:
    if quote.value is None or quote.fixed_on is None:
        return None
    words = f"last fixing, of {print_full_day(quote.fixed_on)}: {quote.value:,f}"
    row: dict[str, JsonValue] = {"fixed_on": _written(quote.fixed_on), "value": str(quote.value)}
    if quote.legs is None:
        return Excerpt(words=words, row=row)
    return Excerpt(
        words=f"{words}, computed as {quote.legs.written}",
        row=row | _row_of(quote.legs),
        cross_of=quote.legs.formula,
    )


def _of_policy_rates(claim: Claim, answer: PolicyRates) -> Excerpt | None:
    row = next((line for line in answer.rates if line.area == claim.subject), None)
    if row is None or row.rate is None:
        return None
    since = f" since {print_known_day(row.since, row.since_precision)}" if row.since else ""
    words = f"{row.bank}, {row.instrument}: {row.rate:f} %{since}"
    if row.low is not None and row.high is not None and row.low != row.high:
        words += f", the midpoint of {row.low:f} to {row.high:f} %"
    if row.covered_until:
        words += f"; changes are known until {print_full_day(row.covered_until)}"
    return Excerpt(words=words, row=row.model_dump(mode="json", exclude_none=True))


def _of_decisions(claim: Claim, answer: RateDecisions) -> Excerpt | None:
    if claim.metric in IN_A_ROW.values():
        return _of_meetings(claim, answer)
    if claim.metric not in OF_DECISIONS:
        return None
    found = (
        decision
        for decision in answer.decisions
        if decision.area == claim.subject and decision.decided_on == claim.as_of
    )
    row = next(found, None)
    if row is None:
        return None
    when = print_known_day(row.decided_on, row.precision)
    within = "in" if row.precision is DatePrecision.MONTH else "on"
    words = (
        f"{row.bank} {within} {when}: {row.rate:f} % after a change of "
        f"{row.change:f} bp, known from {instant(row.known_from)}; {row.source}"
    )
    return Excerpt(words=words, row=row.model_dump(mode="json", exclude_none=True))


def _of_meetings(claim: Claim, answer: RateDecisions) -> Excerpt | None:
    rows = [d for d in (*answer.before, *answer.decisions) if d.area == claim.subject]
    days = sorted(row.decided_on for row in rows if row.decided_on <= claim.as_of)
    if not days:
        return None
    span = f"{print_full_day(days[0])} to {print_full_day(days[-1])}"
    row: dict[str, JsonValue] = {"first_day": _written(days[0]), "last_day": _written(days[-1])}
    return Excerpt(
        words=f"{len(days)} decisions of {rows[-1].bank}, {span}",
        row=row | {"decisions": len(days)},
    )


def _of_month_averages(claim: Claim, answer: MonthAverages) -> Excerpt | None:
    averages = answer.averages
    if not averages:
        return None
    month = f"{claim.as_of:%Y-%m}"
    row = next((line for line in averages if line.month == month), averages[-1])
    newest = ", the newest that was known" if row is averages[-1] else ""
    words = f"average of {row.month}: {row.value:,f}{newest}"
    return Excerpt(words=words, row=row.model_dump(mode="json"))


def _of_month_ends(claim: Claim, answer: MonthEndRates) -> Excerpt | None:
    rows = [line for line in answer.rates if line.area == claim.subject]
    known = [line for line in rows if line.month <= f"{claim.as_of:%Y-%m}"] or rows
    if not known:
        return None
    row = known[-1]
    return Excerpt(
        words=f"{row.instrument} at the end of {row.month}: {row.rate:f} %",
        row=row.model_dump(mode="json"),
    )


def _written(day: date) -> str:
    return day.isoformat()


def _of_analysis(claim: Claim, answer: Analysis) -> Excerpt | None:
    row = next((figure for figure in answer.figures if figure.metric is claim.metric), None)
    if row is None:
        return None
    name, day = row.metric.replace("_", " "), print_full_day(row.as_of)
    return Excerpt(
        words=f"{name} of {day}: {row.value:,f}; {answer.method}", row=row.model_dump(mode="json")
    )


class EvidenceTrace(Contract):
    """One tool call behind a figure: its source, arguments, time, and place in the history.

    `origin` is the first publisher. `recorded` is False if the document has no record of the call
    and only its id is known. `url` is the source's and may not be safe to link to.
    """

    evidence_id: ShortText
    recorded: bool = True
    source: ShortText | None = None
    tier: SourceTier | None = None
    origin: ShortText | None = None
    url: Annotated[str, Field(max_length=500)] | None = None
    server: ShortText | None = None
    tool: ShortText | None = None
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    as_of: Instant
    status: ToolStatus | None = None
    error: Text | None = None
    retrieved_at: Instant | None = None
    content_hash: ShortText | None = None
    place: CallPlace | None = None
    excerpt: Excerpt | None = None


def published_by(source: EvidenceTrace | DataSource) -> str:
    """Returns words such as `, first published by the European Central Bank`; for a cross, of its
    rates. Empty if the publisher is not known."""
    if source.origin is None:
        return ""
    excerpt = source.excerpt if isinstance(source, EvidenceTrace) else None
    whose = "its rates " if excerpt and excerpt.cross_of else ""
    return f", {whose}first published by {source.origin}"


class Elsewhere(Contract):
    """Another market's section with the same claim, and its evidence."""

    market: MarketName
    printed: ShortText
    agrees: bool
    evidence: Annotated[tuple[ShortText, ...], Field(max_length=8)] = ()


class Trace(Contract):
    """A figure of a document and everything that it rests on.

    `name` is the figure in words, `printed` its value with its unit. `formula` is written out with
    the inputs. `inputs` are traces of their own, down to what was read from a source; `withheld`
    are inputs that are not in the document. `checked_with` are further calls that the verdict rests
    on.
    """

    claim: Claim
    market: MarketName
    name: ShortText
    printed: ShortText
    verdict: ClaimVerdict | None = None
    verdict_words: Text
    formula: Text | None = None
    inputs: "tuple[Trace, ...]" = ()
    withheld: Annotated[tuple[ClaimId, ...], Field(max_length=200)] = ()
    evidence: Annotated[tuple[EvidenceTrace, ...], Field(max_length=8)] = ()
    checked_with: Annotated[tuple[EvidenceTrace, ...], Field(max_length=8)] = ()
    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=50)] = ()
    elsewhere: Annotated[tuple[Elsewhere, ...], Field(max_length=200)] = ()

    @property
    def place(self) -> str:
        """The part of the page with the figure: its market's section, or the whole page."""
        return "content" if self.claim.metric in WEEK_METRICS else self.market


WRITTEN: Final[Mapping[str, str]] = {
    "percent_change": "({1} / {0} − 1) × 100",
    "basis_point_difference": "({0} − {1}) × 100",
    "range_position": "({0} − {1}) / ({2} − {1}) × 100",
}
"""Formulas over claims, with placeholders for the inputs in order."""

IN_WORDS: Final[Mapping[str, str]] = {
    "highest": "the highest fixing of the span",
    "lowest": "the lowest fixing of the span",
    "z_score": "the window's log move less the mean of the 52 weekly ones before it, in their "
    "standard deviations",
    "highest_since": "the day of the newest earlier fixing that is as high or higher",
    "lowest_since": "the day of the newest earlier fixing that is as low or lower",
    "largest_day": "the day's step over the move from the fixing before the window to the last, "
    "of the day with the largest such part",
    "band_edge": "the edge of the band as the desk is configured",
    "mark": "the mark by which the desk reads the figure beside it (docs/swarm.md)",
    "in_a_row": "how many of the last recorded meetings decided the same, the newest included",
    "cuts_among": "how many of the decisions below are cuts",
    "rises_among": "how many of the decisions below are rises",
    "count": "how many decisions are below",
    "banks_cut": "how many of the newest decisions of the banks below are cuts",
    "banks_raised": "how many of the newest decisions of the banks below are rises",
    "banks_held": "how many of the newest decisions of the banks below are holds",
    "dollar_rose": "in how many of the pairs below the dollar rose",
    "dollar_fell": "in how many of the pairs below the dollar fell",
    "dollar_little_changed": "in how many of the pairs below the move is too small to have a "
    "direction (docs/method.md)",
    "dollar_index": "the dollar against the six currencies below, with ICE's weights",
    "streak": "how many of the last daily steps went the same way",
    "week_streak": "how many of the last steps from Friday to Friday went the same way",
    "fixings_within": "how many fixings there are in the days of its name",
    "days_risen": "how many of these fixings are above the one before",
    "days_fallen": "how many of these fixings are below the one before",
    "span_mean": "the mean of the fixings in the days of its name",
    "span_volatility": "the standard deviation of the daily log moves in the days of its name, "
    "times the root of 252",
    "days_above": "how many fixings in the days of its name are above the level there",
    "days_below": "how many fixings in the days of its name are below the level there",
    "first_above": "the day of the first of these fixings above the level",
    "first_below": "the day of the first of these fixings below the level",
    "last_above": "the day of the last of these fixings above the level",
    "last_below": "the day of the last of these fixings below the level",
}
"""Formulas over a series, which is too long to write out."""

BAND_FORMULA: Final = "band_position"


def formula_words(claim: Claim, inputs: Sequence[Claim], band: Band | None = None) -> str | None:
    """Returns words such as `percent change: (157.25 / 156.80 − 1) × 100`; None for a figure that
    was not computed.

    A formula with missing inputs, or an unknown one, is only named.
    """
    if claim.formula is None:
        return None
    written = _formula_written(claim, [line.value for line in inputs], band)
    name = claim.formula.replace("_", " ")
    return f"{name}: {written}" if written else name


def _formula_written(claim: Claim, values: Sequence[Decimal], band: Band | None) -> str | None:
    formula = claim.formula or ""
    if formula in IN_WORDS:
        return IN_WORDS[formula]
    if formula == BAND_FORMULA and band and len(values) == 1:
        formula, values = "range_position", (values[0], band.low, band.high)
    pattern = WRITTEN.get(formula)
    if pattern is None or f"{{{len(values) - 1}}}" not in pattern or not values:
        return None
    try:
        return pattern.format(*(f"{value:,f}" for value in values))
    except IndexError:
        return None


OF_MARKET: Final = " in "
COUNTED: Final = "Counted by the desk of the figures below, each with its own verdict."


class Stated(NamedTuple):
    """A claim as one market's section states it, with its verdict there."""

    market: str
    claim: Claim
    verdict: ClaimVerdict | None


class Traces:
    """The trace of every figure of a document, one for each claim.

    Several sections may have the same claim, such as the dollar pairs with the Fed's rate. The one
    of the section that the claim is about is used. A section with a different figure has a trace of
    its own, so that no figure is shown with another's trace.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._stated = _by_claim(document)
        self._main = {name: _foremost(lines) for name, lines in self._stated.items()}
        self._own: dict[tuple[str, str], Stated] = {}
        for name, lines in self._stated.items():
            for line in lines:
                self._own.setdefault((name, line.market), line)
        self._read: dict[str, Trace] = {}
        self._calls: dict[str, EvidenceTrace] = {}

    @cached_property
    def entries(self) -> Mapping[str, Stated]:
        """The figures by key: the claim's id, with the market if its section states it
        differently."""
        entries = dict(self._main)
        for name, lines in self._stated.items():
            for line in lines:
                entries.setdefault(self.key(name, line.market) or name, line)
        return entries

    @property
    def claim_ids(self) -> tuple[str, ...]:
        """The ids of all claims, in the order of the document."""
        return tuple(self._stated)

    def ids_of(self, market: str) -> tuple[str, ...]:
        """Returns the ids of the claims in a market's section."""
        return tuple(
            name
            for name, lines in self._stated.items()
            if any(line.market == market for line in lines)
        )

    def key(self, claim_id: str, market: str | None = None) -> str | None:
        """Returns the key of a figure in a market's section, or in the week's tables; None if there
        is none."""
        if claim_id not in self._main:
            return None
        own = self._own.get((claim_id, market)) if market is not None else None
        if own is None or _agree(own.claim, self._main[claim_id].claim):
            return claim_id
        return f"{claim_id}{OF_MARKET}{own.market}"

    def trace(self, key: str) -> Trace:
        """Returns the trace of a figure.

        Raises:
            KeyError: there is no such entry.
        """
        return self._trace(key, ())

    def _trace(self, key: str, above: tuple[str, ...]) -> Trace:
        """Returns a figure's trace. A figure that is not computed has one trace, shared by all
        figures computed from it."""
        if self.entries[key].claim.inputs:
            return self._claim_trace(self.entries[key], above)
        if key not in self._read:
            self._read[key] = self._claim_trace(self.entries[key], ())
        return self._read[key]

    def _claim_trace(self, stated: Stated, above: tuple[str, ...]) -> Trace:
        claim = stated.claim
        path = (*above, claim.claim_id)
        named = (self.key(name, stated.market) for name in claim.inputs if name not in path)
        inputs = list(dict.fromkeys(key for key in named if key is not None))
        return Trace(
            claim=claim,
            market=stated.market,
            name=figure_name(claim),
            printed=print_claim(claim),
            verdict=stated.verdict,
            verdict_words=COUNTED
            if claim.metric in WEEK_METRICS
            else verdict_words(stated.verdict),
            formula=formula_words(
                claim, [self.entries[key].claim for key in inputs], self._band(claim)
            ),
            inputs=tuple(self._trace(key, path) for key in inputs),
            withheld=tuple(name for name in claim.inputs if name not in self._main),
            evidence=tuple(self._evidence(claim, name) for name in claim.evidence),
            checked_with=tuple(self._evidence(claim, name) for name in _checked_with(stated)),
            conflicts=tuple(
                conflict
                for conflict in self._document.conflicts
                if any(line.claim_id == claim.claim_id for line in conflict.positions)
            ),
            elsewhere=tuple(self._elsewhere(stated)),
        )

    def _elsewhere(self, stated: Stated) -> Iterator[Elsewhere]:
        for line in self._stated[stated.claim.claim_id]:
            if line.market != stated.market:
                yield Elsewhere(
                    market=line.market,
                    printed=print_claim(line.claim),
                    agrees=_agree(line.claim, stated.claim),
                    evidence=line.claim.evidence,
                )

    def _evidence(self, claim: Claim, evidence_id: str) -> EvidenceTrace:
        """Returns a call behind a figure, with the part that the figure was read from."""
        call = self._calls.get(evidence_id)
        if call is None:
            call = self._calls[evidence_id] = self._call(evidence_id)
        excerpt = None
        if call.recorded and not claim.inputs:
            excerpt = excerpt_of(claim, self._answers[evidence_id])
        if excerpt is None:
            return call
        origin, source = row_origin(excerpt) or call.origin, call.source
        if excerpt.cross_of and source:
            source = f"cross of the {source}, {excerpt.cross_of}"
        return call.model_copy(update={"excerpt": excerpt, "origin": origin, "source": source})

    def _call(self, evidence_id: str) -> EvidenceTrace:
        result, source = self._results.get(evidence_id), self._sources.get(evidence_id)
        if result is None:
            return _listed(evidence_id, source, self._document)
        named = self._named[evidence_id]
        origins = (source.origin if source else None, named.origin if named else None)
        return EvidenceTrace(
            evidence_id=evidence_id,
            source=source.name if source else named.name if named else None,
            tier=source.tier if source else named.tier if named else None,
            origin=next((origin for origin in origins if origin), None),
            url=source.url if source else named.url if named else None,
            server=result.call.server,
            tool=result.call.tool,
            arguments=result.call.arguments,
            as_of=self._document.as_of,
            status=result.status,
            error=result.error,
            retrieved_at=result.retrieved_at,
            content_hash=result.content_hash,
            place=result.place,
        )

    @cached_property
    def _results(self) -> dict[str, ToolResult]:
        return {result.evidence_id: result for result in self._document.evidence}

    @cached_property
    def _answers(self) -> dict[str, Answer | None]:
        """The contents in the desk's forms, each parsed once, because several figures are read from
        it."""
        return {name: _readable(result) for name, result in self._results.items()}

    @cached_property
    def _named(self) -> dict[str, Provenance | None]:
        """The publisher that each content names."""
        return {name: provenance_of(result) for name, result in self._results.items()}

    @cached_property
    def _sources(self) -> dict[str, DataSource]:
        return {source.evidence_id: source for source in reversed(self._document.sources)}

    def _band(self, claim: Claim) -> Band | None:
        specs = self._document.specs
        return next((spec.band for spec in specs if spec.market == claim.subject), None)


def _readable(result: ToolResult) -> Answer | None:
    try:
        return read_answer(result.content)
    except EvidenceUnusable:
        return None


def figure_name(claim: Claim) -> str:
    """Returns words such as `USD/JPY move`, with its day or days if there can be several."""
    day = print_known_day(claim.as_of, claim.precision)
    dated = f" of {day}" if "@" in claim.claim_id else ""
    return f"{claim.subject} {human(claim.metric)}{dated}{span_words(claim)}"


def _by_claim(document: Document) -> dict[str, list[Stated]]:
    stated: dict[str, list[Stated]] = {}
    for statement in document.statements:
        verdicts = verdicts_of(statement)
        for claim in statement.claims:
            line = Stated(statement.market, claim, verdicts.get(claim.claim_id))
            stated.setdefault(claim.claim_id, []).append(line)
    for claim in document.counts:
        stated[claim.claim_id] = [Stated(claim.subject, claim, None)]
    return stated


def _foremost(lines: list[Stated]) -> Stated:
    """Returns the statement of the section that the claim is about, else the first one; contested
    if it is so in any section."""
    own = (line for line in lines if line.market == line.claim.subject)
    chosen = next(own, lines[0])
    agreeing = [line for line in lines if _agree(line.claim, chosen.claim)]
    doubted = (line.verdict for line in agreeing if _is_contested(line.verdict))
    known = (line.verdict for line in agreeing if line.verdict)
    return chosen._replace(verdict=next(doubted, chosen.verdict or next(known, None)))


def _is_contested(verdict: ClaimVerdict | None) -> bool:
    return verdict is not None and verdict.status is ClaimStatus.CONTESTED


def _agree(one: Claim, other: Claim) -> bool:
    """Returns whether two claims print the same figure of the same day."""
    return one is other or (print_claim(one), one.as_of) == (print_claim(other), other.as_of)


def _checked_with(stated: Stated) -> tuple[str, ...]:
    used = stated.verdict.evidence if stated.verdict else ()
    return tuple(name for name in used if name not in stated.claim.evidence)


def _listed(evidence_id: str, source: DataSource | None, document: Document) -> EvidenceTrace:
    """Returns the source list's entry for evidence that is not in the document."""
    if source is None:
        return EvidenceTrace(evidence_id=evidence_id, recorded=False, as_of=document.as_of)
    return EvidenceTrace(
        evidence_id=evidence_id,
        recorded=False,
        source=source.name,
        tier=source.tier,
        origin=source.origin,
        url=source.url,
        server=source.server,
        tool=source.tool,
        arguments=source.arguments,
        as_of=document.as_of,
        retrieved_at=source.retrieved_at,
    )
