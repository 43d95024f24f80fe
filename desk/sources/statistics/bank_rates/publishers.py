"""The publishers of policy rates that need no key: address, terms, publication time and format."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Annotated, Final

from pydantic import BaseModel, Field, TypeAdapter

from desk.sources.serving.daily_series import (
    DailySeries,
    Publisher,
    authoritative,
    day_as,
    long_table,
    months_later,
    next_working_day,
    on_the_day,
    parsed_json,
    whole,
    wide_table,
)
from desk.sources.serving.kept_file import DamagedFile
from desk.sources.serving.origins import (
    BANK_OF_JAPAN,
    IMF,
    INTERBANK_FUNDING_CENTER,
    OECD,
    RESERVE_BANK_OF_AUSTRALIA,
)

_Rate = Annotated[Decimal, Field(allow_inf_nan=False)]

IMF_AREAS: Final[Mapping[str, str]] = {
    "IDN": "ID",
    "IND": "IN",
    "KOR": "KR",
    "MYS": "MY",
    "NZL": "NZ",
    "PHL": "PH",
    "THA": "TH",
}
"""Countries whose monetary policy-related rate at the IMF is the instrument that the desk
covers."""


CALL_RATE: Final = "JP call rate"
"""Name of the series of the Bank of Japan's average of actual overnight rates."""


OVERNIGHT: Final[Mapping[str, str]] = {
    "KOR.IRSTCI": "KR overnight, month",
    "NZL.IRSTCI": "NZ overnight, month",
}
"""Names of the series of monthly averages of overnight rates, by country and measure, for areas
whose banks keep that rate at their policy rate and publish no series of it without a key."""


class _SurveyedValues(BaseModel):
    days: list[int] = Field(alias="SURVEY_DATES")
    values: list[_Rate | None] = Field(alias="VALUES")


class _SurveyedSeries(BaseModel):
    told: _SurveyedValues = Field(alias="VALUES")


class _ResultSet(BaseModel):
    series: list[_SurveyedSeries] = Field(alias="RESULTSET", min_length=1)


def read_call_rate(content: bytes) -> DailySeries:
    """Reads an answer of the Bank of Japan's time-series API on one daily series.

    Raises:
        DamagedFile: it is not such an answer.
    """
    told = parsed_json(TypeAdapter(_ResultSet), content).series[0].told
    days = [_DAY(str(number)) for number in told.days]
    if None in days or len(days) != len(told.values):
        raise DamagedFile("its days and its values do not belong together")
    pairs = zip(days, told.values, strict=True)
    return whole({CALL_RATE: {day: value for day, value in pairs if day and value is not None}})


_DAY: Final = day_as("%Y%m%d")


class _LoanPrimeRate(BaseModel):
    day: date = Field(alias="showDateCN")
    one_year: _Rate = Field(alias="1Y")


class _LoanPrimeRates(BaseModel):
    records: list[_LoanPrimeRate]


def read_loan_prime_rates(content: bytes) -> DailySeries:
    """Reads an answer of China Money on the loan prime rate: the one-year rate on the days of its
    publication, about twelve a year."""
    rows = parsed_json(TypeAdapter(_LoanPrimeRates), content).records
    return whole({"CN": {row.day: row.one_year for row in rows}})


FIRST_YEAR: Final = 2023
"""The first year that is fetched."""

INSTRUMENTS: Final[Mapping[str, str]] = {
    "US": "federal funds target range, midpoint",
    "XM": "deposit facility rate",
    "GB": "Bank Rate",
    "HK": "HKMA base rate",
    "CA": "target for the overnight rate",
    "AU": "cash rate target",
    "CH": "SNB policy rate",
    "NO": "sight deposit rate (policy rate)",
    "SE": "policy rate",
    "CN": "one-year loan prime rate",
}
"""The instruments of the banks' own series. For other areas the policy rate."""

EFFECTIVE_WITHIN: Final[Mapping[str, int]] = dict.fromkeys(
    ("AU", "CA", "CH", "GB", "HK", "NO", "US"), 1
)
"""Days from a decision until it appears in the bank's own series, if it is the next day. The ECB
and the Riksbank take a week longer."""


_YEAR: Final = datetime.now(UTC).year
"""The year in which the process started: a server requests the next year after its next start."""

