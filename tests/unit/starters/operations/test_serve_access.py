"""`desk serve`: who gets in, what a browser may do, and what it says without a desk to ask."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from desk.platform.settings import ServeSettings, Settings
from desk.programs.week.archive import write_archive
from starters.operations.serve.application import application
from starters.operations.serve.command import check_access, hosts_of
from starters.operations.serve.serving.guard import Admission
from starters.operations.serve.serving.hosting import DeskKeeper, listening
from starters.operations.serve.serving.site import Site, spoken
from starters.session import Desk
from starters.terminal.exit_status import UsageError
from tests.support.documents.archives import report_of, shelve
from tests.support.processes.homes import home_settings

HERE = "http://127.0.0.1:8250"
TOKEN = "a token that nobody guesses"


def browser(
    folder: Path,
    token: str | None = None,
    at: str = "127.0.0.1",
    keeper: DeskKeeper | None = None,
    **serve: object,
) -> TestClient:
    """A browser at an address, before the pages of a desk that has no server yet."""
    where = ServeSettings.model_validate(serve)
    secret = SecretStr(token) if token else None
    site = Site(home_settings(folder), keeper or DeskKeeper(), Admission.of(where, secret))
    return TestClient(
        application(site, hosts_of(where)),
        base_url=HERE,
        client=(at, 50_000),
        follow_redirects=False,
        raise_server_exceptions=False,
    )


class Kept(DeskKeeper):
    """A keeper of a desk whose server listens elsewhere than the settings say."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._desk = cast("Desk", SimpleNamespace(settings=settings))


