"""Chromium without a screen, driven by its DevTools protocol over a websocket.

Nothing but Chromium itself is needed: aiohttp, which carries the socket, comes with the program.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)
PATIENCE = 60
READY = "document.documentElement?.dataset.ready"


def program() -> str | None:
    """The path of Chromium; None where there is none."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Page:
    """A tab. `troubles` collects what a test should fail on: exceptions, errors and warnings on
    the console, violations of the page's policy, and every request but that for the page."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.troubles: list[str] = []
        self._socket = socket
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._reader = asyncio.create_task(self._read())
        self._asked = ""

    async def _read(self) -> None:
        async for message in self._socket:
            said = message.json()
            if "id" in said:
                self._waiting.pop(said["id"]).set_result(said)
            else:
                self._note(said["method"], said["params"])

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.troubles.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.troubles.append(str(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.troubles.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if url.partition("#")[0] not in (self._asked.partition("#")[0], "about:blank"):
                self.troubles.append(f"requested {url}")

    async def command(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        answer = await asyncio.wait_for(future, PATIENCE)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    async def open(self, url: str, *, width: int = 1400, ready: str = READY) -> None:
        """Goes to the address, afresh, and waits until the expression `ready` is true."""
        self._asked = url
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self.command(f"{domain}.enable")
        await self.resize(width)
        # from one place of a page to another nothing would be read anew
        await self.command("Page.navigate", url="about:blank")
        await self.command("Page.navigate", url=url)
        await self.until(f"location.href !== 'about:blank' && {ready}")

    async def resize(self, width: int, height: int = 900) -> None:
        await self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    async def prefer(self, scheme: str) -> None:
        """Has the browser prefer `light` or `dark` pages."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        await self.command("Emulation.setEmulatedMedia", features=features)

    async def value(self, expression: str) -> Any:
        """What an expression of JavaScript comes to."""
        done = await self.command(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"]["exception"]["description"])
        return done["result"].get("value")

    async def until(self, expression: str) -> None:
        """Waits until an expression is true."""
        for _ in range(PATIENCE * 20):
            # an element would come back as an empty object
            if await self.value(f"Boolean({expression})"):
                return
            await asyncio.sleep(0.05)
        raise TimeoutError(f"never: {expression}")

    async def go(self, hash: str) -> None:
        """Goes to another view of the page and waits until it is shown."""
        if await self.value("location.hash || '#'") == hash:
            return
        await self.value("delete document.documentElement.dataset.ready")
        await self.value(f"location.hash = {hash!r}")
        await self.until(READY)

    async def click(self, selector: str) -> None:
        """Clicks the middle of an element, as a person would."""
        place = await self.value(
            f"(() => {{ const one = document.querySelector({selector!r});"
            " one.scrollIntoView({block: 'center'}); const box = one.getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            await self.command(
                "Input.dispatchMouseEvent",
                type=kind,
                x=place[0],
                y=place[1],
                button="left",
                clickCount=1,
            )

    async def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            await self.command("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    async def picture(self, file: Path, *, whole: bool = False) -> None:
        shot = await self.command(
            "Page.captureScreenshot", format="png", captureBeyondViewport=whole
        )
        file.write_bytes(base64.b64decode(shot["data"]))


@asynccontextmanager
async def chromium() -> AsyncIterator[Page]:
    """A tab of a new Chromium with an empty profile, which ends with the block."""
    path = program()
    assert path is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        process = await asyncio.create_subprocess_exec(
            *(path, *flags, f"--user-data-dir={profile}", "about:blank"),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with aiohttp.ClientSession() as session:
                port = await _port(Path(profile) / "DevToolsActivePort")
                async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                    tabs = await answer.json()
                address = next(tab for tab in tabs if tab["type"] == "page")["webSocketDebuggerUrl"]
                async with session.ws_connect(address, max_msg_size=0) as socket:
                    yield Page(socket)
        finally:
            process.terminate()
            await process.wait()


async def _port(file: Path) -> int:
    """The port that Chromium listens on, which it writes once it does."""
    for _ in range(PATIENCE * 20):
        if file.exists() and (lines := file.read_text().splitlines()):
            return int(lines[0])
        await asyncio.sleep(0.05)
    raise TimeoutError("Chromium has not come up.")
