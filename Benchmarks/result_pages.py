"""What the scripts share that make the pages of Documentation/results: sections between marks, and where and when they were made."""

import datetime
import os
import platform
from pathlib import Path


def machine():
    """Cores and processor of this machine."""
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else []:
        if line.startswith("model name"):
            return f"{os.cpu_count()} cores, {' '.join(line.split(':', 1)[1].split())}"
    return f"{os.cpu_count()} cores, {platform.processor() or 'unknown processor'}"


def made(command, when=None, where=None):
    """The line that begins each section."""
    return f"Made on {when or datetime.date.today().isoformat()} by `{command}`. Machine: {where or machine()}."


def write_section(page, name, lines, title):
    """Puts `lines` between the marks of `name`, at the end where the page has none; a page that is missing gets `title`."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = page.read_text() if page.exists() else f"# {title}\n"
    if begin not in text:
        text = f"{text.rstrip()}\n\n{begin}\n{end}\n"
    before, rest = text.split(begin, 1)
    after = rest.split(end, 1)[1]
    body = "\n".join(lines).strip("\n")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"{before}{begin}\n{body}\n\n{end}{after}")


def table(head, rows, align=None):
    """A Markdown table; `align` has one letter a column: l or r."""
    align = align or "l" * len(head)
    yield "| " + " | ".join(head) + " |"
    yield "|" + "".join("--:|" if letter == "r" else "---|" for letter in align)
    for row in rows:
        yield "| " + " | ".join(str(cell) for cell in row) + " |"


def write_bars(name, title, command, about, head, bars):
    """Figures beside their bars: all figures to a section of Tracking.md, what does not hold to one of Open-points.md.

    `bars`: cells of the figure's row, its value as text, the bar, whether it holds.
    """
    results = Path("Documentation/results")
    short = [bar for bar in bars if not bar[3]]
    lines = [f"## {title}", "", made(command), "", *about, ""]
    rows = [[*cells, value] for cells, value, _, _ in bars]
    write_section(results / "Tracking.md", name, [*lines, *table(head, rows, "l" * (len(head) - 1) + "r")], "Tracking and calibration")
    count = f"{len(bars) - len(short)} of {len(bars)} bars hold."
    lines = [f"## {title}", "", made(command), "", f"{count} [All figures](Tracking.md)." + (" These are short of their bar:" if short else "")]
    if short:
        rows = [[*cells, bar, value] for cells, value, bar, _ in short]
        lines += ["", *table([*head[:-1], "asked", head[-1]], rows)]
    write_section(results / "Open-points.md", name, lines, "What is short of its bar")
