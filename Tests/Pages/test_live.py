"""The live page of `uwb serve` in a real browser."""

import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

from page_checks import check

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Long enough for the slowest browser; what is drawn at one time is drawn at any.
ROOM = """
name: hall
duration_s: 600
rate_hz: 10
devices:
  - {name: anna, motion: {position_m: [0, 1, 0]}, facing: {yaw_deg: 0}, sessions: [bert, carl, dora]}
  - {name: bert, motion: {centre_m: [0, 1, 0], radius_m: 3, speed_m_s: 0.3, start_deg: 0}, sessions: [anna]}
  - {name: carl, motion: {position_m: [2, 1, -6]}, sessions: [anna]}
  - {name: dora, motion: {position_m: [-3, 1, 2]}, sessions: [anna]}
"""


class Server:
    def __init__(self, *arguments, source=None):
        self.process = subprocess.Popen(
            [os.environ["UWB_PROGRAM"], "serve", *map(str, arguments), "--port", "0"],
            stdin=subprocess.PIPE if source else subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        )
        self.address = json.loads(self.process.stdout.readline())["address"]

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(20)
        finally:
            self.process.kill()


@pytest.fixture
def serve():
    servers = []

    def start(*arguments, **options):
        servers.append(Server(*arguments, **options))
        return servers[-1]

    yield start
    for each in servers:
        each.process.kill()
        each.process.wait()


@pytest.fixture
def room(serve, tmp_path):
    path = tmp_path / "hall.yaml"
    path.write_text(ROOM)
    return serve(path)


def wait_for(page, text, selector="body"):
    page.wait_for_function("([s, t]) => document.querySelector(s).innerText.includes(t)", arg=[selector, text])


def distance(page):
    page.wait_for_function("() => document.querySelector('#distance-value').textContent !== '–'")
    return float(page.inner_text("#distance-value"))


def test_live(browse, room):
    seen = browse(room.address, wait="domcontentloaded")
    page = seen.page
    page.wait_for_selector("#cir polyline")
    page.wait_for_function("() => document.querySelectorAll('#peers tr').length === 3")
    wait_for(page, "updates a second")
    wait_for(page, "session started", "#events")
    assert "Simulated room" in page.inner_text("#status")
    # carl stands still, at √(2² + 6²) m from anna, ahead on the right.
    page.select_option("#peer", "carl")
    wait_for(page, "carl is", "#finder-text")
    assert abs(distance(page) - 40 ** 0.5) < 0.5
    assert "to the right" in page.inner_text("#finder-text")
    assert "carl" in page.get_attribute("#radar", "aria-label")
    assert "tap" in page.get_attribute("#cir", "aria-label")
    check(seen)


def test_other_device(browse, room):
    seen = browse(room.address, wait="domcontentloaded")
    seen.page.wait_for_function("() => document.querySelectorAll('#peers tr').length === 3")
    seen.page.select_option("#device", "carl")
    seen.page.wait_for_function("() => document.querySelector('#peers tr td').textContent === 'anna'")
    assert seen.page.locator("#peers tr").count() == 1
    check(seen)


def test_keyboard(open_page, room):
    page = open_page(room.address, wait="domcontentloaded").page
    page.wait_for_function("() => document.querySelectorAll('#peers tr').length === 3")
    reached = set()
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.className || document.activeElement.tagName"))
    assert {"device", "peer", "events", "scroll", "A"} <= reached, reached
    page.focus("#peer")
    before = page.input_value("#peer")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("name => document.querySelector('#peer').value !== name", arg=before)


def test_connection_lost_and_back(open_page, serve, tmp_path):
    path = tmp_path / "hall.yaml"
    path.write_text(ROOM)
    server = serve(path)
    port = re.search(r":(\d+)/", server.address)[1]
    page = open_page(server.address, wait="domcontentloaded").page
    distance(page)
    assert server.stop() == 130
    wait_for(page, "Trying again", "#status")
    again = Server.__new__(Server)
    again.process = subprocess.Popen(
        [os.environ["UWB_PROGRAM"], "serve", str(path), "--port", port], stdout=subprocess.PIPE, text=True)
    try:
        assert again.process.stdout.readline()
        wait_for(page, "Simulated room", "#status")
    finally:
        again.process.kill()


def test_stream_ends(browse, serve, uwb, tmp_path):
    uwb("simulate", "still", "--out", tmp_path / "still", "--seed", "1")
    uwb("convert", tmp_path / "still.sigmf-meta", tmp_path / "still.ndjson")
    data = (tmp_path / "still.ndjson").read_text()
    server = serve("-", source=True)
    seen = browse(server.address, wait="domcontentloaded")
    wait_for(seen.page, "standard input")
    server.process.stdin.write(data)
    server.process.stdin.close()
    wait_for(seen.page, "has ended", "#status")
    wait_for(seen.page, "last heard", "#finder-text")
    assert abs(distance(seen.page) - 3) < 0.2
    assert "has left" in seen.page.inner_text("#peers")
    assert server.process.poll() is None, "the page stays when the stream has ended"
    check(seen)
    assert server.stop() == 130


def test_narrow_and_contrast(open_page, room):
    """A very narrow phone, and colors that the reader asks for."""
    seen = open_page(room.address, "phone", "dark", wait="domcontentloaded", viewport=dict(width=320, height=600), contrast="more")
    seen.page.wait_for_selector("#cir polyline")
    assert seen.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(0, 0, 0)"
    check(seen)


def test_hostile_names(open_page, serve, tmp_path):
    """What a stream calls itself is text, whatever it looks like."""
    name = "<img src=x onerror=alert(1)>"
    path = tmp_path / "hall.yaml"
    path.write_text(ROOM.replace("name: hall", f"name: '{name}'"))
    seen = open_page(serve(path).address, wait="domcontentloaded")
    wait_for(seen.page, name, "#title")
    assert seen.page.locator("img").count() == 0
    check(seen)
