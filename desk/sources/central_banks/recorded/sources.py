"""The publishers of daily policy rates that need no key: address, origin, publication time and
format.

The addresses and formats are the providers' documented ones. Banks without such a series are
recorded by the BIS alone.
"""

from collections.abc import Callable, Mapping
from datetime import date, time
from decimal import Decimal
from typing import Annotated, Final

from pydantic import BaseModel, Field, TypeAdapter

from desk.sources.central_banks.recorded.decisions import RecordedRates
from desk.sources.central_banks.recorded.rate_series import RateSeries
from desk.sources.serving.daily_series import (
    DailySeries,
    Publisher,
    authoritative,
    long_table,
    next_working_day,
    parsed_json,
    weekly,
    whole,
    wide_table,
)
from desk.sources.serving.origins import BANK_OF_CANADA, BANK_OF_ENGLAND, BIS, ECB, HKMA

LOW, HIGH = "{} low", "{} high"
"""Names of the series with the bounds of an area's target range."""

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
    """The federal funds target range, which the New York Fed gives with the effective rate
    (https://markets.newyorkfed.org/static/docs/markets-api.html): its midpoint, and its bounds."""
    rows = parsed_json(TypeAdapter(_ReferenceRates), content).rates
    return whole(
        {
            "US": {row.day: (row.low + row.high) / 2 for row in rows},
            LOW.format("US"): {row.day: row.low for row in rows},
            HIGH.format("US"): {row.day: row.high for row in rows},
        }
    )


def observations_of(name: str) -> Callable[[bytes], DailySeries]:
    """A reader of observations of one series from the Riksbank's SWEA API
    (https://developer.api.riksbank.se), with this name for the series."""

    def read(content: bytes) -> DailySeries:
        rows = parsed_json(TypeAdapter(list[_Observation]), content)
        return whole({name: {row.day: row.value for row in rows}})

    return read


class _InterbankLiquidity(BaseModel):
    day: date = Field(alias="end_of_date")
    base_rate: _Rate | None = Field(alias="disc_win_base_rate")
    overnight: _Rate | None = Field(default=None, alias="hibor_overnight")
    one_month: _Rate | None = Field(default=None, alias="hibor_fixing_1m")


class _Records(BaseModel):
    records: list[_InterbankLiquidity]


class _Liquidity(BaseModel):
    result: _Records


HIBOR: Final = ("HIBOR overnight", "HIBOR one month")
"""Names of the series of interbank rates that come with the HKMA's base rate."""


def read_hkma(content: bytes) -> DailySeries:
    """Reads an answer of the HKMA's API on daily interbank liquidity: the base rate of each day,
    and the interbank rates that its formula uses."""
    rows = parsed_json(TypeAdapter(_Liquidity), content).result.records
    by_series = {
        "HK": {row.day: row.base_rate for row in rows},
        HIBOR[0]: {row.day: row.overnight for row in rows},
        HIBOR[1]: {row.day: row.one_month for row in rows},
    }
    return whole(
        {
            name: {day: rate for day, rate in rates.items() if rate is not None}
            for name, rates in by_series.items()
        }
    )


FIRST_DAY: Final = "2026-01-01"
"""The first day of the fetched series: some months before the end of the tables, for comparison."""

BIS_AREAS: Final = (
    *("AU", "CA", "CH", "CN", "GB", "HK", "ID", "IN", "JP"),
    *("KR", "MY", "NO", "NZ", "PH", "SE", "TH", "US", "XM"),
)
"""The areas of the desk for which the BIS has a policy rate."""


