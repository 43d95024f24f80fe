"""Which days a question is about."""

from datetime import UTC, date, datetime

import pytest

from desk.analytics.names.periods import (
    days_coming,
    names_period,
    objective_window,
    period_given,
    period_named,
    periods_named,
    span_given,
)
from desk.analytics.prices.series import window_days
from desk.trust.prose.gate import unbacked

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "as_of", "first", "end"),
    [
        ("Did it fall last week?", "2026-11-03T12:00", "2026-10-25", "2026-11-01T23:59:59"),
        ("What moved this week?", "2026-10-31T12:00", "2026-10-25", "2026-10-31T12:00:00"),
        ("What moved?", "2026-11-02T07:00", "2026-10-25", "2026-11-02T07:00:00"),
        ("What moved this week?", "2026-11-02T07:00", "2026-10-25", "2026-11-01T23:59:59"),
        ("worst in September 2025", "2026-11-24T12:00", "2025-09-01", "2025-09-30T23:59:59"),
        ("worst last quarter", "2026-11-24T12:00", "2026-07-01", "2026-09-30T23:59:59"),
        ("worst in October", "2026-11-24T12:00", "2026-10-01", "2026-10-31T23:59:59"),
        ("worst last mth", "2026-11-24T12:00", "2026-10-01", "2026-10-31T23:59:59"),
        ("up this yr", "2026-10-30T12:00", "2026-01-01", "2026-10-30T12:00:00"),
        ("over the past 2 wks", "2026-10-30T12:00", "2026-10-17", "2026-10-30T12:00:00"),
        ("worst last month", "2026-11-24T12:00", "2026-10-01", "2026-10-31T23:59:59"),
        ("What happened in 2026-W40?", "2026-11-24T12:00", "2026-09-27", "2026-10-04T23:59:59"),
    ],
)
def test_a_period_that_is_named_has_one_window(
    words: str, as_of: str, first: str, end: str
) -> None:
    window = period_named(words, datetime.fromisoformat(f"{as_of}+00:00"), "UTC").window
    assert window.start.isoformat() == f"{first}T00:00:00+00:00"
    assert window.end.isoformat() == f"{end}+00:00"


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("between July and September", "2026-07-01", "2026-09-30"),
        ("from the end of april to the end of july", "2026-05-01", "2026-07-31"),
        ("from end july to end september", "2026-08-01", "2026-09-30"),
        ("from the start of march to the start of june", "2026-03-01", "2026-06-01"),
        ("between q1 and q2", "2026-01-01", "2026-06-30"),
        ("jan-mar 2026", "2026-01-01", "2026-03-31"),
        ("from 2026-04-30 to 2026-07-31", "2026-04-30", "2026-07-31"),
        ("in the first half of 2026", "2026-01-01", "2026-06-30"),
        ("in the second half of last year", "2025-07-01", "2025-12-31"),
        ("in the last week of august", "2026-08-23", "2026-08-30"),
        ("the first week of October 2026", "2026-09-27", "2026-10-04"),
        ("in h1", "2026-01-01", "2026-06-30"),
        ("from november to february", "2025-11-01", "2026-02-28"),
        ("july and september", "2026-07-01", "2026-09-30"),
        ("2024 to 2025", "2024-01-01", "2025-12-31"),
        ("at the end of 2024", "2024-01-01", "2024-12-31"),
        ("in the year 2024", "2024-01-01", "2024-12-31"),
        ("at the end of june", "2026-06-01", "2026-06-30"),
        ("on 5 august 2024", "2024-08-05", "2024-08-05"),
        ("after the vote, 24 june 2016", "2016-06-24", "2016-06-24"),
        ("in oct", "2026-10-01", "2026-10-31"),
        ("this summer", "2026-06-01", "2026-08-31"),
        ("in Q3", "2026-07-01", "2026-09-30"),
        ("the q1 2025 move", "2025-01-01", "2025-03-31"),
        ("on August 5th", "2026-08-05", "2026-08-05"),
        ("on 15 jan 2015", "2015-01-15", "2015-01-15"),
        ("since 5 may", "2026-05-05", "2026-11-26"),
        ("over the last 12 months", "2025-11-27", "2026-11-26"),
        ("over the past ten days", "2026-11-17", "2026-11-26"),
        ("on the month", "2026-11-01", "2026-11-26"),
        ("between 1 July and 15 August 2026", "2026-07-01", "2026-08-15"),
        ("from the 3rd of June until 9 Jul", "2026-06-03", "2026-07-09"),
        ("20 Dec - 15 Jan", "2025-12-20", "2026-01-15"),
        ("where was it a year ago", "2025-11-26", "2025-11-26"),
        ("in the third quarter", "2026-07-01", "2026-09-30"),
        ("in the fourth quarter of 2025", "2025-10-01", "2025-12-31"),
        ("where was it at year-end 2024", "2024-01-01", "2024-12-31"),
        ("where was it a year ago and where is it now", "2025-11-27", "2026-11-26"),
        ("is it higher now than in august", "2026-09-01", "2026-11-26"),
        ("is it higher than six weeks ago", "2026-10-16", "2026-11-26"),
        ("since the 1st of September", "2026-09-01", "2026-11-26"),
    ],
)
def test_spans_years_and_days_are_read_whole(words: str, first: str, last: str) -> None:
    period = period_named(f"How did it do {words}?", NOW, "UTC")
    assert window_days(period.window) == (date.fromisoformat(first), date.fromisoformat(last))
    assert period.unread == ()


