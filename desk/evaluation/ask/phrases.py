"""The relations of the sealed corpus: how a source states each, and how people ask for it.

`plain` questions use the source's words, `colloquial` ones avoid them. Only the generator reads
these tables, and none of the phrases is used as an example during development.
"""

from enum import StrEnum
from typing import Final, NamedTuple


class Holder(StrEnum):
    """The kind of entity that a relation is about, which also decides the kind of source that
    states it."""

    SYSTEM = "system"
    """A document: its handbook."""
    AGREEMENT = "agreement"
    """A PDF file: the vendor's agreement."""
    PAGE = "page"
    """A web page: news of the vendor."""
    RULE = "rule"
    """A document in two versions."""


class Measure(StrEnum):
    """The kind of a relation's value."""

    MINUTES = "minutes"
    HOURS = "hours"
    DAYS = "days"
    EUROS = "euros"
    PERCENT = "percent"
    MESSAGES = "messages"
    DAY = "day"
    TIME = "time"
    PERSON = "person"
    TOWN = "town"
    CAUSE = "cause"


class StatedRelation(NamedTuple):
    """A property of a holder and its phrasings. `{e}` is replaced by the holder's name (in
    colloquial questions its short name), `{v}` by the value."""

    name: str
    holder: Holder
    measure: Measure
    heading: str
    statements: tuple[str, ...]
    plain: tuple[str, ...]
    colloquial: tuple[str, ...]
    mention: str
    """What a source writes when it mentions the relation without giving the value."""


