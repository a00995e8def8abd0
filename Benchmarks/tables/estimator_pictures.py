"""Draws each estimator's RMS error over SNR beside the Cramér–Rao bound, and checks that each has a page. Called by scripts/estimator-pictures.

    python estimator_pictures.py UWB [--check] [--trials N] [--seed N]

Pictures go to Documentation/pictures/estimators/KIND-NAME.svg, KIND being `delay` or `angle`: one panel a case. A hollow point says that more
than 5 % of the trials had no answer or a gross error (4 taps, 10°).
"""

import argparse
import json
import math
import re
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

PAGES = Path("Documentation/estimators")
PICTURES = Path("Documentation/pictures/estimators")

DELAY_SNR = "10,12.5,15,17.5,20,22.5,25,27.5,30,32.5,35,37.5,40"
DELAY_CASES = [
    ("One path", ["--channel", "awgn"], DELAY_SNR),
    ("Two equal paths, 2 taps apart", ["--paths", "0:0dB,2:0dB"], DELAY_SNR),
]
ROW = ["--array", "ula8", "--snapshots", "64"]
ROW_SNR = "-15,-12.5,-10,-7.5,-5,-2.5,0,2.5,5,7.5,10,12.5,15,17.5,20"
ONE = ("8 antennas: one source", [*ROW, "--sources", "17.3"], ROW_SNR)
TWO = ("Two sources, 20° apart", [*ROW, "--sources", "5,25"], ROW_SNR)
COHERENT = ("The same, coherent", [*ROW, "--sources", "5,25:coherent"], ROW_SNR)
PACKET_SNR = "5,7.5,10,12.5,15,17.5,20,22.5,25,27.5,30"


def packet(title, array, sources):
    return (title, ["--array", array, "--snapshots", "1", "--sources", sources], PACKET_SNR)


# Estimators that take one source alone have panels of their own.
ANGLE_CASES = {
    "phase-difference": [
        packet("2 antennas, within ±45°", "pair", "within:45"),
        packet("2 antennas, within ±90°", "pair", "within:90"),
    ],
    "phase-fit": [
        ONE,
        packet("Square of 4, one packet", "square4", "within:60"),
        packet("Sparse row of 4, one packet", "sparse4", "within:60"),
    ],
}
KINDS = {
    "delay": dict(unit="mm", scale=1000, bound="bound_m", rmse="rmse_m", beside="adaptive", what="RMS error of the first path, mm"),
    "angle": dict(unit="°", scale=1, bound="bound_deg", rmse="rmse_deg", beside="maximum-likelihood", what="RMS error of azimuth, degrees"),
}
# Without a case that `uwb evaluate` could play: the chip's own first path, the joint fit of delays and angles, no direction.
WITHOUT_PICTURE = {("delay", "chip"), ("angle", "joint")}
WITHOUT_PAGE = {("angle", "none")}


def listed(uwb):
    """Kinds and names, as `uwb estimators` tells them."""
    text = subprocess.run([uwb, "estimators"], check=True, stdout=subprocess.PIPE, text=True).stdout
    kind, names = None, []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            kind = {"Delay": "delay", "Angle": "angle"}.get(line.split()[0])
        elif kind and (found := re.match(r"  (\S+)", line)):
            names.append((kind, found[1]))
    return list(dict.fromkeys(names))


