"""The publishers of yields, oil and stock prices that need no key: address, publication time and
format."""

from dataclasses import replace
from datetime import time
from typing import Final

from desk.sources.central_banks.recorded import observations_of
from desk.sources.serving.daily_series import (
    Publisher,
    authoritative,
    long_table,
    next_working_day,
    on_the_day,
    weekly,
    wide_table,
)
from desk.sources.serving.origins import (
    BANK_OF_CANADA,
    BANK_OF_ENGLAND,
    ECB,
    RESERVE_BANK_OF_AUSTRALIA,
)

FIRST_YEAR: Final = 2023
"""The first year that is fetched."""

FRED_TERMS: Final = "By way of FRED: name the source; for own use, not to be passed on in bulk"


def us_treasury(year: int) -> Publisher:
    """The Treasury's par yield curve of one year: it has a file for each."""
    return Publisher(
        key="us_treasury",
        source=authoritative(
            "US Treasury, daily par yield curve rates",
            "US Department of the Treasury",
            "https://home.treasury.gov/policy-issues/financing-the-government/"
            "interest-rate-statistics",
        ),
        file=f"yields-us-{year}.csv",
        address="https://home.treasury.gov",
        path=(
            f"/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv/{year}/all"
            f"?type=daily_treasury_yield_curve&field_tdr_date_value={year}&page&_format=csv"
        ),
        read=wide_table("Date", {"2 Yr": "US 2", "10 Yr": "US 10"}, "%m/%d/%Y"),
        published=on_the_day(time(18), "America/New_York"),
        rule="on each trading day by 18:00 in New York",
        rule_from="https://home.treasury.gov/policy-issues/financing-the-government/"
        "interest-rate-statistics/interest-rates-frequently-asked-questions",
        terms="In the public domain",
    )


ECB_CURVE: Final = Publisher(
    key="ecb_yield_curve",
    source=authoritative(
        "ECB euro area yield curve, AAA-rated central governments, spot rates",
        ECB,
        "https://data.ecb.europa.eu/data/datasets/YC",
    ),
    file="yields-xm.csv",
    address="https://data-api.ecb.europa.eu",
    path=(
        "/service/data/YC/B.U2.EUR.4F.G_N_A.SV_C_YM.SR_2Y+SR_10Y"
        f"?startPeriod={FIRST_YEAR}-01-01&detail=dataonly&format=csvdata"
    ),
    read=long_table(("DATA_TYPE_FM",), {"SR_2Y": "XM 2", "SR_10Y": "XM 10"}),
    published=next_working_day(time(12), "Europe/Berlin"),
    rule="at noon in Frankfurt on the next TARGET working day",
    rule_from="https://www.ecb.europa.eu/stats/financial_markets_and_interest_rates/"
    "euro_area_yield_curves/html/index.en.html",
    terms="Free reuse where the ECB is named and the figures are not changed",
)

_MOF = authoritative(
    "Ministry of Finance Japan, JGB interest rates",
    "Ministry of Finance Japan",
    "https://www.mof.go.jp/english/policy/jgbs/reference/interest_rate/index.htm",
)
_MOF_PATH = "/english/policy/jgbs/reference/interest_rate/"

JAPAN_BEFORE: Final = Publisher(
    key="mof_japan",
    source=_MOF,
    file="yields-jp.csv",
    address="https://www.mof.go.jp",
    path=f"{_MOF_PATH}historical/jgbcme_all.csv",
    read=wide_table("Date", {"2Y": "JP 2", "10Y": "JP 10"}, "%Y/%m/%d"),
    published=next_working_day(time(9, 30), "Asia/Tokyo"),
    rule="constant maturity yields of 15:00 in Tokyo, on the next business day at 9:30",
    rule_from=_MOF.url or "",
    terms="Free with attribution to the Ministry of Finance Japan",
)
"""Up to the end of the previous month."""

JAPAN_MONTH: Final = replace(
    JAPAN_BEFORE, file="yields-jp-month.csv", path=f"{_MOF_PATH}jgbcme.csv", grows=False
)
"""The current month, so that it starts over each month."""

