"""Folders of reports on several machines that have a bucket in common."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from desk.platform.delivery.shared_reports import INDEX, SharedReports, StoreUnreachable
from desk.platform.settings.store import StoreSettings, read_store
from tests.support.outside.receivers import Bucket, bucket

FORMS = ("md", "html", "json")
WEEK = "weekly/2026-W44-asia-g10-fx"


@pytest.fixture
def there() -> Iterator[Bucket]:
    with bucket() as found:
        yield found


def store_of(there: Bucket) -> StoreSettings:
    found = read_store(there.variables)
    assert found is not None
    return found


def publish(folder: Path, name: str, text: str) -> None:
    for form in FORMS:
        path = folder / f"{name}.{form}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text} as {form}")


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != INDEX)
    return {str(path.relative_to(folder)): path.read_text() for path in files}


async def test_what_one_publishes_the_others_have(there: Bucket, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    publish(one, "weekly/2026-W44-asia-g10-fx", "the first")
    publish(one, "answers/question", "the answer")
    await SharedReports(store_of(there), one).put()
    await SharedReports(store_of(there), other).fetch()
    assert contents(other) == contents(one)
    assert len(contents(other)) == 6

    publish(other, "weekly/2026-W44-asia-g10-fx", "the second")
    await SharedReports(store_of(there), other).put()
    await SharedReports(store_of(there), one).fetch()
    assert contents(one)["weekly/2026-W44-asia-g10-fx.html"] == "the second as html"


async def test_what_has_not_changed_is_neither_put_nor_fetched_again(
    there: Bucket, tmp_path: Path
) -> None:
    publish(tmp_path, "weekly/2026-W44-asia-g10-fx", "the first")
    for _ in range(2):
        shared = SharedReports(store_of(there), tmp_path)
        await shared.put()
        await shared.fetch()
    assert (len(there.puts), len(there.gets)) == (3, 0)


async def test_the_json_form_comes_last_both_ways(there: Bucket, tmp_path: Path) -> None:
    publish(tmp_path / "one", "weekly/2026-W44-asia-g10-fx", "the first")
    await SharedReports(store_of(there), tmp_path / "one").put()
    await SharedReports(store_of(there), tmp_path / "other").fetch()
    assert there.puts[-1].endswith(".json")
    assert there.gets[-1].endswith(".json")


def publish_revision(folder: Path, number: int) -> None:
    """A week's revision under its own name and under that of the week."""
    for stem in (f"{WEEK}.r{number}", WEEK):
        for form in ("md", "html"):
            path = folder / f"{stem}.{form}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"revision {number} as {form}")
        (folder / f"{stem}.json").write_text(json.dumps({"revision": number}))


async def test_nobody_gets_the_page_of_one_revision_beside_the_figures_of_another(
    there: Bucket, tmp_path: Path
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    publish_revision(one, 1)
    await SharedReports(store_of(there), one).put()
    await SharedReports(store_of(there), other).fetch()
    before = contents(other)

    publish_revision(one, 2)
    await SharedReports(store_of(there), one).put()
    figures = f"desk/reports/{WEEK}.json"
    assert [key.removeprefix("desk/reports/") for key in there.puts[-3:]] == [
        f"{WEEK}.{form}" for form in ("html", "md", "json")
    ]
    # As it was before its last object was put.
    last = there.objects.pop(figures)
    there.objects[figures] = json.dumps({"revision": 1}).encode()
    await SharedReports(store_of(there), other).fetch()
    assert {name: contents(other)[name] for name in before} == before
    there.objects[figures] = last
    await SharedReports(store_of(there), other).fetch()
    assert contents(other) == contents(one)
    puts = len(there.puts)
    await SharedReports(store_of(there), other).put()
    assert len(there.puts) == puts


async def test_drafts_and_pages_of_the_archive_stay_here(there: Bucket, tmp_path: Path) -> None:
    for name in ("weekly/.2026-W44.md.0a1b.new", "index.html", "markets/jp.html"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a draft")
    await SharedReports(store_of(there), tmp_path).put()
    assert not there.objects


@pytest.mark.parametrize("name", ["weekly/../../escaped", "weekly/.hidden", "index.html", "/etc/x"])
async def test_a_name_in_the_bucket_writes_nowhere_else(
    there: Bucket, tmp_path: Path, name: str
) -> None:
    there.objects[f"desk/reports/{name}"] = b"planted"
    # A name that leaves its folder is refused by the library already.
    with suppress(StoreUnreachable):
        await SharedReports(store_of(there), tmp_path / "reports").fetch()
    assert not contents(tmp_path)


async def test_without_a_store_nothing_is_asked(there: Bucket, tmp_path: Path) -> None:
    publish(tmp_path, "weekly/2026-W44-asia-g10-fx", "the first")
    await SharedReports(None, tmp_path).put()
    await SharedReports(None, tmp_path).fetch()
    assert not there.objects
    assert not (tmp_path / INDEX).exists()


async def test_a_store_that_refuses_is_an_error_that_says_what_was_asked_for(
    there: Bucket, tmp_path: Path
) -> None:
    refused = read_store({**there.variables, "DESK_STORE_SECRET_ACCESS_KEY": "another"})
    with pytest.raises(StoreUnreachable, match="list its reports"):
        await SharedReports(refused, tmp_path).fetch()
