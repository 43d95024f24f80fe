"""The tables, charts, forecasts, tones and advice of a report, made once more from its claims and
its evidence."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from math import isclose
from typing import Final, TypeAlias

from desk.analytics.prices.price_view import view_prices
from desk.analytics.prices.series import Fixings, window_days
from desk.contracts.agents.tools import ToolResult
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.base import Contract
from desk.contracts.findings.results import Forecast, Tone, View, ViewKind
from desk.contracts.findings.source_results import History
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.learning.lessons import (
    WEIGHT_BOUNDS,
    Advice,
    CalibrationBin,
    RecordWeight,
    Scorecard,
    ScoreRow,
    SourceRecord,
    WeightOf,
)
from desk.contracts.names import AgentId
from desk.contracts.week.report import MarketReport, ResearchReport
from desk.documents.audit.findings import AuditFinding, compared, differing
from desk.learning.calibration import ALL, agent_weight, source_weights
from desk.learning.forecasts import forecast_of
from desk.programs.week.document.judging.claims import printed_claims, returned_by
from desk.programs.week.document.judging.conflicts import withheld_in
from desk.programs.week.document.sections.calendar import calendar_of
from desk.programs.week.document.sections.cross_checks import CrossMarketCase, cross_checks_of
from desk.programs.week.document.sections.evidence import SERIES_TOOL
from desk.programs.week.document.sections.markets import series_of, withheld_days
from desk.programs.week.document.sections.reported import is_told, reported_of
from desk.programs.week.document.sections.summary import summary_of
from desk.programs.week.document.sections.tables import movers_of, rate_rows_of
from desk.programs.week.document.sections.tone import (
    NO_SUCH_ITEM,
    Banks,
    banks_in,
    derivable,
    printed,
    word_stances,
)

_Builder: TypeAlias = Callable[[], Sequence[Contract]]

TABLES: Final = ("movers", "policy rates", "calendar", "cross checks", "summary")
"""What is built once more; the charts are looked up in their histories."""


def table_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether each table is the one that its rules build from the rest of the report."""
    claims, evidence = printed_claims(report), report.evidence
    reasons = {line.market: line.reason for line in report.coverage.missing}
    case = CrossMarketCase(report.config, report.window, claims, report.markets, report.sources)
    builders: Mapping[str, _Builder] = {
        "movers": lambda: movers_of(claims, report.config),
        "policy_rates": lambda: rate_rows_of(evidence, claims, report.config, reasons),
        "calendar": lambda: calendar_of(report.markets, evidence, claims, report.window),
        "cross_checks": lambda: cross_checks_of(case),
        "summary": lambda: summary_of(report, claims),
    }
    for name, build in builders.items():
        where = name.replace("_", " ")
        try:
            built = build()
        except (ValueError, LookupError, ArithmeticError) as error:
            yield AuditFinding(where, f"it cannot be built from the rest of the report: {error}")
        else:
            yield from compared(where, getattr(report, name), built)


def chart_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether each chart shows the fixings of its history, and each suspect is one of them."""
    histories = list(returned_by(SERIES_TOOL, History, report.evidence))
    _, as_of = window_days(report.window)
    for section in report.markets:
        known = {
            (day, f"{value:f}")
            for history in histories
            if history.symbol == section.market
            for day, value in zip(history.days, history.values, strict=False)
        }
        for suspect in section.suspects:
            if (suspect.day, suspect.value) not in known:
                where = f"{section.market}, suspect fixing of {suspect.day}"
                yield AuditFinding(where, f"no history has {suspect.value} on that day")
        hidden = _withheld_days(report, section, histories)
        # Reports that were published before fixings were withheld from charts show them.
        series = [
            series_of(section.market, histories, section.suspects, as_of, days)
            for days in (hidden, frozenset[date]())
        ]
        if (section.days, section.values) not in series:
            yield AuditFinding(f"{section.market}, chart", "its series is not that of its history")


def _withheld_days(
    report: ResearchReport, section: MarketReport, histories: Sequence[History]
) -> frozenset[date]:
    claims = {claim.claim_id: claim for claim in section.claims}
    rejected = {v.claim_id for v in section.verdicts if v.status is ClaimStatus.REJECTED}
    withheld = (withheld_in(report.conflicts) | rejected) - claims.keys()
    spec = next((each for each in report.config.markets if each.market == section.market), None)
    if spec is None:
        return frozenset()
    return withheld_days(spec, withheld, claims, histories, report.window)


def forecast_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every forecast is of a direction, and one that a history of its pair gives. Where a
    model worked on the market the probability may be its own, and the rest follows all the same."""
    histories = tuple(returned_by(SERIES_TOOL, History, report.evidence))
    for section in report.markets:
        own = [history for history in histories if history.symbol == section.market]
        for view in section.views:
            if view.forecast is not None:
                yield from _of_view(view, view.forecast, section, own, report)