CANADA: Final = Publisher(
    key="bank_of_canada_yields",
    source=authoritative(
        "Bank of Canada, benchmark bond yields",
        BANK_OF_CANADA,
        "https://www.bankofcanada.ca/rates/interest-rates/canadian-bonds/",
    ),
    file="yields-ca.csv",
    address="https://www.bankofcanada.ca",
    path=(
        "/valet/observations/BD.CDN.2YR.DQ.YLD,BD.CDN.10YR.DQ.YLD/csv"
        f"?start_date={FIRST_YEAR}-01-01"
    ),
    read=wide_table(
        "date",
        {"BD.CDN.2YR.DQ.YLD": "CA 2", "BD.CDN.10YR.DQ.YLD": "CA 10"},
        "%Y-%m-%d",
    ),
    published=next_working_day(time(9), "America/Toronto"),
    rule="on the next business day",
    rule_from="https://www.bankofcanada.ca/rates/interest-rates/canadian-bonds/",
    terms="Free with attribution to the Bank of Canada",
)

AUSTRALIA: Final = Publisher(
    key="reserve_bank_of_australia_yields",
    source=authoritative(
        "Reserve Bank of Australia, government bond yields F2",
        RESERVE_BANK_OF_AUSTRALIA,
        "https://www.rba.gov.au/statistics/tables/",
    ),
    file="yields-au.csv",
    address="https://www.rba.gov.au",
    path="/statistics/tables/csv/f2-data.csv",
    read=wide_table(
        "Series ID",
        {"FCMYGBAG2D": "AU 2", "FCMYGBAG10D": "AU 10"},
        "%d-%b-%Y",
    ),
    published=next_working_day(time(12), "Australia/Sydney"),
    rule="on the next business day; noon is allowed for",
    rule_from="https://www.rba.gov.au/statistics/tables/",
    terms="CC BY 4.0, attributed to the Reserve Bank of Australia",
)

ENGLAND: Final = Publisher(
    key="bank_of_england_yields",
    source=authoritative(
        "Bank of England, nominal par yield of gilts, ten years",
        BANK_OF_ENGLAND,
        "https://www.bankofengland.co.uk/statistics/yield-curves",
    ),
    file="yields-gb.csv",
    address="https://www.bankofengland.co.uk",
    path=(
        "/boeapps/database/_iadb-fromshowcolumns.asp?csv.x=yes"
        f"&Datefrom=01/Jan/{FIRST_YEAR}&Dateto=now"
        "&SeriesCodes=IUDMNPY&CSVF=TN&UsingCodes=Y&VPD=Y&VFD=N"
    ),
    read=wide_table("DATE", {"IUDMNPY": "GB 10"}, "%d %b %Y"),
    published=next_working_day(time(12), "Europe/London"),
    rule="by noon of the next working day",
    rule_from="https://www.bankofengland.co.uk/statistics/yield-curves",
    terms="Open Government Licence",
)

BESIDE: Final = "{} beside"
"""Name of the series that a yield's first publisher is compared with: another publisher's, of
another curve or hour."""


def _bundesbank(years: int) -> Publisher:
    """The Bundesbank's estimate of one maturity: it has a file for each series."""
    return Publisher(
        key="bundesbank",
        source=authoritative(
            "Deutsche Bundesbank, term structure of listed Federal securities",
            "Deutsche Bundesbank",
            "https://www.bundesbank.de/en/statistics/money-and-capital-markets/"
            "interest-rates-and-yields/daily-term-structure-on-listed-federal-securities-651570",
        ),
        file=f"yields-de-{years}.csv",
        address="https://api.statistiken.bundesbank.de",
        path=(
            f"/rest/data/BBSIS/D.I.ZST.ZI.EUR.S1311.B.A604.R{years:02}XX.R.A.A._Z._Z.A"
            f"?startPeriod={FIRST_YEAR}-01-01"
        ),
        read=long_table((), {"": BESIDE.format(f"XM {years}")}),
        published=next_working_day(time(12), "Europe/Berlin"),
        rule="on the next working day; noon in Frankfurt is allowed for",
        rule_from="https://www.bundesbank.de/en/statistics/time-series-databases/"
        "help-for-sdmx-web-service/web-service-interface-data",
        terms="Free with attribution to the Deutsche Bundesbank; figures unchanged",
        headers={"Accept": "application/vnd.sdmx.data+csv;version=1.0.0"},
    )


