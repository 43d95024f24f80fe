"""Policy rates by day: those of the project's table, and invented decisions after its end, in the
forms of the BIS and of six banks; and the Swiss National Bank's calendar, 2027 invented.

Forms: the providers' own, as `desk/sources/central_banks/recorded/sources.py` and
`bank_calendars.py` name them. Each stands under its key. The BIS has new data on Thursdays, to the
Tuesday before; a bank has a day's rate on the next day.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal

from desk.sources.central_banks.current_facts import CALENDAR_SOURCES, KEYS
from desk.sources.central_banks.recorded.rate_series import RateSeries
from tests.standins.provider import NOT_FOUND, Ask, Provider, Reply
from tests.standins.world import facts, steps

FIRST = date(2026, 1, 1)
_DAYS_TO_EFFECT = {"US": 1, "CA": 1, "AU": 1, "JP": 1, "NZ": 1, "XM": 6, "SE": 6}
_SATURDAY, _THURSDAY = 5, 3
_BIS_HEADER = "FREQ,REF_AREA,UNIT_MEASURE,UNIT_MULT,COMPILATION,TIME_PERIOD,OBS_VALUE,OBS_STATUS"
_NOTE = '"A note of the compiler, with a comma"'
_ECB_HEADER = "KEY,FREQ,REF_AREA,CURRENCY,PROVIDER_FM,TIME_PERIOD,OBS_VALUE,OBS_STATUS"
_NORGES_HEADER = "FREQ;Frequency;INSTRUMENT_TYPE;Instrument Type;TIME_PERIOD;OBS_VALUE;CALC_METHOD"
_VALET_HEAD = '"TERMS AND CONDITIONS"\n"https://www.bankofcanada.ca/terms/"\n\n"OBSERVATIONS"\n'


def policy_rates(area: str, until: date) -> RateSeries | None:
    """The rate of an area by the day on which it was in force; None where there is none."""
    if area not in facts().decisions:
        return None
    in_force = {_effective(area, day): rate for day, rate in steps(area).items()}
    known = {day: rate for day, rate in in_force.items() if day <= until}
    return RateSeries({**known, until: known[max(known)]})


def bis_until(until: date, *, late: bool = False) -> date:
    """The last day with a value in what the BIS had published by a day."""
    thursday = until - timedelta(days=(until.weekday() - _THURSDAY) % 7 + (7 if late else 0))
    return thursday - timedelta(days=2)


def _effective(area: str, decided_on: date) -> date:
    day = decided_on + timedelta(days=_DAYS_TO_EFFECT.get(area, 0))
    return day + timedelta(days=max(7 - day.weekday(), 0) if day.weekday() >= _SATURDAY else 0)


def _values(ask: Ask, area: str, until: date) -> dict[date, Decimal]:
    """The rate on each working day of the year so far."""
    series = policy_rates(area, until)
    if series is None:
        return {}
    days = (FIRST + timedelta(days=number) for number in range((until - FIRST).days + 1))
    told = {day: series.level_on(day) for day in days if day.weekday() < _SATURDAY}
    cut = Decimal("0.25") if ask.revised and area == "CA" else Decimal(0)
    return {
        # Where figures are revised, a cut of the Bank of Canada had been entered as a hold.
        day: level - (cut if day > date(2026, 10, 28) else 0)
        for day, level in told.items()
        if level is not None
    }


def _own(ask: Ask, area: str) -> dict[date, Decimal]:
    """What a bank had published by a day: the days before it."""
    return _values(ask, area, ask.until - timedelta(days=8 if ask.late else 1))


def _bis(ask: Ask) -> str:
    areas = ask.route.rpartition("/")[2].removeprefix("D.")
    until = bis_until(ask.until, late=ask.late)
    rows = [
        f"D,{area},368,0,{_NOTE},{day},{shown},A"
        for area in areas.split("+")
        for day, shown in _each_day(_values(ask, area, until), until)
    ]
    header = _BIS_HEADER.replace("OBS_VALUE", "VALUE") if ask.renamed else _BIS_HEADER
    return "\n".join((header, *rows)) + "\n"


def _each_day(values: Mapping[date, Decimal], until: date) -> Iterator[tuple[date, str]]:
    """Each day of the year so far, and its value."""
    for number in range((until - FIRST).days + 1):
        day = FIRST + timedelta(days=number)
        yield day, str(values.get(day, "NaN"))


def _federal_reserve(ask: Ask) -> str:
    field = "rangeFrom" if ask.renamed else "targetRateFrom"
    half = Decimal("0.125")
    rows = [
        {
            "effectiveDate": day.isoformat(),
            "type": "EFFR",
            "percentRate": float(rate),
            field: float(rate - half),
            "targetRateTo": float(rate + half),
        }
        for day, rate in sorted(_own(ask, "US").items(), reverse=True)
    ]
    return json.dumps({"refRates": rows})


def _ecb(ask: Ask) -> str:
    header = _ECB_HEADER.replace("OBS_VALUE", "VALUE") if ask.renamed else _ECB_HEADER
    rows = (
        f"FM.D.U2.EUR.4F.KR.DFR.LEV,D,U2,EUR,4F,{day},{rate},A"
        for day, rate in _own(ask, "XM").items()
    )
    return "\n".join((header, *rows)) + "\n"


def _bank_of_canada(ask: Ask) -> str:
    series = "V39080" if ask.renamed else "V39079"
    rows = (f'"{day}","{rate}"' for day, rate in _own(ask, "CA").items())
    return _VALET_HEAD + "\n".join((f'"date","{series}"', *rows)) + "\n"


def _bank_of_england(ask: Ask) -> str:
    series = "IUDBED" if ask.renamed else "IUDBEDR"
    rows = (f"{day:%d %b %Y},{rate}" for day, rate in _own(ask, "GB").items())
    return "\r\n".join((f"DATE,{series}", *rows)) + "\r\n"


def _norges_bank(ask: Ask) -> str:
    header = _NORGES_HEADER.replace("OBS_VALUE", "VALUE") if ask.renamed else _NORGES_HEADER
    rows = (f"B;Business;KPRA;Policy rate;{day};{rate};" for day, rate in _own(ask, "NO").items())
    return "\n".join((header, *rows)) + "\n"


def _riksbank(ask: Ask) -> str:
    field = "rate" if ask.renamed else "value"
    rows = [{"date": day.isoformat(), field: float(rate)} for day, rate in _own(ask, "SE").items()]
    return json.dumps(rows)


def _hkma(ask: Ask) -> str:
    field = "base_rate" if ask.renamed else "disc_win_base_rate"
    rows = [
        {
            "end_of_date": f"{day}",
            "cu_weakside": 7.85,
            "cu_strongside": 7.75,
            field: float(rate),
            # Interbank rates lie below, so that the base rate follows the Federal Reserve's.
            "hibor_overnight": float(rate) - 1.1,
            "hibor_fixing_1m": float(rate) - 0.8,
        }
        for day, rate in sorted(_own(ask, "HK").items(), reverse=True)
    ]
    return json.dumps({"header": {"success": True}, "result": {"records": rows}})


SNB_2027 = (date(2027, 3, 18), date(2027, 6, 17), date(2027, 9, 23), date(2027, 12, 16))
"""Invented."""
MOVED = (date(2026, 12, 10), date(2026, 12, 15))
"""Where figures are revised, this meeting was moved to that day."""
_STAMPED = {2026: "20251015T080000Z", 2027: "20261016T080000Z"}


def _snb(ask: Ask) -> str:
    source = next(
        each for each in CALENDAR_SOURCES if each.path.endswith(ask.route.rpartition("/")[2])
    )
    days = [row.day for row in facts().meetings["CH"] if row.day.year == source.year]
    named = "Assessment of {}" if ask.renamed else "{}"
    events = [
        _event(day, named.format(source.titled(day)), source.year)
        for day in days or SNB_2027
        if not (ask.revised and day == MOVED[0])
    ]
    if ask.revised and source.year == MOVED[0].year:
        events.append(_event(MOVED[0], source.titled(MOVED[0]), 2026, "STATUS:CANCELLED\r\n"))
        events.append(_event(MOVED[1], source.titled(MOVED[1]), 2026))
    events.append(_event(date(source.year, 3, 2), "Annual report of the SNB", source.year))
    head = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//invented//EN\r\n"
    return f"{head}{''.join(events)}END:VCALENDAR\r\n"


def _event(day: date, title: str, year: int, status: str = "") -> str:
    return (
        f"BEGIN:VEVENT\r\nUID:{day}-{len(title)}@example\r\nDTSTAMP:{_STAMPED[year]}\r\n"
        f"SUMMARY:{title}\r\nDTSTART;TZID=Europe/Zurich:{day:%Y%m%d}T093000\r\n"
        f"{status}END:VEVENT\r\n"
    )


_ANSWERS: Mapping[str, tuple[str, Callable[[Ask], str]]] = {
    "bis": ("api/v2/data/dataflow/BIS/WS_CBPOL/1.0/", _bis),
    "federal_reserve": ("api/rates/unsecured/effr/search.json", _federal_reserve),
    "ecb": ("service/data/FM/D.U2.EUR.4F.KR.DFR.LEV", _ecb),
    "bank_of_canada": ("valet/observations/V39079/csv", _bank_of_canada),
    "bank_of_england": ("boeapps/database/_iadb-fromshowcolumns.asp", _bank_of_england),
    "hkma_base_rate": (
        "public/market-data-and-statistics/daily-monetary-statistics/",
        _hkma,
    ),
    "norges_bank": ("api/data/IR/B.KPRA.SD.R", _norges_bank),
    "snb": ("public/ical/calendar/en/", _snb),
    "riksbank": ("swea/v1/Observations/SECBREPOEFF/2026-01-01", _riksbank),
}


def _answer(ask: Ask) -> Reply:
    key, _, route = ask.route.partition("/")
    place, answer = _ANSWERS.get(key, ("", None))
    if answer is None or not route.startswith(place):
        return NOT_FOUND
    return Reply(answer(ask).encode())


def addresses(url: str) -> dict[str, str]:
    """Where each source stands, by its key, under the address of this provider."""
    return {key: f"{url}/{key}" for key in KEYS}


def _arguments(url: str) -> Mapping[str, tuple[str, ...]]:
    given = addresses(url).items()
    return {"central_banks": tuple(a for k, at in given for a in ("--url", f"{k}={at}"))}


PROVIDER = Provider("policy_rates", _answer, _arguments)
