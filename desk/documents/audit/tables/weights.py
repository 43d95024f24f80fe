"""An audit of the weights of votes: each follows once more from the record that it names."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from desk.contracts.learning.learning import Advice, RecordWeight, ScoreRow, SourceRecord, Voice
from desk.documents.audit.findings import AuditFinding
from desk.learning.calibration_weights import agent_weight, source_weights

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
    sources = [weight for weight in advice.weights if weight.voice is Voice.SOURCE]
    if len(advice.weights) < MOST_WEIGHTS:
        yield from _of_sources(sources)
    rows = {row.of: row for row in advice.scorecard.rows} if advice.scorecard else {}
    for weight in advice.weights:
        if weight.voice is Voice.AGENT and not _follows(weight, rows, advice.weeks):
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