RATE_PUBLISHERS: Final = (
    Publisher(
        key="reserve_bank_of_australia_rate",
        source=authoritative(
            "Reserve Bank of Australia, cash rate target F1",
            RESERVE_BANK_OF_AUSTRALIA,
            "https://www.rba.gov.au/statistics/cash-rate/",
        ),
        file="policy-rate-au.csv",
        address="https://www.rba.gov.au",
        path="/statistics/tables/csv/f1-data.csv",
        read=wide_table("Series ID", {"FIRMMCRTD": "AU"}, "%d-%b-%Y"),
        published=next_working_day(time(12), "Australia/Sydney"),
        rule="on the next business morning; noon is allowed for",
        rule_from="https://www.rba.gov.au/statistics/tables/",
        terms="CC BY 4.0, attributed to the Reserve Bank of Australia",
    ),
    Publisher(
        key="swiss_national_bank_rate",
        source=authoritative(
            "Swiss National Bank, SNB policy rate",
            "Swiss National Bank",
            "https://data.snb.ch/en/topics/snb/cube/snbgwdzid",
        ),
        file="policy-rate-ch.csv",
        address="https://data.snb.ch",
        path=f"/api/cube/snbgwdzid/data/csv/en?dimSel=D0(LZ)&fromDate={FIRST_YEAR}-01-01",
        read=long_table(("D0",), {"LZ": "CH"}, day="Date", value="Value"),
        published=next_working_day(time(12), "Europe/Zurich"),
        rule="on the next working day; noon is allowed for",
        rule_from="https://data.snb.ch/en/topics/snb/cube/snbgwdzid",
        terms="Free with attribution to the Swiss National Bank",
    ),
    Publisher(
        key="bank_of_japan_call_rate",
        source=authoritative(
            "Bank of Japan, uncollateralised overnight call rate, average",
            BANK_OF_JAPAN,
            "https://www.boj.or.jp/en/statistics/market/short/mutan/index.htm",
        ),
        file="call-rate-jp.json",
        address="https://www.stat-search.boj.or.jp",
        path="/api/v1/getDataCode?format=json&lang=en&db=FM01&code=STRDCLUCON&startDate=202601",
        read=read_call_rate,
        published=next_working_day(time(12), "Asia/Tokyo"),
        rule="on the next business day at 10:00 in Tokyo; noon is allowed for",
        rule_from="https://www.boj.or.jp/en/statistics/outline/exp/exfm.htm",
        terms="Free with attribution; the Bank of Japan does not answer for what is made of it",
    ),
    Publisher(
        key="loan_prime_rate",
        source=authoritative(
            "China Money, loan prime rate",
            INTERBANK_FUNDING_CENTER,
            "https://www.chinamoney.com.cn/english/bmklpr/",
        ),
        file=f"policy-rate-cn-{_YEAR}.json",
        address="https://www.chinamoney.com.cn",
        # It returns a year at most, which always includes the fixing of the December before.
        path="/ags/ms/cm-u-bk-currency/LprHis?lang=EN"
        f"&strStartDate={_YEAR - 1}-12-20&strEndDate={_YEAR}-12-19",
        read=read_loan_prime_rates,
        published=on_the_day(time(12), "Asia/Shanghai"),
        rule="on the 20th of each month at 9:00 in Shanghai; noon is allowed for",
        rule_from="https://www.chinamoney.com.cn/english/bmklpr/",
        terms="Free for information with attribution to the National Interbank Funding Center",
    ),
    Publisher(
        key="oecd_overnight",
        source=authoritative(
            "OECD, overnight interbank rates, averages of months",
            OECD,
            "https://data-explorer.oecd.org/?df[id]=DSD_STES%40DF_FINMARK",
        ),
        file="overnight-rates-oecd.csv",
        address="https://sdmx.oecd.org",
        path="/public/rest/data/OECD.SDD.STES,DSD_STES@DF_FINMARK,4.0/KOR+NZL.M.IRSTCI.PA....."
        f"?startPeriod={FIRST_YEAR}-01&dimensionAtObservation=AllDimensions&format=csvfile",
        read=long_table(("REF_AREA", "MEASURE"), OVERNIGHT, pattern="%Y-%m"),
        published=months_later(2),
        rule="averages of months, in the course of the next; the first day after is allowed for",
        rule_from="https://data-explorer.oecd.org/?df[id]=DSD_STES%40DF_FINMARK",
        terms="CC BY 4.0, attributed to the OECD",
    ),
    Publisher(
        key="imf_rates",
        source=authoritative(
            "IMF, monetary policy-related interest rates (MFS_IR)",
            IMF,
            "https://data.imf.org/en/datasets/IMF.STA:MFS_IR",
        ),
        file="policy-rates-imf.csv",
        address="https://api.imf.org",
        path=(
            f"/external/sdmx/2.1/data/MFS_IR/{'+'.join(IMF_AREAS)}"
            f".MFS166_RT_PT_A_PT.M?startPeriod={FIRST_YEAR}-01"
        ),
        read=long_table(("COUNTRY",), IMF_AREAS, pattern="%Y-M%m"),
        published=months_later(3),
        rule="averages of months, two months after their end; the first day after is allowed for",
        rule_from="https://data.imf.org/en/datasets/IMF.STA:MFS_IR",
        terms="Free with attribution to the IMF",
        headers={"Accept": "application/vnd.sdmx.data+csv"},
    ),
)
"""The publishers whose files this server caches, in addition to those of the server
`central_banks`."""
