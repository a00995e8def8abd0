"""Each kind of page in each window and scheme: what `check` asks, and that zoom and hover work."""

import math
import os
import pathlib

import pytest

from page_checks import check

ROOT = pathlib.Path(__file__).resolve().parents[2]
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


def reported(uwb, folder, *arguments, status=0):
    """Runs a verb with `--report`; gives the page."""
    uwb(*arguments, "--report", folder / "page.html", cwd=folder, status=status)
    return folder / "page.html"


def walks(uwb, folder, count=1):
    for seed in range(1, count + 1):
        uwb("simulate", "walk", "--out", folder / f"walk{seed}", "--seed", seed)
    return [f"walk{seed}.sigmf-meta" for seed in range(1, count + 1)]


@page_kind
def paths(uwb, folder):
    return reported(uwb, folder, "paths", *walks(uwb, folder), "--output", "csv")


@page_kind
def inspect(uwb, folder):
    return reported(uwb, folder, "inspect", *walks(uwb, folder), "--exchange", 5)


@page_kind
def evaluate_delay(uwb, folder):
    return reported(
        uwb, folder, "evaluate", "delay", "--paths", "0:0dB,2.0:-3dB", "--channel", "awgn", "--snr", "15,20,25", "--trials", 20)


@page_kind
def evaluate_delay_at_one_snr(uwb, folder):
    return reported(uwb, folder, "evaluate", "delay", "--channel", "awgn,cm1", "--snr", 25, "--trials", 10)


@page_kind
def evaluate_angle(uwb, folder):
    return reported(uwb, folder, "evaluate", "angle", "--snr", "0,10,20", "--trials", 20)


@page_kind
def evaluate_arena(uwb, folder):
    return reported(uwb, folder, "evaluate", "arena", "--trials", 10)


@page_kind
def evaluate_ranging(uwb, folder):
    return reported(uwb, folder, "evaluate", "ranging", *walks(uwb, folder, 2), "--cross-validate", "--walks", 5)


@page_kind
def evaluate_scenarios(uwb, folder):
    return reported(uwb, folder, "evaluate", "scenarios", ROOT / "Scenarios/two-phones.yaml", ROOT / "Scenarios/corridor.yaml")


@page_kind
def evaluate_sessions(uwb, folder):
    return reported(uwb, folder, "evaluate", "sessions", "--sessions", 5, "--rate", 20, "--seconds", 0.5)


@page_kind
def calibrate_pulse(uwb, folder):
    return reported(uwb, folder, "calibrate", "pulse", *walks(uwb, folder), "--out", "pulse.json")


@page_kind
def calibrate_delay(uwb, folder):
    return reported(uwb, folder, "calibrate", "delay", *walks(uwb, folder, 2), "--out", "cal.json")


@page_kind
def calibrate_angle(uwb, folder):
    return reported(uwb, folder, "calibrate", "angle", *walks(uwb, folder), "--out", "cal.json")


@page_kind
def calibrate_board(uwb, folder):
    """A table of phase differences: two ideal pairs with a ripple."""
    rows = ["Real Azimuth,Real Elevation,NLOS,Distance,AoA1,AoA2,PDoA1,PDoA2"]
    for elevation in range(-45, 46, 15):
        for azimuth in range(-45, 46, 15):
            x, y = math.radians(azimuth), math.radians(elevation)
            one, two = -160 * math.sin(x) * math.cos(y) + 12 * math.sin(2 * x + y), 150 * math.sin(y) + 9 * math.cos(x)
            wrapped = ",".join(f"{angle - 360 * round(angle / 360):.2f}" for angle in (one, two))
            rows.append(f"{azimuth},{elevation},0,250,{azimuth + 8},{elevation - 9},{wrapped}")
    (folder / "board.csv").write_text("\n".join(rows) + "\n")
    return reported(uwb, folder, "calibrate", "angle", "board.csv", "--out", "cal.json")


@page_kind
def calibrate_simulated(uwb, folder):
    return reported(uwb, folder, "calibrate", "simulated", "--sites", 30, "--seed", 3)


@page_kind
def calibrate_first_path(uwb, folder):
    return reported(uwb, folder, "calibrate", "first-path", "--trials", 12)


@page_kind
def calibrate_export(uwb, folder):
    calibrate_board(uwb, folder)
    return reported(uwb, folder, "calibrate", "export", "cal.json", "--to", "text")


@page_kind
def simulate_live(uwb, folder):
    return reported(uwb, folder, "simulate", ROOT / "Scenarios/two-phones.yaml", "--live")


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
    # What was measured: a sentence, and a picture or a chart beneath it, on the first screen.
    assert page.locator(".lede").inner_text().endswith((".", ":"))
    first = page.locator("main .chart canvas, main .picture svg").first
    assert first.bounding_box()["y"] < page.viewport_size["height"]
    assert page.locator("#made").inner_text().count("uwb ") >= 1
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


