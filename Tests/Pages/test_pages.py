"""Each kind of page in each window and scheme: what `check` asks, and that zoom and hover work."""

import os
import pathlib

import pytest

from page_checks import check

MAKERS = {}


def page_kind(make):
    """Registers a function that writes a page of one kind: `make(uwb, folder)` gives its path."""
    MAKERS[make.__name__] = make
    return make


@page_kind
def walk(uwb, folder):
    uwb("simulate", "walk", "--out", folder / "walk", "--seed", 1)
    uwb("replay", folder / "walk.sigmf-meta", "--output", "summary", "--report", folder / "walk.html")
    return folder / "walk.html"


@page_kind
def table_without_time(uwb, folder):
    rows = ["distance_m,peer"] + [f"{2 + 0.01 * (row % 7):.2f},{1 + row % 2}" for row in range(60)]
    (folder / "ranges.csv").write_text("\n".join(rows) + "\n")
    uwb("replay", folder / "ranges.csv", "--output", "summary", "--report", folder / "ranges.html")
    return folder / "ranges.html"


@page_kind
def merged(uwb, folder):
    uwb("simulate", "walk", "--out", folder / "walk", "--seed", 2)
    for shard in ("1/2", "2/2"):
        (folder / f"{shard[0]}.ndjson").write_text(uwb("replay", folder / "walk.sigmf-meta", "--shard", shard))
    uwb("merge", folder / "1.ndjson", folder / "2.ndjson", "--output", "summary", "--report", folder / "merged.html")
    return folder / "merged.html"


@pytest.fixture(scope="session")
def pages(uwb, tmp_path_factory):
    """Makes pages, each once: `pages(kind)` gives its path."""
    made = {}

    def page(kind):
        if kind not in made:
            made[kind] = MAKERS[kind](uwb, tmp_path_factory.mktemp(kind))
        return made[kind]

    return page


def ready(seen):
    seen.page.wait_for_selector("html[data-ready]")
    return seen.page


@pytest.mark.parametrize("kind", list(MAKERS))
def test_page(pages, browse, kind):
    seen = browse(pages(kind))
    page = ready(seen)
    assert page.locator(".chart canvas").count() > 0
    check(seen)


@pytest.mark.parametrize("kind", list(MAKERS))
def test_print(pages, open_page, kind):
    seen = open_page(pages(kind))
    ready(seen).emulate_media(media="print")
    check(seen)


def window(page, number=0):
    """What the chart of a number shows of its axis, from the labels under it."""
    return page.locator(".area").nth(number).locator(".dygraph-axis-label-x").all_inner_texts()


def box(page, number=0):
    area = page.locator(".area").nth(number)
    area.scroll_into_view_if_needed()
    return area.bounding_box()


def test_hover_tells_values(pages, open_page):
    seen = open_page(pages("walk"))
    page = ready(seen)
    area = box(page)
    page.mouse.move(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
    assert "exchange" in page.locator(".readout").inner_text()
    # The other charts tell theirs of the same moment.
    assert all(text.strip() for text in page.locator(".chart").nth(1).locator(".value").all_inner_texts())
    check(seen)


def test_drag_zooms_all_linked_charts_and_double_click_shows_all(pages, open_page):
    page = ready(open_page(pages("walk")))
    whole = [window(page, number) for number in range(3)]
    area = box(page)
    page.mouse.move(area["x"] + area["width"] * 0.4, area["y"] + 80)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.6, area["y"] + 80, steps=5)
    page.mouse.up()
    page.wait_for_function("n => document.querySelector('.dygraph-axis-label-x')?.innerText !== n", arg=whole[0][0])
    zoomed = [window(page, number) for number in range(3)]
    assert zoomed[0] != whole[0] and zoomed[0] == zoomed[1] == zoomed[2]
    page.mouse.dblclick(area["x"] + area["width"] * 0.5, area["y"] + 80)
    assert [window(page, number) for number in range(3)] == whole


