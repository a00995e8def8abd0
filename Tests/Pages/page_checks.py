"""What every page must hold in a browser: no text too small, no labels over each other, no scrolling sideways."""

LEAST_TEXT_PX = 11

# Boxes of all visible pieces of text, cut to the parents that clip them, with the size that reaches the eye.
TEXTS = """() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim(), element = node.parentElement;
    if (!text || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('script,style,noscript,[data-visually-hidden]')) continue;
    let scale = 1;
    if (element instanceof SVGElement) {
      const matrix = element.getScreenCTM();
      scale = Math.hypot(matrix.a, matrix.b);
    }
    const size = parseFloat(getComputedStyle(element).fontSize) * scale;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
      for (let parent = element; parent; parent = parent.parentElement) {
        const style = getComputedStyle(parent);
        if (style.overflowX !== 'visible' || style.overflowY !== 'visible') {
          const clip = parent.getBoundingClientRect();
          left = Math.max(left, clip.left); right = Math.min(right, clip.right);
          top = Math.max(top, clip.top); bottom = Math.min(bottom, clip.bottom);
        }
        if (style.position === 'fixed') break;
      }
      // A line's box is taller than its letters: a quarter of it is leading.
      const leading = Math.max(0, (bottom - top) - size) / 2;
      top += leading; bottom -= leading;
      if (right - left > 1 && bottom - top > 1)
        found.push({ text, size, left: left + scrollX, top: top + scrollY, right: right + scrollX, bottom: bottom + scrollY });
    }
  }
  return found;
}"""


def texts(page):
    """Visible pieces of text: dictionaries of text, size, left, top, right, bottom in CSS pixels of the document."""
    return page.evaluate(TEXTS)


def small_texts(page, least=LEAST_TEXT_PX):
    return sorted({f"{each['text'][:40]!r} at {each['size']:.1f} px" for each in texts(page) if each["size"] < least - 0.01})


def overlaps(page, tolerance=1.5):
    """Pairs of texts whose boxes cover each other by more than the tolerance, px."""
    boxes = sorted(texts(page), key=lambda each: each["top"])
    found = []
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            if other["top"] >= one["bottom"] - tolerance:
                break
            across = min(one["right"], other["right"]) - max(one["left"], other["left"])
            down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
            if across > tolerance and down > tolerance:
                found.append(f"{one['text'][:40]!r} and {other['text'][:40]!r} by {across:.0f} × {down:.0f} px")
    return found


def scrolls_sideways(page):
    """By how many pixels the document is wider than the window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def unnamed_controls(page):
    """Buttons, fields and charts that a screen reader would not name."""
    return page.evaluate(
        """() => [...document.querySelectorAll('button,input,select,a[href],[role=img],[role=application],[tabindex="0"]')]
          .filter(e => e.checkVisibility() && !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby')
            || e.labels?.length || e.textContent.trim() || e.querySelector('title')))
          .map(e => e.outerHTML.slice(0, 120))"""
    )


def check(seen):
    """All that holds for a page of any kind; `seen` is what the fixture `browse` gives."""
    page = seen.page
    assert not seen.errors, seen.errors
    assert not seen.requests, f"requests leave the page: {seen.requests}"
    assert scrolls_sideways(page) <= 0, f"the page is {scrolls_sideways(page)} px wider than the window"
    assert texts(page), "the page shows no text"
    assert not small_texts(page), small_texts(page)
    assert not overlaps(page), overlaps(page)
    assert not unnamed_controls(page), unnamed_controls(page)
