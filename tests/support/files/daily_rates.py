"""Files of daily exchange rates as their publishers write them, of rates that a test gives."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from desk.sources.statistics.daily_rates import formats

Rates = Mapping[str, Mapping[date, str | Decimal]]
"""Units of each currency for one US dollar, by day."""

CANADIAN = Decimal("1.3905")
AUSTRALIAN = Decimal("1.5261")
"""Units of the bases for one US dollar, where the rates do not give them."""


def file_of(key: str, per_dollar: Rates) -> bytes:
    """The file of a publisher that holds the rates, as far as it gives the currencies."""
    return _WRITERS[key](per_dollar).encode()


def _days(rates: Rates) -> list[date]:
    return sorted({day for values in rates.values() for day in values})


def _rate(rates: Rates, code: str, day: date) -> Decimal | None:
    value = rates.get(code, {}).get(day)
    return None if value is None else Decimal(value)


def _in_units_of(
    rates: Rates, base: Decimal, base_code: str, code: str, day: date
) -> Decimal | None:
    """Units of a currency for one of a base that is not the dollar."""
    per_dollar = Decimal(1) if code == "USD" else _rate(rates, code, day)
    base_rate = _rate(rates, base_code, day) or base
    return None if per_dollar is None else per_dollar / base_rate


def _h10(rates: Rates) -> str:
    columns = [*formats.H10]
    quoted = ",".join(f'"{column}"' for column in columns)
    head = [
        '"Series Description",' + ",".join('"Spot exchange rate"' for _ in columns),
        '"Unit:",' + ",".join('"Currency"' for _ in columns),
        '"Multiplier:",' + ",".join('"1"' for _ in columns),
        '"Currency:",' + ",".join(f'"{code}"' for code in formats.H10.values()),
        '"Unique Identifier: ",' + ",".join(f'"H10/H10/{column}"' for column in columns),
        f'"Time Period",{quoted}',
    ]
    return "\n".join([*head, *(_h10_line(rates, day) for day in _days(rates))]) + "\n"


def _h10_line(rates: Rates, day: date) -> str:
    cells = []
    for column, code in formats.H10.items():
        rate = _rate(rates, code, day)
        turned = column.startswith(formats.IN_DOLLARS)
        cells.append("ND" if rate is None else f"{1 / rate if turned else rate:.4f}")
    return ",".join([day.isoformat(), *cells])


def _bank_of_england(rates: Rates) -> str:
    lines = [",".join(["DATE", *formats.BANK_OF_ENGLAND])]
    for day in _days(rates):
        found = (_rate(rates, code, day) for code in formats.BANK_OF_ENGLAND.values())
        lines.append(",".join([f"{day:%d %b %Y}", *(_cell(rate, 6) for rate in found)]))
    return "\r\n".join(lines) + "\r\n"


def _bank_of_canada(rates: Rates) -> str:
    columns = formats.BANK_OF_CANADA
    head = ['"TERMS AND CONDITIONS"', '"https://www.bankofcanada.ca/terms/"', "", '"NAME"']
    head += ['"Daily exchange rates"', "", '"SERIES"', '"id","label","description"']
    head += [
        f'"{column}","{code}/CAD","{code} to Canadian dollar"' for column, code in columns.items()
    ]
    lines = [*head, "", '"OBSERVATIONS"', ",".join(f'"{each}"' for each in ("date", *columns))]
    for day in _days(rates):
        cells = []
        for code in columns.values():
            units = _in_units_of(rates, CANADIAN, "CAD", code, day)
            cells.append("" if units is None else _canadian(1 / units))
        lines.append(",".join(f'"{cell}"' for cell in (day.isoformat(), *cells)))
    return "\n".join(lines) + "\n"


def _canadian(rate: Decimal) -> str:
    """Four decimals, or six where the rate is small."""
    return f"{rate:.4f}" if rate >= Decimal("0.1") else f"{rate:.6f}"


def _reserve_bank_of_australia(rates: Rates) -> str:
    columns = formats.RESERVE_BANK_OF_AUSTRALIA
    lines = ["F11.1  EXCHANGE RATES,", ",".join(["Title", *(f"A$1={c}" for c in columns.values())])]
    lines.append(",".join(["Units", *columns.values()]))
    lines.append(",".join(["Series ID", *columns]))
    for day in _days(rates):
        cells = []
        for code in columns.values():
            units = _in_units_of(rates, AUSTRALIAN, "AUD", code, day)
            cells.append(_cell(units, 4))
        lines.append(",".join([f"{day:%d-%b-%Y}", *cells]))
    return "\ufeff" + "\r\n".join(lines) + "\r\n"


def _bis(rates: Rates) -> str:
    lines = [
        "FREQ,REF_AREA,CURRENCY,COLLECTION,UNIT_MULT,DECIMALS,AVAILABILITY,TITLE,TIME_PERIOD,"
        "OBS_VALUE,OBS_STATUS,OBS_PRE_BREAK,OBS_CONF"
    ]
    for area, code in formats.BIS_AREAS.items():
        for day in _days(rates):
            rate = _rate(rates, code, day)
            value = "NaN" if rate is None else f"{rate:.6f}"
            head = f"D,{area},{code},A,0,6,A, Exchange rates against USD"
            lines.append(f"{head},{day.isoformat()},{value},A,,F")
    return "\n".join(lines) + "\n"


def _cell(rate: Decimal | None, places: int) -> str:
    return "" if rate is None else f"{rate:.{places}f}".rstrip("0").rstrip(".")


_WRITERS = {
    "federal_reserve": _h10,
    "bank_of_england": _bank_of_england,
    "bank_of_canada": _bank_of_canada,
    "reserve_bank_of_australia": _reserve_bank_of_australia,
    "bis": _bis,
}
