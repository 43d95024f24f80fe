"""The models that an evaluation is tried with."""

import http.client
import json
import urllib.request

import pytest

from tests.support.models.stand_in_models import Character, stand_in


def asked(url: str, request: object) -> None:
    body = json.dumps(request).encode()
    headers = {"content-type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(url, body, headers))


def test_a_stand_in_that_cannot_answer_ends_the_evaluation() -> None:
    with (
        pytest.raises(RuntimeError, match="1 requests had no answer"),
        stand_in(Character.HONEST, 1) as url,
        pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)),
    ):
        asked(url, {})
