"""Payloads in a bucket, behind the protocol of S3 with its signatures."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.converter import StorageDriverRetrieveContext, StorageDriverStoreContext

from desk.platform.payloads.bucket import bucket_driver
from desk.platform.settings import SettingsError
from desk.platform.settings.store import StoreSettings, read_store
from desk.platform.temporal.conversion import data_converter
from tests.support.outside.receivers import Bucket, bucket

STORING, RETRIEVING = StorageDriverStoreContext(), StorageDriverRetrieveContext()
LARGE = bytes(range(256)) * 400


@pytest.fixture
def there() -> Iterator[Bucket]:
    with bucket() as found:
        yield found


def store_of(there: Bucket, **changed: str) -> StoreSettings:
    found = read_store({**there.variables, **changed})
    assert found is not None
    return found


async def test_what_is_stored_comes_back_by_another_process(there: Bucket) -> None:
    payloads = [Payload(data=LARGE), Payload(metadata={"encoding": b"json/plain"})]
    claims = await bucket_driver(store_of(there)).store(STORING, payloads)
    assert all(key.startswith("desk/payloads/v0/d/sha256/") for key in there.objects)
    assert await bucket_driver(store_of(there)).retrieve(RETRIEVING, claims) == payloads


async def test_what_is_stored_again_is_put_again_so_that_its_age_is_that_of_its_last_use(
    there: Bucket,
) -> None:
    driver = bucket_driver(store_of(there))
    first, second = [(await driver.store(STORING, [Payload(data=LARGE)])) for _ in range(2)]
    assert first == second
    assert len(there.objects) == 1
    assert len(there.puts) == 2


async def test_an_object_that_was_damaged_is_an_error(there: Bucket) -> None:
    driver = bucket_driver(store_of(there))
    claims = await driver.store(STORING, [Payload(data=LARGE)])
    (key,) = there.objects
    there.objects[key] += b"!"
    with pytest.raises(ValueError, match="integrity"):
        await driver.retrieve(RETRIEVING, claims)


async def test_a_wrong_key_is_an_error_that_names_the_bucket_and_not_the_key(there: Bucket) -> None:
    driver = bucket_driver(store_of(there, DESK_STORE_SECRET_ACCESS_KEY="another secret"))
    with pytest.raises(RuntimeError, match="bucket=research-desk") as caught:
        await driver.store(STORING, [Payload(data=LARGE)])
    assert "another secret" not in str(caught.value)
    assert "another secret" not in repr(
        store_of(there, DESK_STORE_SECRET_ACCESS_KEY="another secret")
    )


async def test_a_large_argument_is_in_the_bucket_and_a_small_one_stays_in_history(
    there: Bucket, tmp_path: Path
) -> None:
    writer = data_converter(tmp_path / "one", store=store_of(there))
    reader = data_converter(tmp_path / "another", store=store_of(there))
    large = "".join(chr(0x4E00 + 7919 * n % 20_000) for n in range(60_000))
    for value, objects in (("small", 0), (large, 1)):
        assert await reader.decode(await writer.encode([value])) == [value]
        assert len(there.objects) == objects
    assert not list(tmp_path.rglob("*"))


async def test_what_a_folder_has_from_before_the_bucket_is_still_read(
    there: Bucket, tmp_path: Path
) -> None:
    large = "".join(chr(0x4E00 + 7919 * n % 20_000) for n in range(60_000))
    before = await data_converter(tmp_path).encode([large])
    assert await data_converter(tmp_path, store=store_of(there)).decode(before) == [large]
    assert not there.objects


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"DESK_STORE": "research-desk"}, "DESK_STORE is 'research-desk'; allowed: such as s3://"),
        ({"DESK_STORE": "s3://Not_A_Bucket"}, "DESK_STORE is 's3://Not_A_Bucket'"),
        (
            {"DESK_STORE": "s3://desk", "DESK_STORE_ENDPOINT": "store:9000"},
            "DESK_STORE_ENDPOINT is",
        ),
    ],
)
def test_an_address_that_names_no_bucket_is_refused(variables: dict[str, str], told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        read_store(variables)


def test_keys_under_amazons_names_are_used_where_the_store_has_none_of_its_own() -> None:
    amazon = {"DESK_STORE": "s3://desk", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    own = {"DESK_STORE_ACCESS_KEY_ID": "c", "DESK_STORE_SECRET_ACCESS_KEY": "d"}
    for variables, keys in ((amazon, ("a", "b")), (amazon | own, ("c", "d"))):
        store = read_store(variables)
        assert store is not None
        assert tuple(store.credentials.values()) == keys


def test_without_an_address_there_is_no_store() -> None:
    assert read_store({"AWS_ENDPOINT_URL": "http://minio:9000"}) is None
