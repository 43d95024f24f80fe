"""`python -m tests.bench.peers` where the engines of others are not installed."""

import pytest

from tests.bench.peers.__main__ import asked_for


@pytest.mark.parametrize("python", ["/nowhere/bin/python", "/bin/false"])
def test_without_the_engines_one_line_says_what_to_run(
    python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        asked_for(["--python", python])
    assert ended.value.code == 2
    assert capsys.readouterr().err.splitlines() == [
        f"{python} cannot run LangGraph and DBOS: run `make install-peers`, or name an "
        "interpreter that has them with --python"
    ]
