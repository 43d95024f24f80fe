"""Delivering a published revision: what arrives, and what is said where nothing does."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from html import unescape
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.deliveries import DeliveryActivities, letter
from desk.contracts.names import FailureType
from desk.contracts.week.delivery import (
    Channel,
    Deliveries,
    Delivery,
    DeliveryReceipt,
    EmailTarget,
    MailSecurity,
    ObjectStoreTarget,
    Parcel,
    WebhookTarget,
)
from desk.contracts.week.report import CalendarRow, ResearchReport, Sentence
from desk.documents.publishing.deliveries import channels_due
from desk.platform.delivery.deliveries import DeliverySecrets
from desk.platform.effects.journal import EffectJournal
from desk.programs.week.document.publishing import publish
from desk.programs.week.document.rendering.letter import letter_html
from tests.support.documents.published import SIGNER
from tests.support.documents.reports import sample_report
from tests.support.outside.mailbox import Mailbox, mail_server
from tests.support.outside.receivers import Bucket, Reply, bucket, room
from tests.support.processes.homes import free_port

REPORT = sample_report()
STEM = f"{REPORT.week}-asia-g10-fx.r{REPORT.revision}"
ATTEMPT = timedelta(seconds=2)
PARCEL = Parcel(
    week=REPORT.week, revision=REPORT.revision, workflow_id="weekly-2026-W38", run_id="run-1"
)
# aiosmtpd's, of every connection: it is on this machine.
pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
PASSWORD = "the mail password"


class Desk:
    """A report folder with one revision in it, a journal, and the secrets of the worker."""

    def __init__(self, directory: Path) -> None:
        self.reports_dir = directory / "reports"
        self.journal = EffectJournal(directory / "effects.db")

    async def sends(self, delivery: Delivery, **secrets: str) -> DeliveryReceipt:
        """One attempt, by a worker that has just started."""
        activities = DeliveryActivities(self.reports_dir, DeliverySecrets.of(secrets), self.journal)
        environment = ActivityEnvironment()
        environment.info = replace(environment.info, start_to_close_timeout=ATTEMPT)
        sent: DeliveryReceipt = await environment.run(activities.deliver_report, delivery)
        return sent

    async def fails(self, delivery: Delivery, **secrets: str) -> ApplicationError:
        """An attempt that does not succeed."""
        with pytest.raises(ApplicationError) as raised:
            await self.sends(delivery, **secrets)
        assert raised.value.type == FailureType.DELIVERY_FAILED
        return raised.value


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("published")
    publish(REPORT, directory / "reports")
    return directory


@pytest.fixture
def desk(published: Path, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    made.reports_dir = published / "reports"
    yield made
    made.journal.close()


def by_email(port: int, *, user: str | None = None, recipients: int = 1) -> Delivery:
    target = EmailTarget(
        host="127.0.0.1",
        port=port,
        security=MailSecurity.NONE,
        user=user,
        sender="desk@example.com",
        recipients=tuple(f"reader{n}@example.com" for n in range(1, recipients + 1)),
    )
    return Deliveries(email=target).by(Channel.EMAIL, PARCEL)


def by_webhook(report_url: str | None = None) -> Delivery:
    parcel = PARCEL.model_copy(update={"report_url": report_url})
    return Deliveries(webhook=WebhookTarget(name="#fx-desk")).by(Channel.WEBHOOK, parcel)


def to_bucket(there: Bucket, **changed: str) -> Delivery:
    named = {"bucket": there.name, "prefix": "desk/reports", "endpoint": there.url, **changed}
    target = ObjectStoreTarget.model_validate(named)
    return Deliveries(object_store=target).by(Channel.OBJECT_STORE, PARCEL)


def keys_of(there: Bucket) -> dict[str, str]:
    return {"AWS_ACCESS_KEY_ID": there.access_key, "AWS_SECRET_ACCESS_KEY": there.secret_key}


def test_an_email_says_how_many_decisions_ahead_it_does_not_list() -> None:
    report = sample_report()
    row = CalendarRow(
        area="JP",
        bank="Bank of Japan",
        day=report.as_of.date(),
        outcome=Sentence(prose="decides", text="decides"),
        ahead=True,
    )

    def forms(count: int) -> tuple[str, str]:
        listed = report.model_copy(update={"calendar": (row,) * count})
        return letter(listed, "r.html"), letter_html(listed, "Report", "r.html")

    assert not [form for form in forms(8) if "more in the report" in form]
    for form in forms(10):
        assert form.count("Bank of Japan") == forms(8)[form.startswith("<")].count("Bank of Japan")
        assert "and 2 more in the report" in form


def test_the_text_of_an_email_has_the_day_of_a_decision_and_what_is_not_in_the_report() -> None:
    report = sample_report()
    decided = CalendarRow(
        area="JP",
        bank="Bank of Japan",
        day=date(2026, 9, 18),
        outcome=Sentence(prose="outcome not on record", text="outcome not on record"),
        ahead=False,
    )
    assert report.coverage.freshness is not None
    late = report.coverage.freshness.model_copy(update={"decisions": 1, "open_decisions": 1})
    coverage = report.coverage.model_copy(update={"freshness": late})
    text = letter(
        report.model_copy(update={"calendar": (decided,), "coverage": coverage}), "r.html"
    )
    assert "Decisions\n  Fri 18 Sep Bank of Japan: outcome not on record\n" in text
    assert "\nNot in this report: what 1 bank decided" in text


async def test_an_email_has_the_first_screen_twice_and_the_report_attached(desk: Desk) -> None:
    with mail_server(Mailbox(password=PASSWORD)) as box:
        receipt = await desk.sends(
            by_email(box.port, user="desk", recipients=2), SMTP_PASSWORD=PASSWORD
        )
    (message,) = box.messages
    assert box.envelopes[0].rcpt_tos == ["reader1@example.com", "reader2@example.com"]
    assert REPORT.week in message["Subject"]
    body = message.get_body(("plain",))
    assert body is not None
    text = body.get_content()
    assert REPORT.lead is not None
    shown = message.get_body(("html",))
    assert shown is not None
    for part in (text, unescape(shown.get_content()).replace("\xa0", " ")):
        assert REPORT.lead.headline.text in part
        assert all(theme.title in part for theme in REPORT.lead.themes)
    assert f"{REPORT.coverage.researched} of {REPORT.coverage.expected} markets" in text
    assert "Biggest moves" in text
    (attached,) = message.iter_attachments()
    assert attached.get_filename() == f"{STEM}.html"
    html = (desk.reports_dir / "weekly" / f"{STEM}.html").read_text()
    assert attached.get_content().replace("\r\n", "\n") == html
    assert receipt.reference == message["Message-ID"]
    assert receipt.note == "to 2 of 2 recipients through 127.0.0.1"


async def test_what_was_sent_is_not_sent_again(desk: Desk) -> None:
    """As after a crash between the sending and the completion: the journal outlives the worker."""
    with mail_server(Mailbox()) as box, room() as told, bucket() as there:
        for _ in range(2):
            await desk.sends(by_email(box.port))
            await desk.sends(by_webhook(), SLACK_WEBHOOK_URL=told.url)
            await desk.sends(to_bucket(there), **keys_of(there))
    assert (len(box.messages), len(told.posted), len(there.puts)) == (1, 1, 3)


async def test_an_attempt_that_is_given_up_on_still_sends_once(desk: Desk) -> None:
    """As when a heartbeat is late: the attempt is cancelled while the receiver takes its time."""
    with room(Reply(after_seconds=0.5)) as told:
        first = asyncio.ensure_future(desk.sends(by_webhook(), SLACK_WEBHOOK_URL=told.url))
        while told.replies:
            await asyncio.sleep(0.01)
        first.cancel()
        await desk.sends(by_webhook(), SLACK_WEBHOOK_URL=told.url)
    assert len(told.posted) == 1


async def test_a_message_that_comes_twice_all_the_same_can_be_told(
    desk: Desk, tmp_path: Path
) -> None:
    with mail_server(Mailbox()) as box:
        await desk.sends(by_email(box.port))
        desk.journal.close()
        desk.journal = EffectJournal(tmp_path / "lost.db")
        await desk.sends(by_email(box.port))
    first, second = box.messages
    assert first["Message-ID"] == second["Message-ID"]
    assert first["Date"] == second["Date"]


async def test_a_refused_login_is_final_and_tells_no_password(desk: Desk) -> None:
    with mail_server(Mailbox(password=PASSWORD)) as box:
        failed = await desk.fails(by_email(box.port, user="desk"), SMTP_PASSWORD="wrong one")
    assert failed.non_retryable
    assert "refuses the login of desk (535)" in str(failed)
    assert "wrong one" not in str(failed)
    assert box.messages == []


async def test_a_mail_server_that_is_busy_is_tried_again(desk: Desk) -> None:
    with mail_server(Mailbox(busy=1)) as box:
        failed = await desk.fails(by_email(box.port))
        assert not failed.non_retryable
        assert "451 try again later" in str(failed)
        await desk.sends(by_email(box.port))
    assert len(box.messages) == 1


async def test_a_recipient_who_is_refused_keeps_nobody_else_from_it(desk: Desk) -> None:
    with mail_server(Mailbox(refusals={"reader2@example.com": "550 no such user"})) as box:
        receipt = await desk.sends(by_email(box.port, recipients=2))
    assert len(box.messages) == 1
    assert receipt.note.endswith("refused: reader2@example.com")


async def test_only_refused_recipients_are_final(desk: Desk) -> None:
    with mail_server(Mailbox(refusals={"reader1@example.com": "550 no such user"})) as box:
        failed = await desk.fails(by_email(box.port))
    assert failed.non_retryable
    assert "refuses every recipient (550)" in str(failed)


async def test_a_mail_server_that_is_away_or_slow_is_tried_again(desk: Desk) -> None:
    away = await desk.fails(by_email(free_port()))
    assert not away.non_retryable
    assert "cannot be reached: Connection refused" in str(away)
    with mail_server(Mailbox(think_seconds=2.5)) as box:
        slow = await desk.fails(by_email(box.port))
    assert not slow.non_retryable
    assert "did not take the message in time" in str(slow)


async def test_a_missing_secret_is_named(desk: Desk) -> None:
    with bucket() as there:
        asked = {
            "SMTP_PASSWORD": by_email(1, user="desk"),
            "SLACK_WEBHOOK_URL": by_webhook(),
            "AWS_ACCESS_KEY_ID": to_bucket(there),
        }
        for variable, delivery in asked.items():
            failed = await desk.fails(delivery)
            assert failed.non_retryable
            assert f"{variable} is not set" in str(failed)


async def test_a_room_is_told_headline_coverage_moves_and_where(desk: Desk) -> None:
    with room() as told:
        receipt = await desk.sends(
            by_webhook("https://reports.example.com/weekly"), SLACK_WEBHOOK_URL=told.url
        )
    text = told.posted[0]["text"]
    assert text.startswith(f"*{REPORT.title}: ")
    assert f"{REPORT.coverage.researched} of {REPORT.coverage.expected} markets" in text
    top = max(REPORT.movers, key=lambda mover: abs(mover.move))
    assert f"• {top.market} {top.move:+f} %" in text
    assert f"<https://reports.example.com/weekly/{STEM}.html|Open the report>" in text
    assert receipt.note == "to #fx-desk"
    assert told.keys == [receipt.reference]


async def test_without_a_link_the_path_is_told(desk: Desk) -> None:
    with room() as told:
        await desk.sends(by_webhook(), SLACK_WEBHOOK_URL=told.url)
    assert f"`{desk.reports_dir / 'weekly' / STEM}.html`" in told.posted[0]["text"]


async def test_text_from_outside_is_no_markup_in_a_room(tmp_path: Path) -> None:
    report = _with_headline("<!channel> see <https://evil.example|the report> & more")
    publish(report, tmp_path / "reports")
    desk = Desk(tmp_path)
    with room() as told:
        await desk.sends(by_webhook(), SLACK_WEBHOOK_URL=told.url)
    desk.journal.close()
    assert "&lt;!channel&gt; see &lt;https" in told.posted[0]["text"]
    assert "<!channel>" not in told.posted[0]["text"]


async def test_a_room_that_is_full_says_how_long_to_wait(desk: Desk) -> None:
    with room(Reply(429, (("Retry-After", "7"),), "rate_limited")) as told:
        failed = await desk.fails(by_webhook(), SLACK_WEBHOOK_URL=told.url)
        assert not failed.non_retryable
        assert failed.next_retry_delay == timedelta(seconds=7)
        await desk.sends(by_webhook(), SLACK_WEBHOOK_URL=told.url)
    assert len(told.posted) == 1


@pytest.mark.parametrize(
    ("reply", "final", "says"),
    [
        (Reply(503), False, "answers 503"),
        (Reply(404, (), "no_service"), True, "answers 404: no_service; see SLACK_WEBHOOK_URL"),
        (Reply(302, (("Location", "http://elsewhere.invalid/"),)), True, "answers 302"),
        (Reply(after_seconds=5), False, "did not answer in time"),
    ],
)
async def test_a_webhook_that_does_not_take_it_is_told_apart(
    desk: Desk, reply: Reply, final: bool, says: str
) -> None:
    with room(reply) as told:
        failed = await desk.fails(by_webhook(), SLACK_WEBHOOK_URL=told.url)
        secret = told.url
    assert failed.non_retryable is final
    assert says in str(failed)
    assert "the-secret-part" in secret
    assert "the-secret-part" not in str(failed)
    assert told.posted == [] or reply.after_seconds


async def test_a_webhook_that_is_away_is_tried_again_and_not_told(desk: Desk) -> None:
    url = f"http://127.0.0.1:{free_port()}/services/s3cret"
    failed = await desk.fails(by_webhook(), SLACK_WEBHOOK_URL=url)
    assert not failed.non_retryable
    assert "the webhook of #fx-desk cannot be reached" in str(failed)
    assert "s3cret" not in str(failed)


async def test_an_address_that_is_none_is_not_told(desk: Desk) -> None:
    failed = await desk.fails(by_webhook(), SLACK_WEBHOOK_URL="hooks.slack.invalid/s3cret")
    assert failed.non_retryable
    assert "s3cret" not in str(failed)


async def test_a_bucket_gets_the_files_of_the_revision(desk: Desk) -> None:
    with bucket() as there:
        receipt = await desk.sends(to_bucket(there), **keys_of(there))
    folder = desk.reports_dir / "weekly"
    assert there.objects == {
        f"desk/reports/weekly/{STEM}.{suffix}": (folder / f"{STEM}.{suffix}").read_bytes()
        for suffix in ("md", "html", "json")
    }
    assert there.types[f"desk/reports/weekly/{STEM}.html"] == "text/html; charset=utf-8"
    assert receipt.note == "3 files in the bucket research-desk"


async def test_a_bucket_gets_the_signature_with_what_was_signed(tmp_path: Path) -> None:
    publish(REPORT, tmp_path / "reports", signer=SIGNER)
    desk = Desk(tmp_path)
    with bucket() as there:
        receipt = await desk.sends(to_bucket(there), **keys_of(there))
    signature = desk.reports_dir / "weekly" / f"{STEM}.sig"
    assert there.objects[f"desk/reports/weekly/{STEM}.sig"] == signature.read_bytes()
    assert receipt.note == "4 files in the bucket research-desk"


async def test_a_bucket_that_is_not_there_is_final(desk: Desk) -> None:
    with bucket() as there:
        failed = await desk.fails(to_bucket(there, bucket="elsewhere"), **keys_of(there))
    assert failed.non_retryable
    assert "the bucket elsewhere does not exist" in str(failed)


async def test_a_wrong_key_is_final_and_not_told(desk: Desk) -> None:
    with bucket() as there:
        keys = keys_of(there) | {"AWS_SECRET_ACCESS_KEY": "another secret"}
        failed = await desk.fails(to_bucket(there), **keys)
    assert failed.non_retryable
    assert "refuses the key in AWS_ACCESS_KEY_ID" in str(failed)
    assert "another secret" not in str(failed)
    assert there.objects == {}


@pytest.mark.parametrize("reply", [Reply(503, (), "<Error/>"), Reply(429), Reply(after_seconds=5)])
async def test_a_bucket_that_is_busy_or_slow_is_tried_again(desk: Desk, reply: Reply) -> None:
    with bucket([reply]) as there:
        failed = await desk.fails(to_bucket(there), **keys_of(there))
        assert not failed.non_retryable
        await desk.sends(to_bucket(there), **keys_of(there))
    assert len(there.puts) == 3


async def test_a_revision_that_is_not_here_may_be_elsewhere(desk: Desk) -> None:
    parcel = PARCEL.model_copy(update={"revision": 9})
    delivery = by_webhook().model_copy(update={"parcel": parcel})
    failed = await desk.fails(delivery, SLACK_WEBHOOK_URL="http://127.0.0.1:1/")
    assert not failed.non_retryable
    assert f"revision 9 of {REPORT.week} is not in" in str(failed)


def test_a_week_that_is_news_no_more_is_not_sent() -> None:
    wanted = Deliveries(webhook=WebhookTarget(name="#fx-desk"))
    due = REPORT.as_of + wanted.oldest
    assert channels_due(wanted, REPORT.as_of, due) == (Channel.WEBHOOK,)
    assert channels_due(wanted, REPORT.as_of, due + timedelta(seconds=1)) == ()


def test_a_password_does_not_go_in_clear() -> None:
    with pytest.raises(ValueError, match="starttls or tls with a user"):
        EmailTarget(
            host="smtp.example.com",
            security=MailSecurity.NONE,
            user="desk",
            sender="desk@example.com",
            recipients=("reader@example.com",),
        )


@pytest.mark.parametrize("address", ["a@b\r\nBcc: c@d", "Reader <a@b>", "a@b,c@d", "nobody"])
def test_an_address_is_one_address(address: str) -> None:
    with pytest.raises(ValueError, match="recipients"):
        EmailTarget(host="mail", sender="desk@example.com", recipients=(address,))


def _with_headline(text: str) -> ResearchReport:
    assert REPORT.lead is not None
    said = REPORT.lead.headline.model_copy(update={"text": text})
    lead = REPORT.lead.model_copy(update={"headline": said})
    return REPORT.model_copy(update={"lead": lead})
