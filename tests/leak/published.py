"""What a published report may and must show, by what the stand-ins had published by its instant.

Every value is worked out from the stand-ins' first words and the project's tables, and when it was
public by the providers' hours: nothing of the sources under test is asked.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

from tests.leak.worlds import Row, decided_at, fixing_known, table
from tests.standins.providers.bank_feeds import RELEASES
from tests.standins.providers.cross_asset import START, values
from tests.standins.providers.ecb import header, rows_until
from tests.standins.world import INVENTED

Report = Mapping[str, Any]

FIXINGS = frozenset({"last", "previous", "window_high", "window_low", "year_high", "year_low"})
YIELDS = {"yield_2y": "2", "yield_10y": "10"}
INSTANTS = frozenset({"published_at", "announced_at", "decided_at"})
OBSERVED = frozenset({"value", "rate", "close", "fixing"})
FEEDS = "bank_feeds"
AHEAD = timedelta(days=28)
"""How far ahead a meeting is asked for at the least."""

IN_FORCE = timedelta(days=10)
"""The most that a decided rate takes to be in force."""

RECORDED = timedelta(days=10)
"""The most that an invented decision takes from its day until a series that is kept shows it, where
the bank's rate is in force within a day. The ECB's and the Riksbank's wait until it is."""

YIELD_AGE = timedelta(days=7)

RATES_LATE = timedelta(days=8)
YIELDS_LATE = timedelta(days=40)
"""How much the stand-ins' files lack while their newest data are late. What they lacked when they
were fetched long after every report was not public by any of them, however old it is."""


@dataclass
class Findings:
    """What became of a report: how many figures and instants were compared, what it shows that was
    not public then, what it lacks that was, and what it lacks because a source was not reached, as
    the report says itself."""

    checked: int = 0
    leaks: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unreached: list[str] = field(default_factory=list)

    def see(self, holds: bool, words: str) -> None:
        """Count a figure or an instant; where it does not hold, as a leak."""
        self.checked += 1
        if not holds:
            self.leaks.append(words)

    def want(self, there: bool, words: str) -> None:
        """Count what has to be there."""
        self.checked += 1
        if not there:
            self.missing.append(words)


def findings_of(report: Report, until: date) -> Findings:
    """Compare a report with what the stand-ins first told, to a day."""
    found, as_of = Findings(), datetime.fromisoformat(report["as_of"])
    decisions = {area: known_decisions(area, as_of, until) for area in _areas()}
    for market in report["markets"]:
        if market["outcome"] == "researched":
            _compare_market(market, as_of, until, decisions, found)
    _compare_calendar(report, as_of, decisions, found)
    for place, at in _instants({"evidence": report["evidence"], "markets": report["markets"]}, ""):
        found.see(at <= as_of, f"{place}: {at} is after the report")
    start = datetime.fromisoformat(report["window"]["start"])
    told = {item.get("headline") for each in report["evidence"] for item in _items(each)}
    not_reached = not_offered(report, FEEDS)
    for area, releases in RELEASES.items():
        for title, at in releases:
            if start <= at <= as_of:
                words = f"{area}: no evidence has the release {title!r}"
                if title not in told and not_reached is not None:
                    found.unreached.append(f"{words}; {FEEDS} was not reached: {not_reached}")
                else:
                    found.want(title in told, words)
    return found


def not_offered(report: Report, server: str) -> str | None:
    """Why a report says that a source could not be reached when its run was planned; None where it
    does not say so. One that was asked and stopped answering is not meant."""
    for source in report["coverage"].get("unreachable", ()):
        if source["server"] == server and not source.get("unanswered"):
            return str(source["reason"])
    return None


def known_decisions(area: str, as_of: datetime, until: date) -> dict[date, Decimal]:
    """Every decision of an area that was public at an instant, with the rate that it set."""
    return {
        day: Decimal(row["rate_pct"])
        for day, row in _decisions(area).items()
        if decided_at(row, _scheduled()) <= as_of
        and (row["source"] != "invented" or day <= until - RATES_LATE)
    }


