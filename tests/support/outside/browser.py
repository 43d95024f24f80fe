"""A headless Chromium that a test tells what to do, over the browser's own debugging pipe."""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 90.0
"""Seconds for the browser to do what it was told."""

FIRST_FREE = 20
"""A descriptor above those that the browser reads from and writes to, 3 and 4."""

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40}


def chromium() -> str | None:
    """The browser's program, where one is installed."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page of a browser.

    `complaints` are the errors and warnings of the pages' consoles, `asked_for` the addresses
    that anything was loaded from.
    """

    def __init__(self, reads: int, writes: int) -> None:
        self._reads, self._writes = reads, writes
        self._waiting = b""
        self._last = 0
        self._session: str | None = None
        self._loaded = False
        self.complaints: list[str] = []
        self.asked_for: list[str] = []

    def attach(self) -> Self:
        """Open the page and listen to what happens in it."""
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")
        return self

    def resize(self, width: int, height: int = 800, *, dark: bool = False) -> None:
        """Look at the page through a screen of this size and scheme."""
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, address: str) -> None:
        """Go to an address, also to the one that is open, and wait until it is there."""
        self._loaded = False
        if "loaderId" not in self._call("Page.navigate", url=address):
            # It is a place on the page that is open.
            self._call("Page.reload")
        self.await_page()

    def await_page(self) -> None:
        """Wait for a page that is on its way."""
        end = time.monotonic() + PATIENCE
        while not self._loaded and time.monotonic() < end:
            self._note(self._message())
        assert self._loaded, "the page did not load"

    def ask(self, expression: str) -> Any:
        """What an expression comes to in the page."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def type(self, text: str) -> None:
        """Write where the focus is."""
        self._call("Input.insertText", text=text)

    def press(self, key: str, *, leads_away: bool = False) -> None:
        """Press a key; with `leads_away`, wait for the page that it leads to."""
        self._loaded = not leads_away
        code = KEYS.get(key, ord(key[0].upper()))
        named = {"key": key, "windowsVirtualKeyCode": code}
        text = {"text": "\r"} if key == "Enter" else {}
        self._call("Input.dispatchKeyEvent", type="keyDown", **named, **text)
        self._call("Input.dispatchKeyEvent", type="keyUp", **named)
        if leads_away:
            self.await_page()

    def place_of(self, selector: str) -> tuple[float, float]:
        """Where to click at something: at its middle, where it must be on top."""
        found = json.dumps(selector)
        place = self.ask(
            f"(e => {{ if (!e) return null; e.scrollIntoView({{block: 'center'}});"
            " const r = e.getClientRects()[0], x = r.x + r.width / 2, y = r.y + r.height / 2;"
            " return e.contains(document.elementFromPoint(x, y)) ? [x, y] : null })"
            f"(document.querySelector({found}))"
        )
        assert place is not None, f"there is no {selector} to click at"
        return place[0], place[1]

    def click(self, selector: str, *, leads_away: bool = False) -> None:
        """Click at something; with `leads_away`, wait for the page that it leads to."""
        x, y = self.place_of(selector)
        self._loaded = not leads_away
        for event in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = {} if event == "mouseMoved" else {"button": "left", "clickCount": 1}
            self._call("Input.dispatchMouseEvent", type=event, x=x, y=y, **button)
        if leads_away:
            self.await_page()

    def photograph(self, path: Path, *, whole: bool = False) -> None:
        """The page as it is seen or, with `whole`, down to its foot, as a PNG file."""
        shot = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self) -> None:
        """Ask the browser to end."""
        self._session = None
        with suppress(OSError, AssertionError):
            self._call("Browser.close")

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        call: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            call["sessionId"] = self._session
        os.write(self._writes, json.dumps(call).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = self._message()
            if message.get("id") == self._last:
                assert "error" not in message, message["error"]
                answer: dict[str, Any] = message["result"]
                return answer
            self._note(message)
        raise AssertionError(f"no answer to {method}")

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._waiting:
            ready, _, _ = select.select([self._reads], [], [], PATIENCE)
            assert ready, "the browser says nothing"
            more = os.read(self._reads, 1 << 16)
            assert more, "the browser has ended"
            self._waiting += more
        first, _, self._waiting = self._waiting.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        return message

    def _note(self, message: dict[str, Any]) -> None:
        method, told = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.asked_for.append(told["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(told["exceptionDetails"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in {"error", "warning"}:
            self.complaints.append(told["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and told["type"] in {"error", "warning"}:
            self.complaints.append(json.dumps(told["args"]))


@contextmanager
def browsing(program: str, home: Path) -> Iterator[Browser]:
    """A browser of its own home, gone at the end."""
    commands, writes = _pipe()
    reads, answers = _pipe()
    arguments = [
        *(program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
        *("--remote-debugging-pipe", "--no-first-run", "--disable-background-networking"),
        *("--disable-dev-shm-usage", f"--user-data-dir={home}"),
        # What a browser does beside its page takes as long as some of what is tried in it.
        *("--disable-extensions", "--disable-component-update", "--disable-sync"),
        *("--disable-default-apps", "--disable-breakpad", "--metrics-recording-only"),
        "--disable-features=Translate,OptimizationHints,MediaRouter,PaintHolding",
    ]
    pid = os.posix_spawn(
        program,
        arguments,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, commands, 3),
            (os.POSIX_SPAWN_DUP2, answers, 4),
        ],
        setpgroup=0,
    )
    os.close(commands)
    os.close(answers)
    try:
        browser = Browser(reads, writes).attach()
        yield browser
        browser.close()
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(reads)
        os.close(writes)


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are no descriptors that the browser uses for something else."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
