"""The ways in which asking Yahoo ends without an answer that can be used."""


class YahooRefused(Exception):
    """Yahoo could not be asked, or said no; asking later may help. Its text is a sentence."""


class YahooUnusable(Exception):
    """Yahoo answered, but not in a way that can be relied on. Its text says what is wrong."""


class UnknownAtYahoo(Exception):
    """Yahoo has no such symbol."""


class NoneInRange(Exception):
    """Yahoo has the symbol and no close of it between the days asked for."""