@cache
def _decisions(area: str) -> Mapping[date, Row]:
    """Those of the project's table, and those that the stand-ins invent for the meetings after."""
    rows = [row for row in table("rate_decisions.csv") if row["area"] == area]
    found = {date.fromisoformat(row["decision_date"]): row for row in rows}
    if not found:
        return {}
    last = max(found)
    level = Decimal(found[last]["rate_pct"])
    meetings = {
        date.fromisoformat(meeting["decision_date"])
        for meeting in _meetings(area)
        if not meeting["withdrawn_from"]
    }
    for day in sorted(meetings | {day for of, day in INVENTED if of == area}):
        if day > last:
            level += INVENTED.get((area, day), Decimal(0))
            told = {"decision_date": f"{day}", "rate_pct": f"{level}", "announced_at_local": ""}
            found[day] = {**found[last], **told, "date_precision": "day", "source": "invented"}
    return dict(sorted(found.items()))


def _meetings(area: str) -> list[Row]:
    return [row for row in table("decision_calendar.csv") if row["area"] == area]


@cache
def _scheduled() -> set[tuple[str, str]]:
    return {(row["area"], row["decision_date"]) for row in table("decision_calendar.csv")}


@cache
def _areas() -> tuple[str, ...]:
    return tuple(row["area"] for row in table("areas.csv"))


def _compare_market(
    market: Report,
    as_of: datetime,
    until: date,
    decisions: Mapping[str, Mapping[date, Decimal]],
    found: Findings,
) -> None:
    name, pair = market["market"], market["kind"] == "pair"
    for claim in market["claims"]:
        told = f"{name} {claim['claim_id']} {claim['value']} of {claim['as_of']}"
        value, day = Decimal(claim["value"]), date.fromisoformat(claim["as_of"][:10])
        metric, subject = claim["metric"], claim["subject"]
        if metric in FIXINGS:
            found.see(is_fixing(subject, day, value, as_of, until), f"{told}: no such fixing")
        elif metric in YIELDS:
            found.see(is_yield(subject, metric, day, value, as_of, until), f"{told}: no yield")
        elif metric == "policy_rate":
            allowed = in_force(decisions[subject], as_of)
            found.see(value in allowed, f"{told}: in force was {sorted(allowed)}")
        elif metric == "decision_rate":
            found.see(decisions[subject].get(day) == value, f"{told}: not decided so by then")
        elif metric == "decision_change":
            change = change_of(decisions[subject], day)
            found.see(change == value, f"{told}: the change known by then was {change}")
        else:
            found.see(day <= as_of.date(), f"{told}: later than the report")
    if pair:
        _compare_fixings(market, as_of, until, found)
    else:
        _want_yields(market, as_of, until, found)


def _compare_fixings(market: Report, as_of: datetime, until: date, found: Findings) -> None:
    name = market["market"]
    for day, value in zip(market["days"], market["values"], strict=True):
        holds = is_fixing(name, date.fromisoformat(day), Decimal(value), as_of, until)
        found.see(holds, f"{name} {value} of {day} in the chart: no such fixing")
    newest = max(day for day in _rates(until) if fixing_known(day, as_of)).isoformat()
    last = max(market["days"], default="")
    found.want(last == newest, f"{name}: the last fixing is of {last}, not of {newest}")


def _want_yields(market: Report, as_of: datetime, until: date, found: Findings) -> None:
    area = market["market"]
    if as_of.date() > until - YIELDS_LATE:
        return
    for metric, years in YIELDS.items():
        if f"{area} {years}" in START:
            days = [c["as_of"] for c in market["claims"] if c["metric"] == metric]
            recent = f"{as_of.date() - YIELD_AGE}"
            found.want(max(days, default="") >= recent, f"{area}: no {metric} since {recent}")


def _compare_calendar(
    report: Report,
    as_of: datetime,
    decisions: Mapping[str, Mapping[date, Decimal]],
    found: Findings,
) -> None:
    shown = {(row["area"], date.fromisoformat(row["day"])): row for row in report["calendar"]}
    claims = {claim["claim_id"] for market in report["markets"] for claim in market["claims"]}
    start = datetime.fromisoformat(report["window"]["start"])
    researched = {m["market"] for m in report["markets"] if m["outcome"] == "researched"}
    for area in sorted(researched & {*_areas()}):
        stood = meetings_standing(area, as_of)
        for day, at in stood.items():
            if start < at <= as_of + AHEAD:
                ahead = at > as_of
                there = shown.get((area, day))
                same = there is not None and there["ahead"] == ahead
                first = not ahead or day == min(d for d, hour in stood.items() if hour > as_of)
                if first:
                    found.want(same, f"{area}: the meeting of {day} is not in the calendar")
        for day, row in _decisions(area).items():
            at = decided_at(row, _scheduled())
            if start < at <= as_of and is_on_record(day, row, as_of):
                claim = f"{area}:decision_rate@{day}"
                found.want(claim in claims, f"{claim} of {at} is missing")
    for (area, day), row in shown.items():
        public = day in meetings_standing(area, as_of) or day in decisions[area]
        found.see(public, f"{area}: a meeting of {day} was not announced by then")
        at = decided_at({**row, "decision_date": f"{day}", "date_precision": "day"}, _scheduled())
        found.see(row["ahead"] or at <= as_of, f"{area}: the meeting of {day} was still ahead")


