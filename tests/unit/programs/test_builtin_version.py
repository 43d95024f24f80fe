"""The version of the built-in analysts is raised with their words: else `desk audit` would hold
reports of an earlier desk to what today's analysts say."""

import hashlib

from desk.contracts.agents.usage import BUILTIN_VERSION
from tests.support.documents.real_reports import real_report

SAID = {
    1: "19a7e603b2e237bf",
    2: "19a7e603b2e237bf",
    3: "f09efd73b243003e",
    4: "561948df0df606ac",
    5: "e39e143d5c98e1ff",
    6: "e39e143d5c98e1ff",
    7: "e39e143d5c98e1ff",
}
"""The digest of what each version has said of a week; only the newest can be made again."""


def test_the_words_of_a_version_stay_as_they_are() -> None:
    report = real_report("USD/JPY", "EUR/USD", "USD/HKD", "JP")
    said = "\n".join(
        section.model_dump_json(
            include={
                *("claims", "events", "views", "verdicts", "missing", "warnings"),
                *("recommendation", "confidence"),
            }
        )
        for section in report.markets
    )
    digest = hashlib.sha256(said.encode()).hexdigest()[:16]
    assert SAID.get(BUILTIN_VERSION) == digest, (
        "the built-in analysts say something else: raise BUILTIN_VERSION and add its digest here"
    )
