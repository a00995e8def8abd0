"""Measures what `Documentation/results/Performance.md` shows, step by step, and makes its tables: `scripts/performance`.

Each step keeps what it found in a folder, so that steps may run at different times; `page` puts them together. Bars that do not hold go to
Open-points.md beside the page.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import result_pages
from performance_page import Page
from performance_steps import Steps

STEPS = ["rooms", "compiled", "chain", "music", "latency", "start", "threads", "logs", "scale", "cluster", "times", "curves"]


def machine():
    compiler = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    version = re.search(r"Swift version (\S+)", compiler)
    return f"{result_pages.machine()}, Swift {version.group(1) if version else '?'}"


def commit():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path, help="folder of measure and bare-start")
    parser.add_argument("uwb", type=Path)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join([*STEPS, "page"]))
    parser.add_argument("--peers", type=Path, help="the peers in C++, where they could be built")
    parser.add_argument("--folder", type=Path, default=Path(".build/performance"))
    parser.add_argument("--data", default=os.environ.get("UWB_DATA"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_intermixed_args()
    wanted = options.steps or [*STEPS, "page"]
    for step in wanted:
        if step not in [*STEPS, "page"]:
            sys.exit(f"performance: no step {step}; there are: {', '.join([*STEPS, 'page'])}")
    folder = options.folder / "quick" if options.quick else options.folder
    folder.mkdir(parents=True, exist_ok=True)

    steps = Steps(options, folder)
    for step in wanted:
        if step == "page":
            continue
        begin = time.perf_counter()
        rows = getattr(steps, step)()
        kept = {"machine": machine(), "commit": commit(), "date": datetime.date.today().isoformat()}
        kept |= {"load": os.getloadavg()[0], "rows": rows}
        (folder / f"{step}.json").write_text(json.dumps(kept, indent=1))
        print(f"{step}: {len(rows)} rows, {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    if "page" in wanted:
        found = {step: json.loads(file.read_text()) for step in STEPS if (file := folder / f"{step}.json").exists()}
        page = Page(found)
        pages = folder if options.quick else Path("Documentation/results")
        result_pages.write_section(pages / "Performance.md", "measured", page.text(), "Performance")
        result_pages.write_section(pages / "Open-points.md", "performance", page.open_points(), "What is short of its bar")
        print(pages / "Performance.md")


if __name__ == "__main__":
    main()
