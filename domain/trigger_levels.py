"""Whether a written level is one that would matter if it were reached, or one that was."""

import re
from collections.abc import Iterator
from typing import Final

from domain.number_reading import Measure, WrittenNumber

_CURRENCY: Final = r"(?:the\s)?(?:[A-Z]{0,2}[$€£¥₩₹₱฿]|[A-Z]{3}\s)?"
_THRESHOLD: Final = re.compile(
    r"(?:\b(?:above|below|over|under|beneath|beyond|through|past)"
    r"|\b(?:break|breach|loss|test|north|south)\sof"
    rf"|[<>≤≥])\s?{_CURRENCY}$",
    re.IGNORECASE,
)
_REACHED: Final = re.compile(
    r"\b(?:to|at|of|near|around|towards?|hits?|hitting|reach(?:es|ed|ing)?|touch(?:es|ed)?"
    r"|exceed(?:s|ed|ing)?|cross(?:es|ed|ing)?|breach(?:es|ed|ing)?|break(?:s|ing)?|between|and)"
    rf"\s{_CURRENCY}$",
    re.IGNORECASE,
)
_WATCHED: Final = re.compile(
    r"(?P<name>\b(?:triggers?|thresholds?|line\sin\sthe\ssand))"
    r"(?:\s(?:levels?|is|at|of|for|remains|lies|sits|seen|as|put|set|widely|likely)){0,5}[:,]?"
    rf"\s{_CURRENCY}$",
    re.IGNORECASE,
)
_PASSED: Final = re.compile(
    r"\b(?:cross|hit|breach|pass|reach|test|touch|clear|exceed|broke|break|trip)\w*\s(?:through\s)?"
    r"(?:the|its|their|a|Tokyo's|Japan's)\s(?:\w+\s){0,2}$",
    re.IGNORECASE,
)
"""What says of the line or threshold named behind it that it was crossed."""

_LINE: Final = (
    r"(?:\w+\s){0,2}(?:line\sin\sthe\ssand|red\sline|threshold|trigger"
    r"|level\s(?:that\s)?(?:\w+\s){0,2}(?:watch(?:es)?|would|to\swatch))\b"
)
_NAMED: Final = re.compile(
    rf"\s(?:is|remains|(?:would|may|could|might)\sbe)\s(?:the|an?|its|their)\s{_LINE}"
    r"|\s(?:level|mark|area|line|handle)\swould\b"
)
_ALONE: Final = re.compile(rf"\W*(?:the\s|a\s)?{_CURRENCY}", re.IGNORECASE)
_TAKES: Final = re.compile(
    rf"\b(?:sees?|views?|regards?|treats?|takes?|cites?|defends?|watch(?:es)?"
    rf"|(?:talk|speak)\sof)\s{_CURRENCY}$",
    re.IGNORECASE,
)
_TAKEN_AS: Final = re.compile(rf"\s(?:as|to\sbe)\s(?:the|an?|its|their)\s{_LINE}")
_ACTS: Final = re.compile(
    r"\s(?:the\s)?(?:stops|orders|bids|offers|barriers|sellers|buyers|officials|authorities|exporters"
    r"|importers|traders|bulls|bears|funds|investors|hedgers|models|algos|speculators|policymakers"
    r"|(?-i:MoF|HKMA|SNB|PBoC|RBI|BoK|BoJ|ECB|Fed|Bank|Japan|Tokyo|Beijing|Seoul|Delhi|Jakarta))\s"
    r"(?:(?!of\b|in\b|who\b|that\b|and\b|at\b|from\b|on\b)[a-z]+)\b",
    re.IGNORECASE,
)
"""Who acts at a level, and a verb: `above 160 officials step in`."""

