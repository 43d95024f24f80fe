"""Small tables of facts about central banks."""

from pathlib import Path

from desk.sources.central_banks.facts.policy import AREA_COLUMNS

AREAS = f"""\
{",".join(AREA_COLUMNS)}
US,Federal Reserve,Fed,USD,target,14:00,America/New_York,1,2015-01-01,2026-09-30,2015-01-01,
JP,Bank of Japan,BoJ,JPY,call rate,23:59,Asia/Tokyo,4,2015-01-01,2026-09-30,2015-01-01,No hour.
SE,Sveriges Riksbank,Riksbank,SEK,policy rate,09:30,Europe/Stockholm,8,2015-01-01,2026-08-31,,
SG,Monetary Authority of Singapore,MAS,SGD,policy band,08:00,Asia/Singapore,,,,,No policy rate.
"""
DECISIONS = """\
area,decision_date,date_precision,announced_at_local,rate_pct,change_bp,rate_low_pct,rate_high_pct,instrument,source
JP,2014-12-31,day,,0.10,,,,excess reserves,level at the start
JP,2024-03-19,day,,0.05,15,,,call rate,BoJ 19 March 2024
JP,2024-07-31,day,,0.25,20,,,call rate,BoJ 31 July 2024
SE,2026-03-24,effective,,1.75,-25,,,policy rate,Riksbank March 2026
SE,2026-05-31,month,,2.00,25,,,policy rate,BIS CBPOL 2026-05
US,2020-03-03,day,,1.125,-50,1.00,1.25,target range midpoint,Fed 3 March 2020
US,2020-03-15,day,,0.125,-100,0.00,0.25,target range midpoint,Fed 15 March 2020
US,2026-07-29,day,,3.625,350,3.50,3.75,target range midpoint,Fed 29 July 2026
US,2026-09-16,day,,3.625,0,3.50,3.75,target range midpoint,Fed 16 September 2026
"""
CALENDAR = """\
area,decision_date,announced_from,withdrawn_from,moved_to,source
US,2026-07-29,2025-07-01,,,Fed calendar for 2026
US,2026-09-16,2025-07-01,,,Fed calendar for 2026
US,2027-01-27,2026-08-10,,,Fed calendar for 2027
JP,2024-07-31,2024-01-01,,,BoJ calendar for 2024
SE,2026-03-24,2026-01-01,,,Riksbank calendar for 2026
SE,2026-05-31,2026-01-01,,,Riksbank calendar for 2026
"""


def write_facts(
    folder: Path, *, areas: str = AREAS, decisions: str = DECISIONS, calendar: str = CALENDAR
) -> Path:
    """Write the three tables into a folder and give the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "areas.csv").write_text(areas, encoding="utf-8")
    (folder / "rate_decisions.csv").write_text(decisions, encoding="utf-8")
    (folder / "decision_calendar.csv").write_text(calendar, encoding="utf-8")
    return folder