BIS_DAILY: Final = Publisher(
    key="bis",
    source=authoritative("BIS CBPOL daily", BIS, "https://data.bis.org/topics/CBPOL"),
    file="policy-rates-bis",
    # https://stats.bis.org/api-doc/v2/. The whole history of one area with all notes is 57 MB, so
    # only the data are requested, from a fixed month on.
    address="https://stats.bis.org",
    path=f"/api/v2/data/dataflow/BIS/WS_CBPOL/1.0/D.{'+'.join(BIS_AREAS)}"
    f"?startPeriod={FIRST_DAY[:7]}&detail=dataonly&format=csv",
    read=long_table(
        ("FREQ", "REF_AREA"), {f"D.{area}": area for area in BIS_AREAS}, whole_text=True
    ),
    published=weekly(3, time(0), "Europe/Zurich"),
    rule="in the middle of the next week; the Thursday is allowed for",
    rule_from="https://www.bis.org/statistics/relcal.htm",
    terms="Free with attribution to the BIS; drawn from central banks",
)

RATE_SOURCES: Final = (
    Publisher(
        key="federal_reserve",
        source=authoritative(
            "Federal Reserve target range, daily",
            "Federal Reserve",
            "https://www.newyorkfed.org/markets/reference-rates/effr",
        ),
        file="policy-rates-federal-reserve",
        address="https://markets.newyorkfed.org",
        path=f"/api/rates/unsecured/effr/search.json?startDate={FIRST_DAY}",
        read=read_federal_funds,
        published=next_working_day(time(9, 30), "America/New_York"),
        rule="on the next business day at about 9:00 in New York; half an hour is allowed for",
        rule_from="https://www.newyorkfed.org/markets/reference-rates/effr",
        terms="The New York Fed's Terms of Use for reference rates; for general information",
    ),
    Publisher(
        key="ecb",
        source=authoritative(
            "ECB deposit facility rate, daily",
            ECB,
            "https://data.ecb.europa.eu/data/datasets/FM/FM.D.U2.EUR.4F.KR.DFR.LEV",
        ),
        file="policy-rates-ecb",
        address="https://data-api.ecb.europa.eu",
        path=f"/service/data/FM/D.U2.EUR.4F.KR.DFR.LEV?startPeriod={FIRST_DAY}&format=csvdata",
        read=long_table(("FREQ",), {"D": "XM"}, whole_text=True),
        published=next_working_day(time(12), "Europe/Berlin"),
        rule="on the next working day; noon is allowed for",
        rule_from="https://data.ecb.europa.eu/data/datasets/FM/FM.D.U2.EUR.4F.KR.DFR.LEV",
        terms="Free reuse where the ECB is named and the figures are not changed",
    ),
    Publisher(
        key="bank_of_canada",
        source=authoritative(
            "Bank of Canada V39079, daily",
            BANK_OF_CANADA,
            "https://www.bankofcanada.ca/rates/daily-digest/",
        ),
        file="policy-rates-bank-of-canada",
        address="https://www.bankofcanada.ca",
        path=f"/valet/observations/V39079/csv?start_date={FIRST_DAY}",
        read=wide_table("date", {"V39079": "CA"}, whole_text=True),
        published=next_working_day(time(12), "America/Toronto"),
        rule="on the next business day; noon is allowed for",
        rule_from="https://www.bankofcanada.ca/valet/docs",
        terms="Free with attribution to the Bank of Canada",
    ),
    Publisher(
        key="bank_of_england",
        source=authoritative(
            "Bank of England IUDBEDR, daily",
            BANK_OF_ENGLAND,
            "https://www.bankofengland.co.uk/boeapps/database/Bank-Rate.asp",
        ),
        file="policy-rates-bank-of-england",
        address="https://www.bankofengland.co.uk",
        path="/boeapps/database/_iadb-fromshowcolumns.asp?csv.x=yes"
        "&Datefrom=01/Jan/2026&Dateto=now&SeriesCodes=IUDBEDR&CSVF=TN&UsingCodes=Y&VPD=Y&VFD=N",
        read=wide_table("DATE", {"IUDBEDR": "GB"}, "%d %b %Y", whole_text=True),
        published=next_working_day(time(12), "Europe/London"),
        rule="by noon of the next working day",
        rule_from="https://www.bankofengland.co.uk/boeapps/database/Bank-Rate.asp",
        terms="Open Government Licence",
    ),
    Publisher(
        key="norges_bank",
        source=authoritative(
            "Norges Bank KPRA, daily",
            "Norges Bank",
            "https://www.norges-bank.no/en/topics/Statistics/open-data/",
        ),
        file="policy-rates-norges-bank",
        address="https://data.norges-bank.no",
        path=f"/api/data/IR/B.KPRA.SD.R?format=csv&startPeriod={FIRST_DAY}&locale=en",
        read=long_table(("FREQ",), {"B": "NO"}, whole_text=True),
        published=next_working_day(time(12), "Europe/Oslo"),
        rule="on the next working day at about 9:00 in Oslo; noon is allowed for",
        rule_from="https://www.norges-bank.no/tema/Statistikk/apne-data/tilgjengelige-data/",
        terms="Free with attribution to Norges Bank",
    ),
    Publisher(
        key="riksbank",
        source=authoritative(
            "Riksbank SECBREPOEFF, daily",
            "Sveriges Riksbank",
            "https://www.riksbank.se/en-gb/statistics/interest-rates-and-exchange-rates/",
        ),
        file="policy-rates-riksbank",
        address="https://api.riksbank.se",
        path=f"/swea/v1/Observations/SECBREPOEFF/{FIRST_DAY}",
        read=observations_of("SE"),
        published=next_working_day(time(12), "Europe/Stockholm"),
        rule="on the next working day; noon is allowed for",
        rule_from="https://developer.api.riksbank.se",
        terms="Free with attribution to the Riksbank",
    ),
    Publisher(
        key="hkma_base_rate",
        source=authoritative(
            "HKMA discount window base rate, daily",
            HKMA,
            "https://apidocs.hkma.gov.hk/documentation/market-data-and-statistics/"
            "daily-monetary-statistics/daily-figures-interbank-liquidity/",
        ),
        file="policy-rate-hk.json",
        address="https://api.hkma.gov.hk",
        path=(
            "/public/market-data-and-statistics/daily-monetary-statistics/"
            "daily-figures-interbank-liquidity?pagesize=1000"
        ),
        read=read_hkma,
        # A new row without one of its rates leaves fewer values than before.
        rolls=True,
        published=next_working_day(time(12), "Asia/Hong_Kong"),
        rule="on the next business day; noon is allowed for",
        rule_from="https://apidocs.hkma.gov.hk/",
        terms="Free with attribution to the HKMA",
    ),
    BIS_DAILY,
)
"""In order of precedence: a bank's own series before the BIS's."""


