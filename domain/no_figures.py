"""Digits that are no figure of a market: dates, times, names, windows, counts and their like.

Each rule is a pattern for a whole phrase; a number that stands within such a phrase is none of
the gate's business. Every pattern stops short of a unit, so that `in May 25 bp were cut` has no
date in it. The rules are listed in docs/method.md.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from domain.streak_words import is_streak

Span = tuple[int, int]

_END: Final = (
    r"(?!\w|[.,']\d|[\s-]{0,2}(?:%|‰|σ|per\s?cent|pct\b|bps?\b|basis\b|percentage|points?\b|pips?\b"
    r"|million|billion|trillion|[mbt]n\b|sigma|standard\sdev|yen\b|won\b|yuan\b|dollars?\b|euros?\b"
    r"|pounds?\b|francs?\b|rupees?\b|rupiah\b|baht\b|ringgit\b|pesos?\b|kron[aeo]r?\b|[円元원¼½¾⅛⅜⅝⅞]))"
)
"""What must not follow: more digits, or a unit that makes the number a figure."""

_START: Final = r"(?<![\w$€£¥₩₹₱฿₫₽₺])(?<!\d[.,'])"
_YEAR: Final = r"(?:19|20)\d{2}"
_DAY: Final = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_JOIN: Final = r"\s?(?:-|–|/|to|and|or|&)\s?"
_MONTH: Final = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?"
    r"|JAN|FEB|MAR|APR|MAY|JUNE?|JULY?|AUG|SEPT?|OCT|NOV|DEC)\b\.?"
)
_WEEKDAY: Final = r"(?:Mon|Tue(?:s)?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:day)?\b\.?,?"
_YEAR_AFTER: Final = rf"(?:,?[\s-]{_YEAR}|[\s-]?'\d{{2}}|-\d{{2}})?"

_ADDRESSES: Final = re.compile(
    r"\b(?:https?://|www\.)\S+"
    r"|\b[A-Z]{2,3}(?:/[A-Z]{3})?:[a-z][a-z0-9_]*(?:@\d{4}-\d{2}-\d{2})?"
    r"|\b[A-Za-z]+(?:_[A-Za-z]+){0,8}_\d{1,2}\b"
)
_DATES: Final = re.compile(
    rf"{_START}(?:"
    rf"{_YEAR}[-/](?:0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12]\d|3[01])"
    r"(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?)"
    rf"|{_YEAR}\.(?:0[1-9]|1[0-2])\.(?:0[1-9]|[12]\d|3[01])"
    rf"|\d{{1,2}}[./-]\d{{1,2}}[./-]{_YEAR}|(?:0?[1-9]|1[0-2])/{_YEAR}"
    rf"|{_DAY}(?:{_JOIN}{_DAY})?(?:\sof)?[\s-]{_MONTH}{_YEAR_AFTER}"
    rf"|(?<!\d\s)(?P<short>(?:0?[1-9]|1[0-2])/{_DAY}|{_DAY}/(?:0?[1-9]|1[0-2]))(?:/\d{{2}})?"
    r"(?!/|\sof\sa)"
    rf"){_END}"
    rf"|\b{_MONTH}(?:[\s-]{_DAY}(?:{_JOIN}(?:{_MONTH}\s)?{_DAY})?{_YEAR_AFTER}"
    rf"|,?[\s-](?:of\s)?{_YEAR}|\s?'\d{{2}}){_END}"
    rf"|\b{_WEEKDAY}\s(?:the\s)?{_DAY}{_END}"
)
_DAY_LISTS: Final = re.compile(
    rf"{_START}{_DAY}(?:,\s{_DAY}){{1,5}},?{_JOIN}{_DAY}(?:\sof)?\s{_MONTH}{_YEAR_AFTER}{_END}"
    rf"|\b{_MONTH}\s{_DAY}(?:,\s{_DAY}){{1,5}},?{_JOIN}{_DAY}{_YEAR_AFTER}{_END}"
)
_EIGHTHS: Final = re.compile(r"\d{1,2}/(?:2|4|8|16)")
_CHANGED: Final = re.compile(
    r"\b(?:cuts?|cutting|hike[sd]?|hiking|rais\w+|lower\w*|eas(?:e[sd]?|ing)|tighten\w*|rose|risen"
    r"|rises|rising|fell|falls|fallen|falling|gain\w*|los(?:t|es|ing)|add(?:s|ed|ing)?|shed|dropp?\w*"
    r"|climb\w*|jump\w*|slid|slipp?\w*|grew|grown|up|down|bought|sold|by)\s"
    r"(?:(?:its\s|the\s)?(?:\w+\s)?rates?\s)?(?:by\s)?(?:of\s)?"
    r"(?:a\s|an?other\s|about\s|some\s|only\s|just\s)?$",
    re.IGNORECASE,
)
"""A verb of change right before a number, which makes the number what it changed by."""

_CHANGE_AFTER: Final = re.compile(
    r"[\s-](?:cut|hike|rise|fall|gain|loss|increase|reduction|move)\b"
)

_YEARS: Final = re.compile(
    rf"{_START}(?<![^A-Za-z]-)(?:{_YEAR}s(?!\w)|{_YEAR}[EeFf](?!\w)"
    rf"|{_YEAR}[-/–](?:{_YEAR}|\d{{2}}){_END}|{_YEAR}{_END})"
    r"|(?<!\w)'\d{2}s?(?!\w)|\b(?:[Tt]he|[Ee]arly|[Ll]ate)[\s-]\d0s(?!\w)"
)
_LEVEL_WORD: Final = re.compile(
    r"(?:\b(?:at|near|above|below|around|about|under|over|through|past|hit|hits|reached|touched|of"
    r"|between|level|levels|is|was)|(?:rose|rising|fell|falling|climbed|gained|dropped|jumped|slid"
    r"|slipped|surged|rallied|up|down|back|close|higher|lower|move|moved)\sto)\s$|[+=~<>≈]\s?$",
    re.IGNORECASE,
)
_REACHED: Final = re.compile(
    r"\b(?:at|near|above|below|around|hit|hits|reached|touched|through|past"
    r"|(?:rose|fell|climbed|dropped|jumped|slid|slipped|up|down)\sto)\s$",
    re.IGNORECASE,
)
_BETWEEN_YEARS: Final = re.compile(r"\bbetween\s$", re.IGNORECASE)
_TO_A_YEAR: Final = re.compile(rf"\sand\s{_YEAR}{_END}")
_IN_A_RANGE: Final = re.compile(
    r"\b(?:trad\w+|rang\w+|mov\w+|sw[uia]ng\w*|fluctuat\w+|held|hold\w*|hover\w*|gold|spot|band|level|was|is"
    r"|stay\w*|oscillat\w+|fix\w*)\s(?:\w+\s){0,2}between\s$",
    re.IGNORECASE,
)
_OF_A_YEAR: Final = re.compile(
    r"\s(?:levels?|highs?|lows?|peaks?|troughs?|crisis|season|edition|report|survey|meeting"
    r"|meetings|forecasts?|projections?|decisions?|statement)\b|\s[\"']?s\b",
    re.IGNORECASE,
)
_YEAR_OF: Final = re.compile(
    r"\b(?:end|start|beginning|middle|half|quarter|months?|summer|spring|autumn|winter|crisis|year"
    r"|years|course|most|rest|all|much|part|since|low|lows|high|highs|weeks?|panic|crash|tightening|easing|interventions?"
    r"|statements?|meetings?|communiqu[eé]s?|elections?|accords?|summits?|episodes?),?\sof\s$",
    re.IGNORECASE,
)
_PERIODS: Final = re.compile(
    rf"{_START}(?:[1-4]Q|[12]H)(?:\s?(?:[CF]Y)?'?(?:{_YEAR}|\d{{2}}))?(?!\w|\.\d)"
    rf"|\b(?:Q[1-4]|H[12])(?:[\s/-]?(?:[CF]Y\s?)?{_YEAR}|[/-]?(?:[CF]Y)?'?\d{{2}})?(?!\w|\.\d)"
    rf"|{_START}{_YEAR}[\s-]?(?:Q[1-4]|W[0-5]\d(?:-[1-7])?|H[12])(?!\w)"
    r"|\b(?:W|CW|KW)\s?[0-5]?\d(?!\w|[.,]\d)"
    rf"|\b[CF]Y\s?'?(?:{_YEAR}|\d{{2}})(?:[/-]\d{{2,4}}|[EF])?(?!\w|\.\d)"
    rf"|\b[Ww](?:eeks?\s|k\.?\s?)\d{{1,2}}(?:{_JOIN}\d{{1,2}})?{_END}"
)
_ZONE: Final = r"(?:GMT|UTC|BST|CES?T|E[SD]?T|JST|HKT|SGT|KST|IST|WIB|AES?T|AEDT|NZ[SD]T)"
_HOUR: Final = r"(?:1[0-2]|0?[1-9])(?:[:.][0-5]\d)?"
_TIMES: Final = re.compile(
    r"(?<![\d.,:])(?:(?:[01]?\d|2[0-4])[:h][0-5]\d(?::[0-5]\d)?(?![\d:])"
    r"(?:\s?[+-](?:0\d|1[0-4]):?[0-5]\d(?!\w|[.,:]\d|\s?[%‰]|\sb?ps?\b))?"
    rf"|(?:{_HOUR}(?:\s?[-–]\s?|\sto\s|(?<=\bbetween\s\d)\sand\s|(?<=\bbetween\s\d\d)\sand\s))?"
    rf"{_HOUR}\s?(?:[ap]\.m\.|[ap]m\b)"
    rf"|(?:[01]\d|2[0-3])[0-5]\d\s?(?:{_ZONE}|hours|hrs)\b"
    rf"|(?-i:(?:[01]?\d|2[0-3])(?:\.[0-5]\d|[-–](?:[01]?\d|2[0-3]))\s?{_ZONE}\b)"
    r"|(?:1[0-2]|[1-9])\so'clock)"
    r"|\b(?:UTC|GMT)\s?[+-]\s?\d{1,2}(?::[0-5]\d)?(?!\w|\.\d)",
    re.IGNORECASE,
)
_NAMES: Final = re.compile(
    r"\b(?:S&P(?:/TSX|/ASX)?\s?(?:500|400|600|100|200|60)|Nikkei(?:\sStock\sAverage)?[\s-]?225"
    r"|FTSE\s?(?:100|250|350)|CSI\s?(?:300|500|1000)|(?:Euro\s?)?(?:STOXX|Stoxx)\s?(?:Europe\s)?(?:50|600)"
    r"|Russell\s?(?:1000|2000|3000)|KOSPI\s?(?:50|100|200)|Kospi\s?200|Nifty\s?(?:50|100|500)"
    r"|DAX\s?(?:30|40)|CAC\s?40|ASX\s?(?:20|50|100|200|300)|Nasdaq[\s-]?100|SMI\s?20|IBEX\s?35"
    r"|AEX\s?25|Dow(?:\sJones)?\s?30|TSX\s?60|SSE\s?(?:50|180)|LQ45|SET\s?(?:50|100)|JPX\s?400"
    r"|OMX[SC]?\s?(?:25|30)|Topix\s?(?:100|500)|COVID[\s-]?19|Covid[\s-]?19|ISO\s\d{4,5}"
    r"|(?:G|Group\sof)[\s-]?(?:5|7|8|10|20|24|30)|[TtDd]\s?[+-]\s?\d|H\.\d{1,2}(?:\.\d)?|ASEAN\s?\+\s?[356]|N-?11"
    r"|24/7|50[/-]50|Bill\s[A-Z][\s.-]?\d{1,4})"
    r"|(?<!\sto\s)(?<!\sat\s)(?<!\sof\s)(?<!\sby\s)(?<!cost\s)(?<!paid\s)"
    r"(?:US(?:30|100|500|2000)|NAS100|SPX500|UK100|JPN?225|GER(?:30|40)|DE(?:30|40)|FRA40|EU50|ESP35|IT40"
    r"|AUS200|HK(?:33|50))(?!\s(?:a|an|per|each)\s)"
    rf"{_END}"
)
_CODES: Final = re.compile(
    r"(?<![\w.$])(?!(?:[A-Z]{3})?(?:USD|EUR|JPY|GBP|CHF|AUD|NZD|CAD|SEK|NOK|DKK|CNY|CNH|HKD|SGD|KRW"
    r"|INR|IDR|THB|MYR|PHP|TWD|VND|TRY|MXN|ZAR|BRL|CLP|COP|PLN|HUF|CZK|ILS|RUB|SAR|AED|XAU|XAG|BTC|ETH"
    r"|DXY|VIX|WTI|SPX)[\s-]?\d+(?![\dA-Z]))(?!(?:RP|RM|RS|NT|US|HK|SG)[\s-]?\d{2,}(?![A-Z]))"
    r"(?:[A-Z][A-Z&]{1,5}\d{1,3}[A-Z]{0,3}|[A-Z]{2,6}-\d{1,3}|[ACDEFGHKMST]\d{1,2}|[abd-z]\d)"
    rf"{_END}"
    r"|(?<![\w.,$€£¥+-])(?:(?P<months>(?:1|2|3|4|6|9|12|18|24)M)(?:\d{1,2}[Yy])?|(?:[1-57]|10|15|20|25|30|40|50)[Yy]"
    r"(?:[-/]?\d{1,2}[Yy])?|(?:1|2|3|4|6|8|12|13|26|52)[Ww]|(?:1|2|3|5|7|10|20|50|100|200)D)"
    r"(?!\w|\s(?:jobs|people|barrels|contracts|tonn?e?s|ounces|units|dollars|yen|[A-Z]{3}(?![/\w]))\b)"
    r"|(?<![\w.,$+-])\d{1,2}[Mm]\d{1,2}[Yy](?!\w)"
    r"|(?<![\w.,$])\d{1,2}s\d{1,2}s(?:\d{1,2}s)?(?!\w)|(?<![\w.,$])\d{1,2}x\d{1,2}(?!\w)"
    r"|(?<![\w.,$])(?:1|2|3|6|9|12)m(?=\s(?:vol|implied|forward|fwd|risk|Libor|basis|tenor|bill"
    r"|(?:high|low|range|average|moving)s?\b))"
    r"|(?<![\w.,$])\d{1,3}[\s-]?(?:[DdWw][Mm][Aa]|[SsEe]MA|MA)\b|(?<![\w.,$])\d{1,3}-period\b"
    r"|\b(?:RSI|ATR|ADX|CCI|ROC|EMA|SMA|MACD)\((?:[2-9]|1[0-4]|2[0168]|30|50|100|200)"
    r"(?:,\s?\d{1,2}){0,2}\)"
    r"|(?<![\w.,$])\d{1,2}(?:-?d|[\s-]delta)(?=\s|\b)(?!\w)"
)
_STANDARDS: Final = re.compile(
    r"(?:\b(?:[Aa]rt(?:icle|\.)|[Ss]ec(?:tion|\.)|[Rr]ule|[Cc]lause|[Pp]ara(?:graph|\.)|[Cc]hapter"
    r"|[Aa]nnex|[Aa]ppendix|[Tt]itle|[Ff]orm|[Rr]egulation|[Dd]irective|[Rr]esolution|[Cc]ircular"
    r"|[Nn]otice|Act|[Ff]ootnote|[Tt]able|[Ff]igure|[Cc]hart|[Pp]ages?|[Nn]o\.|Nos\.|[Nn]umber"
    r"|[Vv]ersion|Basel|IFRS|IAS|ISO|RFC|[Pp]hase|[Tt]ier|[Pp]illar|[Ss]tage|[Ss]cenario|[Oo]ption"
    r"|[Ii]tem|[Ss]tep|Bullet|[Bb]ox|[Ee]xhibit|[Pp]anel|[Vv]ol(?:ume|\.)|[Ii]ssue)s?\s|§\s?|#|\bv)"
    r"(?:\d{1,4}(?:/\d{1,4})?[a-z]?(?:-\d{1,2}[a-z]?)?(?:\(\d{1,2}\))?)"
    rf"(?:{_JOIN}\d{{1,3}})?{_END}"
    r"|(?<!s\s)(?<![Ww]e\s)(?<!hey\s)(?<!so\s)(?<!to\s)\b[Nn]otes?\s\d{1,2}"
    rf"(?:{_JOIN}\d{{1,2}})?{_END}"
    r"|\b(?:[Vv]ersion\s|v)\d{1,2}(?:\.\d{1,3}){1,3}(?!\w|\.\d)"
)
_MARKERS: Final = re.compile(
    r"(?:^|\n)\s{0,9}(?:[-*•]\s)?\(?\d{1,2}[.)](?=\s)"
    r"|(?:[.:;,!?]|\b(?:and|or))\s\(?\d{1,2}\)(?=\s)"
    r"|(?::\s1|[.;!?]\s(?:1?\d|20))\.(?=\s[A-Z\[])"
    r"|^\s{0,9}\(?\d{1,2}[.)]?\s?$"
    r"|\[\d{1,2}\]"
)
_COUNTED: Final = (
    r"(?:sources?|agents?|analysts?|markets?|meetings?|decisions?|members?|votes?|voters?"
    r"|policy\s?makers?|governors?|officials?|economists?|currenc(?:y|ies)|pairs?|crosses|banks?"
    r"|areas?|countr(?:y|ies)|economies|regions?|reports?|claims?|checks?|tools?|calls?|turns?"
    r"|events?|issues?|objections?|warnings?|statements?|speeches|papers?|releases?|surveys?"
    r"|respondents?|hikes?|cuts?|moves?|holds|occasions?|steps?|revisions?|positions?|findings?"
    r"|tasks?|servers?|forecasters?|strategists?|traders?|desks?|documents?|articles?|headlines?"
    r"|dissent(?:er)?s?|questions?|reasons?|factors?|risks?|scenarios?|sentences?|pages?|words|paragraphs?|attempts?"
    r"|conflicts?|observations?|stor(?:y|ies)|data\spoints?|readings?|rows?|series|charts?|studies"
    r"|comments?|interviews?|contradictions?|disagreements?|rejections?|hypothes[ie]s|experts?"
    r"|publishers?|providers?|feeds?|answers?|quer(?:y|ies)|tries|times(?!\s(?:higher|larger|lower|bigger|smaller|more|as|its|the)))"
)
_KIND: Final = (
    r"(?:(?:independent|other|further|separate|different|major|central|policy|scheduled|monetary"
    r"|rate|board|committee|voting|asian|european|g-?(?:7|10|20)|currency|open|more|additional|new"
    r"|distinct|official|authoritative|primary|secondary|news|market|tool|previous|past|last"
    r"|remaining|upcoming|consecutive|straight|successive|emerging|regional|quarterly|weekly"
    r"|external|internal|mpc|fomc|council|failed|asset|of\sthe|the|of\sits|of\sour)[\s-]){0,3}"
)
_COUNTS: Final = re.compile(
    rf"{_START}(?<![\d+-])\d{{1,3}}(?:{_JOIN}\d{{1,3}})?\s(?:(?:out\s)?of\s(?:the\s|its\s|our\s)?"
    rf"(?:last\s|past\s)?\d{{1,3}}\s)?{_KIND}{_COUNTED}(?![\w/])"
    rf"|{_START}(?<![\d+-])\d{{1,3}}\s(?:out\s)?of\s(?:the\s|its\s|our\s)?(?:last\s|past\s)?\d{{1,3}}"
    rf"{_END}"
    rf"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|most|none|all|some|each)\s(?:out\s)?"
    rf"of\s(?:the\s|its\s|our\s)?\d{{1,3}}{_END}",
    re.IGNORECASE,
)
_ROW: Final = r"(?:straight|consecutive|successive)"
_PERIOD_MOVED: Final = (
    r"(?:days?|sessions?|fixings?|weeks?|months?|quarters?|gains?|loss(?:es)?|rises?|falls?|advances?"
    r"|declines?|drops?)"
)
_ONE_MOVE: Final = re.compile(
    r"(?!1\s)\d{1,3}(?:\s?[-–/]\s?\d{1,3})?\s(?:rate\s|policy\s)?(?:cut|hike|move|step)",
    re.IGNORECASE,
)
_VOTES: Final = re.compile(
    rf"{_START}\d{{1,2}}(?:\s?[-–]\s?\d{{1,2}}){{1,2}}(?=\s(?:vote|split|majority|decision|in\sfav"
    r"|against|to\s(?:hold|cut|raise|keep|leave)|margin|ballot|count|tally))"
    r"|\b(?:vot(?:e|es|ed|ing)|split|divided|majority(?:\sof)?|passed|approved|decided)\s(?:by\s|was\s"
    rf"|of\s)?\d{{1,2}}(?:\s?[-–]\s?\d{{1,2}}|\sto\s\d{{1,2}}|\sagainst\s\d{{1,2}}){{1,2}}{_END}"
    rf"|{_START}\d{{1,2}}\svotes?\s(?:to|against)\s\d{{1,2}}{_END}"
)
_TALLY: Final = re.compile(r"(?<=\()(?P<most>\d{1,2})[-–](?P<fewest>\d{1,2})(?:[-–]\d)?(?=\))")
_VOTED: Final = re.compile(
    r"\b(?P<how>voted|held|kept|left|decided|agreed|approved|backed|unchanged|raised|cut|lowered)\b"
    rf"[^;\n]{{0,80}}?\bby\s(?:a\s)?(?P<vote>(?P<most>\d{{1,2}})\s?[-–]\s?(?P<fewest>\d{{1,2}})){_END}"
)
_MOST_VOTERS: Final = 26
"""The seats of the largest body that sets a rate."""
_ORDINALS: Final = re.compile(
    rf"{_START}\d{{1,3}}(?:st|nd|rd|th)(?:\s(?:out\s)?of\s(?:the\s)?\d{{1,3}}{_END}|(?!\w))(?![\s-](?:(?:per)?centile|decile)s?\b"
    rf"|[\s-]{_ROW}[\s-](?:\w+[\s-])?{_PERIOD_MOVED}"
    rf"|[\s-](?:\w+[\s-])?{_PERIOD_MOVED}[\s-](?:running|in\sa\srow|in\ssuccession|on\sthe\strot))",
    re.IGNORECASE,
)
"""None of a streak: `a 9th straight day` is a figure, `its 2nd straight cut` is not."""

_SURE: Final = (
    r"(?:0?\.\d{1,3}|0|1(?:\.0{1,3})?|\d{1,3}(?:\.\d)?\s?(?:%|percent|per\scent)|\d{1,3}/100|\d{1,2}/10)"
    r"(?![\d.]\d|\d)"
)
_CONFIDENCE: Final = re.compile(
    r"\bconfidence(?:\s(?:score|level|rating))?(?:\s(?:of|is|was|at|about)|:|\s=)?"
    r"(?:\s(?:very\s|fairly\s|rather\s)?(?:high|low|moderate|medium|limited)(?=\s\())?"
    rf"\s\(?{_SURE}"
    r"|(?<![\w.,])(?:0?\.\d{1,3}|1\.0{1,3}|\d{1,3}(?:\.\d)?\s?(?:%|percent|per\scent)|\d{1,3}/100)"
    r"\s(?:confiden(?:t|ce)|certain|sure)\b",
    re.IGNORECASE,
)
_WHOSE: Final = re.compile(r"(\w+)(?:['’]s?)?[\s-]$")
_SURVEYS: Final = (
    "consumer consumers business businesses investor investors economic industrial industry market"
    " household households manufacturing manufacturer manufacturers sector services construction"
    " retail corporate builder builders homebuilder farm producer producers company shopper"
    " shoppers trade export exporter exporters public sme"
)
_SURVEYED: Final = frozenset(_SURVEYS.split())
_OWN_WORDS: Final = "A And At But Given With Our The Its Their Overall High Low Desk Model My Final"
_OF_THE_DESK: Final = frozenset(_OWN_WORDS.split())
_SPAN_UNIT: Final = (
    r"(?:seconds?|minutes?|hours?|days?|sessions?|fixings?|weeks?|months?|quarters?|years?|decades?"
    r"|secs?|mins?|hrs?|wks?|mths?|mos?|yrs?)"
)
_WINDOWS: Final = re.compile(
    rf"{_START}(?<![\d+])\d{{1,4}}(?:\.5|½)?(?:(?:{_JOIN}|\s?x\s?)\d{{1,4}}(?:\.5)?)?"
    rf"(?:(?P<blank>\s(?:trading\s|calendar\s|business\s|more\s|full\s|other\s)?)|-|)"
    rf"(?P<unit>{_SPAN_UNIT})(?!\w)",
    re.IGNORECASE,
)
_WINDOW_LISTS: Final = re.compile(
    rf"{_START}(?:\d{{1,3}}-?,\s){{0,4}}\d{{1,3}}-,?\s(?:and|or|to)\s\d{{1,3}}-{_SPAN_UNIT}\b",
    re.IGNORECASE,
)
_RETRACEMENTS: Final = re.compile(
    rf"{_START}(?:23\.6|38\.2|50(?:\.0)?|61\.8|76\.4|78\.6)\s?%\s(?:Fib\w*\s)?(?:retracements?|Fib\w*)\b"
    r"|\b1-(?:to-)?(?:5|10)\sscale\b",
    re.IGNORECASE,
)
"""Places that are named by their share, and are no share of anything found."""

_BASE: Final = re.compile(
    r"\b(?:per|for(?:\s(?:each|every))?|each|every)\s(?:1|10|100|1,?000)\s"
    r"(?:yen|won|rupiah|baht|rupees?|dollars?|euros?|pounds?|francs?|[A-Z]{3}|units)\b"
)
_CALENDAR_DAY_UNITS: Final = re.compile(r"days?|sessions?|fixings?", re.IGNORECASE)


def spans_without_figures(text: str) -> tuple[Span, ...]:
    """Where in a text (in its `plain` form) stands what is no figure of a market."""
    return tuple(span for rule in RULES for span in rule(text))


def _matches(pattern: re.Pattern[str]) -> Callable[[str], Iterator[Span]]:
    return lambda text: (found.span() for found in pattern.finditer(text))


def _dates(text: str) -> Iterator[Span]:
    """Dates, unless a verb of change makes a fraction of day and month: `cut 1/4`."""
    for found in _DATES.finditer(text):
        before = text[max(0, found.start() - 24) : found.start()]
        changed = _CHANGED.search(before) or _CHANGE_AFTER.match(text, found.end())
        if not (changed and found["short"] and _EIGHTHS.fullmatch(found[0])):
            yield found.span()


def _day_lists(text: str) -> Iterator[Span]:
    """Days of one month, as in `28, 29 and 30 October`, unless the first is a level."""
    for found in _DAY_LISTS.finditer(text):
        before = text[max(0, found.start() - 24) : found.start()]
        if not (_REACHED.search(before) or _CHANGED.search(before)):
            yield found.span()


def _codes(text: str) -> Iterator[Span]:
    """Codes and tenors, unless something changed by that many million: `reserves rose 3M`."""
    for found in _CODES.finditer(text):
        before = text[max(0, found.start() - 24) : found.start()]
        if not (found["months"] and _CHANGED.search(before)):
            yield found.span()


def _confidence(text: str) -> Iterator[Span]:
    """How sure the desk is, and no survey: `Tankan confidence` is a figure of an economy."""
    for found in _CONFIDENCE.finditer(text):
        whose = _WHOSE.search(text[max(0, found.start() - 24) : found.start()])
        word = whose[1] if whose else ""
        named = word[:1].isupper() and word not in _OF_THE_DESK and "." not in found[0]
        if not named and word.lower() not in _SURVEYED:
            yield found.span()


def _counts(text: str) -> Iterator[Span]:
    """Counts of sources, markets, meetings and the like, unless a level is told right before the
    next words: `with USD/JPY at 157 traders are wary`; and unless one move is told by its size:
    `a 50 cut`."""
    for found in _COUNTS.finditer(text):
        before = text[max(0, found.start() - 24) : found.start()]
        level = found[0][:2].isdigit() and _REACHED.search(before)
        if not level and not _ONE_MOVE.fullmatch(found[0]):
            yield found.span()


def _voted(text: str) -> Iterator[Span]:
    """A count of votes at the end of a decision: `held Bank Rate by 7-2`, `held (9-0)`.

    `raised rates by 25-50` is no vote: no more vote than there are seats, and most go first.
    """
    for found in (*_VOTED.finditer(text), *_TALLY.finditer(text)):
        most, fewest = int(found["most"]), int(found["fewest"])
        lost = found.re is _VOTED and found["how"].lower() == "voted"
        if most + fewest <= _MOST_VOTERS and (most > fewest or lost):
            yield found.span("vote" if found.re is _VOTED else 0)


def _years(text: str) -> Iterator[Span]:
    """Years, unless the words before them make them a level."""
    for found in _YEARS.finditer(text):
        before = text[max(0, found.start() - 24) : found.start()]
        level = found[0].isdigit() and _LEVEL_WORD.search(before)
        of_a_year = (
            _OF_A_YEAR.match(text, found.end())
            or _YEAR_OF.search(before)
            or (_spans_years(text, found.start(), found.end()))
        )
        if not level or of_a_year:
            yield found.span()


def _spans_years(text: str, start: int, end: int) -> bool:
    """Whether a year begins a span of them, as in `between 2010 and 2015`, and nothing traded
    there."""
    before = text[max(0, start - 60) : start]
    spans = _BETWEEN_YEARS.search(before) and _TO_A_YEAR.match(text, end)
    return bool(spans) and not _IN_A_RANGE.search(before)


def _windows(text: str) -> Iterator[Span]:
    """Lengths of time, unless they say how long a move has gone on. Days after a blank may be
    such a streak, and are left to whoever knows the claims."""
    for found in _WINDOWS.finditer(text):
        undecided = found["blank"] and _CALENDAR_DAY_UNITS.fullmatch(found["unit"])
        if not undecided and not is_streak(text, found.start(), found.end()):
            yield found.span()


RULES: Final[tuple[Callable[[str], Iterator[Span]], ...]] = (
    *map(_matches, (_ADDRESSES, _PERIODS, _TIMES, _NAMES, _STANDARDS, _MARKERS)),
    *map(_matches, (_VOTES, _ORDINALS, _BASE, _WINDOW_LISTS, _RETRACEMENTS)),
    _dates,
    _day_lists,
    _codes,
    _confidence,
    _counts,
    _voted,
    _years,
    _windows,
)
"""Each finds the phrases of one kind."""
