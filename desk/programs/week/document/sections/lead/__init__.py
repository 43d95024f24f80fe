"""The lead of a report: the week in a sentence, and its few themes, composed by rule from the
claims, the decisions and the news.

Sentences contain references to claims and no other figures. That something was decided or written
in the same week is stated as such, never as a cause.
"""

from desk.programs.week.document.sections.lead.editions import LITTLE_HAS_NO_SIDE
from desk.programs.week.document.sections.lead.lead import lead_of

__all__ = ["LITTLE_HAS_NO_SIDE", "lead_of"]