_IF: Final = re.compile(
    r"\b(?:if(?!\s(?:anything|any|not|only)\b)|unless|in\scase|were\s(?:\S+\s){1,3}to)\b|^\s*should\b",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(
    r"\b(?:unclear|clear|uncertain|certain|unsure|sure|unknown|ask\w*|doubt\w*|know\w*|knew|wonder\w*"
    r"|see[ns]?|saw|seeing|question\w*|debat\w*|discuss\w*|check\w*|test\w*|tell|told|decid\w*)\s"
    r"(?:(?!that\b)\w+\s){0,2}$",
    re.IGNORECASE,
)
"""What makes the `if` after it a question: `it is unclear if`."""

_WHAT_TRADES: Final = (
    r"(?:\b(?:[A-Z]{3}/[A-Z]{3}|(?-i:[A-Z]{6}))|\b(?:dollar|yen|euro|sterling|pound|franc|won|yuan|rupee"
    r"|rupiah|baht|ringgit|peso|pair|spot|fixing|cable))"
)
_SIDE: Final = r"(?:above|below|over|under|beneath|beyond|through|past)"
_HEADLINE: Final = re.compile(
    rf"{_WHAT_TRADES}\s(?:(?:well|just|back|far|again|firmly|still)\s)?{_SIDE}\s\S{{0,4}}$",
    re.IGNORECASE,
)
_WITH: Final = re.compile(
    r"\s*with\s(?!(?:a|any|another|stops?|orders?|bids?|offers?)\b)", re.IGNORECASE
)
_WITH_IT: Final = re.compile(
    rf"\bwith\s(?:the\s)?{_WHAT_TRADES}\s(?:\w+\s){{0,2}}{_SIDE}\s\S{{0,4}}$", re.IGNORECASE
)
_SUPPOSED: Final = re.compile(r"\b(?:if|would|should|could|might|unless|were)\b", re.IGNORECASE)
"""`Officials would act with USD/JPY above 150`; they may act where it stands there."""

_CONDITION: Final = re.compile(
    r"\b(?:if|should|would|could|might|(?-i:may)|will|unless|until(?!\s(?-i:[A-Z]))"
    r"|once(?!\s(?:again|more)\b)|whenever|in\scase|were\sto|must|can(?:not)?"
    r"|needs?|has\sto|have\sto)\b",
    re.IGNORECASE,
)
_OUTLOOK: Final = re.compile(
    r"\b(?:risk(?:s|ing)?(?!\s(?:appetite|sentiment|assets?|aversion|mood|premi\w+|off|on)\b)|likely"
    r"|(?<!as\s)(?<!than\s)expect\w*|watch(?:es|ing|ed\sfor)?|eye[sd]?"
    r"|eyeing|possible|potential|threshold|triggers?|alert|beware|fear\w*|threat\w*|aim\w*"
    r"|chances?|prospects?|bets?|scope|room|seek\w*|wants?"
    r"|hopes?|hoping|plans?|looks?\sto|looking)\b",
    re.IGNORECASE,
)
"""What may come about. A verb of observation after it is its own, unless `to` or `be` leads there:
`risk appetite kept`, but `risks being pushed`."""

_ONWARD: Final = re.compile(r"\b(?:to|be|being)\s(?:\w+\s)?$", re.IGNORECASE)
_DANGER: Final = re.compile(
    r"\b(?:risk|chance|danger|fear|threat|prospect|likely|possible|expect)\w*\s"
    r"(?:(?P<present>(?:that\s(?:\S+\s){1,4})?)"
    r"|(?:of\s)?(?:(?!with|as|has|have|had|is|are)\S+\s){1,2})$",
    re.IGNORECASE,
)

_KINDS_OF_EVENT: Final = (
    r"(?:break|move|close|breach|push|return|drop|fall|rise|slide|spike|rally|dip|run|jump|test)\b"
)
_EVENT: Final = rf"(?:a|any|another|the)\s(?:\w+\s){{0,2}}{_KINDS_OF_EVENT}"
_IMAGINED: Final = re.compile(rf"\b{_EVENT}", re.IGNORECASE)
_IMAGINED_FIRST: Final = re.compile(
    r"(?:^\W*(?:(?:only|even|either|perhaps|yet|then|or|until|on|for|upon|without|absent|barring)\s)*"
    r"|\b(?:is|be|means?|takes?|requires?|awaits?|for|on|of|without|behind|against|barring)\s)"
    rf"(?:an?|any|another)\s(?:\w+\s){{0,2}}{_KINDS_OF_EVENT}",
    re.IGNORECASE,
)
_HAPPENED: Final = re.compile(
    rf"\b(?:after|following|despite|amid|saw|made|posted|since|by)\s{_EVENT}[^,;]{{0,60}}$",
    re.IGNORECASE,
)
_WOULD: Final = re.compile(
    r"[\s,]*(?:(?!(?:as|and|but|while|though|which|so|because|after|before|when|amid|despite)\b)"
    r"\w+\s){0,3}?(?:would|could|might|may|will|opens?|invites?|risks?|triggers?"
    r"|is\s(?:a|the)\s(?:risk|threshold|line|trigger|level))\b",
    re.IGNORECASE,
)
_LED: Final = re.compile(
    r"^\W*(?:there\s(?:is|are|may\sbe)\s)?"
    r"(?:(?![A-Z]{3}/)[^\s,]+(?<![a-z]s)\s){0,3}?(?:T/P|S/L|stops?|orders?|bids?|offers?|barriers?|options?"
    r"|strikes?|sellers?|buyers?|targets?|triggers?|levels?|anything|nothing|resistance|support"
    r"|demand|supply"
    r"|breaks|rallies|dips|spikes|bounces|risk|bias|view|call|recommendation|thesis|trade"
    r"|scenario|prices|intervention|tolerance|pain"
    r"|line|zone|territory|weakness|strength|officials?|authorities|ministry|MoF|Tokyo|Beijing|Seoul"
    r"|Delhi|Jakarta|HKMA|SNB|PBoC|RBI|BoK|BoJ|Indonesia|Bank|Japan|exporters?|importers?|traders?"
    r"|bulls?|bears?|funds?|models?|algos?|investors?|hedgers?|we|they)\b",
    re.IGNORECASE,
)
"""A noun that stands by levels, or who acts at one, as the head of a clause: `stops above 150`."""

_ORDERED: Final = re.compile(
    r"^\W*(?:watch|mind|sell|buy|fade|look|beware|expect|eye|avoid|hedge|stay|keep|add|exit|enter"
    r"|act|reassess|revisit|invalid\w*|void|take\sprofits?)\b",
    re.IGNORECASE,
)
_PAST: Final = (
    r"(?:(?!(?:clustered|stacked|layered|sustained|renewed|repeated|expected|feared|prolonged"
    r"|continued|extended|needed"
    r"|required|invalidated|limited|United|so-called)\b)\w{2,}ed|came|held|took|drew|brought|broke|drove"
    r"|met|gave|made|put|led|ran|went|fell|rose|saw|set|sent|left|kept|became|began|stuck|proved"
    r"|spent|blew|found|lost|got|crept|did|had|has|have|been|spoke|stood"
    r"|sold|bought|said|told|felt|grew|threw|flew|shot|swept)"
)
_ITS_EVENT: Final = re.compile(
    rf"(?:'s|\b(?:its|their|this|that))\s(?:\w+\s){{0,2}}{_KINDS_OF_EVENT}", re.IGNORECASE
)
_KNOWN_EVENT: Final = re.compile(
    rf"(?:'s|\b(?:the|its|their|this|that))\s(?:\w+\s){{0,2}}{_KINDS_OF_EVENT}", re.IGNORECASE
)
_IF_IT_HOLDS: Final = re.compile(
    rf"if\s(?:the|its|their|this|that|\S+'s)\s(?:\w+\s){{0,2}}{_KINDS_OF_EVENT}", re.IGNORECASE
)
LATELY: Final = re.compile(r"[,\s]*(?:last\s|yesterday|earlier|overnight)")
_MAY: Final = re.compile(r"[\s,]*(?:\w+\s){0,3}?(?:could|may|will|opens?|invites?)\b")
"""`Its close above 150 would` imagines one, `its close above 150 may` has seen it."""

_BY_THEN: Final = re.compile(r"\bby\sthen\s(?:is|are)\s(?:at\sor\s)?\w+\s$", re.IGNORECASE)
_UPON: Final = re.compile(r"\s*(?:up)?on\s", re.IGNORECASE)
_DONE: Final = re.compile(
    rf"\s(?:(?:\w+ly|then|also|soon)\s)?(?:{_PAST}|was|were|is\s(?:now\s)?(?:confirmed|done"
    r"|completed?|behind|in\splace))\b"
)
"""What is said of an event that came about: `confirmed the breakout`."""

_WENT: Final = re.compile(rf"\b{_PAST}\b", re.IGNORECASE)
_RAN: Final = re.compile(rf"\b(?:{_PAST}|was|were)\b", re.IGNORECASE)
_OBSERVED: Final = re.compile(
    r"\b(?:rose|risen|fell|fallen|climbed|closed|traded|ended|settled|finished|broke|broken|moved"
    r"|pushed|slipped|slid|dropped|jumped|surged|rallied|hit|touched|reached|crossed|opened|held"
    r"|stayed|remained|stood|was|were|been|spiked|weakened|strengthened|gained|lost|declined"
    r"|dipped|plunged|tumbled|sank|sunk|recovered|retreated|eased|advanced|bounced|rebounded|gone"
    r"|printed|fixed|breached|pierced|topped|cleared|exceeded|averaged|fluctuated|ranged|peaked"
    r"|bottomed|returned|went|came|took|drove|sent|pulled|lifted|kept|left|hovered|swung|soared"
    r"|pushing|sending|taking|lifting|driving|pulling|dragging|dragged|propell\w+|helped|leaving"
    r"|breaking|crossing|closing|reaching|hitting|topping|crashed|got|drifted"
    r"|edged|ticked|inched|briefly|back|leapt|shot|started|began|quoted"
    r"|spent|consolidat\w+|linger\w*|ventur\w+|logged|notched|managed|blew|blown|found|confirmed|failed"
    r"|stalled|paused|crept|ran|squeezed|powered|marched|rocketed|poked|peeked|popped|snapped|skidded"
    r"|capped|parked|perched|anchored|trading|hovering|holding|sitting|standing|staying"
    r"|remains|stands|trades|holds|sits|stays"
    r"|hovers|closes|ends)\b"
    r"|\b(?:is|are|rises|falls|climbs|breaks|moves|slips|drops|jumps|pushes|tests|crosses|rising"
    r"|falling|climbing|now|still)(?:\s(?:now|still|well|just|far|slightly|firmly|back|again"
    r"|currently|already|trading|comfortably|marginally|sharply))*\s(?:the\s)?(?:above|below|over"
    r"|under|beneath|beyond|through|past|to|at)\s\S{0,4}$",
    re.IGNORECASE,
)
_WHEN: Final = re.compile(
    r"[,\s]*(?:(?:on|late|early)\s(?:[A-Z]\w+day|[A-Z][a-z]{2}\b)|on\sthe\s(?:week|day|month)|last\s"
    r"|yesterday|today|overnight|this\s(?:week|morning)|for\s(?:the\s|a\s)?\w+\s(?:time|day|week)"
    r"|earlier|at\s(?:the|its)\s|since\b|the\sfirst\b|(?:its|the)\s(?:highest|lowest|strongest|weakest)"
    r"|in\s(?:Asia|London|New\sYork|Tokyo|early|late|thin|the\s(?:week|session)))",
)
_BREAK: Final = re.compile(
    r"[,;:()—]|\s[–-]\s|\b(?:but|and|while|whereas|although|though|as|after|because|so)\b"
    r"|\b(?:said|says?|not(?:e|es|ed)|remember(?:s|ed)?|recall(?:s|ed)?|know|knows|show(?:s|ed)?|told"
    r"|given)\sthat\b",
    re.IGNORECASE,
)
_QUANTITY: Final = re.compile(
    r"\s(?!(?:would|could|might|may|will|can|is|are|was|were|and|or|but|as|if|in|on|at|for|before"
    r"|after|by|to|the|then|again|opens?|triggers?|this|next|last|yen|won|dollars?|euros?|per|with"
    r"|since|unless|until|when|which|that|invites?|risks?|has|had|against|versus|during|while"
    r"|overnight|today|yesterday|early|late|briefly|level|mark|handle|area|they|it"
    r"|we|matters?|tends?|should|must|cannot|worr(?:y|ies)|concerns?|hurts?"
    r"|draws?|attracts?|needs?|remains?|looks?)\b)[a-z]"
)
_LONGEST_CLAUSE: Final = 120


def is_trigger(text: str, number: WrittenNumber, start: int, end: int) -> bool:
    """Whether a number within the sentence from `start` to `end` is a level to watch.

    `above 150` and `a break of 7.85` are where something would, may or should happen there, where
    the clause begins with who acts or with what stands there, and where it orders. What happened
    is none. After other words a level needs a condition before it: `if it falls to 1,300`.
    """
    if number.sign.value != "none" or number.measure is not Measure.BARE or number.scale:
        return False
    before = text[max(start, number.written_at - _LONGEST_CLAUSE) : number.written_at]
    after = text[number.end : min(end, number.end + _LONGEST_CLAUSE)]
    clause = last_clause(before)
    counts = _QUANTITY.match(after) and not (_IMAGINED.search(clause) or _acts(clause, after))
    if (_is_watched(before) and not counts) or _is_named(clause, after):
        return True
    if LATELY.match(after) or (_WHEN.match(after) and _WENT.search(clause)):
        return False
    if _WITH_IT.search(clause) and not _SUPPOSED.search(clause):
        return False
    if _THRESHOLD.search(before) and not counts:
        return _is_conditional(clause, before, after) or _is_led(clause, before, after)
    return bool(_REACHED.search(before) and _supposes(clause) and not _QUANTITY.match(after))


def last_clause(before: str) -> str:
    """What stands after the last mark or word that ends a clause."""
    start = 0
    for found in _BREAK.finditer(before):
        start = found.end()
    return before[start:]


def suppositions(clause: str) -> Iterator[re.Match[str]]:
    """Every `if` of a clause that is a condition, and no question."""
    return (found for found in _IF.finditer(clause) if not _is_question(clause, found))


def _supposes(clause: str) -> bool:
    return any(suppositions(clause))


def _is_question(clause: str, found: re.Match[str]) -> bool:
    """Whether an `if` asks, or is about what came about: `unclear if`, `if the break holds`."""
    asked = _ASKED.search(clause[: found.start()])
    return asked is not None or _IF_IT_HOLDS.match(clause, found.start()) is not None


def _is_conditional(clause: str, before: str, after: str) -> bool:
    observed = _OBSERVED.search(clause)
    if _is_open(clause, observed) or _BY_THEN.search(clause):
        return True
    if observed or _WITH.match(clause) or _asks(clause):
        return False
    if _WOULD.match(after) and not _WENT.search(clause):
        told = _ITS_EVENT.search(clause) and _MAY.match(after)
        return not told and not _is_inserted(clause, before, after)
    imagined = _IMAGINED_FIRST.search(clause) and not _HAPPENED.search(before)
    told = _WHEN.match(after) or _DONE.match(after)
    return bool(imagined and not told and not (_UPON.match(clause) and _RAN.search(after)))


def _is_watched(before: str) -> bool:
    """Whether a level is named a trigger, and not one that was crossed."""
    named = _WATCHED.search(before)
    return named is not None and not _PASSED.search(before[: named.start("name")])


def _acts(clause: str, after: str) -> bool:
    """Whether a clause is but a level, and who acts there stands behind it."""
    return not _THRESHOLD.sub("", clause).strip() and _ACTS.match(after) is not None


def _is_named(clause: str, after: str) -> bool:
    """Whether the words behind a level call it one to watch, and none before it says it traded."""
    named = _NAMED.match(after) and _ALONE.fullmatch(clause)
    return bool(named or (_TAKEN_AS.match(after) and _TAKES.search(clause)))


def _is_inserted(clause: str, before: str, after: str) -> bool:
    """Whether a level stands between commas, beside what was said: `the high, above 150, may`."""
    alone = not _THRESHOLD.sub("", clause).strip()
    return alone and before[: -len(clause)].rstrip().endswith(",") and after.startswith(",")


def _asks(clause: str) -> bool:
    return _IF.search(clause) is not None and not _supposes(clause)


def _is_open(clause: str, observed: re.Match[str] | None) -> bool:
    """Whether a clause says, before any verb of observation, that something may come about."""
    reach = observed.start() if observed else len(clause)
    for condition in _CONDITION.finditer(clause, 0, reach):
        if condition[0].lower() != "if" or not _is_question(clause, condition):
            return True
    if _asks(clause) or not _OUTLOOK.search(clause, 0, reach):
        return False
    if observed is None or _ONWARD.search(clause, 0, reach):
        return True
    danger = _DANGER.search(clause, 0, reach)
    return danger is not None and _is_going_on(observed[0], that=danger["present"] is not None)


def _is_going_on(verb: str, *, that: bool) -> bool:
    """Whether a verb of observation tells no past: `rises above` after `that`, else `trading`."""
    return " " in verb if that else verb.endswith("ing")


def _is_led(clause: str, before: str, after: str) -> bool:
    """Whether a clause has nothing but the level, or begins with an order or with what stands or
    acts at a level; and nothing says that it was reached."""
    if _is_observed(clause, before, after) or _DONE.match(after) or _asks(clause):
        return False
    words = _THRESHOLD.sub("", clause).strip()
    if words:
        led = _LED.search(clause) or _ORDERED.search(clause)
        told = _WENT.search(clause) or _KNOWN_EVENT.search(clause)
        return led is not None and not told
    if _WENT.search(_BREAK.split(after, maxsplit=1)[0]):
        return False
    rest = before[: len(before) - len(clause)].strip()
    open_list = rest.endswith(":") or _CONDITION.search(rest) or _OUTLOOK.search(rest)
    return not rest or bool(open_list) or _LED.search(rest) is not None


def _is_observed(clause: str, before: str, after: str) -> bool:
    if _OBSERVED.search(clause) or _HEADLINE.search(clause):
        return True
    if _WHEN.match(after) or _HAPPENED.search(before):
        return True
    return _OBSERVED.search(before) is not None or _OBSERVED.search(after) is not None