def _of_view(
    view: View,
    forecast: Forecast,
    section: MarketReport,
    histories: Iterable[History],
    report: ResearchReport,
) -> Iterator[AuditFinding]:
    where = f"{section.market}, forecast of {view.subject}"
    if view.kind is not ViewKind.DIRECTION or view.subject != section.market:
        yield AuditFinding(where, "it is no forecast of its market's direction")
        return
    made = [_made(history, view, report) for history in histories]
    if any(line.usage.model != BUILTIN for line in section.agents):
        said = {"probability": forecast.probability}
        made = [each.model_copy(update=said) if each else None for each in made]
    if forecast not in made:
        yield AuditFinding(where, "no history of the pair gives it")


def _made(history: History, view: View, report: ResearchReport) -> Forecast | None:
    first_day, last_day = window_days(report.window)
    fixings = Fixings.of(history)
    seen = view_prices(fixings, first_day, last_day)
    if seen is None:
        return None
    sound = fixings.without({fixing.day for fixing in seen.suspects})
    return forecast_of(sound, first_day, view.leaning)


def tone_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every tone is that of an item of news in the evidence, and every view by words that
    of its tones. How a model judged an item is its own; what the item is, is not."""
    held = {result.evidence_id: result for result in reversed(report.evidence)}
    banks = banks_in(report.evidence)
    for section in report.markets:
        for number, tone in enumerate(section.tones, start=1):
            where = f"{section.market}, tone {number}"
            result = held.get(tone.evidence_id)
            if result is None:
                yield AuditFinding(where, f"there is no tool result {tone.evidence_id}")
            else:
                yield from _of_tone(where, tone, section, result, report, banks)
        yield from _of_section(section)


def _of_tone(
    where: str,
    tone: Tone,
    section: MarketReport,
    result: ToolResult,
    report: ResearchReport,
    banks: Banks,
) -> Iterator[AuditFinding]:
    given = tuple(derivable(tone, result, section.market, banks, report.window))
    found = [tuple(differing(where, tone, own)) for own in given]
    nothing = (AuditFinding(where, f"{NO_SUCH_ITEM} ({result.evidence_id})"),)
    yield from min(found, key=len, default=nothing)


def _of_section(section: MarketReport) -> Iterator[AuditFinding]:
    if section.tones != printed(section.tones):
        yield AuditFinding(f"{section.market}, tones", "they are not each once and in their order")
    by_words = tuple(view for view in section.views if view.by_words)
    others = tuple(view for view in section.views if not view.by_words)
    if by_words != word_stances(section.tones, others):
        words = "they are not those that its tones give"
        yield AuditFinding(f"{section.market}, views by words", words)


def reported_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether every story that publishers told stands in the evidence that it names: its title
    letter by letter, with its instant and its link, and at least as many publishers as it says."""
    held = {result.evidence_id: result for result in reversed(report.evidence)}
    banks = banks_in(report.evidence)
    specs = {spec.market: spec for spec in report.config.markets}
    for section in report.markets:
        if not section.reported:
            continue
        named = dict.fromkeys(story.evidence_id for story in section.reported)
        results = [held[name] for name in named if name in held]
        for number, story in enumerate(section.reported, start=1):
            where = f"{section.market}, reported {number}"
            if story.evidence_id not in held:
                yield AuditFinding(where, f"there is no tool result {story.evidence_id}")
            elif not is_told(story, held[story.evidence_id], report.window):
                yield AuditFinding(where, f"{NO_SUCH_ITEM} ({story.evidence_id})")
        own = reported_of(specs[section.market], results, banks, report.window)
        if len(named) == 1 and own != section.reported:
            yield AuditFinding(f"{section.market}, reported", "it is not what the news give")


MOST_WEIGHTS: Final = 60
"""So many are kept; of a longer list the mean of all sources is not known."""

