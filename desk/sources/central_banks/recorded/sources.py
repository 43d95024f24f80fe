"""Who records policy rates by day without a key: where, whose they are, when, and in which form.

The addresses and forms are the providers' documented ones. Banks that give no such series are
recorded by the BIS alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from desk.sources.central_banks.recorded.decisions import RecordedRates
from desk.sources.central_banks.recorded.rate_series import RateSeries
from desk.sources.central_banks.recorded.sdmx_csv import Frequency, read_sdmx_rates, whole_text
from desk.sources.serving.daily_series import (
    DailySeries,
    PublicationRule,
    csv_lines,
    day_as,
    next_working_day,
    read_wide,
    weekly,
    whole,
)
from desk.sources.serving.kept_file import DamagedFile, FileContent, KeptFile
from desk.sources.serving.origins import BANK_OF_CANADA, BANK_OF_ENGLAND, BIS, ECB

LOW, HIGH = "{} low", "{} high"
"""Names of the series with the ends of an area's target range."""

_Form = TypeVar("_Form")
_Rate = Annotated[Decimal, Field(allow_inf_nan=False)]


class _FederalFunds(BaseModel):
    day: date = Field(alias="effectiveDate")
    low: _Rate = Field(alias="targetRateFrom")
    high: _Rate = Field(alias="targetRateTo")


class _ReferenceRates(BaseModel):
    rates: list[_FederalFunds] = Field(alias="refRates")


class _Observation(BaseModel):
    day: date = Field(alias="date")
    value: _Rate


def read_federal_funds(content: bytes) -> DailySeries:
    """The federal funds target range as the New York Fed gives it beside the effective rate
    (https://markets.newyorkfed.org/static/docs/markets-api.html): its midpoint, and its ends."""
    rows = _parsed(TypeAdapter(_ReferenceRates), content).rates
    return whole(
        {
            "US": {row.day: (row.low + row.high) / 2 for row in rows},
            LOW.format("US"): {row.day: row.low for row in rows},
            HIGH.format("US"): {row.day: row.high for row in rows},
        }
    )


def read_riksbank(content: bytes) -> DailySeries:
    """Observations of the Riksbank's SWEA API (https://developer.api.riksbank.se)."""
    rows = _parsed(TypeAdapter(list[_Observation]), content)
    return whole({"SE": {row.day: row.value for row in rows}})


def wide_csv(
    area: str, first_column: str, column: str, pattern: str
) -> Callable[[bytes], DailySeries]:
    """A reader of CSV with a line a day: `first_column` has the days, written as `pattern` says."""

    def read(content: bytes) -> DailySeries:
        lines = csv_lines(whole_text(content).encode())
        return read_wide(lines, first_column, {column: area}, day_as(pattern))

    return read


def _parsed(form: TypeAdapter[_Form], content: bytes) -> _Form:
    try:
        return form.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise DamagedFile(f"it is not the JSON expected ({place}: {first['msg']})") from error


FIRST_DAY: Final = "2026-01-01"
"""From here on series are fetched: some months before the end of the tables, to compare with."""

BIS_AREAS: Final = (
    *("AU", "CA", "CH", "CN", "GB", "HK", "ID", "IN", "JP"),
    *("KR", "MY", "NO", "NZ", "PH", "SE", "TH", "US", "XM"),
)
"""The areas of the desk that the BIS has a policy rate of."""


@dataclass(frozen=True, slots=True)
class RateSource:
    """One provider of daily policy rates.

    `key` names it on the command line and its file in the cache folder. `name` is what rows from
    it are called, `origin` who publishes it. `path` is added to `address`, which configuration may
    replace. `published` says when a day's rate is there at the latest.
    """

    key: str
    name: str
    origin: str
    areas: Sequence[str]
    address: str
    path: str
    read: Callable[[bytes], DailySeries]
    published: PublicationRule

    def kept_file(self, address: str | None = None) -> KeptFile:
        """The file that is kept of it, fetched from its own address or another."""
        return KeptFile(
            source=self.name,
            name=f"policy-rates-{self.key.replace('_', '-')}",
            url=f"{address or self.address}{self.path}",
            read=self._content,
            published=self._due,
        )

    def recorded(self, told: DailySeries) -> Mapping[str, RecordedRates]:
        """What the series say by area."""
        return {
            area: RecordedRates(
                RateSeries(told.series[area]), self.origin, self.name, _ranges(told, area)
            )
            for area in self.areas
            if told.series.get(area)
        }

    def _content(self, content: bytes) -> FileContent:
        return self.read(content).content()

    def _due(self, datum: str) -> datetime:
        return self.published(date.fromisoformat(datum.split()[0]), ())


def _ranges(told: DailySeries, area: str) -> Mapping[date, tuple[Decimal, Decimal]]:
    lows = told.series.get(LOW.format(area), {})
    highs = told.series.get(HIGH.format(area), {})
    return {day: (lows[day], highs[day]) for day in lows.keys() & highs.keys()}