@pytest.mark.parametrize(
    ("words", "unread"),
    [
        ("on 5 december", ("december",)),
        ("on the eve of 5 august", ("august",)),
        ("in 2027", ("2027",)),
        ("in the middle of it, mid-june", ("mid",)),
        ("until the end of may", ("until",)),
        ("by the close of last year", ("by",)),
        ("after august", ("after",)),
        ("as of 31 february", ("february",)),
        ("september and may it go on", ()),
    ],
)
def test_a_day_or_year_that_may_be_another_is_not_read(words: str, unread: tuple[str, ...]) -> None:
    assert period_named(f"How did it do {words}?", NOW, "UTC").unread == unread


def test_words_without_a_period_name_none() -> None:
    assert not names_period("The march of the dollar may go on")
    assert names_period("How did the won do in March?")


def test_since_the_end_of_a_month_begins_after_its_last_day() -> None:
    window = period_named("the franc since the end of June", NOW, "UTC").window
    assert (window.start.date(), window.end) == (date(2026, 7, 1), NOW)
    ending = period_named("the franc since the end of November", NOW, "UTC").window
    assert ending.start.date() == date(2026, 11, 1)


def test_all_periods_of_a_question_are_named_in_their_order() -> None:
    asked = "how often did it cut since 2024, and what did it decide in august or in a week?"
    since, august = periods_named(asked, NOW, "UTC")
    assert (since.read, august.read) == ("since 2024", "august")
    assert since.unread == august.unread == ("week",)
    assert periods_named("in august", NOW, "UTC") == (period_named("in august", NOW, "UTC"),)
    assert periods_named("and now?", NOW, "UTC") == (period_named("and now?", NOW, "UTC"),)


@pytest.mark.parametrize("words", ["since last week", "since October", "since 2026-W40"])
def test_what_goes_on_since_a_day_goes_on_until_now(words: str) -> None:
    assert period_named(f"How did it do {words}?", NOW, "UTC").window.end == NOW


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("Has it broken out of the range of its last quarter?", NOW),
        ("Has it risen since last week?", NOW),
        ("Is it overbought?", NOW),
        ("Was it overbought last week?", datetime(2026, 11, 22, 23, 59, 59, tzinfo=UTC)),
        ("Is its November seasonality real?", NOW),
        ("Will it rise over the winter?", NOW),
        ("Will the Fed cut in December?", NOW),
        ("Was it overbought in October?", datetime(2026, 10, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_an_objective_knows_the_world_at_the_end_of_its_week_or_month(
    words: str, end: datetime
) -> None:
    assert objective_window(words, NOW, "UTC").end == end


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("last thursday", date(2026, 11, 19)),
        ("on thursday", date(2026, 11, 26)),
        ("on Mon", date(2026, 11, 23)),
        ("last fri", date(2026, 11, 20)),
        ("yesterday", date(2026, 11, 25)),
        ("today", date(2026, 11, 26)),
    ],
)
def test_a_day_of_the_week_is_the_newest_of_its_name(words: str, day: date) -> None:
    window = period_named(f"Where was it {words}?", NOW, "UTC").window
    assert (window.start.date(), window.end.date()) == (day, day)


def test_without_a_period_a_monday_has_its_own_fixing() -> None:
    evening = datetime(2026, 11, 2, 20, tzinfo=UTC)
    assert period_named("Is the yen overbought?", evening, "UTC").window.end == evening