RELATIONS: Final = (
    StatedRelation(
        "caretaker",
        Holder.SYSTEM,
        Measure.PERSON,
        "Responsibility",
        (
            "The caretaker of {e} is {v}.",
            "{v} has been named caretaker of {e} by the board.",
        ),
        ("Who is the caretaker of {e}?", "Which caretaker does {e} have?"),
        (
            "Whom do I ring when {e} acts up?",
            "{e} is misbehaving, who looks after it?",
            "Whose baby is {e}?",
        ),
        "A new caretaker of {e} is to be named at the next session of the board.",
    ),
    StatedRelation(
        "restart",
        Holder.SYSTEM,
        Measure.MINUTES,
        "Restart",
        (
            "A restart of {e} takes {v} when all nodes are healthy.",
            "After a restart it is {v} before {e} accepts work again.",
        ),
        ("How long does a restart of {e} take?", "How long after a restart is {e} ready for work?"),
        (
            "If we bounce {e}, for how long is it gone?",
            "How much downtime when somebody reboots {e}?",
            "We have to turn {e} off and on again. When is it back?",
        ),
        "The restart of {e} was rehearsed in spring; the time it took was not recorded.",
    ),
    StatedRelation(
        "retention",
        Holder.SYSTEM,
        Measure.DAYS,
        "Backups",
        (
            "Backups of {e} are kept for {v} and then deleted.",
            "Each backup of {e} is deleted {v} after it was made.",
        ),
        ("For how long are backups of {e} kept?", "After how long is a backup of {e} deleted?"),
        (
            "How far back can we roll {e}?",
            "Up to what age could old copies of {e} still be restored?",
            "When do the safety copies of {e} get thrown away?",
        ),
        "Backups of {e} are encrypted; for how long they stay is under review.",
    ),
    StatedRelation(
        "hall",
        Holder.SYSTEM,
        Measure.TOWN,
        "Location",
        (
            "{e} is hosted in the machine hall of {v}.",
            "The machine hall that hosts {e} is in {v}.",
        ),
        ("In which machine hall is {e} hosted?", "Where is the machine hall that hosts {e}?"),
        (
            "In which town do the boxes of {e} physically stand?",
            "If I wanted to pull the plug of {e}, where would I have to drive?",
            "Whereabouts do {e}'s servers live?",
        ),
        "The machine hall that hosts {e} is to be chosen by the end of the year.",
    ),
    StatedRelation(
        "running_cost",
        Holder.SYSTEM,
        Measure.EUROS,
        "Running cost",
        (
            "The running cost of {e} is {v} a month.",
            "Each month {e} has a running cost of {v}.",
        ),
        (
            "What is the monthly running cost of {e}?",
            "How high is the running cost of {e} a month?",
        ),
        (
            "What do we shell out every four weeks to keep {e} alive?",
            "How expensive is it to have {e} around, per month?",
            "What does {e} set us back month by month?",
        ),
        "The running cost of {e} is booked on a joint account and is not listed apart.",
    ),
    StatedRelation(
        "queue",
        Holder.SYSTEM,
        Measure.MESSAGES,
        "Capacity",
        (
            "The queue of {e} holds at most {v}.",
            "{e} refuses new work once its queue holds {v}.",
        ),
        ("How many messages does the queue of {e} hold at most?",),
        (
            "How much backlog can {e} swallow before it turns things away?",
            "At what point does {e} start rejecting stuff because too much is waiting?",
        ),
        "The queue of {e} was enlarged in the last release; its new size is to be measured.",
    ),
    StatedRelation(
        "commissioned",
        Holder.SYSTEM,
        Measure.DAY,
        "History",
        (
            "{e} was commissioned on {v}.",
            "Commissioning of {e} took place on {v}.",
        ),
        ("When was {e} commissioned?", "On which day was {e} commissioned?"),
        (
            "Since when have people been using {e} for real?",
            "What is the birthday of {e}?",
            "When did {e} first see daylight?",
        ),
        "{e} replaced an older product; the papers of its commissioning were lost.",
    ),
    StatedRelation(
        "notice",
        Holder.AGREEMENT,
        Measure.DAYS,
        "Termination",
        (
            "Either side may terminate the agreement with a notice of {v}.",
            "Termination requires a notice of {v} by either side.",
        ),
        ("What notice does the termination of the agreement with {e} require?",),
        (
            "If we want out of the {e} deal, how early must we say so?",
            "How long are we stuck with {e} once we quit?",
            "We are fed up with {e}. How much warning do they get?",
        ),
        "The length of the notice is agreed in an annex that is not part of this file.",
    ),
    StatedRelation(
        "fee",
        Holder.AGREEMENT,
        Measure.EUROS,
        "Fees",
        (
            "The fee under this agreement is {v} a month.",
            "A fee of {v} falls due at the end of each month.",
        ),
        (
            "What is the monthly fee under the agreement with {e}?",
            "How high is the monthly fee of {e}?",
        ),
        (
            "What does {e} bill us regularly?",
            "How much money goes to {e} every month?",
            "What is {e} charging us?",
        ),
        "The fee is set out in the price schedule, which is exchanged by letter.",
    ),
    StatedRelation(
        "penalty",
        Holder.AGREEMENT,
        Measure.PERCENT,
        "Late delivery",
        (
            "For each late delivery a penalty of {v} of the fee is deducted.",
            "The penalty for a late delivery amounts to {v} of the fee.",
        ),
        ("How high is the penalty for a late delivery by {e}?",),
        (
            "What do we get back when {e} is not on time?",
            "By how much does the invoice of {e} shrink if they dawdle?",
        ),
        "Whether a penalty is deducted for a late delivery is decided case by case.",
    ),
    StatedRelation(
        "expiry",
        Holder.AGREEMENT,
        Measure.DAY,
        "Term",
        (
            "The agreement expires on {v} unless it is renewed.",
            "Its term ends on {v}, when the agreement expires.",
        ),
        ("When does the agreement with {e} expire?",),
        (
            "Until when are we covered by {e}?",
            "How long is the thing with {e} still going to run?",
            "What is the last day on which {e} owes us anything?",
        ),
        "The agreement has no fixed term and does not expire by itself.",
    ),
    StatedRelation(
        "signatory",
        Holder.AGREEMENT,
        Measure.PERSON,
        "Signatures",
        (
            "For {e} the agreement was signed by {v}.",
            "Signed for {e}: {v}.",
        ),
        ("Who signed the agreement for {e}?",),
        (
            "Whose name is on the dotted line at {e}'s end?",
            "Which person over at {e} put pen to paper?",
        ),
        "The agreement was exchanged electronically and bears no signature of {e}.",
    ),
    StatedRelation(
        "response",
        Holder.AGREEMENT,
        Measure.HOURS,
        "Faults",
        (
            "{e} responds to a reported fault within {v}.",
            "A fault that is reported gets a response within {v}.",
        ),
        ("Within what time does {e} respond to a reported fault?",),
        (
            "Something of {e}'s is broken. How soon do they have to get back to us?",
            "How fast must {e} pick up the phone, so to speak, when things go wrong?",
        ),
        "Faults are reported by mail; a time of response is not agreed.",
    ),
    StatedRelation(
        "interruption",
        Holder.PAGE,
        Measure.MINUTES,
        "Interruption",
        (
            "The interruption at {e} lasted {v}.",
            "After {v} the interruption at {e} was over.",
        ),
        ("How long did the interruption at {e} last?",),
        (
            "For what time was {e} dark?",
            "How long were customers of {e} cut off?",
        ),
        "How long the interruption at {e} lasted is still being established.",
    ),
    StatedRelation(
        "cause",
        Holder.PAGE,
        Measure.CAUSE,
        "Cause",
        (
            "{e} gives {v} as the cause.",
            "According to {e} the cause was {v}.",
        ),
        ("What was the cause of the interruption at {e}?",),
        (
            "Why did {e} go down?",
            "What knocked out {e}?",
        ),
        "{e} has given no cause so far.",
    ),
    StatedRelation(
        "head_office",
        Holder.PAGE,
        Measure.TOWN,
        "Head office",
        (
            "{e} relocates its head office to {v}.",
            "The head office of {e} is relocated to {v}.",
        ),
        ("To which town does {e} relocate its head office?",),
        (
            "Where will the bosses of {e} sit in future?",
            "What is the new home of {e}?",
        ),
        "{e} looks for a new head office and has not chosen a town.",
    ),
    StatedRelation(
        "increase",
        Holder.PAGE,
        Measure.PERCENT,
        "Prices",
        (
            "{e} increases its list prices by {v}.",
            "The list prices of {e} increase by {v}.",
        ),
        ("By how much does {e} increase its list prices?",),
        (
            "How much dearer is {e} getting?",
            "What extra does {e} want on top of the old tariff?",
        ),
        "{e} announces an increase of its list prices and gives no figure.",
    ),
)
"""The known properties of systems and vendors."""


