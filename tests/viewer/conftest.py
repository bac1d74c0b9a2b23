"""A real browser: Chromium without a window, driven by Playwright."""

from __future__ import annotations

import shutil
import time

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# without a graphics card
_ARGUMENTS = (
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)  # fmt: skip
SIZE = {"width": 640, "height": 420}


@pytest.fixture(scope="session")
def launch():
    """Start Chromium with arguments, or skip and say what is missing."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is missing")
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(_NAMES)} is installed")
    # a process has one driver: a second one finds the loop of the first
    with api.sync_playwright() as driver:

        def start(arguments):
            return driver.chromium.launch(executable_path=found, args=[*arguments])

        yield start


@pytest.fixture(scope="session")
def chromium(launch):
    """Chromium, or a skip that says what is missing."""
    pytest.importorskip("viser", reason="the extra viewer is not installed")
    browser = launch(_ARGUMENTS)
    yield browser
    browser.close()


class Tab:
    """A page, with what it said and asked for."""

    def __init__(self, browser):
        self.page = browser.new_page(viewport=SIZE)
        self.said = []
        self.asked = []
        self.page.on("console", lambda one: self.said.append((one.type, one.text)))
        self.page.on("pageerror", lambda one: self.said.append(("error", str(one))))
        self.page.on("request", lambda one: self.asked.append(one.url))

    @property
    def errors(self):
        return [text for kind, text in self.said if kind == "error"]

    def close(self):
        self.page.close()


@pytest.fixture
def tabs(chromium):
    """A function that opens pages, which are closed in the end."""
    opened = []

    def open_tab(address):
        tab = Tab(chromium)
        opened.append(tab)
        tab.page.goto(address)
        return tab

    yield open_tab
    for tab in opened:
        if not tab.page.is_closed():
            tab.close()


@pytest.fixture
def until():
    """A function that waits until a condition is met, and fails if it never is."""

    def wait(condition, what, seconds=120.0):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        pytest.fail(f"{what} did not happen in {seconds:g} s")

    return wait