def test_pages_lead_to_the_temporal_ui_of_the_server_that_was_found(tmp_path: Path) -> None:
    settings = home_settings(tmp_path)
    server = settings.server.model_copy(update={"ui_port": 8_239})
    kept = Kept(settings.model_copy(update={"server": server}))
    link = '<a href="http://127.0.0.1:8239">Temporal UI</a>'
    assert link in browser(tmp_path, keeper=kept).get("/reports").text
    assert link not in browser(tmp_path).get("/reports").text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8250", "", "[::1"])
def test_a_name_that_somebody_else_had_resolve_to_this_machine_gets_nothing(
    tmp_path: Path, host: str
) -> None:
    answer = browser(tmp_path).get("/reports", headers={"Host": host})
    assert answer.status_code == 400
    assert "Research desk" not in answer.text
    assert "hosts = [...] under [serve]" in answer.text


def test_this_machine_and_the_names_of_desk_toml_are_answered(tmp_path: Path) -> None:
    reached = browser(tmp_path, hosts=["desk.example.com"])
    for host in ("localhost:8250", "127.0.0.1:8250", "[::1]:8250", "desk.example.com"):
        assert reached.get("/reports", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_that_no_page_of_the_desk_sent_is_refused(
    tmp_path: Path, sent: dict[str, str]
) -> None:
    answer = browser(tmp_path).post("/logout", headers=sent)
    assert answer.status_code == 403
    assert "is sent from a page of the desk" in answer.text


@pytest.mark.parametrize("sent", [{"Origin": HERE}, {"Sec-Fetch-Site": "same-origin"}])
def test_a_form_of_the_desk_is_taken(tmp_path: Path, sent: dict[str, str]) -> None:
    assert browser(tmp_path).post("/logout", headers=sent).status_code == 303


def test_with_a_token_nobody_gets_in_who_did_not_send_it(tmp_path: Path) -> None:
    reached = browser(tmp_path, TOKEN)
    assert reached.get("/reports").headers["location"] == "/login"
    assert reached.get("/reports/index.html").status_code == 303
    assert reached.get("/", headers={"HX-Request": "true"}).status_code == 401
    assert reached.post("/logout", headers={"Origin": HERE}).status_code == 401
    wrong = reached.post("/login", data={"token": "guessed"}, headers={"Origin": HERE})
    assert wrong.status_code == 403
    assert "That is not the token" in wrong.text
    forged = {"Cookie": "desk-serve=1790000000.0000"}
    assert reached.get("/reports", headers=forged).status_code == 303
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    assert reached.get("/reports", headers=bearer).status_code == 200


def test_a_browser_that_has_sent_the_token_stays_in_until_it_logs_out(tmp_path: Path) -> None:
    reached = browser(tmp_path, TOKEN)
    entered = reached.post("/login", data={"token": TOKEN}, headers={"Origin": HERE})
    kept = entered.headers["set-cookie"]
    assert all(word in kept for word in ("HttpOnly", "SameSite=strict"))
    assert TOKEN not in kept
    assert reached.get("/reports").status_code == 200
    reached.post("/logout", headers={"Origin": HERE})
    assert reached.get("/reports").status_code == 303


def test_a_pass_is_good_for_half_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reached = browser(tmp_path, TOKEN)
    monkeypatch.setattr("starters.operations.serve.serving.guard.time.time", lambda: 1_000_000.0)
    reached.cookies.set("desk-serve", Admission(SecretStr(TOKEN)).pass_now())
    assert reached.get("/reports").status_code == 200
    monkeypatch.setattr(
        "starters.operations.serve.serving.guard.time.time", lambda: 1_000_000.0 + 43_201
    )
    assert reached.get("/reports").status_code == 303


def test_the_header_of_a_proxy_is_believed_from_its_own_address_alone(tmp_path: Path) -> None:
    named = {"X-Forwarded-User": "anna"}
    proxy = browser(
        tmp_path, at="10.0.0.5", proxy_header="X-Forwarded-User", proxies=["10.0.0.0/29"]
    )
    assert proxy.get("/reports").status_code == 403
    assert "anna" in proxy.get("/reports", headers=named).text
    other = browser(
        tmp_path, at="10.0.0.9", proxy_header="X-Forwarded-User", proxies=["10.0.0.0/29"]
    )
    assert other.get("/reports", headers=named).status_code == 403


def test_other_machines_are_let_in_by_a_token_or_a_proxy_only(tmp_path: Path) -> None:
    settings = home_settings(tmp_path)
    check_access(settings, ServeSettings())
    with pytest.raises(UsageError, match="DESK_SERVE_TOKEN"):
        check_access(settings, ServeSettings(ip="0.0.0.0"))
    with pytest.raises(UsageError, match="an IP address"):
        check_access(settings, ServeSettings(ip="desk.example.com"))
    check_access(settings, ServeSettings(ip="0.0.0.0", proxy_header="X-Forwarded-User"))
    keyed = home_settings(tmp_path, DESK_SERVE_TOKEN=TOKEN)
    check_access(keyed, ServeSettings(ip="0.0.0.0"))
    assert TOKEN not in repr(keyed)
    short = home_settings(tmp_path, DESK_SERVE_TOKEN="guess me")
    with pytest.raises(UsageError, match="shorter than 16") as refused:
        check_access(short, ServeSettings())
    assert "guess me" not in str(refused.value)


def test_a_page_allows_no_script_inside_of_it_and_no_frame_around_it(tmp_path: Path) -> None:
    answer = browser(tmp_path).get("/reports")
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "<style" not in answer.text
    assert " style=" not in answer.text
    assert answer.headers["cache-control"] == "no-store"


def test_a_page_that_could_not_be_made_allows_no_more_than_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("starters.operations.serve.pages.reports._published", breaks)
    answer = browser(tmp_path).get("/reports/week.json")
    assert answer.status_code == 500
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert answer.headers["Cache-Control"] == "no-store"


def test_without_a_desk_a_page_says_so_and_asks_again(tmp_path: Path) -> None:
    answer = browser(tmp_path).get("/")
    assert answer.status_code == 503
    assert "does not answer" in answer.text
    assert "Try now" in answer.text
    # Nothing is sent twice: a form that did not arrive is for its sender to send again.
    sent = browser(tmp_path).post("/retry", headers={"Origin": HERE})
    assert sent.status_code == 503
    assert "may not have arrived" in sent.text
    assert "Try now" not in sent.text
    form = browser(tmp_path).post("/week", data={"week": "2026-W44"}, headers={"Origin": HERE})
    assert 'value="2026-W44"' in form.text
    assert "does not answer" in form.text


def test_what_a_command_says_between_backticks_is_code_and_the_rest_is_text() -> None:
    said = spoken("no worker <b>; `desk worker all` starts it")
    assert said == "no worker &lt;b&gt;; <code>desk worker all</code> starts it"
    assert spoken("one ` alone") == "one ` alone"


def test_a_published_page_may_run_the_archives_script_and_load_nothing(tmp_path: Path) -> None:
    shelve(tmp_path / "reports", report_of("2026-W35", "+1.10"))
    write_archive(tmp_path / "reports")
    reached = browser(tmp_path)
    assert "2026-W35" in reached.get("/reports").text
    answer = reached.get("/reports/search.html")
    policy = answer.headers["content-security-policy"]
    own = answer.text.partition("script-src '")[2].partition("'")[0]
    assert f"script-src '{own}'" in policy
    assert "default-src 'none'" in policy


def test_what_is_published_is_listed_by_what_it_is_about(tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    shelve(reports, report_of("2026-W35"), slug="usdjpy-jp")
    (reports / "answers").mkdir()
    for name, said in (("ask-1", '{"question": "What <b>moved</b>?"}'), ("ask-2", "no JSON")):
        for suffix, text in ((".html", "a page"), (".json", said)):
            (reports / "answers" / f"{name}{suffix}").write_text(text)
    listed = browser(tmp_path).get("/reports").text
    assert "2026-W35-usdjpy-jp</a>" in listed
    assert "What &lt;b&gt;moved&lt;/b&gt;?</a>" in listed
    assert "ask-2</a>" in listed


@pytest.mark.parametrize(
    "name",
    [
        *("../kept/secret.json", "%2e%2e/kept/secret.json", ".hidden.json", "/etc/passwd"),
        *("key.pem", "%00.json", f"{'a' * 300}.json"),
    ],
)
def test_only_what_is_published_is_served(tmp_path: Path, name: str) -> None:
    reports, kept = tmp_path / "reports", tmp_path / "kept"
    for folder in (reports, kept):
        folder.mkdir()
    for file in (reports / ".hidden.json", reports / "key.pem", kept / "secret.json"):
        file.write_text("a secret")
    (reports / "link.json").symlink_to(kept / "secret.json")
    for asked in (name, "link.json"):
        answer = browser(tmp_path).get(f"/reports/{asked}")
        assert answer.status_code == 404
        assert "a secret" not in answer.text


def test_what_is_asked_for_is_escaped_where_it_is_told(tmp_path: Path) -> None:
    answer = browser(tmp_path).get("/reports/<script>alert(1)</script>")
    assert answer.status_code == 404
    assert "<script>alert" not in answer.text
    assert "&lt;script&gt;alert" in answer.text


def test_a_form_without_end_is_refused(tmp_path: Path) -> None:
    answer = browser(tmp_path, TOKEN).post(
        "/login", data={"token": "x" * 100_000}, headers={"Origin": HERE}
    )
    assert answer.status_code == 413


def test_a_taken_port_is_told() -> None:
    with listening("127.0.0.1", 0, "") as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"{port}.*`--port 0` takes a free one"):
            listening("127.0.0.1", port, "`--port 0` takes a free one")
