"""Objectives as somebody may type them, each with the form that it has, or none.

It is the building set: the floors of `desk.programs.swarm.objectives.matching` were chosen on it.
How well they do elsewhere, it does not say.
"""

from typing import Final

BUILDING: Final[tuple[tuple[str, str | None], ...]] = (
    ("Is USD/JPY overbought?", "overbought"),
    ("Has the euro's rally run too far?", "overbought"),
    ("Looks like cable is washed out here, is it oversold?", "oversold"),
    ("Is GBP/USD likely to weaken further?", "lower-ahead"),
    ("Do you expect the yen to strengthen from here?", "higher-ahead"),
    ("Where do you see EUR/USD a month from now?", "range-ahead"),
    ("Will the franc's cap hold?", "peg-holds"),
    ("How close is USD/HKD to the weak side of its band?", "peg-edge"),
    ("Could Hong Kong drop its dollar peg?", "peg-holds"),
    ("Does the carry in AUD/JPY still pay for the risk?", "carry"),
    ("What do I earn for being long USD/JPY?", "carry"),
    ("Is the yen carry trade unwinding?", "unwinding"),
    ("Is the aussie moving in lockstep with the kiwi?", "correlated"),
    ("Is the won cheap historically?", "cheap"),
    ("Sterling looks expensive against its own history, right?", "dear"),
    ("Did EUR/CHF break out of its range?", "breakout"),
    ("Is USD/SGD stuck in a range?", "sideways"),
    ("Is the Norwegian krone in a downtrend?", "downtrend"),
    ("Has the rupiah been weak?", "lost"),
    ("Is dollar yen trading above its long-run averages?", "uptrend"),
    ("Is the Canadian dollar under its long run average?", "downtrend"),
    ("EUR/GBP versus its 200 dma", "trend"),
    ("How wild have moves in USD/KRW been, is vol elevated?", "volatile"),
    ("Any central bank meeting coming up for EUR/GBP?", "decision-ahead"),
    ("Did Nvidia beat earnings estimates?", "earnings-beat"),
    ("Will the SNB's currency be higher in four weeks?", "higher-ahead"),
    ("Is the Danish currency near the edge of its band?", "peg-edge"),
    ("Is the currency of Sweden overbought?", "overbought"),
    ("Is the euro against sterling overbought?", "overbought"),
    ("Is the baht too strong for Thai exporters?", None),
    ("What would an election upset in Japan do to the yen?", None),
    ("Why has the rupee been falling, and is the RBI intervening?", None),
    ("Would tariffs on Mexico hurt the Canadian dollar?", None),
    ("Is China's property slump spilling over into AUD/USD?", None),
    ("How credible is the Bank of England?", None),
)
