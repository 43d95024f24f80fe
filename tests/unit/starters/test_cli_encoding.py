"""What a command writes where an encoding lacks the signs that the desk prints."""

import io
import json

import pytest

from starters.terminal.encoding import print_in_any_encoding


def written(text: str, encoding: str) -> str:
    """The text as a stream of that encoding has it."""
    held = io.BytesIO()
    stream = io.TextIOWrapper(held, encoding=encoding)
    print_in_any_encoding(stream, None)
    stream.write(text)
    stream.flush()
    return held.getvalue().decode(encoding)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_figure_keeps_its_minus_in_every_encoding(encoding: str) -> None:
    assert written("USD/JPY:move −0.29 %…", encoding).startswith("USD/JPY:move -0.29 %")


def test_json_can_be_read_in_every_encoding() -> None:
    told = {"text": "“over the week” −1.1 σ → 2 σ"}
    lines = written(json.dumps(told, ensure_ascii=False), "ascii")
    assert json.loads(lines)["text"] == "“over the week” -1.1 σ → 2 σ"


def test_what_an_encoding_has_is_written_as_it_is() -> None:
    assert written("−0.29 % σ –", "utf-8") == "−0.29 % σ –"
