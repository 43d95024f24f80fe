"""The figure gate over what may come about, and over what dealers say aloud.

A condition is nobody's finding, in whatever unit it is told. What happened, and what an `if` takes
for granted, is one.
"""

import pytest

from contracts.claims import Metric
from domain.figure_gate import read_prose
from tests.support.builders import claim
from tests.support.wires import CLAIMS

CONDITIONS = (
    "If inflation falls to 2.7 %, the Fed may ease.",
    "If inflation falls to 2.7 % the Fed eases.",
    "If inflation were to fall below 2 %, the ECB would cut.",
    "If inflation falls to 2.5-2.7 %, the Fed may ease.",
    "If CPI comes in at 3 %, the Fed may pause.",
    "If core inflation prints above 3 %, yields rise.",
    "If growth slows and inflation falls to 2 %, the RBA will cut.",
    "If unemployment rises to 4.5 % the Fed eases.",
    "If yields fall to 4 %, gold gains.",
    "If the Fed cuts by 50 bp, the dollar falls.",
    "If the Fed delivers 50 bp, the dollar falls.",
    "If the RBNZ were to cut by only 25 bp, NZD would rally.",
    "If the BoJ raises rates to 0.75 % in December, the yen gains.",
    "If China's growth target is cut to 4 %, the yuan weakens.",
    "If intervention exceeds 5 trillion yen, the pair may fall.",
    "If payrolls fall by 50,000, the Fed cuts.",
    "If Brent rises above $90, the rupee suffers.",
    "If USD/JPY loses 3 % in a day, Tokyo relaxes.",
    "Should the unemployment rate rise above 4.5 %, the Fed would cut again.",
    "Should the Fed cut by 50 bp, the dollar would fall.",
    "Unless core inflation drops below 3 %, the RBA stays on hold.",
    "In case inflation rises to 3 %, the MAS tightens.",
    "Once inflation falls to 2 %, the RBA will cut.",
    "Until inflation falls to 2 %, the RBA holds.",
    "When inflation falls below 2 % the ECB eases.",
    "The Fed would ease if inflation fell to 2.7 %.",
    "The Fed would ease if payrolls fell below 50,000.",
    "The ECB will act if EUR/USD gains 5 %.",
    "The call is wrong if the 10-year yield closes above 4.75 %.",
    "A 10-year yield above 4.75 % would hurt the yen.",
    "A CPI print above 3 % would revive talk of a hike.",
    "A cut of 50 bp would surprise.",
    "A 50 bp cut would be a surprise.",
    "A half-point cut would be a surprise.",
    "A 50bp move cannot be excluded if growth slows.",
    "Every 10 bp rise in yields lifts USD/JPY.",
    "Each $10 rise in oil hurts the rupee.",
    "Above 160 officials step in.",
    "Above 160 exporters sell.",
    "Above 160 the MoF acts.",
    "Below 150 exporters buy.",
    "Below 1.05 traders expect the ECB to talk.",
    "Watch for a weekly close north of 160.",
    "Stops are clustered north of 160.",
    "South of 150 stops are stacked.",
    "160 would be a line in the sand.",
    "160 is the level that Tokyo watches.",
    "Tokyo sees 160 as a red line.",
    "Traders talk of 160 as the trigger.",
    "The 160 mark would be the line in the sand.",
    "Tokyo's pain threshold is widely seen as 160.",
    "The intervention threshold, 160, is close.",
    "There is little support below 1.05.",
    "T/P below 150, S/L above 160.",
    "Officials may act above one sixty.",
    "Watch for a break below one oh five.",
    "With USD/JPY above 160, officials may act.",
    "With USD/JPY above 160, the MoF would step in.",
    "With EUR/USD below 1.05, the ECB may speak up.",
    "Officials may act with USD/JPY above 160.",
    "USD/JPY > 160.",
    "USD/JPY > 158.90.",
    "USD/JPY > 160: intervention.",
    "Trigger: USD/JPY > 160.",
    "USD/JPY < 139 or EUR/USD < 1.05.",
)
"""What may come about, of which no week's claims say anything."""