def meetings_standing(area: str, as_of: datetime) -> dict[date, datetime]:
    """The meetings that a bank's calendar had at an instant, each with its hour."""
    told = as_of.date().isoformat()
    return {
        date.fromisoformat(row["decision_date"]): decided_at(
            {**row, "date_precision": "day"}, _scheduled()
        )
        for row in _meetings(area)
        if row["announced_from"] <= told
        and not (row["withdrawn_from"] and row["withdrawn_from"] <= told)
    }


def is_on_record(day: date, row: Row, as_of: datetime) -> bool:
    """Whether a decision must be known: those of the table are; an invented one once it has long
    been in force."""
    if row["date_precision"] != "day":
        return False
    return row["source"] != "invented" or as_of.date() - day >= RECORDED


def in_force(decisions: Mapping[date, Decimal], as_of: datetime) -> set[Decimal]:
    """The rate by the last decision; besides it the one before, while the last is not in force,
    or is not in the series that are kept."""
    *before, (day, last) = sorted(decisions.items())
    allowed = {last}
    recent = [*before, (day, last)]
    while before and as_of.date() - recent[-1][0] <= IN_FORCE:
        recent.pop()
        allowed.add(recent[-1][1])
        before = before[:-1]
    return allowed


def change_of(decisions: Mapping[date, Decimal], day: date) -> Decimal | None:
    """By how many basis points a decision moved the rate; None where it is not known."""
    earlier = [each for each in decisions if each < day]
    if day not in decisions or not earlier:
        return None
    return (decisions[day] - decisions[max(earlier)]) * 100


def is_fixing(pair: str, day: date, value: Decimal, as_of: datetime, until: date) -> bool:
    """Whether the ECB's first fixing of a day gives a value, and was out at the instant."""
    rates = _rates(until).get(day)
    if rates is None or not fixing_known(day, as_of):
        return False
    base, quote = pair.split("/")
    cross = rates[quote] / rates[base]
    return abs(cross - value) <= Decimal(1).scaleb(int(value.as_tuple().exponent))


def is_yield(
    area: str, metric: str, day: date, value: Decimal, as_of: datetime, until: date
) -> bool:
    """Whether a yield was first told so, of a day that was over and did not come late."""
    if day > until - YIELDS_LATE:
        return False
    told = values(f"{area} {YIELDS[metric]}", until).get(day)
    return told is not None and Decimal(told) == value and day < as_of.date()


@cache
def _rates(until: date) -> Mapping[date, Mapping[str, Decimal]]:
    columns = header().rstrip(",").split(",")[1:]
    found = {}
    for row in rows_until(until):
        day, *cells = row.split(",")
        if day < "2024":
            break
        pairs = zip(columns, cells, strict=False)
        rates = {code: Decimal(cell) for code, cell in pairs if cell not in ("N/A", "")}
        found[date.fromisoformat(day)] = {"EUR": Decimal(1), **rates}
    return found


def _items(evidence: Report) -> list[Report]:
    content = evidence["content"]
    return content.get("items") or [] if isinstance(content, dict) else []


def _instants(value: Any, place: str) -> Iterator[tuple[str, datetime]]:
    """Each instant of publication in what a report holds, and each day that has an observation,
    with where it stands."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name in INSTANTS and isinstance(each, str) and "T" in each:
                yield f"{place}.{name}", datetime.fromisoformat(each)
            yield from _instants(each, f"{place}.{name}")
        day = value.get("day") or value.get("date")
        if isinstance(day, str) and OBSERVED & value.keys():
            yield place, datetime.combine(date.fromisoformat(day[:10]), datetime.min.time(), UTC)
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _instants(each, f"{place}[{number}]")
