"""The reasons why Yahoo gives no usable answer."""


class YahooRefused(Exception):
    """Yahoo could not be asked, or refused; asking later may help. The message is a sentence."""


class YahooUnusable(Exception):
    """Yahoo's answer is not reliable. The message says what is wrong."""


class UnknownAtYahoo(Exception):
    """Yahoo has no such symbol."""


class NoneInRange(Exception):
    """Yahoo has the symbol, but no close of it between the requested days."""
