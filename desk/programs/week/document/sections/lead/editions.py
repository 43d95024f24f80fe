"""The editions of the lead's rules. An audit recomposes an earlier lead by its original rules."""

from typing import Final

LITTLE_HAS_NO_SIDE: Final = 2
"""The first edition of the rules in which a move that is little changed has no direction."""

SAYS_NO_FIXING: Final = 4
"""The first edition of the rules in which a week without fixings does not read as a calm one."""

SAYS_LARGER: Final = 5
"""The first edition of the rules in which a move of more than one deviation is not called
ordinary."""

SAYS_NONE_SOON: Final = 8
"""The first edition of the rules in which a bank that decides after the calendar's last day is not
said to have no day on record, and the reason beside a theme continues the line of its title."""

NAMES_ALL_CHANGES: Final = 8
"""The first edition of the rules in which the lead leaves out no bank that changed its rate."""

SAYS_ONLY_KNOWN: Final = 8
"""The first edition of the rules in which a move without a z-score is not called ordinary, and a
neighbour that did not move at all has no direction."""

SHORTER: Final = 9
"""The first edition of the rules in which the lead begins with the most unusual move, states an end
of the year's range from the dollar's side, counts many banks instead of naming them, and repeats in
a theme neither another theme's decisions nor which days are not on record."""
