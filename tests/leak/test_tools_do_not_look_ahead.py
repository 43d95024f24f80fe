"""What was published after the as-of instant is in no answer of any tool, over many instants.

Every tool is asked in two worlds: one that ends at the instant, and one in which a future was
planted in every table. Where nothing leaks, the answers are the same letter for letter.
"""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from desk.analytics.weeks import as_of_of
from desk.contracts.weeks import next_week
from desk.sources.central_banks import policy_answers
from desk.sources.central_banks import server as central_banks
from desk.sources.central_banks.facts.policy import read_facts
from desk.sources.ecb import server as ecb
from desk.sources.knowledge.documents import version_at
from desk.sources.sentiment import stories as sentiment_stories
from desk.sources.statistics import answers as official_answers
from tests.leak.answers import answers, desk
from tests.leak.worlds import MARKERS, World, write_world

FIRST_WEEK, LAST_WEEK = "2006-W10", "2026-W43"
MANY = 8
STATEMENTS = 4


@cache
def all_weeks() -> tuple[str, ...]:
    weeks = [FIRST_WEEK]
    while weeks[-1] < LAST_WEEK:
        weeks.append(next_week(weeks[-1]))
    return tuple(weeks)


def instants_of_weeks() -> list[datetime]:
    weeks = random.Random(20261101).sample(all_weeks(), MANY)
    return [as_of_of(week, desk().schedule) for week in sorted(weeks)]


def instants_before_statements() -> list[datetime]:
    """A minute before a scheduled statement of a bank, on the day of its meeting."""
    facts = read_facts()
    hours = sorted(
        datetime.combine(meeting.day, meeting.area.announced_at, meeting.area.time_zone)
        for meetings in facts.meetings.values()
        for meeting in meetings
        if meeting.area.announced_at is not None and meeting.day < date(2026, 10, 30)
    )
    chosen = random.Random(7).sample(hours, STATEMENTS)
    return [at.astimezone(UTC) - timedelta(minutes=1) for at in chosen]


class Worlds(NamedTuple):
    """What was known at an instant, and the same with a planted future."""

    as_of: datetime
    known: World
    planted: World


def written(folder: Path, as_of: datetime) -> Worlds:
    known = write_world(folder / "known", as_of, planted=False)
    return Worlds(as_of, known, write_world(folder / "planted", as_of, planted=True))


def leaks(worlds: Worlds) -> Iterator[str]:
    """The calls whose answer tells of the planted future."""
    known, seen = (answers(world, worlds.as_of) for world in (worlds.known, worlds.planted))
    for call, answer in seen.items():
        if answer != known[call] or any(marker in answer for marker in MARKERS):
            yield call


@pytest.mark.parametrize("as_of", instants_of_weeks(), ids=str)
def test_nothing_of_the_future_is_in_any_answer(tmp_path: Path, as_of: datetime) -> None:
    assert list(leaks(written(tmp_path, as_of))) == []


@pytest.mark.parametrize("as_of", instants_before_statements(), ids=str)
def test_a_statement_is_not_known_before_its_hour_on_the_day_of_the_meeting(
    tmp_path: Path, as_of: datetime
) -> None:
    assert list(leaks(written(tmp_path, as_of))) == []


Break = Callable[[pytest.MonkeyPatch], None]


def no_guard_on_fixings(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ecb, "last_known_day", lambda _: date(2100, 1, 1))
    patch.setattr(ecb, "has_lapsed", lambda *_: False)


def known_by_the_day_and_not_the_hour(patch: pytest.MonkeyPatch) -> None:
    _asked_at(patch, "rate_decisions", lambda as_of: as_of + timedelta(hours=24 - as_of.hour))


def no_guard_on_policy_rates(patch: pytest.MonkeyPatch) -> None:
    _asked_at(patch, "policy_rate", a_month_later)


def no_guard_on_decisions(patch: pytest.MonkeyPatch) -> None:
    _asked_at(patch, "rate_decisions", a_month_later)


def no_guard_on_the_calendar(patch: pytest.MonkeyPatch) -> None:
    _asked_at(patch, "scheduled_decisions", a_month_later)


def a_month_later(as_of: datetime) -> datetime:
    return as_of + timedelta(days=30)


def _asked_at(patch: pytest.MonkeyPatch, name: str, moved: Callable[[datetime], datetime]) -> None:
    """Let the tables of the central banks be asked as of another instant."""
    real: Callable[..., object] = getattr(policy_answers, name)

    def asked(*arguments: Any) -> object:
        *others, as_of = arguments
        return real(*others, moved(as_of))

    patch.setattr(central_banks, name, asked)


def no_guard_on_pages(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        sentiment_stories,
        "version_at",
        lambda versions, as_of: version_at(versions, a_month_later(as_of)),
    )


def no_guard_on_averages(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        official_answers, "average_known_from", lambda _: datetime(1999, 1, 1, tzinfo=UTC)
    )


def no_guard_on_month_ends(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(official_answers, "rate_known_from", lambda *_: datetime(1999, 1, 1, tzinfo=UTC))


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Worlds:
    """Those of one instant, for all guards."""
    return written(tmp_path_factory.mktemp("worlds"), as_of_of("2019-W20", desk().schedule))


@pytest.mark.parametrize(
    ("taken_out", "leaking"),
    [
        (no_guard_on_fixings, {"quote", "history", "ahead"}),
        (no_guard_on_policy_rates, {"rate"}),
        (no_guard_on_decisions, {"decisions"}),
        (known_by_the_day_and_not_the_hour, {"decisions"}),
        (no_guard_on_the_calendar, {"calendar"}),
        (no_guard_on_pages, {"digest", "tone"}),
        (no_guard_on_averages, {"averages"}),
        (no_guard_on_month_ends, {"month"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_guard_that_is_taken_out_is_noticed(
    worlds: Worlds, monkeypatch: pytest.MonkeyPatch, taken_out: Break, leaking: set[str]
) -> None:
    taken_out(monkeypatch)
    assert leaking <= {call.split()[0] for call in leaks(worlds)}