class Rule(NamedTuple):
    """A house rule, which a later version changes."""

    title: str
    relation: StatedRelation


RULES: Final = (
    Rule(
        "Procurement rules",
        StatedRelation(
            "second_signature",
            Holder.RULE,
            Measure.EUROS,
            "Signatures",
            ("An order above {v} needs a second signature.",),
            ("Above what amount does an order need a second signature?",),
            ("Up to how much may I buy something without a colleague co-signing?",),
            "Which order needs a second signature is decided by the head of the house.",
        ),
    ),
    Rule(
        "Travel rules",
        StatedRelation(
            "hotel",
            Holder.RULE,
            Measure.EUROS,
            "Hotels",
            ("A hotel is reimbursed up to {v} a night.",),
            ("Up to what amount is a hotel reimbursed a night?",),
            ("What is the most I can spend on a bed when I am on the road?",),
            "Hotels are reimbursed against a receipt.",
        ),
    ),
    Rule(
        "Access rules",
        StatedRelation(
            "password",
            Holder.RULE,
            Measure.DAYS,
            "Passwords",
            ("A password has to be replaced after {v}.",),
            ("After how long does a password have to be replaced?",),
            ("How old may my login secret get?",),
            "Passwords are replaced when the system asks for it.",
        ),
    ),
    Rule(
        "Incident rules",
        StatedRelation(
            "report_within",
            Holder.RULE,
            Measure.HOURS,
            "Reporting",
            ("An incident must be reported to the watch officer within {v}.",),
            ("Within what time must an incident be reported to the watch officer?",),
            ("Something blew up. How quickly do I have to tell somebody on duty?",),
            "An incident is reported to the watch officer.",
        ),
    ),
    Rule(
        "Visitor rules",
        StatedRelation(
            "announce",
            Holder.RULE,
            Measure.HOURS,
            "Announcement",
            ("Visitors are announced at the gate {v} ahead.",),
            ("How far ahead are visitors announced at the gate?",),
            ("My mother wants to see the office. How long before must I let the porter know?",),
            "Visitors are announced at the gate.",
        ),
    ),
)

CAUSES: Final = (
    "a burst water pipe",
    "an expired certificate",
    "a digger that cut a cable",
    "a faulty cooling fan",
    "a full disk",
    "a mistyped route",
    "a lightning strike",
    "a stuck clock",
    "an untested firmware",
    "a blown fuse",
)

SYSTEM_NOUNS: Final = (
    *("gateway", "ledger", "scheduler", "archive", "router", "notifier", "broker", "console"),
    *("matcher", "collector"),
)
VENDOR_NOUNS: Final = (
    *("Data", "Networks", "Analytics", "Clearing", "Logistics", "Software", "Telecom", "Research"),
)
STARTS: Final = (
    *("Bal", "Cor", "Dren", "Fal", "Gor", "Hav", "Jur", "Kal", "Lom", "Mer", "Nol", "Ost", "Pel"),
    *("Quor", "Ras", "Sel", "Tov", "Ul", "Var", "Wen", "Yar", "Zel"),
)
MIDDLES: Final = ("a", "e", "i", "o", "u", "an", "en", "or", "is", "ul")
ENDS: Final = (
    *("bix", "dane", "fort", "gris", "kesh", "lund", "mont", "nack", "pold", "quist", "rand"),
    *("stel", "tarn", "vex", "wick", "zan"),
)
TOWN_ENDS: Final = ("by", "dale", "haven", "holm", "moor", "stad", "thorpe", "vik", "worth", "ness")
FIRST_NAMES: Final = (
    *("Agnes", "Bruno", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ingrid", "Jomo"),
    *("Katya", "Luca", "Maren", "Nils", "Odile", "Pavel", "Rosa", "Sven", "Tomoko", "Wanda"),
)
STATUSES: Final = ("Open", "In progress", "Blocked", "In review", "Done", "On hold", "Closed")
BUDGET_ITEMS: Final = (
    *("Licences", "Training", "Cabling", "Storage", "Translations", "Audits", "Spare parts"),
    *("Insurance", "Cleaning", "Printing"),
)
PREFIXES: Final = ("OPS", "PLT", "SRV", "NET", "FAC", "ENG", "RUN", "HUB")

FILLERS: Final = (
    "This page is kept by the planning office and is read twice a year.",
    "Remarks are to be sent to the editor, who answers on working days.",
    "Nothing in this text replaces the advice of the legal department.",
    "A printed copy is out of date on the day after it was printed.",
    "The wording was agreed with all departments that are concerned.",
)
