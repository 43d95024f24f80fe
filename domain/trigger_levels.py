"""Whether a written level is one that would matter if it were reached, or one that was."""

import re
from typing import Final

from domain.number_reading import Measure, WrittenNumber

_CURRENCY: Final = r"(?:the\s)?(?:[A-Z]{0,2}[$€£¥₩₹₱฿]|[A-Z]{3}\s)?"
_THRESHOLD: Final = re.compile(
    r"(?:\b(?:above|below|over|under|beneath|beyond|through|past)|\b(?:break|breach|loss|test)\sof"
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
    r"\b(?:triggers?|thresholds?|line\sin\sthe\ssand)"
    rf"(?:\s(?:levels?|is|at|of|for|remains|lies|sits)){{0,3}}:?\s{_CURRENCY}$",
    re.IGNORECASE,
)
_IF: Final = re.compile(
    r"\b(?:if(?!\s(?:anything|any|not|only)\b)|unless|in\scase|were\s(?:\S+\s){1,3}to)\b|^\s*should\b",
    re.IGNORECASE,
)
_HEADLINE: Final = re.compile(
    r"(?:\b[A-Z]{3}/?[A-Z]{3}|\b(?:dollar|yen|euro|sterling|pound|franc|won|yuan|rupee|rupiah|baht"
    r"|ringgit|peso|pair|spot|fixing|cable))\s(?:(?:well|just|back|far|again|firmly|still)\s)?"
    r"(?:above|below|over|under|beneath|beyond|through|past)\s\S{0,4}$",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:if|should|would|could|might|may|will|unless|until|once|whenever|in case|were to|risks?"
    r"|risking|likely|expect\w*|watch\w*|eye[sd]?|eyeing|possible|potential|threshold|triggers?"
    r"|alert|beware)\b",
    re.IGNORECASE,
)
_EVENT: Final = (
    r"(?:a|any|another|the)\s(?:\w+\s){0,2}(?:break|move|close|breach|push|return|drop|fall|rise"
    r"|slide|spike|rally|dip|run|jump|test)\b"
)
_IMAGINED: Final = re.compile(rf"\b{_EVENT}", re.IGNORECASE)
_HAPPENED: Final = re.compile(
    rf"\b(?:after|following|despite|amid|saw|made|posted|since|by)\s{_EVENT}[^,;]{{0,60}}$",
    re.IGNORECASE,
)
_WOULD: Final = re.compile(
    r"[\s,]*(?:\w+\s){0,3}?(?:would|could|might|may|will|opens?|invites?|risks?|triggers?"
    r"|is\s(?:a|the)\s(?:risk|threshold|line|trigger|level))\b",
    re.IGNORECASE,
)
_OBSERVED: Final = re.compile(
    r"\b(?:rose|risen|fell|fallen|climbed|closed|traded|ended|settled|finished|broke|broken|moved"
    r"|pushed|slipped|slid|dropped|jumped|surged|rallied|hit|touched|reached|crossed|opened|held"
    r"|stayed|remained|stood|was|were|been|spiked|weakened|strengthened|gained|lost|declined"
    r"|dipped|plunged|tumbled|sank|sunk|recovered|retreated|eased|advanced|bounced|rebounded|gone"
    r"|printed|fixed|breached|pierced|topped|cleared|exceeded|averaged|fluctuated|ranged|peaked"
    r"|bottomed|returned|went|came|took|drove|sent|pulled|lifted|kept|left|hovered|swung|soared"
    r"|pushing|sending|taking|lifting|driving|pulling|dragging|dragged|propell\w+|helped|leaving"
    r"|breaking|crossing|closing|reaching|hitting|topping|crashed|got|drifted|edged|ticked|inched|briefly|back|leapt|shot|started|began|quoted"
    r"|trading|hovering|holding|sitting|standing|staying|remains|stands|trades|holds|sits|stays"
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
    r"|earlier|at\s(?:the|its)\s|since\b|(?:its|the)\s(?:highest|lowest|strongest|weakest)"
    r"|in\s(?:Asia|London|New\sYork|Tokyo|early|late|thin|the\s(?:week|session)))",
)
_BREAK: Final = re.compile(
    r"[,;:()—]|\s[–-]\s|\b(?:but|and|while|whereas|although|though|as|after|because|so)\b",
    re.IGNORECASE,
)
_QUANTITY: Final = re.compile(
    r"\s(?!(?:would|could|might|may|will|can|is|are|was|were|and|or|but|as|if|in|on|at|for|before"
    r"|after|by|to|the|then|again|opens?|triggers?|this|next|last|yen|won|dollars?|euros?|per|with"
    r"|since|unless|until|when|which|that|invites?|risks?|has|had|against|versus|during|while"
    r"|overnight|today|yesterday|early|late|briefly|level|mark|handle|area)\b)[a-z]"
)
_LONGEST_CLAUSE: Final = 120


def is_trigger(text: str, number: WrittenNumber, start: int, end: int) -> bool:
    """Whether a number within the sentence from `start` to `end` is a level to watch.

    `above 150` and `a break of 7.85` are, unless the clause or the sentence says that it
    happened. Other words, and other units than a level's, need a condition before them:
    `if it falls to 1,300`.
    """
    before = text[max(start, number.written_at - _LONGEST_CLAUSE) : number.written_at]
    after = text[number.end : min(end, number.end + _LONGEST_CLAUSE)]
    clause = _last_clause(before)
    if number.sign.value != "none" or number.spelled:
        return False
    plain_level = number.measure is Measure.BARE and not number.scale
    counts = _QUANTITY.match(after) and not _IMAGINED.search(clause)
    if plain_level and _WATCHED.search(before) and not counts:
        return True
    if plain_level and _THRESHOLD.search(before) and not counts:
        return _is_conditional(clause, before, after) or not _is_observed(clause, before, after)
    named = _THRESHOLD.search(before) or _REACHED.search(before)
    return bool(named and _IF.search(clause) and not _QUANTITY.match(after))


def _last_clause(before: str) -> str:
    start = 0
    for found in _BREAK.finditer(before):
        start = found.end()
    return before[start:]


def _is_conditional(clause: str, before: str, after: str) -> bool:
    observed = _OBSERVED.search(clause)
    condition = _CONDITION.search(clause)
    if condition and (observed is None or condition.start() < observed.start()):
        return True
    if observed:
        return False
    if _WOULD.match(after):
        return True
    imagined = _IMAGINED.search(clause) and not _HAPPENED.search(before)
    return bool(imagined and not _WHEN.match(after))


def _is_observed(clause: str, before: str, after: str) -> bool:
    if _OBSERVED.search(clause) or _HEADLINE.search(clause):
        return True
    if _WHEN.match(after) or _HAPPENED.search(before):
        return True
    return _OBSERVED.search(before) is not None or _OBSERVED.search(after) is not None
