"""Who records policy rates without a key: where, under which terms, when, and in which form."""

from collections.abc import Mapping
from datetime import date, time
from decimal import Decimal
from typing import Annotated, Final

from pydantic import BaseModel, Field, TypeAdapter

from desk.sources.serving.daily_series import (
    DailySeries,
    Publisher,
    authoritative,
    long_table,
    months_later,
    next_working_day,
    parsed_json,
    whole,
    wide_table,
)
from desk.sources.serving.origins import IMF, RESERVE_BANK_OF_AUSTRALIA

IMF_AREAS: Final[Mapping[str, str]] = {
    "IDN": "ID",
    "IND": "IN",
    "KOR": "KR",
    "MYS": "MY",
    "NZL": "NZ",
    "PHL": "PH",
    "THA": "TH",
}
"""Countries whose monetary policy-related rate at the IMF is the instrument that the desk has."""


class _BaseRate(BaseModel):
    day: date = Field(alias="end_of_date")
    rate: Annotated[Decimal, Field(allow_inf_nan=False)] | None = Field(alias="disc_win_base_rate")


class _Records(BaseModel):
    records: list[_BaseRate]


class _Liquidity(BaseModel):
    result: _Records


def read_hkma(content: bytes) -> DailySeries:
    """An answer of the HKMA's API on daily interbank liquidity, with the base rate of each day."""
    rows = parsed_json(TypeAdapter(_Liquidity), content).result.records
    return whole({"HK": {row.day: row.rate for row in rows if row.rate is not None}})


FIRST_YEAR: Final = 2023
"""What is fetched begins with this year."""

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
}
"""What the banks' own series are of. Of other areas the policy rate."""

EFFECTIVE_WITHIN: Final[Mapping[str, int]] = dict.fromkeys(
    ("AU", "CA", "CH", "GB", "HK", "NO", "US"), 1
)
"""Days from a decision until it shows in the bank's own series, where it is the next one. The ECB
and the Riksbank begin a week later."""


KEPT: Final = (
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
        key="hkma_base_rate",
        source=authoritative(
            "HKMA, discount window base rate",
            "Hong Kong Monetary Authority",
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
        published=next_working_day(time(12), "Asia/Hong_Kong"),
        rule="on the next business day; noon is allowed for",
        rule_from="https://apidocs.hkma.gov.hk/",
        terms="Free with attribution to the HKMA",
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
"""Those whose files this server keeps, beside what the server `central_banks` keeps."""
