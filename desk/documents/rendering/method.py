"""How to read the figures, in the few lines that go with every report."""

from typing import Final

METHOD: Final = (
    "Move: the change from the last fixing before the window to the last one in it, in percent "
    "of the former. A pair is quoted as units of its second currency for one of its first, so a "
    "rise of USD/JPY is a rise of the dollar and a rise of EUR/USD is a fall of it.",
    "z-score (σ): the move against the weekly moves of the 52 weeks before, in their standard "
    "deviations. Pegged pairs have none; they are judged by their place in the band.",
    "52-week range: where the last fixing lies between the lowest (0 %) and the highest (100 %).",
    "Differential (bp): an area's policy rate less that of the base area; for a pair, that of its "
    "first currency less that of its second. A target range counts at its midpoint.",
    "Direction: which way the week's move points. How likely a pair is to be fixed higher in four "
    "weeks is how often it was, four weeks after past weeks that moved the same way.",
    "Every figure is a claim with evidence: the tool result it was read from or computed of. "
    "What is missing is said and never filled in. The rules in full: docs/method.md.",
)