def evaluate(uwb, kind, arguments, snr, options):
    command = [uwb, "evaluate", kind, *arguments, f"--snr={snr}", "--trials", str(options.trials), "--seed", str(options.seed)]
    lines = subprocess.run([*command, "--output", "ndjson"], check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = {}
    for line in lines.splitlines():
        row = json.loads(line)
        rows.setdefault(row["estimator"], []).append(row)
    return rows


class Panel:
    """One case: axes, curves, legend."""

    width, height = 300, 250
    left, right, top, bottom = 52, 10, 34, 42

    def __init__(self, title, x, points, style):
        self.title, self.x, self.style = title, x, style
        xs = [row["snr_db"] for rows in points.values() for row in rows]
        self.low, self.high = min(xs), max(xs)
        values = [value for rows in points.values() for row in rows for value in self.pair(row) if value]
        # Errors beyond what a reader looks for leave the bound its share of the panel.
        self.floor = math.floor(math.log10(min(values)))
        self.ceiling = min(math.ceil(math.log10(max(values))), self.floor + 4)

    def pair(self, row):
        style = self.style
        return [None if row[key] is None else row[key] * style["scale"] for key in (style["bound"], style["rmse"])]

    def place(self, snr, value):
        inner = self.width - self.left - self.right
        down = self.height - self.top - self.bottom
        x = self.x + self.left + inner * (snr - self.low) / (self.high - self.low)
        y = self.top + down * (self.ceiling - math.log10(value)) / (self.ceiling - self.floor)
        return x, y

    def frame(self):
        left, right = self.x + self.left, self.x + self.width - self.right
        top, bottom = self.top, self.height - self.bottom
        yield f'<text x="{(left + right) / 2:.0f}" y="22" class="title">{escape(self.title)}</text>'
        for power in range(self.floor, self.ceiling + 1):
            y = self.place(self.low, 10**power)[1]
            yield f'<path d="M{left} {y:.1f}H{right}" class="grid"/>'
            yield f'<text x="{left - 5}" y="{y + 4:.1f}" class="y">{f"{10**power:g}"}</text>'
        step = 10
        for snr in range(math.ceil(self.low / step) * step, int(self.high) + 1, step):
            x = self.place(snr, 10**self.floor)[0]
            yield f'<path d="M{x:.1f} {top}V{bottom}" class="grid"/>'
            yield f'<text x="{x:.1f}" y="{bottom + 15}" class="x">{str(snr).replace("-", "−")}</text>'
        yield f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" class="frame"/>'
        yield f'<text x="{(left + right) / 2:.0f}" y="{bottom + 33}" class="x">SNR, dB</text>'

    def curve(self, rows, which, name, dots=False):
        """Points beyond the panel are left out, the line goes to its edge."""
        places, points = [], []
        for row in rows:
            value = self.pair(row)[which]
            if not value:
                continue
            beyond = math.log10(value) > self.ceiling
            x, y = self.place(row["snr_db"], min(value, 10**self.ceiling))
            places.append(f"{x:.1f} {y:.1f}")
            if dots and not beyond:
                few = "few" if row["missed"] > 0.05 * row["trials"] else "dot"
                points.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" class="{few}"/>')
        if places:
            yield f'<path d="M{"L".join(places)}" class="{name}"/>'
        yield from points


STYLE = """text{font:12px sans-serif;fill:#222}.title{font-weight:bold;text-anchor:middle}.x{text-anchor:middle}.y{text-anchor:end}
.grid{stroke:#e3e3e3}.frame{fill:none;stroke:#777}.own,.beside,.bound{fill:none}.own{stroke:#0b62b8;stroke-width:2.2}
.beside{stroke:#e08a1e;stroke-width:1.6;stroke-dasharray:2 3}.bound{stroke:#111;stroke-width:1.6;stroke-dasharray:7 4}
.dot{fill:#0b62b8;stroke:#0b62b8;stroke-width:1.4}.few{fill:#fff;stroke:#0b62b8;stroke-width:1.4}"""


def draw(kind, name, panels):
    """`panels`: title, and rows by estimator."""
    style = KINDS[kind]
    beside = style["beside"] if name != style["beside"] else None
    width = 16 + Panel.width * len(panels)
    height = Panel.height + 30
    body, legend = [], height - 16
    for index, (title, rows) in enumerate(panels):
        own = rows.get(name)
        if not own:
            continue
        shown = {name: own} | ({beside: rows[beside]} if beside in rows else {})
        panel = Panel(title, 16 + Panel.width * index, shown, style)
        body += panel.frame()
        if beside in shown:
            body += panel.curve(rows[beside], 1, "beside")
        line, *dots = panel.curve(own, 1, "own", dots=True)
        # Over the line: where an estimator is at the bound, both are seen.
        body += [line, *panel.curve(own, 0, "bound"), *dots]
    middle = Panel.top + (Panel.height - Panel.top - Panel.bottom) / 2
    body.append(f'<text x="14" y="{middle:.0f}" transform="rotate(-90 14 {middle:.0f})" class="title" style="font-weight:normal">{style["what"]}</text>')
    x = 60
    has_few = any('class="few"' in line for line in body)
    for label, mark in [(name, "own"), (beside, "beside"), ("Cramér–Rao bound", "bound"), ("over 5 % missed", "few" if has_few else None)]:
        if not label or not mark:
            continue
        if mark == "few":
            body.append(f'<circle cx="{x + 12}" cy="{legend - 4}" r="3.2" class="few"/>')
            body.append(f'<text x="{x + 22}" y="{legend}">{label}</text>')
        else:
            body.append(f'<path d="M{x} {legend - 4}h26" class="{mark}"/>')
            body.append(f'<text x="{x + 32}" y="{legend}">{label}</text>')
        x += 48 + 6.6 * len(label)
    if x > width:
        width = math.ceil(x)
    alt = f"RMS error of {name} over SNR beside the Cramér–Rao bound"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
        f"<title>{escape(alt)}</title><style>{STYLE}</style>\n"
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def check(names):
    """What is missing: pages, pictures, lines of the index."""
    index = (PAGES / "README.md").read_text() if (PAGES / "README.md").exists() else ""
    faults = []
    for kind, name in names:
        if (kind, name) in WITHOUT_PAGE:
            continue
        page = f"{kind}-{name}.md"
        if not (PAGES / page).exists():
            faults.append(f"{PAGES / page}: no page for the {kind} estimator {name}")
        if f"({page})" not in index:
            faults.append(f"{PAGES / 'README.md'}: no link to {page}")
        picture = PICTURES / f"{kind}-{name}.svg"
        if (kind, name) not in WITHOUT_PICTURE and not picture.exists():
            faults.append(f"{picture}: missing; scripts/estimator-pictures draws it")
    known = {f"{kind}-{name}.md" for kind, name in names} | {"README.md"}
    faults += [f"{page}: no estimator of this name" for page in sorted(PAGES.glob("*.md")) if page.name not in known]
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("uwb")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--trials", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    names = listed(options.uwb)
    if options.check:
        faults = check(names)
        print("\n".join(faults) or f"{len(names) - len(WITHOUT_PAGE)} estimators, each with a page")
        sys.exit(1 if faults else 0)

    PICTURES.mkdir(parents=True, exist_ok=True)
    played = {}

    def rows(kind, case):
        title, arguments, snr = case
        if (kind, title) not in played:
            print(f"{kind}: {title}", file=sys.stderr)
            played[kind, title] = evaluate(options.uwb, kind, arguments, snr, options)
        return title, played[kind, title]

    for kind, name in names:
        if (kind, name) in WITHOUT_PICTURE | WITHOUT_PAGE:
            continue
        cases = DELAY_CASES if kind == "delay" else ANGLE_CASES.get(name, [ONE, TWO, COHERENT])
        panels = [rows(kind, case) for case in cases]
        if not all(name in found for _, found in panels):
            sys.exit(f"estimator-pictures: uwb evaluate {kind} has no rows for {name}")
        (PICTURES / f"{kind}-{name}.svg").write_text(draw(kind, name, panels))
    print(PICTURES)


if __name__ == "__main__":
    main()
