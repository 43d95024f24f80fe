"""A report of a real week with news, and with a commentary over its claims."""

import tempfile
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import SourceTier, ToolCall, ToolResult
from desk.contracts.findings.results import Commentary, EventType, Impact, MarketEvent
from desk.contracts.findings.source_results import NewsItem, NewsItems, Provenance
from desk.contracts.names import AgentId
from desk.contracts.week.report import Contribution, ResearchReport
from desk.programs.week.document.judging.claims import printed_claims
from desk.programs.week.document.judging.commentary import commentary_of, sentences_of
from desk.trust.ledger.evidence import attributed
from desk.trust.seals import sealed
from tests.support.builders import answered
from tests.trust.in_process import Tools
from tests.trust.real_weeks import Desk, Findings, real_config

WEEK = "2022-W43"
MARKETS = ("USD/JPY", "JP")
LINK = "https://news.example.com/yen"
SENTENCE = "USD/JPY moved [[USD/JPY:move]] over the week."
WIRE = Provenance(
    name="A search of the news", tier=SourceTier.SECONDARY, url="https://news.example.com/"
)


@cache
def told_report() -> ResearchReport:
    """USD/JPY with an item of news and JP, with a sentence of commentary."""
    with tempfile.TemporaryDirectory() as folder, Tools(Path(folder)) as tools:
        desk = Desk(tools, real_config(tools))
        found = [desk.research(WEEK, market) for market in MARKETS]
        found[0] = _with_news(found[0], desk.window(WEEK).end)
        report = desk.publish(WEEK, [desk.validate(findings) for findings in found])
    written = Commentary(task_id=f"{WEEK}/comment", sentences=(SENTENCE,))
    claims = printed_claims(report)
    sentences = sentences_of(commentary_of(written, claims), claims)
    line = Contribution(
        agent=AgentId.PRODUCT_MANAGER, task_type=TaskType.COMMENT_WEEK, delivered=True
    )
    return sealed(report.model_copy(update={"commentary": sentences, "commenting": line}))


def _with_news(findings: Findings, as_of: datetime) -> Findings:
    answer = _answer(as_of)
    item = MarketEvent(
        event_id="USD/JPY/news/research_fx.search_news.1.1.0",
        event_type=EventType.NEWS,
        market="USD/JPY",
        event_date=datetime(2022, 10, 27).date(),
        description="Officials in Tokyo kept silent.",
        impact=Impact.MEDIUM,
        evidence=(answer.evidence_id,),
        source_url=LINK,
        confidence=0.5,
    )
    first, *others = findings.results
    longer = first.model_copy(
        update={
            "events": (*first.events, item),
            "sources": (*first.sources, attributed(answer, WIRE)),
        }
    )
    return findings.with_results((longer, *others)).with_evidence((*findings.evidence, answer))


def _answer(as_of: datetime) -> ToolResult:
    items = (
        NewsItem(
            headline="Officials silent on the yen",
            publisher="The Wire",
            published_at=datetime(2022, 10, 27, 3, tzinfo=UTC),
            url=LINK,
        ),
        NewsItem(
            headline="Bonds were calm",
            publisher="The Wire",
            published_at=datetime(2022, 10, 28, 3, tzinfo=UTC),
            url="https://news.example.com/bonds",
        ),
    )
    call = ToolCall(
        call_id="USD/JPY/research_fx/search_news.1.1", server="google_news", tool="search_news"
    )
    return answered(call, NewsItems(as_of=as_of, source=WIRE, items=items, query="yen"))
