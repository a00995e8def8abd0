"""The checks themselves: each finds what it is there to find."""

import page_checks

HTML = "<!DOCTYPE html><html lang='en'><meta charset='utf-8'><meta name='viewport' content='width=device-width'><title>t</title><body>%s</body>"


def opened(tmp_path, open_page, body, window="desktop"):
    path = tmp_path / "page.html"
    path.write_text(HTML % body)
    return open_page(path, window)


def test_sound_page(tmp_path, browse):
    path = tmp_path / "page.html"
    path.write_text(HTML % "<h1>Good</h1><p>Text of <b>several</b> parts.</p><button>Go</button>")
    page_checks.check(browse(path))


def test_small_text(tmp_path, open_page):
    body = "<p style='font-size:10px'>tiny</p><svg width=100 height=50 viewBox='0 0 400 200'><text y=100 font-size=20>drawn</text></svg>"
    assert len(page_checks.small_texts(opened(tmp_path, open_page, body).page)) == 2


def test_overlap(tmp_path, open_page):
    body = "<div style='position:absolute;top:90px;left:9px'>one</div><div style='position:absolute;top:95px;left:15px'>two</div>"
    assert len(page_checks.overlaps(opened(tmp_path, open_page, body).page)) == 1


def test_sideways(tmp_path, open_page):
    seen = opened(tmp_path, open_page, "<div style='width:500px;height:9px'>wide</div>", "phone")
    assert page_checks.scrolls_sideways(seen.page) > 0


def test_request(tmp_path, open_page):
    seen = opened(tmp_path, open_page, "<img alt='' src='http://127.0.0.1:9/x.png'>")
    assert seen.requests and seen.errors


def test_unnamed(tmp_path, open_page):
    assert page_checks.unnamed_controls(opened(tmp_path, open_page, "<p>x</p><button></button>").page)