def test_buttons_and_keys_zoom(pages, open_page):
    page = ready(open_page(pages("walk")))
    whole = window(page)
    page.get_by_role("button", name="Zoom in").first.click()
    assert window(page) != whole
    page.get_by_role("button", name="Show all").first.click()
    assert window(page) == whole
    page.locator(".area").first.focus()
    page.keyboard.press("ArrowRight")
    first = page.locator(".readout").inner_text()
    page.keyboard.press("Shift+ArrowRight")
    assert first and page.locator(".readout").inner_text() != first
    page.keyboard.press("+")
    assert window(page) != whole
    page.keyboard.press("0")
    assert window(page) == whole


def test_a_click_on_the_waterfall_shows_that_response(pages, open_page):
    seen = open_page(pages("walk"))
    page = ready(seen)
    name = page.locator(".name", has_text="Impulse response of exchange")
    before = name.inner_text()
    waterfall = page.locator(".area.tall")
    waterfall.scroll_into_view_if_needed()
    area = waterfall.bounding_box()
    page.mouse.move(area["x"] + area["width"] * 0.7, area["y"] + 150)
    page.mouse.click(area["x"] + area["width"] * 0.7, area["y"] + 150)
    assert name.inner_text() != before
    check(seen)


def test_two_fingers_zoom_and_one_scrolls_the_page(pages, open_page):
    page = ready(open_page(pages("walk"), "phone"))
    whole, area = window(page), box(page)
    client = page.context.new_cdp_session(page)

    def touch(kind, *xs, y=area["y"] + 100):
        client.send("Input.dispatchTouchEvent", dict(type=kind, touchPoints=[dict(x=x, y=y, id=n) for n, x in enumerate(xs)]))

    middle = area["x"] + area["width"] / 2
    touch("touchStart", middle - 20, middle + 20)
    for reach in (30, 50, 70, 90):
        touch("touchMove", middle - reach, middle + reach)
    touch("touchEnd")
    assert window(page) != whole
    place = page.evaluate("scrollY")
    client.send("Input.synthesizeScrollGesture", dict(x=middle, y=area["y"] + 150, yDistance=-200))
    assert page.evaluate("scrollY") > place


def test_series_can_be_hidden(pages, open_page):
    page = ready(open_page(pages("walk")))
    button = page.locator(".legend button").first
    button.click()
    assert button.get_attribute("aria-pressed") == "false"


def test_a_change_of_scheme_is_followed(pages, open_page):
    page = ready(open_page(pages("walk")))
    swatch = "getComputedStyle(document.querySelector('.swatch')).color"
    light = page.evaluate(swatch)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => {swatch} !== light", arg=light)


@pytest.mark.parametrize("preference", [dict(contrast="more"), dict(forced_colors="active")], ids=["contrast", "forced-colors"])
def test_high_contrast(pages, open_page, preference):
    seen = open_page(pages("walk"), **preference)
    ready(seen)
    check(seen)


def test_without_script_text_and_tables_remain(pages, open_page):
    page = open_page(pages("walk"), java_script_enabled=False).page
    assert page.locator("table").count() > 0 and page.locator(".lede").inner_text()


real_data = pytest.mark.skipif("UWB_DATA" not in os.environ, reason="UWB_DATA is not set")


@pytest.fixture(scope="session")
def apartment(uwb, tmp_path_factory):
    folder = tmp_path_factory.mktemp("apartment")
    logs = sorted(pathlib.Path(os.environ["UWB_DATA"], "decaranging-apartment").glob("*.log"))
    uwb("replay", *logs, "--output", "summary", "--report", folder / "logs.html")
    return folder / "logs.html"


@real_data
def test_real_captures(apartment, browse):
    assert apartment.stat().st_size <= 1_500_000
    seen = browse(apartment)
    page = ready(seen)
    page.locator("select").first.select_option(index=3)
    check(seen)
