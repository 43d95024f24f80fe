"""Checks that a report's advice, weights and scorecards agree with each other."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import Final

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
from desk.contracts.week.report import ResearchReport
from desk.documents.audit.findings import AuditFinding
from desk.learning.calibration import ALL, agent_weight, source_weights
from desk.learning.standing import Standing

MOST_WEIGHTS: Final = 60
"""The maximum number of weights in a report. If there are more, the mean over all sources is not
known."""

_OF_SOURCE: Final = re.compile(r"(?P<verified>\d{1,9}) of (?P<all>\d{1,9}) claims ")

_WEEKS: Final = re.compile(r" forecasts of (?P<weeks>\d{1,6}) weeks")

_FIGURE: Final = re.compile(r"\d+(?:\.\d+)?")

_ROUNDED: Final = 0.0011
"""How far a figure of three decimals may be from one that was rounded twice."""

_ROUNDED_FACTOR: Final = 0.011

CLOSE: Final = 1e-5
"""How far a mean of rounded means may be from the mean."""


def advice_findings(report: ResearchReport) -> Iterator[AuditFinding]:
    """Checks that the advice is of the report's instant, within its bounds, and has correct counts.

    The outcomes that it rests on are of other weeks and not in this report.
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
        for where in (Standing.BACKTEST, Standing.OVERRULED):
            if (apart := getattr(advice.scorecard, where)) is not None:
                yield from _of_scorecard(apart, report, where)


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


def _of_scorecard(
    scorecard: Scorecard, report: ResearchReport, where: str = "scorecard"
) -> Iterator[AuditFinding]:
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
    """Checks that the rows of all agents, or of all markets, add up to the row of all."""
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


def weight_findings(advice: Advice) -> Iterator[AuditFinding]:
    """Checks that every weight follows from its reason, and an agent's weight from the
    scorecard."""
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


def _refused(weight: RecordWeight) -> AuditFinding:
    where = f"advice, weight of {weight.name}"
    return AuditFinding(where, f"{weight.factor} does not follow from the record that it names")


def _follows(weight: RecordWeight, rows: Mapping[str, ScoreRow], most_weeks: int) -> bool:
    """Returns whether an agent's weight follows from its row of the scorecard, whose figures are
    rounded. The number of weeks of its forecasts is only known if there are no more than the record
    has."""
    row, told = rows.get(weight.name), _WEEKS.search(weight.reason)
    if row is None or told is None or row.scored != weight.outcomes:
        return False
    weeks = int(told["weeks"])
    made = agent_weight(weight.name, row.brier, row.random_walk, row.scored, weeks)
    near = abs(made.factor - weight.factor) <= _ROUNDED_FACTOR
    return weeks <= min(row.scored, most_weeks) and near and _says_the_same(made, weight)


def _says_the_same(made: RecordWeight, weight: RecordWeight) -> bool:
    """Returns whether two reasons have the same words, and figures that only differ by rounding.
    The last figure is the factor."""
    if _FIGURE.sub("", made.reason) != _FIGURE.sub("", weight.reason):
        return False
    *told, factor = map(float, _FIGURE.findall(weight.reason))
    *expected, _ = map(float, _FIGURE.findall(made.reason))
    alike = all(abs(one - other) <= _ROUNDED for one, other in zip(told, expected, strict=True))
    return alike and f"{factor:.2f}" == f"{weight.factor:.2f}"
