"""What the desk's currencies are called, by the Unicode CLDR as Babel has it."""

from functools import cache

from babel import Locale

from desk.analytics.names.markets import AREAS


@cache
def currency_words() -> frozenset[str]:
    """The last word of each currency's English name, in small letters: `yen`, `dollar`, `won`."""
    names = Locale("en").currencies
    return frozenset(names[code].split()[-1].lower() for code in AREAS)
