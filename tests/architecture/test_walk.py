"""The way of one market that docs/code.md tells is the way that the code goes."""

import re

from tests.architecture.walk import BACK, THERE, broken, files
from tests.support.homes import PROJECT


def test_every_step_is_there_and_is_handed_the_work_by_the_one_before() -> None:
    assert broken() == []


def test_the_page_names_the_files_of_the_way_in_their_order_and_counts_them() -> None:
    page = (PROJECT / "docs" / "code.md").read_text(encoding="utf-8")
    section = page.partition("## One market, from the command to the page")[2].partition("\n## ")[0]
    rows = "\n".join(re.findall(r"^\| [^|]+ \| (.+) \|$", section, re.MULTILINE))
    assert tuple(re.findall(r"`([\w/]+\.py)`", rows)) == files((*THERE, *BACK))
    assert f"{len(files(THERE))} to the ECB's" in section
    assert f"{len(files(BACK))} back to the page" in section
