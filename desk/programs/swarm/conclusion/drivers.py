"""What drives a market, ranked by the weight of the evidence.

A driver is what a specialist looked at, where it leans the way the market has gone over the
quarter; it ranks by what its view weighs, its confidence times the weights of its source and agent.
Where the market has done little, what pulls each way is ranked instead.
"""

from collections.abc import Iterator, Sequence

from desk.analytics.names.markets import spoken
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.findings.results import Leaning
from desk.contracts.names import AgentId
from desk.programs.swarm.builtin.evidence import first_pointing, voice_with_evidence
from desk.programs.swarm.builtin.moves import side_of, spans
from desk.programs.swarm.conclusion.account import Account
from desk.programs.swarm.conclusion.wording import joined

_RANKS = ("first", "second", "third", "fourth", "fifth")
_WAYS = {1: ("risen", Leaning.UP, Leaning.DOWN), -1: ("fallen", Leaning.DOWN, Leaning.UP)}


def drivers(account: Account, currency: str | None = None) -> str:
    """For each market that was looked at what drives it. A currency that was asked about is named
    where the market is quoted the other way round."""
    return joined(_on(account, market.market, currency) for market in account.markets)


def _on(account: Account, market: str, currency: str | None) -> str:
    name = spoken(market)
    if account.value(market, Metric.QUARTER_MOVE) is None:
        return f"What drives {name} is not clear: its move over the quarter could not be had."
    sense = spans(account, market, 1, Metric.QUARTER_MOVE)[-1].sense
    moved = f"[[{claim_id(market, Metric.QUARTER_MOVE)}]]"
    if not sense:
        head = f"Nothing has driven {name} far over the quarter ({moved})"
        return joined((f"{head}: {_pulls(account, market)}.", _share(account, market)))
    way, along, against = _WAYS[sense]
    ranked, opposed = _ranked(account, market, along), _ranked(account, market, against)
    drove = f"driven {_ranks(ranked)}" if ranked else "and nothing found here explains it"
    other = _other_side(market, currency, sense)
    told = [f"{other}{name} has {way} over the quarter ({moved}), {drove}."]
    if opposed:
        told.append(f"Against it: {'; then '.join(opposed)}.")
    return joined((*told, _share(account, market)))


def _other_side(market: str, currency: str | None, sense: int) -> str:
    if side_of(market, currency) >= 0:
        return ""
    return f"{currency} has {'lost' if sense > 0 else 'gained'}: "


def _ranks(ranked: Sequence[str]) -> str:
    told = (f"{rank} by {words}" for rank, words in zip(_RANKS, ranked, strict=False))
    return "; ".join(told) if ranked[1:] else f"by {ranked[0]}"


def _pulls(account: Account, market: str) -> str:
    told = [
        f"{way} pull {'; then '.join(ranked)}"
        for way, leaning in (("up", Leaning.UP), ("down", Leaning.DOWN))
        if (ranked := _ranked(account, market, leaning))
    ]
    return ", and ".join(told) or _faint(account, market)


def _faint(account: Account, market: str) -> str:
    """Where nothing leans, which way the first figure of each work points, the weightiest first."""
    agents = {result.result_id: agent for agent, result in account.on(market)}
    pulls: dict[Leaning, list[str]] = {Leaning.UP: [], Leaning.DOWN: []}
    for voice in sorted(account.balances[market].voices, key=lambda voice: -voice.weight):
        agent = agents.get(voice.result.result_id)
        if agent is None or agent is AgentId.MARKET_SPECIALIST:
            continue
        leaning = first_pointing(account, agent, market)
        if leaning is not None:
            pulls[leaning].append(voice_with_evidence(account, agent, market, leaning))
    told = [
        f"faintly {leaning} pull {'; then '.join(found)}"
        for leaning, found in pulls.items()
        if found
    ]
    return ", and ".join(told) or "none of what was looked at pulls either way"


def _ranked(account: Account, market: str, leaning: Leaning) -> list[str]:
    """What leans one way, the weightiest first. The price is no driver of itself: of the market's
    own move the group's part is one, where it goes that way."""
    agents = {result.result_id: agent for agent, result in account.on(market)}
    told: list[str] = []
    for voice in sorted(account.balances[market].voices, key=lambda voice: -voice.weight):
        agent = agents.get(voice.result.result_id)
        if agent is AgentId.MARKET_SPECIALIST:
            told += _group(account, market, leaning)
        elif agent is not None and voice.view.leaning is leaning:
            told.append(voice_with_evidence(account, agent, market, leaning))
    return told


def _group(account: Account, market: str, leaning: Leaning) -> Iterator[str]:
    """The group, where it moved as the market would: the first side of a pair gains with its own
    group, and its second side with its."""
    group, own = (account.value(market, m) for m in (Metric.GROUP_MOVE, Metric.RELATIVE_MOVE))
    moved = account.value(market, Metric.QUARTER_MOVE)
    if group is None or own is None or not moved or abs(group) < abs(own):
        return
    its = (group + own > 0) == (moved > 0)
    up = (group > 0) == its
    if (Leaning.UP if up else Leaning.DOWN) is leaning:
        yield f"its group ([[{claim_id(market, Metric.GROUP_MOVE)}]])"


def _share(account: Account, market: str) -> str:
    """How much of the move is the group's, and how much its own."""
    group, own = (account.value(market, m) for m in (Metric.GROUP_MOVE, Metric.RELATIVE_MOVE))
    if group is None or own is None:
        return ""
    against = " against the US dollar" if "/" in market else ""
    who = "its own currency" if against else "it"
    share = "More of that is the group's" if abs(group) > abs(own) else "More of that is its own"
    return (
        f"{share}: the group moved [[{claim_id(market, Metric.GROUP_MOVE)}]]{against}, and {who}"
        f" [[{claim_id(market, Metric.RELATIVE_MOVE)}]] beyond it."
    )
