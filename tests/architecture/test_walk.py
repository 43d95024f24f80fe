"""Where docs/code.md says to begin reading, there is something to read."""

import re

import pytest

from tests.support.processes.homes import PROJECT

PAGE = (PROJECT / "docs" / "code.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| .+ \| `([\w/]+\.py)` \| `(\w+)` \|$", PAGE, re.MULTILINE)


def test_the_page_names_eight_files() -> None:
    assert len(ROWS) == 8


@pytest.mark.parametrize(("file", "name"), ROWS)
def test_a_file_defines_what_the_page_says_to_begin_at(file: str, name: str) -> None:
    code = (PROJECT / file).read_text(encoding="utf-8")
    assert re.search(rf"^(class|(async )?def) {name}\b", code, re.MULTILINE)
