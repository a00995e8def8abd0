"""Fixtures for pages in a real browser: Debian's Chromium, driven by Playwright.

    def test_page(browse):                     # once for each size of window and each color scheme
        seen = browse(path_or_url)
        seen.page.mouse.wheel(0, 100)          # playwright.sync_api.Page
        check(seen)                            # page_checks

UWB_PROGRAM names the program, UWB_SCREENSHOTS a folder in which a picture of each page is kept.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import pytest
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).parent))

WINDOWS = {
    "desktop": dict(viewport=dict(width=1280, height=900)),
    "phone": dict(viewport=dict(width=360, height=780), has_touch=True, is_mobile=True, device_scale_factor=2),
}
SCHEMES = ("light", "dark")


class Seen:
    """An open page, with what went wrong on it."""

    def __init__(self, page, own):
        self.page = page
        #: Text of errors and warnings on the console, and of exceptions.
        self.errors = []
        #: Addresses of requests other than to `own`, the page's own origin.
        self.requests = []
        page.on("console", lambda message: message.type in ("error", "warning") and self.errors.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self._request(request.url, own))

    def _request(self, url, own):
        if not (url == own or url.startswith(("data:", "blob:")) or own.startswith("http") and _origin(url) == _origin(own)):
            self.requests.append(url)


def _origin(url):
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.netloc


@pytest.fixture(scope="session")
def browser():
    chromium = os.environ.get("UWB_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    assert chromium, "Chromium is needed: scripts/test-pages installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(params=WINDOWS)
def window(request):
    """Name of a size of window."""
    return request.param


@pytest.fixture(params=SCHEMES)
def scheme(request):
    """A color scheme."""
    return request.param


@pytest.fixture
def open_page(browser, request):
    """Opens a file or an address: `open_page(path, "phone", "dark", wait="load")`; what else is named goes to the browser."""
    contexts = []

    def open(target, window="desktop", scheme="light", wait="load", **options):
        own = str(target) if "://" in str(target) else pathlib.Path(target).resolve().as_uri()
        context = browser.new_context(color_scheme=scheme, **{**WINDOWS[window], **options})
        contexts.append(context)
        context.set_default_timeout(20_000)
        seen = Seen(context.new_page(), own)
        seen.page.goto(own, wait_until=wait)
        return seen

    yield open
    folder = os.environ.get("UWB_SCREENSHOTS")
    for number, context in enumerate(contexts):
        if folder and context.pages:
            name = re.sub(r"[^\w.-]+", "-", request.node.name).strip("-")
            context.pages[0].screenshot(path=pathlib.Path(folder) / f"{name}-{number}.png", full_page=True)
        context.close()


@pytest.fixture
def browse(open_page, window, scheme):
    """Opens a file or an address; a test that takes it runs for each window and each scheme."""
    return lambda target, **options: open_page(target, window, scheme, **options)


@pytest.fixture(scope="session")
def uwb():
    """Runs the program: `uwb("replay", path)`. Gives standard output; fails with standard error unless it ends with `status`."""

    def run(*arguments, cwd=None, status=0):
        done = subprocess.run(
            [os.environ["UWB_PROGRAM"], *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == status, done.stderr
        return done.stdout

    return run