_OF_SOURCE: Final = re.compile(r"(?P<verified>\d{1,9}) of (?P<all>\d{1,9}) claims ")
_WEEKS: Final = re.compile(r" forecasts of (?P<weeks>\d{1,6}) weeks")
_FIGURE: Final = re.compile(r"\d+(?:\.\d+)?")
_ROUNDED: Final = 0.0011
"""How far a figure of three places may be from one that was rounded twice."""

_ROUNDED_FACTOR: Final = 0.011


def weight_findings(advice: Advice) -> Iterator[AuditFinding]:
    """Whether every weight follows from what its reason says, and an agent's from the scorecard."""
    sources = [weight for weight in advice.weights if weight.voice is WeightOf.SOURCE]
    if len(advice.weights) < MOST_WEIGHTS:
        yield from _of_sources(sources)
    rows = {row.of: row for row in advice.scorecard.rows} if advice.scorecard else {}
    for weight in advice.weights:
        if weight.voice is WeightOf.AGENT and not _follows(weight, rows, advice.weeks):
            yield _refused(weight)


def _of_sources(weights: list[RecordWeight]) -> Iterator[AuditFinding]:
    records = []
    for weight in weights:
        found = _OF_SOURCE.match(weight.reason)
        verified, every = (int(found["verified"]), int(found["all"])) if found else (0, 0)
        if found is None or verified > every:
            yield _refused(weight)
            return
        record = SourceRecord(server=weight.name, verified=verified, contested=every - verified)
        records.append(record)
    made = {weight.name: weight for weight in source_weights(records)}
    for weight in weights:
        if made.get(weight.name) != weight:
            yield _refused(weight)


def _follows(weight: RecordWeight, rows: Mapping[str, ScoreRow], most_weeks: int) -> bool:
    """Whether an agent's weight is that of its row of the scorecard, whose figures are rounded. Of
    how many weeks its forecasts are is known as far as there are no more than the record has."""
    row, told = rows.get(weight.name), _WEEKS.search(weight.reason)
    if row is None or told is None or row.scored != weight.outcomes:
        return False
    weeks = int(told["weeks"])
    made = agent_weight(weight.name, row.brier, row.random_walk, row.scored, weeks)
    near = abs(made.factor - weight.factor) <= _ROUNDED_FACTOR
    return weeks <= min(row.scored, most_weeks) and near and _says_the_same(made, weight)


def _says_the_same(made: RecordWeight, weight: RecordWeight) -> bool:
    """Whether two reasons have the same words, and figures that differ by rounding alone; the last
    is the factor."""
    if _FIGURE.sub("", made.reason) != _FIGURE.sub("", weight.reason):
        return False
    *told, factor = map(float, _FIGURE.findall(weight.reason))
    *expected, _ = map(float, _FIGURE.findall(made.reason))
    alike = all(abs(one - other) <= _ROUNDED for one, other in zip(told, expected, strict=True))
    return alike and f"{factor:.2f}" == f"{weight.factor:.2f}"


def _refused(weight: RecordWeight) -> AuditFinding:
    where = f"advice, weight of {weight.name}"
    return AuditFinding(where, f"{weight.factor} does not follow from the record that it names")


CLOSE: Final = 1e-5
"""How far a mean of rounded means may be from the mean."""


