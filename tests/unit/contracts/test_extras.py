"""The extras that messages name are those of the package, with both ways to install them."""

import tomllib
from pathlib import Path

import pytest

from desk.contracts.agents.extras import Extra, extras_named, install_words

PROJECT = Path(__file__).parents[3]
OF_DEVELOPERS = ("dev", "peers")


def test_every_extra_of_the_package_but_those_of_developers_can_be_named() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {*Extra, *OF_DEVELOPERS} == set(project["optional-dependencies"])


@pytest.mark.parametrize("extra", Extra)
def test_who_has_no_makefile_is_told_what_pip_takes(extra: Extra) -> None:
    told = install_words(extra)
    assert f"pip install 'research-desk[{extra}]'" in told
    assert f"install-{extra}" in (PROJECT / "Makefile").read_text(encoding="utf-8")
    assert extras_named((f"RSI needs TA-Lib; run {told}.", "nothing", told)) == (extra,)


def test_what_no_extra_brings_is_none() -> None:
    assert extras_named(("Run `make install-nothing`.", "Run `make install-swarmed`.")) == ()
