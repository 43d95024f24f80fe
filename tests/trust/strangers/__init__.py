"""Damages to published reports and answers by somebody who does not know how they are audited.

What a reader sees of a report is changed so that it misleads, and the seal is made anew wherever
that can be done. How many of them an audit finds is for others to count.
"""

from tests.trust.strangers.copies import Damaged, damaged_copies

__all__ = ["Damaged", "damaged_copies"]