def recorded_rates(publisher: Publisher, by_series: DailySeries) -> Mapping[str, RecordedRates]:
    """A publisher's series, by area."""
    ranges = {end.format(area) for area in by_series.series for end in (LOW, HIGH)}
    return {
        area: RecordedRates(
            RateSeries(values),
            publisher.source.origin or publisher.source.name,
            publisher.source.name,
            _ranges(by_series, area),
        )
        for area, values in by_series.series.items()
        if values and area not in ranges
    }


def _ranges(by_series: DailySeries, area: str) -> Mapping[date, tuple[Decimal, Decimal]]:
    lows = by_series.series.get(LOW.format(area), {})
    highs = by_series.series.get(HIGH.format(area), {})
    return {day: (lows[day], highs[day]) for day in lows.keys() & highs.keys()}


def month_end_rates(by_series: DailySeries) -> Mapping[str, Mapping[str, Decimal]]:
    """The rates at month ends from a daily series of the BIS, for complete months, by area and
    month such as 2026-10: the last available rate of each month, as in the BIS's monthly series."""
    found: dict[str, dict[str, Decimal]] = {}
    for area in BIS_AREAS:
        values = by_series.series.get(area, {})
        last = max(values, default=date.min)
        found[area] = {f"{day:%Y-%m}": rate for day, rate in values.items()}
        found[area].pop(f"{last:%Y-%m}", None)
    return found