@pytest.mark.parametrize(
    ("words", "read", "unread"),
    [
        ("the krona in the first fortnight of september", "september", ("fortnight",)),
        ("how did it do in the second half of October", "October", ("half",)),
        ("how did it do in the month of october", "month of october", ()),
        ("how did it do from 3 to 14 August", None, ("August",)),
        ("how did it do in October 3", "October", ("3",)),
        ("how did it do in Q5", None, ()),
        ("how did it do in Q4 2030", None, ("Q4", "2030")),
        ("what was its largest one-day move", None, ("day",)),
        ("how did it do on 2026-10-05", "2026-10-05", ()),
        ("what did it do before 2026-10-05", None, ("2026-10-05",)),
        ("how did it do since 2026-10-05", "since 2026-10-05", ()),
        ("how did it do since August", "since August", ()),
        ("how did it do since last quarter", "since last quarter", ()),
        ("how did it do since the summer", "since the summer", ()),
        ("how did it do since the Fed met", None, ("since the Fed met",)),
        ("how far is it from where it began the year", "the year", ()),
        ("how did it do year to date", "year to date", ()),
        ("how is it doing ytd", "ytd", ()),
        ("was it up all year", "all year", ()),
        ("has it lost ground since new year", "since new year", ()),
        ("was its October better", "October", ()),
        ("is the ten-year yield above the 2-year one", None, ()),
        ("what did it do since the Fed cut, last week?", "last week", ("since the Fed cut",)),
        ("how did it do in 2022", "2022", ()),
        ("how did it do at the start of 2022", "2022", ("start",)),
        ("how did it do since the start of 2022", "since the start of 2022", ()),
        ("since the beginning of the year", "since the beginning of the year", ()),
        ("how did it do last week", "last week", ()),
        ("how may the march of the won go on", None, ()),
        ("how far is it below its march high", "march", ()),
        ("how has it done since the may meeting", "since the may", ()),
        ("how far has it come since its July peak", "July", ("its",)),
        ("where did it close last fri", "last fri", ()),
        ("how is it since Wed", "since Wed", ()),
        ("where was it on monday", "monday", ()),
        ("where is it until fri", None, ("fri",)),
        ("who wed and who sat there", None, ()),
        ("what did it do yesterday", "yesterday", ()),
        ("is it stronger today than a year ago", "a year ago", ()),
        ("where will it be tomorrow", None, ("tomorrow",)),
        ("its best sept", "sept", ()),
        ("its jul 2025", "jul 2025", ()),
    ],
)
def test_words_of_time_that_were_not_read_are_told(
    words: str, read: str | None, unread: tuple[str, ...]
) -> None:
    period = period_named(words, NOW, "UTC")
    assert (period.read, period.unread) == (read, unread)


@pytest.mark.parametrize(
    ("written", "first", "end"),
    [
        ("2026-W36", "2026-08-30", "2026-09-06"),
        ("2026-09", "2026-09-01", "2026-09-30"),
        ("2026-q3", "2026-07-01", "2026-09-30"),
        ("2025", "2025-01-01", "2025-12-31"),
        ("2026-09-01", "2026-09-01", "2026-09-01"),
        ("2026-09-01/2026-09-04", "2026-09-01", "2026-09-04"),
    ],
)
def test_a_period_is_given_as_iso_writes_it(written: str, first: str, end: str) -> None:
    window = period_given(written, NOW, "UTC").window
    assert (window.start.date().isoformat(), window.end.date().isoformat()) == (first, end)


@pytest.mark.parametrize(
    "written", ["last week", "2026-W60", "2027", "2026-09-04/2026-09-01", "2026-02-31", ""]
)
def test_a_period_that_is_none_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        period_given(written, NOW, "UTC")


@pytest.mark.parametrize(
    ("written", "words", "first"),
    [
        ("1y", "one year", date(2025, 10, 31)),
        ("6m", "six months", date(2026, 4, 30)),
        ("90d", "90 days", date(2026, 8, 2)),
        ("13 W", "13 weeks", date(2026, 8, 1)),
        ("1q", "a quarter", date(2026, 7, 31)),
        ("two years", "two years", date(2024, 10, 31)),
        ("decade", "one decade", date(2016, 10, 31)),
    ],
)
def test_a_length_of_time_is_given_short_or_in_words(written: str, words: str, first: date) -> None:
    span = span_given(written)
    assert span.words == words
    assert span.before(date(2026, 10, 31)) == first
    assert not unbacked(f"It fell over {span.words}, and over the last {span.bare} before.")


@pytest.mark.parametrize("written", ["", "0y", "years", "1y or 2y", "one year and a month", "1h"])
def test_what_is_no_one_length_of_time_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="no length of time"):
        span_given(written)


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("who meets tomorrow", date(2026, 10, 31), date(2026, 10, 31)),
        ("who meets this week", date(2026, 10, 26), date(2026, 11, 1)),
        ("who meets next week", date(2026, 11, 2), date(2026, 11, 8)),
        ("who meets this month", date(2026, 10, 1), date(2026, 10, 31)),
        ("who meets next quarter", date(2027, 1, 1), date(2027, 3, 31)),
        ("who meets next year", date(2027, 1, 1), date(2027, 12, 31)),
        ("who meets in december", date(2026, 12, 1), date(2026, 12, 31)),
        ("who meets in March", date(2027, 3, 1), date(2027, 3, 31)),
        ("who met in march 2026", date(2026, 3, 1), date(2026, 3, 31)),
    ],
)
def test_days_of_the_calendar_may_be_ahead(words: str, first: date, last: date) -> None:
    now = datetime(2026, 10, 30, 12, tzinfo=UTC)
    coming = days_coming(words, now, "UTC")
    assert coming is not None and coming.days == (first, last)
    assert days_coming("who meets next", now, "UTC") is None
