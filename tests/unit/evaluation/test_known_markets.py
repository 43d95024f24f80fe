"""What is known of markets: fixings, decisions and indicators, apart from the desk's own."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from desk.contracts.week.report import ResearchReport, Sentence
from desk.evaluation.oracle import fixings, policy, prices
from desk.evaluation.scores import Verdict
from desk.evaluation.stock import LOOKED_AT, SEALED_SEEDS, stock_tasks
from desk.evaluation.week import scored_week, week_tasks
from tests.support.documents.reports import sample_report

AFTER = datetime(2025, 4, 14, 6, tzinfo=UTC)


def test_the_move_of_a_week_in_which_the_franc_rose() -> None:
    found = fixings.move("USD/CHF", date(2025, 4, 7), date(2025, 4, 13))
    # The desk prints -4.16 %, from rounded levels.
    assert found is not None and abs(found - Decimal("-4.16")) < Decimal("0.01")


def test_there_is_no_move_of_a_currency_that_is_not_fixed() -> None:
    assert fixings.move("USD/TWD", date(2025, 4, 7), date(2025, 4, 13)) is None


def test_decisions_and_meetings_are_those_known_at_the_instant() -> None:
    last = policy.decisions("XM", AFTER)[-1]
    assert (last.day, last.rate) == (date(2025, 3, 6), Decimal("2.50"))
    assert policy.meetings("XM", AFTER)[0] == date(2025, 4, 17)
    before = datetime(2025, 3, 6, 12, tzinfo=UTC)
    assert policy.decisions("XM", before)[-1].day == date(2025, 1, 30)


def test_the_relative_strength_index_of_wilders_own_example() -> None:
    closes = "54.8 56.8 57.85 59.85 60.57 61.1 62.17 60.6 62.35 62.15 62.35 61.45 62.8 61.37 62.5"
    levels = [Decimal(each) for each in closes.split()]
    assert prices.relative_strength(levels) == pytest.approx(74.21, abs=0.01)
    assert prices.relative_strength(levels[:14]) is None


def test_the_episodes_of_a_seed_have_outcomes_that_were_not_fitted() -> None:
    tasks = stock_tasks(1, 7)
    assert tasks == stock_tasks(1, 7) != stock_tasks(2, 7)
    for task in tasks:
        days = prices.closes(task.symbol).days
        assert days.index(task.as_of.date()) >= 0.69 * len(days)


def a_report(*sentences: str) -> ResearchReport:
    """A report of other markets than those that are asked for, with these sentences."""
    summary = tuple(Sentence(prose=each, text=each) for each in sentences)
    return sample_report().model_copy(
        update={"markets": (), "calendar": (), "summary": summary, "commentary": ()}
    )


def test_a_report_without_claims_has_refused_what_is_known() -> None:
    (task,) = week_tasks(1, 1)
    checks = scored_week(task, a_report(), sample_report().config.schedule)
    of_kind = {check.kind: check.verdict for check in checks if check.kind != "decision"}
    assert of_kind["move"] is Verdict.REFUSED and of_kind["policy rate"] is Verdict.REFUSED
    assert of_kind["no data"] is Verdict.RIGHTLY_REFUSED


def test_the_market_that_moved_most_is_read_from_references() -> None:
    (task,) = week_tasks(1, 1)
    schedule = sample_report().config.schedule
    expected = next(
        check.expected
        for check in scored_week(task, a_report(), schedule)
        if check.kind == "moved most"
    )
    other = next(pair for pair in task.pairs if pair != expected)
    for pair, verdict in ((expected, Verdict.RIGHT), (other, Verdict.WRONG)):
        told = a_report(f"{expected} moved most, as [[{pair}:move]] says.")
        checks = scored_week(task, told, schedule)
        assert [c.verdict for c in checks if c.kind == "moved most"] == [verdict]


def test_sealed_seeds_draw_days_that_no_other_seed_looks_at() -> None:
    def shares(seed: int) -> list[float]:
        found = []
        for task in stock_tasks(seed, 40):
            days = prices.closes(task.symbol).days
            ends = task.as_of.date() + timedelta(weeks=4)
            found.append(sum(day <= task.as_of.date() for day in days) / len(days))
            assert seed >= SEALED_SEEDS or ends <= days[int(len(days) * LOOKED_AT) + 1]
        return found

    assert max(shares(1)) < LOOKED_AT < min(shares(SEALED_SEEDS))
