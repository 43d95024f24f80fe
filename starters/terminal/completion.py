"""Shell completions: published weeks, markets, graphs.

Each is empty if the settings cannot be read; the command itself reports why.
"""

from contextlib import suppress


def weeks(incomplete: str) -> list[str]:
    """The published weeks that start with the given text, newest first."""
    from desk.platform.settings import SettingsError, load_settings
    from desk.programs.week.document.publishing import published_weeks

    with suppress(SettingsError):
        found = published_weeks(load_settings().reports_dir)
        return [week for week in reversed(found) if week.startswith(incomplete.upper())]
    return []


def markets(incomplete: str) -> list[str]:
    """The configured markets that start with the given text. In a list with commas, completes its
    last entry."""
    from desk.platform.settings import SettingsError, load_settings

    before, comma, begun = incomplete.rpartition(",")
    with suppress(SettingsError):
        names = load_settings().config.market_names
        return [f"{before}{comma}{name}" for name in names if name.startswith(begun.upper())]
    return []


def graphs(incomplete: str) -> list[str]:
    """The graphs that start with the given text: those shipped with the desk and the project's."""
    from desk.platform.settings import SettingsError, load_settings, shipped_graphs

    with suppress(SettingsError):
        found = [file.stem for file in shipped_graphs(load_settings().project_dir)]
        return [name for name in found if name.startswith(incomplete)]
    return []