TAKEN_FOR_GRANTED = (
    ("If the Fed's cut by 50 bp was the last, good.", "50 bp"),
    ("If the Fed's cuts by 75 bp were enough, good.", "75 bp"),
    ("If the rate cut to 0.25 % is the last, good.", "0.25 %"),
    ("If the rise to 2.7 % lasts, the Fed waits.", "2.7 %"),
    ("If inflation at 2.7 % persists, the Fed waits.", "2.7 %"),
    ("If the inflation that fell to 2.7 % stays there, the Fed eases.", "2.7 %"),
    ("If inflation fell to 2.7 % last month, the Fed eases.", "2.7 %"),
    ("If inflation fell to 2.7 %, good.", "2.7 %"),
    ("If inflation fell to 2.7 % in September, the Fed would ease.", "2.7 %"),
    ("If inflation of 2.7 % is right, the Fed would ease.", "2.7 %"),
    ("If, as we think, inflation fell to 2.7 %, the Fed would ease.", "2.7 %"),
    ("If anything, inflation fell to 2.7 %.", "2.7 %"),
    ("If yields rise from 4.5 %, gold falls.", "4.5 %"),
    ("If USD/JPY closed at 158.90 on Friday, it would be news.", "158.90"),
    ("Nobody asks if inflation falls to 2.7 %.", "2.7 %"),
    ("It is unclear if inflation falls to 2.7 %.", "2.7 %"),
    ("Inflation acts as if it fell to 2.7 %.", "2.7 %"),
    ("The Fed cut by 75 bp and would cut again if inflation falls.", "75 bp"),
    ("Yields rose to 4.5 % and would rise more if the Fed hikes.", "4.5 %"),
    ("Once the Fed had cut by 75 bp, the dollar fell.", "75 bp"),
    ("When inflation fell to 2 % the RBA cut.", "2 %"),
    ("Until inflation fell to 2.7 % the RBA held.", "2.7 %"),
    ("Inflation would be 2.7 %.", "2.7 %"),
    ("Growth is expected to slow to 1.2 %.", "1.2 %"),
    ("A cut of 75 bp surprised markets.", "75 bp"),
    ("The cut of 75 bp would be followed by others.", "75 bp"),
    ("A cut of 75 bp on Wednesday would be followed by others.", "75 bp"),
    ("A 75 bp cut by the RBNZ on Wednesday would be its largest.", "75 bp"),
    ("A fall of 3.1 % last week would worry anyone.", "3.1 %"),
    ("CPI came in above 3 %.", "3 %"),
    ("A CPI print above 3 % sank the yen.", "3 %"),
    ("The 10-year yield, above 4.75 %, hurts the yen.", "4.75 %"),
    ("Each $10 bill is counted.", "$10"),
    ("Above 160 officials stepped in.", "160"),
    ("Above 160 officials were seen.", "160"),
    ("Above 160 the MoF bought yen.", "160"),
    ("Above 160 the pair is stretched.", "160"),
    ("Above 300,000 jobs were added.", "300,000"),
    ("Above 300 contracts changed hands at 158.90.", "158.90"),
    ("Spot north of 158.90 is stretched.", "158.90"),
    ("USD/JPY ended north of 158.90.", "158.90"),
    ("The 158.90 level held.", "158.90"),
    ("USD/JPY at 158.90 is the line in the sand.", "158.90"),
    ("USD/JPY is at 158.90, which Tokyo sees as a red line.", "158.90"),
    ("It crossed the line in the sand at 158.90.", "158.90"),
    ("The threshold was breached at 158.90.", "158.90"),
    ("With USD/JPY above 157.00, officials may act.", "157.00"),
    ("With USD/JPY at 158.90, officials may act.", "158.90"),
    ("With USD/JPY now above 160, officials may act.", "160"),
    ("With USD/JPY above 160, the yen is weak.", "160"),
    ("With USD/JPY above 160 and rising, officials may act.", "160"),
    ("With EUR/USD below 1.0900, the ECB may speak up.", "1.0900"),
    ("With EUR/USD below 1.05, the ECB spoke up.", "1.05"),
    ("With USD/KRW above 1,400, the BoK may act.", "1,400"),
    ("With inflation above 3 %, the Fed may wait.", "3 %"),
    ("USD/JPY > 157.", "157"),
    ("USD/JPY > 160 on Friday.", "160"),
    ("USD/JPY > 160 intraday.", "160"),
    ("USD/JPY was > 160.", "160"),
    ("USD/KRW > 1,400.", "1,400"),
    ("EUR/USD < 1.0900.", "1.0900"),
)
"""What happened, or is spoken of as if it had. Of USD/KRW no high is known, so it may have been."""

SPOKEN = (
    ("USD/JPY traded at one fifty-eight.", "one fifty-eight"),
    ("USD/JPY rose to one fifty-nine.", "one fifty-nine"),
    ("USD/JPY closed above one fifty-eight on Friday.", "one fifty-eight"),
    ("The dollar climbed past one fifty-eight yen.", "one fifty-eight"),
    ("It is one fifty-eight yen.", "one fifty-eight"),
    ("USD/JPY hit one fifty-eight ninety.", "one fifty-eight ninety"),
    ("EUR/USD fell to one oh seven.", "one oh seven"),
    ("Euro-dollar slipped below one-oh-seven.", "one-oh-seven"),
    ("The yen slid from one fifty-six to one fifty-eight.", "one fifty-eight"),
    ("The dollar is at one fifty-eight, the euro at one oh seven.", "one oh seven"),
    ("Sterling traded at one twenty-eight.", "one twenty-eight"),
    ("EUR/SEK ended at eleven twenty.", "eleven twenty"),
    ("Spot closed just under one fifty-nine.", "one fifty-nine"),
    ("USD/JPY traded either side of one fifty-eight.", "one fifty-eight"),
    ("It fell to the low one-fifties.", "one-fifties"),
    ("Officials acted above one sixty.", "one sixty"),
    ("The pair gained two big figures.", "two big figures"),
    ("The pair gained a big figure.", "a big figure"),
    ("Sterling lost more than two cents.", "two cents"),
    ("The euro dropped a full cent.", "a full cent"),
    ("The yen rose by two full yen.", "two"),
    ("The Fed cut by a full point.", "a full point"),
    ("The SNB made two fifty-basis-point cuts.", "fifty-basis-point"),
    ("The Fed cut by one fifty basis points.", "one fifty basis points"),
)
"""Figures in words, as dealers speak, that no claim states."""

