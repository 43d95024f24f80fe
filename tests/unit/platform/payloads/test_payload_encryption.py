"""Payloads under AES-GCM: read with their own key, whichever is current, and with no other."""

from base64 import b64encode
from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload

from desk.platform.payloads.codec import CompressingCodec, DamagedPayload
from desk.platform.payloads.encryption import KEY_ID, EncryptingCodec, UnknownKey
from desk.platform.settings import SettingsError, load_settings
from desk.platform.settings.payload_keys import Keyring, UnusableKeys, read_keys
from desk.platform.temporal.conversion import data_converter
from tests.support.processes.homes import PROJECT, home_environment

OLD, NEW = b64encode(b"o" * 32).decode(), b64encode(b"n" * 32).decode()
SMALL = Payload(metadata={"encoding": b"json/plain"}, data=b'"hush"')
LARGE = Payload(metadata={"encoding": b"json/plain"}, data=b'"' + b"hush " * 10_000 + b'"')


def codec(keys: str) -> EncryptingCodec:
    return EncryptingCodec(CompressingCodec(), read_keys(keys))


@pytest.mark.parametrize("payload", [SMALL, LARGE], ids=["small", "large"])
async def test_what_is_written_with_one_key_is_read_after_a_rotation(payload: Payload) -> None:
    (written,) = await codec(f"old:{OLD}").encode([payload])
    assert b"hush" not in written.SerializeToString()
    rotated = codec(f"new:{NEW} old:{OLD}")
    assert await rotated.decode([written]) == [payload]
    (again,) = await rotated.encode([payload])
    assert again.metadata[KEY_ID] == b"new"


async def test_the_same_payload_is_never_written_the_same_way_twice() -> None:
    one, other = await codec(f"old:{OLD}").encode([SMALL, SMALL])
    assert one.data != other.data


async def test_a_key_that_is_not_here_is_named_with_what_to_do() -> None:
    (written,) = await codec(f"old:{OLD}").encode([SMALL])
    with pytest.raises(UnknownKey, match="'old', which is not here: add it to DESK_PAYLOAD_KEYS"):
        await codec(f"new:{NEW}").decode([written])


@pytest.mark.parametrize("place", [0, 5, 14, -1])
async def test_a_changed_byte_is_found(place: int) -> None:
    (written,) = await codec(f"old:{OLD}").encode([SMALL])
    changed = bytearray(written.data)
    changed[place] ^= 1
    damaged = Payload(metadata=dict(written.metadata), data=bytes(changed))
    with pytest.raises(DamagedPayload):
        await codec(f"old:{OLD}").decode([damaged])


async def test_a_payload_under_the_name_of_another_key_is_not_read() -> None:
    (written,) = await codec(f"old:{OLD}").encode([SMALL])
    written.metadata[KEY_ID] = b"new"
    with pytest.raises(DamagedPayload):
        await codec(f"new:{OLD} old:{OLD}").decode([written])


async def test_what_was_written_before_there_were_keys_is_read() -> None:
    plain = await CompressingCodec().encode([SMALL, LARGE])
    assert await codec(f"new:{NEW}").decode(plain) == [SMALL, LARGE]


async def test_the_payload_store_holds_nothing_readable(tmp_path: Path) -> None:
    converter = data_converter(tmp_path, read_keys(f"new:{NEW}"))
    words = [f"hush {number}" for number in range(100_000)]
    (stored,) = await converter.encode([words])
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert all(b"hush" not in path.read_bytes() for path in files)
    assert await converter.decode([stored]) == [words]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("", "there is no key"),
        ("# only a comment", "there is no key"),
        (OLD, "key 1 is not written as id:base64"),
        (f"a:{OLD},a:{NEW}", "two keys have the id a"),
        ("a:c2hvcnQ=", "the key a has 5 bytes, not 32"),
        ("a:!!", "the key a is no base64"),
    ],
)
def test_keys_that_cannot_be_used_are_refused_without_a_word_of_them(
    written: str, told: str
) -> None:
    with pytest.raises(UnusableKeys, match=told) as refused:
        read_keys(written)
    assert OLD not in str(refused.value)


def test_keys_come_from_the_variable_or_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(f"# current\nnew:{NEW}\n# before November\nold:{OLD}\n")
    wanted = Keyring("new", {"new": b"n" * 32, "old": b"o" * 32})
    for variables in (
        {"DESK_PAYLOAD_KEYS": f"new:{NEW},old:{OLD}"},
        {"DESK_PAYLOAD_KEY_FILE": str(file)},
    ):
        settings = load_settings(PROJECT, home_environment(tmp_path, **variables))
        assert settings.payload_keys == wanted
        assert NEW not in repr(settings)


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"DESK_PAYLOAD_KEYS": "a:b"}, "DESK_PAYLOAD_KEYS: the key a is no base64"),
        ({"DESK_PAYLOAD_KEY_FILE": "/nowhere"}, "DESK_PAYLOAD_KEY_FILE: .*No such file"),
        (
            {"DESK_PAYLOAD_KEYS": f"a:{OLD}", "DESK_PAYLOAD_KEY_FILE": "/nowhere"},
            "are both set",
        ),
    ],
)
def test_a_key_that_cannot_be_used_keeps_the_desk_from_starting(
    tmp_path: Path, variables: dict[str, str], told: str
) -> None:
    with pytest.raises(SettingsError, match=told):
        load_settings(PROJECT, home_environment(tmp_path, **variables))