@pytest.mark.parametrize("kind", ["inspect", "evaluate_delay", "evaluate_ranging", "calibrate_board"])
def test_hover_and_zoom_of_charts_alone(pages, open_page, kind):
    """Charts that share no axis: hovering tells place and values, a drag zooms, a double click shows all."""
    seen = open_page(pages(kind))
    page = ready(seen)
    area = box(page)
    page.mouse.move(area["x"] + area["width"] * 0.6, area["y"] + 80)
    chart = page.locator(".chart").first
    assert any(char.isdigit() for char in chart.locator(".place").inner_text())
    assert any(text.strip() not in ("", "–") for text in chart.locator(".value").all_inner_texts())
    whole = window(page)
    page.mouse.move(area["x"] + area["width"] * 0.45, area["y"] + 80)
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] * 0.7, area["y"] + 80, steps=5)
    page.mouse.up()
    labels = "[...document.querySelector('.area').querySelectorAll('.dygraph-axis-label-x')].map(label => label.innerText)"
    page.wait_for_function(f"whole => {labels}.join('|') !== whole.join('|')", arg=whole)
    page.mouse.dblclick(area["x"] + area["width"] * 0.5, area["y"] + 80)
    assert window(page) == whole or kind == "inspect"
    check(seen)


def test_a_choice_shows_another_case(pages, open_page):
    page = ready(open_page(pages("evaluate_delay")))
    select = page.locator("select").first
    names = select.locator("option").all_inner_texts()
    assert names == ["0:0dB,2.0:-3dB", "awgn"]
    ticks = page.locator(".area").first.locator(".dygraph-axis-label-y").all_inner_texts()
    select.select_option(index=1)
    assert page.locator(".area").first.locator(".dygraph-axis-label-y").all_inner_texts() != ticks


def test_events_share_the_window_of_their_group(pages, open_page):
    """Session events at the begin and the end of a room: their chart spans what the others span."""
    page = ready(open_page(pages("simulate_live")))
    areas = page.locator(".area")
    events = page.locator(".chart", has_text="Rejected exchanges and session events").locator(".area")
    assert window(page) == events.locator(".dygraph-axis-label-x").all_inner_texts()
    assert areas.count() > 3


def test_a_line_does_not_run_across_a_pause(pages, open_page):
    page = ready(open_page(pages("walk")))
    rows = page.evaluate(
        """() => {
          const table = (times, spec) => Chart.prototype.table.call({
            column: (name) => (name === "time" ? times : times.map((_, index) => index)),
            spec: { x: { column: "time", unit: "s" }, ...spec }, shown: [{ column: "value" }], timeUnit: () => ["min", 60],
          });
          return [
            table([0, 0.1, 0.2, 60, 60.1], {}), table([0, 0.1, 0.2, 2.1, 2.2], {}), table([0, 0.1, 0.2, 2.3, 2.4], {}),
            table([0, 0.1, 0.2, 60], { sorted: true }), table([5], {}), table([0, null, 1], {}),
          ];
        }"""
    )
    # A row without values in the middle of the pause, in the unit of the axis.
    assert rows[0] == [[0, 0], [0.1 / 60, 1], [0.2 / 60, 2], [pytest.approx(30.1 / 60), None], [1, 3], [60.1 / 60, 4]]
    # More than a second, and twenty times the usual spacing.
    assert len(rows[1]) == 5 and len(rows[2]) == 6
    assert len(rows[3]) == 4 and rows[4] == [[5 / 60, 0]] and rows[5] == [[0, 0], [1 / 60, 2]]


def test_long_tables_are_folded_on_a_phone_and_whole_in_print(pages, open_page):
    desktop = ready(open_page(pages("evaluate_arena")))
    assert desktop.locator("details.fold[open]").count() == desktop.locator("details.fold").count() > 0
    phone = ready(open_page(pages("evaluate_arena"), "phone"))
    assert phone.locator("details.fold[open]").count() == 0
    phone.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert phone.locator("details.fold[open]").count() == phone.locator("details.fold").count()


def test_the_legend_of_an_image_has_its_ground(pages, open_page):
    """A white dot on a white page is not seen."""
    page = ready(open_page(pages("walk")))
    swatch = page.locator(".swatch.onimage").last
    style = swatch.evaluate("e => [getComputedStyle(e).borderTopColor, getComputedStyle(e).backgroundColor]")
    assert style == ["rgb(0, 32, 76)", "rgb(255, 255, 255)"]


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
    assert page.evaluate("document.documentElement.scrollHeight") < 8000, "nobody scrolls through more"


@real_data
@pytest.mark.parametrize("verb", ["paths", "inspect", "bias"])
def test_pages_of_real_captures(uwb, browse, tmp_path, verb):
    logs = sorted(pathlib.Path(os.environ["UWB_DATA"], "decaranging-apartment").glob("*.log"))
    arguments = {
        "paths": ["paths", *logs, "--output", "csv"], "inspect": ["inspect", logs[0], "--exchange", 0],
        "bias": ["calibrate", "bias", "--unlabelled", *logs, "--out", "cal.json"],
    }[verb]
    page = reported(uwb, tmp_path, *arguments)
    assert page.stat().st_size <= 1_500_000
    seen = browse(page)
    ready(seen)
    check(seen)