def advice_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Whether the advice is of the report's instant, within its bounds, and counts itself right.

    The outcomes it rests on are those of other weeks, which this report does not hold.
    """
    advice = report.advice
    recommended = {each.advice_id for each in advice.recommendations} if advice else set()
    for name in report.follows:
        if name not in recommended:
            yield AuditFinding("advice", f"{name} is followed, and nobody recommended it")
    if advice is None:
        return
    if advice.as_of != report.as_of:
        yield AuditFinding("advice", f"it is as of {advice.as_of}, and not of the report")
    yield from _of_recommendations(advice)
    yield from _of_weights(advice)
    yield from weight_findings(advice)
    if advice.scorecard is not None:
        yield from _of_scorecard(advice.scorecard, report)


def _of_recommendations(advice: Advice) -> Iterator[AuditFinding]:
    counts = Counter(each.advice_id for each in advice.recommendations)
    for each in advice.recommendations:
        where = f"advice, recommendation {each.advice_id}"
        if counts[each.advice_id] > 1:
            yield AuditFinding(where, "it stands there more than once")
        if each.occurrences > each.of:
            yield AuditFinding(where, f"it rests on {each.occurrences} of {each.of}")
    if advice.unread is not None and (advice.recommendations or advice.weights):
        yield AuditFinding("advice", "it could not be read, and says something all the same")


def _of_weights(advice: Advice) -> Iterator[AuditFinding]:
    least, most = WEIGHT_BOUNDS
    counts = Counter((weight.voice, weight.name) for weight in advice.weights)
    for weight in advice.weights:
        where = f"advice, weight of {weight.name}"
        if counts[weight.voice, weight.name] > 1:
            yield AuditFinding(where, "it stands there more than once")
        if not least <= weight.factor <= most:
            words = f"it is {weight.factor}, and not from {least} to {most}"
            yield AuditFinding(where, words)


def _of_scorecard(scorecard: Scorecard, report: ResearchReport) -> Iterator[AuditFinding]:
    where = "scorecard"
    if scorecard.as_of > report.as_of:
        yield AuditFinding(where, f"it is as of {scorecard.as_of}, which is after the report")
    counts = Counter(row.of for row in scorecard.rows)
    for row in scorecard.rows:
        if counts[row.of] > 1:
            yield AuditFinding(where, f"{row.of} has more than one row")
        yield from _of_row(row)
    whole = next((row for row in scorecard.rows if row.of == ALL), None)
    agents = [row for row in scorecard.rows if row.of in set(AgentId.known())]
    markets = [
        row for row in scorecard.rows if row.of != ALL and row.of not in set(AgentId.known())
    ]
    for name, parts in (("agents", agents), ("markets", markets)):
        yield from _of_sum(whole, parts, name)
    yield from _of_bins(scorecard.bins, whole)
    if scorecard.monitor.up > scorecard.monitor.forecasts:
        yield AuditFinding(where, "more forecasts say up than there are")
    made = scorecard.open + scorecard.void + (whole.scored if whole else 0)
    if scorecard.monitor.forecasts > made:
        words = f"{scorecard.monitor.forecasts} forecasts lean one way or the other, of {made}"
        yield AuditFinding(where, words)


def _of_row(row: ScoreRow) -> Iterator[AuditFinding]:
    where = f"scorecard, row {row.of}"
    if not row.hits <= row.decided <= row.scored:
        words = f"{row.hits} hits of {row.decided} decided, of {row.scored} scored"
        yield AuditFinding(where, words)
    if not row.carry_hits <= row.carried <= row.scored:
        words = f"{row.carry_hits} hits of carry, of {row.carried} with a rate, of {row.scored}"
        yield AuditFinding(where, words)
    if (row.carry is None) != (row.carried == 0) or (row.brier_carried is None) != (
        row.carry is None
    ):
        yield AuditFinding(where, "what is scored against carry is not what had a rate")


def _of_sum(whole: ScoreRow | None, parts: Sequence[ScoreRow], name: str) -> Iterator[AuditFinding]:
    """Whether the rows of all agents, or of all markets, come to the row of all."""
    where = f"scorecard, rows of {name}"
    if whole is None:
        if parts:
            yield AuditFinding(where, f"there is no row {ALL} that adds them up")
        return
    for field in ("scored", "hits", "decided", "carried", "carry_hits"):
        printed, summed = getattr(whole, field), sum(getattr(row, field) for row in parts)
        if printed != summed:
            yield AuditFinding(where, f"{field} is {printed} of all, and {summed} added up")
    brier = sum(row.brier * row.scored for row in parts)
    if whole.scored and not isclose(brier / whole.scored, whole.brier, abs_tol=CLOSE):
        yield AuditFinding(where, f"their Brier scores do not come to {whole.brier}")


def _of_bins(bins: Sequence[CalibrationBin], whole: ScoreRow | None) -> Iterator[AuditFinding]:
    where = "calibration"
    for each in bins:
        if each.rose > each.count:
            yield AuditFinding(where, f"{each.rose} of {each.count} rose from {each.low}")
        if not each.low - CLOSE <= each.mean <= each.high + CLOSE:
            yield AuditFinding(where, f"the mean {each.mean} lies outside its bin")
    scored = whole.scored if whole else 0
    if bins and sum(each.count for each in bins) != scored:
        yield AuditFinding(where, f"its bins do not come to the {scored} that were scored")
