"""`[deliveries]` of desk.toml: what is read, and what is refused."""

from datetime import timedelta
from pathlib import Path

import pytest

from desk.contracts.week.delivery import Channel, MailSecurity
from desk.platform.delivery.deliveries import DeliverySecrets
from desk.platform.settings import Settings, SettingsError, load_settings
from tests.support.processes.homes import PROJECT

MARKETS = '[markets]\npolicy_rates = [{ area = "JP", group = "G10" }]\n'
EMAIL = """
[deliveries.email]
host = "smtp.example.com"
user = "desk"
sender = "desk@example.com"
recipients = ["a@example.com", "b@example.com"]
"""


def loaded(directory: Path, toml: str, **environment: str) -> Settings:
    (directory / "desk.toml").write_text(MARKETS + toml)
    return load_settings(directory, environment)


def refused(directory: Path, toml: str) -> str:
    with pytest.raises(SettingsError) as caught:
        loaded(directory, toml)
    return str(caught.value)


def test_nothing_is_delivered_unless_it_is_asked_for(tmp_path: Path) -> None:
    assert load_settings(PROJECT, {}).deliveries is None
    assert loaded(tmp_path, "").deliveries is None
    assert loaded(tmp_path, "[deliveries]\n").deliveries is None


def test_the_channels_are_those_that_have_a_table(tmp_path: Path) -> None:
    toml = f"""
[deliveries]
report_url = "https://reports.example.com/weekly"
oldest = "3 days"
retries = {{ max_attempts = 4, first_pause = "1 s" }}
{EMAIL}
[deliveries.webhook]
name = "#fx-desk"

[deliveries.object_store]
bucket = "research-desk"
prefix = "desk/reports"
"""
    wanted = loaded(tmp_path, toml).deliveries
    assert wanted is not None
    assert wanted.channels == tuple(Channel)
    assert wanted.email is not None
    assert wanted.email.security is MailSecurity.STARTTLS
    assert wanted.oldest == timedelta(days=3)
    assert wanted.retries.max_attempts == 4
    assert wanted.retries.first_pause == timedelta(seconds=1)


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ("[deliveries]\noldst = '3 days'\n", "unknown key 'deliveries.oldst'"),
        (f"{EMAIL}password = 'x'\n", "unknown key 'deliveries.email.password'"),
        ("[deliveries.object_store]\nbucket = 'Not A Bucket'\n", "deliveries.object_store.bucket"),
        ("[deliveries.webhook]\nurl = 'https://x'\n", "unknown key 'deliveries.webhook.url'"),
        ("[deliveries]\nreport_url = 'https://me:pw@x/'\n", "deliveries.report_url"),
        (f"{EMAIL}security = 'none'\n", "starttls or tls with a user"),
        (EMAIL.replace("a@example.com", "nobody"), "deliveries.email.recipients"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, toml: str, told: str) -> None:
    assert told in refused(tmp_path, toml)


def test_secrets_are_the_environments_and_print_as_asterisks(tmp_path: Path) -> None:
    settings = loaded(tmp_path, EMAIL, SMTP_PASSWORD="hidden", SLACK_WEBHOOK_URL="http://x/hidden")
    secrets = DeliverySecrets.of(settings.variables)
    assert secrets.smtp_password is not None
    assert secrets.smtp_password.get_secret_value() == "hidden"
    assert "hidden" not in f"{settings!r} {secrets!r}"


def test_what_desk_toml_shows_as_a_comment_can_be_used(tmp_path: Path) -> None:
    whole = (PROJECT / "desk.toml").read_text()
    shown = whole.partition("[deliveries]")[2].partition("[server]")[0]
    lines = [line.removeprefix("# ") for line in shown.splitlines()]
    kept = [line for line in lines if line.startswith("[") or " = " in line]
    wanted = loaded(tmp_path, "\n".join(["[deliveries]", *kept])).deliveries
    assert wanted is not None
    assert wanted.channels == tuple(Channel)
    assert wanted.deadline == timedelta(hours=1)