NO_FIGURES = (
    "The decision came at two thirty in Tokyo.",
    "The meeting ended at one fifteen.",
    "The Bank of Japan announced at twelve thirty.",
    "The yen jumped at two thirty.",
    "The yen was quiet from nine thirty to ten fifteen.",
    "The pair was quiet until past two thirty.",
    "Two thirty-year bonds were sold.",
    "Nine forty-year-olds spoke.",
    "My two cents: hold.",
    "The US500 and the NAS100 rallied.",
    "The US30 and JP225 closed firmer.",
    "GER40, UK100 and HK50 slipped.",
    "The 10y-2y spread narrowed.",
    "The 3m10y curve flattened.",
    "USD/CAD is above its 50-, 100- and 200-day averages.",
    "We use 5-, 10- and 20-day windows.",
    "The 61.8 % retracement would be next.",
    "The 38.2 % Fibonacci retracement is a level to watch.",
    "On a 1-to-10 scale our conviction is middling.",
    "The baht ranked 1st and the yen 19th of 19.",
    "The Riksbank's Monetary Policy Report 3/2026 is out.",
    "The G7 and G20 statements, of 2013 and 2017, repeat the old line.",
    "Bill C-59 passed.",
    "The G3 currencies were quiet; the N11 were not.",
    "The clocks went back on Sunday 25 October, so the fix is now at 15:15 CET.",
    "CFTC data as of 27 Oct were delayed.",
    "Two-thirds of economists expect no change.",
    "The 1-year 1-year forward was little changed.",
    "The next 6 weeks hold 14 decisions.",
    "EM FX (ex-CNY) was mixed; 7 of 10 currencies fell.",
    "The RBA minutes (3 Nov.), the BoE (5 Nov.) and Banxico (6 Nov.) are next.",
)

NEAR_A_NAME = (
    ("The US500 closed at 5,800.", "5,800"),
    ("The bill cost US500 million.", "500 million"),
    ("Oil fell to US100.", "100"),
    ("A barrel is US100 a piece.", "100"),
    ("The 61.8 % retracement is at 153.20.", "153.20"),
    ("It retraced 61.8 %.", "61.8 %"),
    ("The 50- and 200-day averages, at 152.1 and 150.4, rose.", "152.1"),
    ("The 2s10s is at 54 bp.", "54 bp"),
    ("The RSI(14) is 71.", "71"),
    ("The 12-month forward is 151.20.", "151.20"),
    ("Pivot 157.10.", "157.10"),
    ("We target 150 by year-end.", "150"),
    ("The correlation is 0.85.", "0.85"),
    ("The pair stands 2 % below its high.", "2 %"),
    ("The euro is 0.5 % short of its high.", "0.5 %"),
)
"""The last two equal a bank's rate, of which they do not speak."""


@pytest.mark.parametrize("text", CONDITIONS)
def test_what_may_come_about_is_no_figure(text: str) -> None:
    assert read_prose(text, CLAIMS) == (text, ())


@pytest.mark.parametrize(("text", "figure"), (*TAKEN_FOR_GRANTED, *SPOKEN, *NEAR_A_NAME))
def test_what_is_told_as_known_is_caught(text: str, figure: str) -> None:
    read = read_prose(text, {})
    assert any(figure in rejection.written for rejection in read.rejected)
    assert any(figure in rejection.written for rejection in read_prose(text, CLAIMS).rejected)


@pytest.mark.parametrize("text", NO_FIGURES)
def test_an_hour_an_index_or_a_window_is_no_figure(text: str) -> None:
    assert read_prose(text, CLAIMS) == (text, ())


@pytest.mark.parametrize("text", ["With USD/JPY above 160, officials may act.", "USD/JPY > 160."])
def test_a_state_is_a_condition_only_where_the_fixings_deny_it(text: str) -> None:
    high = claim("USD/JPY", Metric.WINDOW_HIGH, "158.06")
    there = claim("USD/JPY", Metric.WINDOW_HIGH, "160.02")
    assert read_prose(text, {high.claim_id: high}).rejected == ()
    assert [figure.written for figure in read_prose(text, {there.claim_id: there}).rejected] == [
        "160"
    ]
    assert read_prose(text, {}).rejected