BUNDESBANK: Final = (_bundesbank(2), _bundesbank(10))

RIKSBANK: Final = Publisher(
    key="riksbank_yields",
    source=authoritative(
        "Sveriges Riksbank, international government bonds, ten years, United Kingdom",
        "Sveriges Riksbank",
        "https://www.riksbank.se/en-gb/statistics/interest-rates-and-exchange-rates/",
    ),
    file="yields-gb-riksbank.json",
    address="https://api.riksbank.se",
    path=f"/swea/v1/Observations/GBGVB10Y/{FIRST_YEAR}-01-01",
    read=observations_of(BESIDE.format("GB 10")),
    published=next_working_day(time(12), "Europe/Stockholm"),
    rule="on the next Swedish banking day at 9:10; noon is allowed for",
    rule_from="https://www.riksbank.se/en-gb/statistics/interest-rates-and-exchange-rates/",
    terms="Free with attribution to the Riksbank",
)

OIL: Final = Publisher(
    key="oil",
    source=authoritative(
        "EIA spot prices of crude oil (FRED DCOILWTICO, DCOILBRENTEU)",
        "US Energy Information Administration",
        "https://fred.stlouisfed.org/series/DCOILWTICO",
    ),
    file="oil.csv",
    address="https://fred.stlouisfed.org",
    path=f"/graph/fredgraph.csv?id=DCOILWTICO,DCOILBRENTEU&cosd={FIRST_YEAR}-01-01",
    read=wide_table(
        "observation_date",
        {"DCOILWTICO": "wti", "DCOILBRENTEU": "brent"},
        "%Y-%m-%d",
    ),
    published=weekly(3, time(12), "America/New_York"),
    rule="for a week on the Wednesday of the next; the Thursday's noon is allowed for",
    rule_from="https://www.eia.gov/dnav/pet/pet_pri_spt_s1_d.htm",
    terms=f"The EIA's data are in the public domain. {FRED_TERMS}",
)

STOCKS: Final = Publisher(
    key="stocks",
    source=authoritative(
        "S&P 500 (FRED SP500)",
        "S&P Dow Jones Indices",
        "https://fred.stlouisfed.org/series/SP500",
    ),
    file="stocks.csv",
    address="https://fred.stlouisfed.org",
    path=f"/graph/fredgraph.csv?id=SP500&cosd={FIRST_YEAR}-01-01",
    read=wide_table("observation_date", {"SP500": "sp500"}, "%Y-%m-%d"),
    published=next_working_day(time(9), "America/New_York"),
    rule="a day's close on the next morning in New York",
    rule_from="https://fred.stlouisfed.org/series/SP500",
    terms=f"Copyright S&P Dow Jones Indices; reproduction needs its permission. {FRED_TERMS}",
)

KEYS: Final = (
    *("us_treasury", "ecb_yield_curve", "mof_japan", "bank_of_canada_yields"),
    *("reserve_bank_of_australia_yields", "bank_of_england_yields", "bundesbank"),
    *("riksbank_yields", "oil", "stocks"),
)
"""Providers whose address can be configured."""

REVISABLE: Final = frozenset({"ecb_yield_curve", "bundesbank", "oil"})
"""The providers whose values may be revised after publication: curves are estimated again, and the
EIA makes corrections. What the desk has seen before a revision is stored."""


def publishers(year: int) -> tuple[Publisher, ...]:
    """All files that are cached in a year."""
    return (
        us_treasury(year - 1),
        us_treasury(year),
        ECB_CURVE,
        JAPAN_BEFORE,
        JAPAN_MONTH,
        CANADA,
        AUSTRALIA,
        ENGLAND,
        *BUNDESBANK,
        RIKSBANK,
        OIL,
        STOCKS,
    )