BIS_DAILY: Final = RateSource(
    key="bis",
    name="BIS CBPOL daily",
    origin=BIS,
    areas=BIS_AREAS,
    # https://stats.bis.org/api-doc/v2/. The whole of one area's history with all notes is 57 MB, so
    # only the data are asked for, from a fixed month on.
    address="https://stats.bis.org",
    path=f"/api/v2/data/dataflow/BIS/WS_CBPOL/1.0/D.{'+'.join(BIS_AREAS)}"
    f"?startPeriod={FIRST_DAY[:7]}&detail=dataonly&format=csv",
    read=partial(read_sdmx_rates, frequency=Frequency.DAILY),
    # "Daily data are updated midweek" (https://www.bis.org/statistics/relcal.htm).
    published=weekly(3, time(0), "Europe/Zurich"),
)

RATE_SOURCES: Final = (
    RateSource(
        key="federal_reserve",
        name="Federal Reserve target range, daily",
        origin="Federal Reserve",
        areas=("US",),
        address="https://markets.newyorkfed.org",
        path=f"/api/rates/unsecured/effr/search.json?startDate={FIRST_DAY}",
        read=read_federal_funds,
        published=next_working_day(time(9, 30), "America/New_York"),
    ),
    RateSource(
        key="ecb",
        name="ECB deposit facility rate, daily",
        origin=ECB,
        areas=("XM",),
        address="https://data-api.ecb.europa.eu",
        path=f"/service/data/FM/D.U2.EUR.4F.KR.DFR.LEV?startPeriod={FIRST_DAY}&format=csvdata",
        read=partial(read_sdmx_rates, frequency=Frequency.DAILY, area="XM"),
        published=next_working_day(time(12), "Europe/Berlin"),
    ),
    RateSource(
        key="bank_of_canada",
        name="Bank of Canada V39079, daily",
        origin=BANK_OF_CANADA,
        areas=("CA",),
        address="https://www.bankofcanada.ca",
        path=f"/valet/observations/V39079/csv?start_date={FIRST_DAY}",
        read=wide_csv("CA", "date", "V39079", "%Y-%m-%d"),
        published=next_working_day(time(12), "America/Toronto"),
    ),
    RateSource(
        key="bank_of_england",
        name="Bank of England IUDBEDR, daily",
        origin=BANK_OF_ENGLAND,
        areas=("GB",),
        address="https://www.bankofengland.co.uk",
        path="/boeapps/database/_iadb-fromshowcolumns.asp?csv.x=yes"
        "&Datefrom=01/Jan/2026&Dateto=now&SeriesCodes=IUDBEDR&CSVF=TN&UsingCodes=Y&VPD=Y&VFD=N",
        read=wide_csv("GB", "DATE", "IUDBEDR", "%d %b %Y"),
        published=next_working_day(time(12), "Europe/London"),
    ),
    RateSource(
        key="norges_bank",
        name="Norges Bank KPRA, daily",
        origin="Norges Bank",
        areas=("NO",),
        address="https://data.norges-bank.no",
        path=f"/api/data/IR/B.KPRA.SD.R?format=csv&startPeriod={FIRST_DAY}&locale=en",
        read=partial(read_sdmx_rates, frequency=Frequency.BUSINESS_DAYS, area="NO"),
        published=next_working_day(time(12), "Europe/Oslo"),
    ),
    RateSource(
        key="riksbank",
        name="Riksbank SECBREPOEFF, daily",
        origin="Sveriges Riksbank",
        areas=("SE",),
        address="https://api.riksbank.se",
        path=f"/swea/v1/Observations/SECBREPOEFF/{FIRST_DAY}",
        read=read_riksbank,
        published=next_working_day(time(12), "Europe/Stockholm"),
    ),
    BIS_DAILY,
)
"""In the order in which they count: a bank's own series before the BIS's."""


def kept_rates(addresses: Mapping[str, str] | None = None) -> tuple[KeptFile, ...]:
    """The files of `RATE_SOURCES`; `addresses` take the place of providers' own, by their keys."""
    given = addresses or {}
    return tuple(source.kept_file(given.get(source.key)) for source in RATE_SOURCES)


def month_end_rates(told: DailySeries) -> Mapping[str, Mapping[str, Decimal]]:
    """The rates at the ends of months that a daily series of the BIS has whole, by area and month
    such as 2026-10: the last available of each month, as the BIS's monthly series has them."""
    found: dict[str, dict[str, Decimal]] = {}
    for area in BIS_AREAS:
        values = told.series.get(area, {})
        last = max(values, default=date.min)
        found[area] = {f"{day:%Y-%m}": rate for day, rate in values.items()}
        found[area].pop(f"{last:%Y-%m}", None)
    return found
