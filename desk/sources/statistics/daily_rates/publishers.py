"""The publishers of daily exchange rates that need no key: address, terms and publication time."""

from collections.abc import Mapping
from datetime import time
from typing import Final

from desk.sources.serving.daily_series import (
    Publisher,
    authoritative,
    next_working_day,
    on_the_day,
    weekly,
)
from desk.sources.serving.origins import (
    BANK_OF_CANADA,
    BANK_OF_ENGLAND,
    BIS,
    FEDERAL_RESERVE,
    RESERVE_BANK_OF_AUSTRALIA,
)
from desk.sources.statistics.daily_rates import formats

FIRST_YEAR: Final = 2023
"""The first year that is fetched: enough for a year's backfill and the year before it."""


PUBLISHERS: Final = (
    Publisher(
        key="bank_of_canada",
        file="daily-rates-bank-of-canada.csv",
        source=authoritative(
            "Bank of Canada, daily exchange rates",
            BANK_OF_CANADA,
            "https://www.bankofcanada.ca/rates/exchange/daily-exchange-rates/",
        ),
        address="https://www.bankofcanada.ca",
        path=f"/valet/observations/group/FX_RATES_DAILY/csv?start_date={FIRST_YEAR}-01-01",
        read=formats.read_bank_of_canada,
        published=on_the_day(time(16, 30), "America/Toronto"),
        rule="on each business day by 16:30 in Toronto",
        rule_from="https://www.bankofcanada.ca/rates/exchange/background-information-on-foreign-exchange-rates/",
        terms="Free with attribution to the Bank of Canada; daily averages, for information only",
    ),
    Publisher(
        key="reserve_bank_of_australia",
        file="daily-rates-reserve-bank-of-australia.csv",
        source=authoritative(
            "Reserve Bank of Australia, exchange rates F11.1",
            RESERVE_BANK_OF_AUSTRALIA,
            "https://www.rba.gov.au/statistics/frequency/exchange-rates.html",
        ),
        address="https://www.rba.gov.au",
        path="/statistics/tables/csv/f11.1-data.csv",
        read=formats.read_reserve_bank_of_australia,
        published=on_the_day(time(17), "Australia/Sydney"),
        rule="rates of 16:00 in Sydney, on the same day; an hour is allowed for",
        rule_from="https://www.rba.gov.au/statistics/frequency/exchange-rates.html",
        terms="CC BY 4.0, attributed to the Reserve Bank of Australia",
    ),
    Publisher(
        key="bank_of_england",
        file="daily-rates-bank-of-england.csv",
        source=authoritative(
            "Bank of England, spot exchange rates against the US dollar",
            BANK_OF_ENGLAND,
            "https://www.bankofengland.co.uk/statistics/exchange-rates",
        ),
        address="https://www.bankofengland.co.uk",
        path=(
            "/boeapps/database/_iadb-fromshowcolumns.asp?csv.x=yes"
            f"&Datefrom=01/Jan/{FIRST_YEAR}&Dateto=now"
            f"&SeriesCodes={','.join(formats.BANK_OF_ENGLAND)}&CSVF=TN&UsingCodes=Y&VPD=Y&VFD=N"
        ),
        read=formats.read_bank_of_england,
        published=next_working_day(time(12), "Europe/London"),
        rule="rates of about 16:00 in London, by noon of the next working day",
        rule_from="https://www.bankofengland.co.uk/statistics/details/further-details-about-spot-exchange-rates-data",
        terms="Open Government Licence; statistical data, no official rates",
    ),
    Publisher(
        key="federal_reserve",
        file="daily-rates-federal-reserve.csv",
        source=authoritative(
            "Federal Reserve Board, H.10 foreign exchange rates",
            FEDERAL_RESERVE,
            "https://www.federalreserve.gov/releases/h10/",
        ),
        address="https://www.federalreserve.gov",
        path=(
            "/datadownload/Output.aspx?rel=H10&series=60f32914ab61dfab590e0e470153e3ae&lastobs="
            f"&from=01/01/{FIRST_YEAR}&to=&filetype=csv&label=include&layout=seriescolumn"
        ),
        read=formats.read_h10,
        published=weekly(0, time(16, 15), "America/New_York"),
        rule="on Mondays at 16:15 in New York for the week before, after a holiday on Tuesdays",
        rule_from="https://www.federalreserve.gov/releases/h10/about.htm",
        terms="In the public domain; noon buying rates, for information",
    ),
    Publisher(
        key="bis",
        file="daily-rates-bis.csv",
        source=authoritative(
            "BIS bilateral exchange rates", BIS, "https://data.bis.org/topics/XRU"
        ),
        address="https://stats.bis.org",
        path=(
            f"/api/v1/data/WS_XRU/D.{'+'.join(formats.BIS_AREAS)}..A"
            f"?startPeriod={FIRST_YEAR}-01-01&format=csv"
        ),
        read=formats.read_bis,
        published=weekly(3, time(0), "Europe/Zurich"),
        rule="daily rates in the middle of the next week; the Thursday is allowed for",
        rule_from="https://www.bis.org/statistics/about_fx_stats.htm",
        terms="Free with attribution to the BIS; drawn from central banks and other sources",
    ),
)
"""In the order in which they are listed: the earliest publication first."""

BASES: Final[Mapping[str, str]] = {
    "bank_of_canada": "CAD",
    "reserve_bank_of_australia": "AUD",
    "bank_of_england": "USD",
    "federal_reserve": "USD",
    "bis": "USD",
}
"""The base currency of each publisher's rates, by its key."""
