"""The desk's own table of names for currencies and countries, in addition to the CLDR's.

It contains only words and is quick to load, because workflows import its readers.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from desk.contracts.markets import AreaCode

ALSO_CALLED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "AUD": ("Aussie", "Aussie dollar", "Ozzie", "Oz dollar"),
        "CAD": ("loonie", "loony"),
        "CHF": ("franc", "Swissie", "Swissy"),
        "CNY": ("yuan", "renminbi", "Chinese renminbi", "CNH", "redback"),
        "CZK": ("koruna", "Czech crown"),
        "DKK": ("Danish crown",),
        "EUR": ("single currency",),
        "GBP": ("pound", "sterling", "pound sterling", "British pound sterling", "cable", "quid"),
        "HUF": ("forint",),
        "IDR": ("rupiah",),
        "ILS": ("shekel", "Israeli shekel"),
        "INR": ("rupee",),
        "ISK": ("Icelandic krona",),
        "JPY": ("yen",),
        "KRW": ("Korean won",),
        "MYR": ("ringgit",),
        "NOK": ("krone", "Norwegian crown", "Nokkie", "Nokki", "Nockie"),
        "NZD": ("kiwi", "kiwi dollar"),
        "PHP": ("peso",),
        "PLN": ("zloty",),
        "RUB": ("ruble", "rouble", "Russian rouble"),
        "SEK": ("krona", "Swedish crown", "Stokkie", "Stokki", "Stockie", "Stocky"),
        "SGD": ("sing dollar", "Singdollar"),
        "THB": ("baht",),
        "TRY": ("lira",),
        "TWD": ("Taiwan dollar",),
        "USD": ("dollar", "U.S. dollar", "greenback"),
        "ZAR": ("rand",),
    }
)
"""Names that the CLDR lacks: the market's own, and the single word that means one currency by
default."""

LEVELS_CALLED: Final[Mapping[str, str]] = MappingProxyType({"parity": "1"})
"""The market's names for levels of a pair."""

UNITS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "AUD": ("dollar", "dollars"),
        "CAD": ("dollar", "dollars"),
        "CHF": ("franc", "francs"),
        "CNY": ("yuan", "renminbi"),
        "DEM": ("mark", "marks"),
        "DKK": ("krone", "kroner"),
        "EUR": ("euro", "euros"),
        "GBP": ("pound", "pounds"),
        "HKD": ("dollar", "dollars"),
        "IDR": ("rupiah",),
        "INR": ("rupee", "rupees"),
        "ISK": ("krona", "kronur"),
        "JPY": ("yen",),
        "KRW": ("won",),
        "MYR": ("ringgit",),
        "NLG": ("guilder", "guilders"),
        "NOK": ("krone", "kroner"),
        "NZD": ("dollar", "dollars"),
        "PHP": ("peso", "pesos"),
        "SEK": ("krona", "kronor"),
        "SGD": ("dollar", "dollars"),
        "THB": ("baht",),
        "TRY": ("lira",),
        "TWD": ("dollar", "dollars"),
        "USD": ("dollar", "dollars"),
        "VND": ("dong",),
        "ZAR": ("rand",),
    }
)
"""The units of amounts of a currency, singular and plural."""

SUBUNITS: Final = ("cent", "cents", "pence", "sen", "pfennig", "pfennigs")
"""Hundredths of currencies."""

COUNTRIES: Final[Mapping[AreaCode, tuple[str, ...]]] = MappingProxyType(
    {
        "US": ("US", "U.S.", "United States", "American"),
        "XM": ("euro area", "euro zone", "eurozone", "Euro area", "Euro zone", "Eurozone"),
        "JP": ("Japan", "Japanese", "JP"),
        "GB": ("UK", "U.K.", "Britain", "British", "Brits", "GB"),
        "CH": ("Switzerland", "Swiss", "CH"),
        "AU": ("Australia", "Australian", "AU"),
        "NZ": ("New Zealand", "New Zealander", "Kiwis", "NZ"),
        "CA": ("Canada", "Canadian", "CA"),
        "SE": ("Sweden", "Swedish", "Swedes", "SE"),
        "NO": ("Norway", "Norwegian"),
        "CN": ("China", "Chinese", "CN"),
        "HK": ("Hong Kong", "HK"),
        "SG": ("Singapore", "SG"),
        "KR": ("Korea", "Korean", "KR"),
        "IN": ("India", "Indian"),
        "ID": ("Indonesia", "Indonesian"),
        "TH": ("Thailand", "Thai", "TH"),
        "MY": ("Malaysia", "Malaysian", "MY"),
        "PH": ("Philippine", "Philippines", "Filipino", "PH"),
        "TW": ("Taiwan", "Taiwanese", "TW"),
    }
)
"""The countries of the central banks, with their adjectives, as written within a sentence."""

