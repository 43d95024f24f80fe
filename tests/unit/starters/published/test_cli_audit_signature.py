"""`desk audit --key`: whose a published report is, and whether it is as it was signed."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.publishing import publish_answer
from desk.platform.settings import SettingsError
from desk.platform.signing import read_signing_key
from desk.programs.week.document.publishing import publish
from desk.programs.week.document.rendering.words import METHOD
from desk.trust.seals import sealed
from starters.operations.doctor.machine import signing_check
from starters.published.published_files import copy_set, latest_files
from tests.support.documents.answers import FINISHED_AT, ticket_record
from tests.support.documents.published import (
    PRIVATE,
    PUBLIC,
    SIGNER,
    Audit,
    auditing,
    copied_week,
    edited,
    published_week,
    week,
)
from tests.support.processes.homes import home_settings

OTHER_PUBLIC = """-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=
-----END PUBLIC KEY-----
"""
OLDER = "research-desk 0123456789ab"


@pytest.fixture
def audit(capsys: pytest.CaptureFixture[str]) -> Audit:
    return auditing(capsys)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "publisher.pub"
    path.write_text(PUBLIC)
    return path


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return copied_week(tmp_path, signed=True)


def test_a_signed_report_is_the_publishers(report: Path, key: Path, audit: Audit) -> None:
    for file in (report, report.with_name(f"{report.stem}.r1.json")):
        status, told = audit(file, "--key", key)
        assert status == 0
        assert f"Signed with the key {SIGNER.fingerprint}." in told
    assert json.loads(audit(report, "--key", key, "--json")[1])["signature"]["trusted"] is True


def test_a_signature_that_nobody_asked_for_is_said_not_to_be_checked(
    report: Path, audit: Audit
) -> None:
    status, told = audit(report)
    assert status == 0
    assert "Signed, which was not checked" in told


def test_another_key_a_missing_signature_and_a_change_each_have_their_own_status(
    report: Path, key: Path, audit: Audit
) -> None:
    signature = report.with_suffix(".sig")
    other = key.with_name("other.pub")
    other.write_text(OTHER_PUBLIC)
    status, told = audit(report, "--key", other)
    assert status == 5
    assert "Signed with another key" in told
    held = signature.read_text()
    signature.unlink()
    status, told = audit(report, "--key", key)
    assert status == 4
    assert "Not signed" in told
    signature.write_text(held)
    edited(report, "2022-W43", "2022-W44")
    status, told = audit(report, "--key", key)
    assert status == 6
    assert f"Changed after it was signed: {report.name} is not what was signed." in told


def test_a_change_that_was_sealed_anew_is_found_by_the_signature(
    report: Path, key: Path, audit: Audit
) -> None:
    forged = sealed(week().model_copy(update={"title": "Asia and G10 currencies, 2022-W43"}))
    published = publish(forged, report.parent.parent.with_name("forged"))
    path = Path(published.json_file)
    shutil.copyfile(report.with_suffix(".sig"), path.with_suffix(".sig"))
    status, told = audit(path, "--key", key)
    assert status == 6
    names = ", ".join(path.with_suffix(suffix).name for suffix in (".json", ".md", ".html"))
    assert names in told


@pytest.mark.parametrize("suffix", [".md", ".html"])
def test_a_changed_page_is_not_what_was_signed(
    suffix: str, report: Path, key: Path, audit: Audit
) -> None:
    edited(report.with_suffix(suffix), "Coverage", "Reach")
    status, told = audit(report, "--key", key)
    assert status == 6
    assert f"{report.with_suffix(suffix).name} is not what was signed" in told


def test_a_signed_page_of_another_version_needs_no_comparison(
    tmp_path: Path, key: Path, audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = (*METHOD[:-1], METHOD[-1].replace("never filled in", "left open"))
    told = "desk.programs.week.document.rendering.markdown.method_of"
    monkeypatch.setattr(told, lambda report: method)
    monkeypatch.setattr("desk.documents.rendering.rendering_version.rendering_mark", lambda: OLDER)
    older = published_week(tmp_path / "older", SIGNER)
    monkeypatch.undo()
    assert audit(older)[0] == 3
    status, told = audit(older, "--key", key)
    assert status == 0
    assert f"{older.stem}.md is the page that was signed" in told


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"key"', '"more": 1, "key"'),
        ('"seal": "', '"seal": "0'),
        ("==", "!="),
    ],
)
def test_a_signature_that_is_none_is_told_as_changed(
    old: str, new: str, report: Path, key: Path, audit: Audit
) -> None:
    edited(report.with_suffix(".sig"), old, new)
    status, told = audit(report, "--key", key)
    assert status == 6
    assert "is no signature" in told


def test_a_statement_that_names_the_publishers_key_and_was_not_signed_by_it_is_found(
    report: Path, key: Path, audit: Audit
) -> None:
    signature = report.with_suffix(".sig")
    held = json.loads(signature.read_text())
    held["files"]["md"] = "0" * 64
    signature.write_text(json.dumps(held))
    status, told = audit(report, "--key", key)
    assert status == 6
    assert "does not hold a signature by the key that it names" in told


@pytest.mark.parametrize("content", ["", PRIVATE, "x"])
def test_what_is_no_public_key_is_told_and_nothing_of_it_shown(
    content: str, report: Path, key: Path, audit: Audit
) -> None:
    key.write_text(content)
    status, told = audit(report, "--key", key)
    assert status == 2
    assert "there is no public key" in told
    assert "MC4CAQAw" not in told


def test_an_answer_is_signed_like_a_report(tmp_path: Path, key: Path, audit: Audit) -> None:
    answer = compile_answer(ticket_record(), finished_at=FINISHED_AT)
    path = Path(publish_answer(answer, tmp_path, SIGNER).json_file)
    assert audit(path, "--key", key)[0] == 0
    edited(path.with_suffix(".html"), "In Progress", "Closed")
    assert audit(path, "--key", key)[0] == 6


def test_what_was_published_unsigned_is_signed_when_it_is_published_again(
    tmp_path: Path, key: Path, audit: Audit
) -> None:
    path = published_week(tmp_path)
    assert audit(path, "--key", key)[0] == 4
    published_week(tmp_path, SIGNER)
    assert audit(path, "--key", key)[0] == 0


def test_files_that_were_changed_are_not_signed_as_they_are(
    report: Path, tmp_path: Path, key: Path, audit: Audit
) -> None:
    edited(report.with_suffix(".html"), "fell sharply", "rose sharply")
    report.with_suffix(".sig").unlink()
    published_week(tmp_path, SIGNER)
    assert "rose sharply" not in report.with_suffix(".html").read_text()
    assert audit(report, "--key", key)[0] == 0


def test_a_signature_does_not_stay_beside_what_it_is_not_of(
    report: Path, tmp_path: Path, key: Path, audit: Audit
) -> None:
    changed = sealed(week().model_copy(update={"title": "Another title"}))
    publish(changed, tmp_path)
    assert not report.with_suffix(".sig").exists()
    assert audit(report, "--key", key)[0] == 4


def test_a_copy_has_the_signature_of_what_was_copied(
    report: Path, tmp_path: Path, key: Path, audit: Audit
) -> None:
    files = latest_files(tmp_path, "2022-W43")
    to = tmp_path / "copies"
    to.mkdir()
    copied = copy_set(files, to)
    assert audit(Path(copied.json_file), "--key", key)[0] == 0
    report.with_suffix(".sig").unlink()
    copy_set(files, to)
    assert audit(Path(copied.json_file), "--key", key)[0] == 4


def test_a_key_comes_from_a_variable_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "publisher.key"
    file.write_text(PRIVATE)
    for variables in ({"DESK_SIGNING_KEY": PRIVATE}, {"DESK_SIGNING_KEY_FILE": str(file)}):
        settings = home_settings(tmp_path, **variables)
        assert settings.signer is not None
        assert settings.signer.fingerprint == SIGNER.fingerprint
        assert SIGNER.fingerprint in signing_check(settings).sentence
        assert "MC4CAQAw" not in repr(settings)
    assert "not signed" in signing_check(home_settings(tmp_path)).sentence


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"DESK_SIGNING_KEY": "secret-words"}, "DESK_SIGNING_KEY: there is no private key"),
        ({"DESK_SIGNING_KEY": PUBLIC}, "DESK_SIGNING_KEY: there is no private key"),
        ({"DESK_SIGNING_KEY_FILE": "/nowhere"}, "DESK_SIGNING_KEY_FILE: .*No such file"),
        ({"DESK_SIGNING_KEY": PRIVATE, "DESK_SIGNING_KEY_FILE": "/nowhere"}, "are both set"),
    ],
)
def test_a_key_that_cannot_sign_is_told_at_start(
    variables: dict[str, str], told: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=told) as raised:
        home_settings(tmp_path, **variables)
    assert "secret-words" not in str(raised.value)
    assert "MC4CAQAw" not in str(raised.value)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="OpenSSL is not installed")
def test_the_documented_commands_make_a_pair_of_keys_that_works(
    tmp_path: Path, audit: Audit
) -> None:
    private, public = tmp_path / "publisher.key", tmp_path / "publisher.pub"
    for line in (
        f"genpkey -algorithm ed25519 -out {private}",
        f"pkey -in {private} -pubout -out {public}",
    ):
        subprocess.run(["openssl", *line.split()], check=True, capture_output=True)
    path = published_week(tmp_path, read_signing_key(private.read_text()))
    assert audit(path, "--key", public)[0] == 0


def test_two_publishers_of_one_report_with_one_key_write_the_same_signature(tmp_path: Path) -> None:
    one, two = (published_week(tmp_path / name, SIGNER) for name in ("one", "two"))
    assert one.with_suffix(".sig").read_bytes() == two.with_suffix(".sig").read_bytes()
