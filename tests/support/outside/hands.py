"""Using a page as a person does: whatever is used is within reach of the keyboard and the mouse."""

import json

from tests.support.outside.browser import Browser
from tests.support.processes.command import eventually

MOST_TABS = 80


class Hand:
    """Somebody at a browser, who comes to everything by the keyboard, sees that the mouse could be
    used there, and uses one and the other in turns. Parts of a page are named by selectors."""

    def __init__(self, screen: Browser) -> None:
        self.screen = screen
        self._by_keyboard = False

    def go_to(self, selector: str) -> None:
        """Have the focus on something: by Tab, and by a click."""
        self._tab_to(selector)
        self.screen.click(selector)
        assert self._on(selector), f"{selector} has not got the focus"

    def follow(self, selector: str) -> None:
        """Use a link or a button that leads to another page."""
        if self._in_turns(selector):
            self.screen.press("Enter", leads_away=True)
            return
        is_link = self.screen.ask(f"document.querySelector({json.dumps(selector)}).tagName") == "A"
        before = self.screen.ask("location.href")
        self.screen.click(selector, leads_away=True)
        if is_link and self.screen.ask("location.href") == before:
            # It moved as the page was brought up to date: a person clicks once more.
            self.screen.click(selector, leads_away=True)

    def choose(self, selector: str) -> None:
        """Choose a radio button, the first of those that belong together: the label is clicked, and
        the arrows lead away from it and back."""
        self._tab_to(selector)
        chosen = f"document.querySelector({json.dumps(selector)}).checked"
        self.screen.click(f"label[for={selector.removeprefix('#')}]")
        assert self.screen.ask(chosen)
        self.screen.press("ArrowDown")
        assert not self.screen.ask(chosen)
        self.screen.press("ArrowUp")
        assert self.screen.ask(chosen)

    def unfold(self, selector: str) -> None:
        """Use something that changes the page that is open: twice by the one, once by the other."""
        self._tab_to(selector)
        self.screen.press("Enter")
        self.screen.click(selector)
        self.screen.press("Enter")

    def write(self, selector: str, words: str) -> None:
        """Write into a field."""
        self.go_to(selector)
        self.screen.type(words)

    def reads(self, words: str, selector: str = "main") -> None:
        """Return once the page that is open says something, which it does by itself."""
        try:
            eventually(lambda: words in self.text(selector), f"{words!r} on the page")
        except AssertionError as missing:
            raise AssertionError(f"{missing}: {self.text()}") from None

    def text(self, selector: str = "main") -> str:
        """What a part of the page says."""
        said = self.screen.ask(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")
        assert isinstance(said, str)
        return said

    def _on(self, selector: str) -> bool:
        asked = f"document.activeElement.matches({json.dumps(selector)})"
        return self.screen.ask(asked) is True

    def _in_turns(self, selector: str) -> bool:
        """Whether it is the keyboard's turn at something that both come to."""
        self._tab_to(selector)
        self.screen.place_of(selector)
        self._by_keyboard = not self._by_keyboard
        return self._by_keyboard

    def _tab_to(self, selector: str) -> None:
        seen = []
        for _ in range(MOST_TABS):
            if self._on(selector):
                assert self._on(":focus-visible"), f"nobody sees that {selector} has the focus"
                return
            self.screen.press("Tab")
            seen.append(self.screen.ask("document.activeElement.outerHTML.slice(0, 80)"))
        raise AssertionError(f"Tab does not lead to {selector}: {seen}")