GOVERNMENT_BONDS: Final[Mapping[AreaCode, tuple[str, ...]]] = MappingProxyType(
    {
        "AU": ("ACGB", "ACGBs"),
        "CN": ("CGB", "CGBs"),
        "GB": ("gilt", "gilts"),
        "IN": ("G-Sec", "G-Secs"),
        "JP": ("JGB", "JGBs"),
        "KR": ("KTB", "KTBs"),
        "NZ": ("NZGB", "NZGBs"),
        "US": ("Treasuries", "T-bill", "T-bills", "T-bond", "T-bonds", "T-note", "T-notes"),
        "XM": (
            *("Bobl", "Bobls", "bonos", "BTP", "BTPs", "bund", "bunds"),
            *("OAT", "OATs", "Schatz", "Schaetze"),
        ),
    }
)
"""The market's names for government bonds, by the area of their currency. Omits ambiguous words,
such as `treasury` alone."""

SEATS: Final[Mapping[AreaCode, tuple[str, ...]]] = MappingProxyType(
    {
        "AU": ("Canberra", "Sydney", "Martin Place", "Down Under"),
        "CA": ("Ottawa",),
        "CH": ("Berne", "Bern", "Zurich", "Zürich"),
        "CN": ("Beijing",),
        "GB": ("London", "Threadneedle Street", "Threadneedle St", "Threadneedle"),
        "ID": ("Jakarta",),
        "IN": ("Mumbai", "Mint Street", "New Delhi", "Delhi"),
        "JP": ("Tokyo",),
        "KR": ("Seoul",),
        "MY": ("Kuala Lumpur",),
        "NO": ("Oslo",),
        "NZ": ("Wellington",),
        "PH": ("Manila",),
        "SE": ("Stockholm",),
        "TH": ("Bangkok",),
        "TW": ("Taipei",),
        "US": ("Washington",),
        "XM": ("Frankfurt",),
    }
)
"""The seats of the central banks and their governments: the name of a place may mean the bank."""

CALLED_TOGETHER: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "antipodean": ("AUD", "NZD"),
        "antipodeans": ("AUD", "NZD"),
        "scandi": ("SEK", "NOK"),
        "scandie": ("SEK", "NOK"),
        "scandies": ("SEK", "NOK"),
        "scandis": ("SEK", "NOK"),
        "scandinavian currencies": ("SEK", "NOK"),
    }
)
"""The market's single words for several currencies."""

BANKS_CALLED_TOGETHER: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "antipodean central banks": ("AUD", "NZD"),
        "nordic central banks": ("SEK", "NOK"),
        "scandi central banks": ("SEK", "NOK"),
        "scandinavian central banks": ("SEK", "NOK"),
    }
)
"""The market's single words for several central banks."""

GROUPS_CALLED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"Asia": ("EM Asia", "AXJ"), "G10": ("G-10", "majors")}
)
"""The market's other names for a group of markets."""

PAIRS_CALLED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "eurosterling": "EUR/GBP",
        "chunnel": "EUR/GBP",
        "euroyen": "EUR/JPY",
        "euppy": "EUR/JPY",
        "yuppy": "EUR/JPY",
        "euroswiss": "EUR/CHF",
        "eurostokkie": "EUR/SEK",
        "euronokkie": "EUR/NOK",
        "fiber": "EUR/USD",
        "fibre": "EUR/USD",
        "guppy": "GBP/JPY",
        "gopher": "USD/JPY",
        "ninja": "USD/JPY",
        "swissyen": "CHF/JPY",
        "dollar sing": "USD/SGD",
        "usdcnh": "USD/CNY",
    }
)
"""The market's single words for pairs."""


def is_shared(unit: str) -> bool:
    """Whether several currencies share the unit, such as dollars and kronor."""
    return sum(unit in units for units in UNITS.values()) > 1


OTHER_MARKETS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "bitcoin": ("bitcoin", "BTC", "BTCUSD", "BTC/USD"),
        "ether": ("ether", "ethereum", "ETHUSD", "ETH/USD"),
        "gold": ("gold", "XAU", "XAUUSD", "XAU/USD", "bullion"),
        "silver": ("silver", "XAG", "XAGUSD", "XAG/USD"),
        "platinum": ("platinum",),
        "copper": ("copper",),
        "oil": ("oil", "crude", "crude oil", "Brent", "WTI"),
        "natural gas": ("natural gas", "natgas", "TTF"),
        "iron ore": ("iron ore",),
        "wheat": ("wheat",),
        "the S&P index": ("S&P 500", "S&P500", "S&P", "SPX", "SPY"),
        "the Nasdaq": ("Nasdaq 100", "Nasdaq", "NDX", "QQQ"),
        "the Dow Jones": ("Dow Jones", "the Dow", "DJIA"),
        "the Russell index": ("Russell 2000",),
        "the FTSE": ("FTSE 100", "FTSE", "Footsie"),
        "the DAX": ("DAX",),
        "the Euro Stoxx": ("Euro Stoxx 50", "Euro Stoxx", "Eurostoxx", "Stoxx 600"),
        "the CAC": ("CAC 40", "CAC"),
        "the Nikkei": ("Nikkei 225", "Nikkei", "Topix"),
        "the Hang Seng": ("Hang Seng",),
        "the Kospi": ("Kospi",),
        "the VIX": ("VIX",),
    }
)
"""Markets other than currencies that people ask about and the desk does not have, by their names
within a sentence."""
