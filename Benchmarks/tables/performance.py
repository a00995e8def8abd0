"""Measures what `Documentation/results/Performance.md` shows, step by step, and makes its tables: `scripts/performance`.

Each step keeps what it found in a folder, so that steps may run at different times; `page` puts them together. Bars that do not hold go to
Open-points.md beside the page.
"""

import argparse
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import result_pages

# What the chain is measured in. The default estimator is the profile's.
PLACES = {
    "free-space": "free space",
    "room": "room",
    "room-rice-fit": "room, `rice-fit`",
    "room-dw1000": "room, DW1000",
}


def lines(command):
    output = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


class Steps:
    def __init__(self, uwb, measure, python, folder, data, quick, rounds):
        self.uwb, self.measure, self.python, self.folder = uwb, measure, python, folder
        self.data = Path(data) if data else None
        self.quick = quick
        self.rounds = rounds

    def capture(self, name, cirs, *options):
        path = self.folder / name
        if not path.with_name(name + ".sigmf-meta").exists():
            lines([self.measure, "make", path, cirs, *options])
        return path

    def times(self):
        """Every workload, each from the round in which it was quickest: on a machine that is shared, one that was not disturbed."""
        command = [self.measure, "time", "--seconds", 0.02 if self.quick else 0.2, ""]
        best = {row["name"]: row for row in lines(command)}
        for _ in range(1, self.rounds):
            for row in lines(command):
                best[row["name"]] = min(best[row["name"]], row, key=lambda row: row["ns"])
        return [*best.values(), *lines([self.measure, "memory"])]

    def latency(self):
        return lines([self.measure, "latency", 20_000 if self.quick else 1_000_000])

    def curves(self):
        picture = "Documentation/pictures/cost-as-work-grows.svg"
        return lines([self.measure, "curves", "--svg", self.folder / "curves.svg" if self.quick else picture])

    def chain(self):
        """Python's chain beside ours."""
        room = self.capture("room", 1000)
        free = self.capture("free-space", 1000, "--free-space")
        chip = self.capture("room-dw1000", 1000, "--profile", "dw1000")
        return lines([self.python, "Benchmarks/peers/chain_peers.py", self.measure, room, free, chip])

    def music(self):
        """MUSIC over eight antennas beside ours, on the same snapshots."""
        return lines([self.python, "Benchmarks/peers/music_peers.py", self.uwb, self.measure, self.folder / "snapshots"])

    def start(self):
        """From the program's start to its first update, and to its end: the demo's walk, 107 exchanges."""
        path = self.folder / "walk"
        if not path.with_name("walk.sigmf-meta").exists():
            subprocess.run([self.uwb, "simulate", "walk", "--out", path], check=True, capture_output=True)
        first, whole = [], []
        for _ in range(5 if self.quick else 40):
            begin = time.perf_counter()
            with subprocess.Popen([self.uwb, "replay", f"{path}.sigmf-meta"], stdout=subprocess.PIPE) as process:
                process.stdout.readline()
                first.append(1e3 * (time.perf_counter() - begin))
                process.stdout.read()
            whole.append(1e3 * (time.perf_counter() - begin))
        return [
            {"what": name, "ms_p50": statistics.median(values), "ms_max": max(values)}
            for name, values in (("first update", first), ("end", whole))
        ]

    def threads(self):
        """One thread and two, in turn, over a capture in memory."""
        path = self.capture("long", 4000 if self.quick else 20_000)
        seconds = {1: [], 2: []}
        for _ in range(2 if self.quick else 7):
            for count, taken in seconds.items():
                begin = time.perf_counter()
                command = [self.uwb, "replay", f"{path}.sigmf-meta", "--threads", str(count), "--output", "summary"]
                subprocess.run(command, check=True, capture_output=True)
                taken.append(time.perf_counter() - begin)
        ratios = [one / two for one, two in zip(seconds[1], seconds[2])]
        return [
            {
                "seconds_one": statistics.median(seconds[1]), "seconds_two": statistics.median(seconds[2]),
                "speed_up": statistics.median(ratios), "lowest": min(ratios), "highest": max(ratios),
            }
        ]  # fmt: skip

    def logs(self):
        """Real logs: up to the engine's door on one core, and all of them into updates on two."""
        logs = sorted(self.data.glob("decaranging-apartment/*.log")) if self.data else []
        if not logs:
            return []
        passes = [lines([self.measure, "read", *logs]) for _ in range(3)]
        size = sum(log.stat().st_size for log in logs) / 1e6
        reading = min(sum(row["seconds"] for row in rows) for rows in passes)
        taken = []
        for _ in range(5):
            begin = time.perf_counter()
            command = [self.uwb, "replay", *map(str, logs), "--threads", "2", "--output", "summary"]
            subprocess.run(command, check=True, capture_output=True)
            taken.append(time.perf_counter() - begin)
        return [
            {
                "logs": len(logs), "megabytes": size, "reader_megabytes_per_second": size / reading,
                "replay_seconds": statistics.median(taken), "replay_longest": max(taken),
            }
        ]  # fmt: skip


STEPS = ["times", "latency", "curves", "chain", "music", "start", "threads", "logs"]


def machine():
    compiler = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    version = re.search(r"Swift version (\S+)", compiler)
    return f"{result_pages.machine()}, Swift {version.group(1) if version else '?'}"


def commit():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()


class Page:
    """The tables, from what the steps kept."""

    def __init__(self, folder):
        self.found, self.machines = {}, {}
        for step in STEPS:
            file = folder / f"{step}.json"
            kept = json.loads(file.read_text()) if file.exists() else {"rows": []}
            self.found[step] = kept["rows"]
            if kept["rows"]:
                self.machines.setdefault(kept["machine"], set()).add(f"{kept.get('date', 'an unknown date')} at {kept['commit']}")
        self.time = {row["name"]: row for row in self.found["times"] if "name" in row}
        self.bars = []

    def bar(self, work, asked, measured, holds):
        self.bars.append((work, asked, measured, holds))

    def judge(self):
        time = self.time
        if time:
            transforms = 2 * time["transform/fftw-measure/1024"]["ns"]
            for name, place in PLACES.items():
                per_cir = time[f"chain/1-antenna/{name}"]["ns"] / 2
                who = place if name.endswith("rice-fit") else f"default estimator, {place}"
                self.bar(
                    f"whole chain, 1 antenna, 1016 taps of 16 bits, {who}",
                    "≥ 100,000 CIRs/s", f"{1e9 / per_cir:,.0f} CIRs/s", per_cir <= 1e4,
                )  # fmt: skip
                self.bar(
                    f"its time over that of a matched filter's two transforms of 1024 points ({transforms / 1e3:.2f} µs), {place}",
                    "≤ 6 ×", f"{per_cir / transforms:.1f} ×", per_cir <= 6 * transforms,
                )  # fmt: skip
            for place in ("free-space", "room"):
                rate = time[f"chain/4-antennas/{place}"]["per_second"]
                self.bar(
                    f"4 antennas, distance and two angles, {PLACES[place]}", "≥ 25,000 exchanges/s",
                    f"{rate:,.0f} exchanges/s", rate >= 25_000,
                )  # fmt: skip
        for name in dict.fromkeys(row["capture"] for row in self.found["chain"]):
            rows = [row for row in self.found["chain"] if row["capture"] == name]
            for ours in (row for row in rows if row["estimator"].startswith("ours")):
                place = PLACES[name] + ours["estimator"].removeprefix("ours").replace("rice-fit", "with `rice-fit`")
                for row in rows:
                    if "numpy" in row["estimator"] or "scipy" in row["estimator"]:
                        times = row["us_per_cir"] / ours["us_per_cir"]
                        self.bar(
                            f"time of {row['estimator']} over ours, {place}", "≥ 40 ×, and more accurate",
                            f"{times:.1f} ×, {100 * ours['rms_m']:.2f} against {100 * row['rms_m']:.2f} cm",
                            times >= 40 and ours["rms_m"] < row["rms_m"],
                        )  # fmt: skip
        music = {row["estimator"]: row for row in self.found["music"]}
        if music:
            ours = music.pop("ours")["us"]
            name, best = min(music.items(), key=lambda item: item[1]["us"])
            self.bar(
                "MUSIC, 8 antennas, refined off the grid: the time of the fastest peer, on its grid alone, over ours "
                f"({name}, {best['us']:.1f} µs)",
                "≥ 4 ×", f"{best['us'] / ours:.1f} × ({ours:.2f} µs)", best["us"] >= 4 * ours,
            )  # fmt: skip
            self.bar(
                "the same for doatools, whose 34 µs were measured elsewhere on such a machine", "≥ 4 ×", f"{34 / ours:.1f} ×",
                34 >= 4 * ours,
            )  # fmt: skip
        for row in self.found["threads"]:
            self.bar(
                "`uwb replay`, time of one thread over that of two", "≥ 1.85 ×",
                f"{row['speed_up']:.2f} × ({row['lowest']:.2f}–{row['highest']:.2f})", row["speed_up"] >= 1.85,
            )  # fmt: skip
        for row in self.found["logs"]:
            self.bar(
                f"DecaRanging text to exchanges, one core, {row['logs']} real logs of {row['megabytes']:.0f} MB",
                "≥ 120 MB/s", f"{row['reader_megabytes_per_second']:.0f} MB/s", row["reader_megabytes_per_second"] >= 120,
            )  # fmt: skip
            self.bar(
                "those logs to updates, two threads", "< 1 s",
                f"{row['replay_seconds']:.2f} s (longest {row['replay_longest']:.2f})", row["replay_seconds"] < 1,
            )  # fmt: skip
        for work, empty in zip(self.found["latency"][::2], self.found["latency"][1::2]):
            holds = work["p999_over_p50"] <= 4
            self.bar(
                f"99.9th percentile of {work['count']:,} exchanges over their median, {work['input']}", "≤ 4 ×",
                f"{work['p999_over_p50']:.1f} × (a loop without work, as long: {empty['p999_over_p50']:.1f} ×)", holds,
            )  # fmt: skip
        for row in self.found["start"][:1]:
            self.bar(
                "program start to first update, small capture", "≤ 60 ms",
                f"{row['ms_p50']:.0f} ms (longest {row['ms_max']:.0f})", row["ms_p50"] <= 60,
            )  # fmt: skip
        self.bar("heap allocations for an exchange, steady state", "0", "0, counted by `AllocationTests`", True)

    def table(self, head, rows):
        yield from result_pages.table(head, rows)
        yield ""

    def made(self):
        where = "; ".join(f"{name}, on {' and '.join(sorted(runs))}" for name, runs in sorted(self.machines.items()))
        return f"Made by `scripts/performance`. Machine: {where}."

    def open_points(self):
        """What does not hold, for Open-points.md."""
        short = [bar[:3] for bar in self.bars if not bar[3]]
        yield "## Performance"
        yield ""
        yield self.made()
        yield ""
        yield f"{len(self.bars) - len(short)} of {len(self.bars)} bars hold. [Performance](Performance.md) has all measurements. These are short of their bar:"
        yield ""
        yield from self.table(("work", "asked", "measured"), short)
        steep = [row for row in self.found["curves"] if row["exponent"] > row["theory"] + 0.1]
        if steep:
            yield "These grow faster than theory has it:"
            yield ""
            yield from self.table(
                ("what grows", "work", "exponent by theory", "exponent measured"),
                ((row["axis"], row["what"], f"{row['theory']:g}", f"{row['exponent']:.2f}") for row in steep),
            )

    def text(self):
        self.judge()
        yield self.made()
        yield ""
        yield "### In short"
        yield ""
        # The peers have a table of their own.
        yield from self.table(("work", "measured"), ((bar[0], bar[2]) for bar in self.bars if not bar[0].startswith("time of ")))
        if self.found["chain"]:
            yield "### Side by side with Python, on identical bytes"
            yield ""
            yield from self.table(
                ("capture", "who", "µs a CIR", "CIRs/s", "time over ours", "rms error, cm", "no answer", "median difference to ours, cm"),
                (
                    (
                        row["capture"], row["estimator"], f"{row['us_per_cir']:.1f}", f"{row['cirs_per_second']:,.0f}",
                        f"{row['times_ours']:.1f}", f"{100 * row['rms_m']:.2f}", row["missed"],
                        f"{100 * row['apart_m']:.1f}{'' if row['agrees'] else ' (**disagrees**)'}",
                    )
                    for row in self.found["chain"]
                ),
            )  # fmt: skip
        if self.found["music"]:
            yield from self.table(
                ("MUSIC, 8 antennas, 64 snapshots, one source", "µs", "rms, degrees"),
                ((row["estimator"], f"{row['us']:.1f}", f"{row['rms_deg']:.3f}") for row in self.found["music"]),
            )
        if self.time:
            transform = self.time["transform/fftw-measure/1024"]["ns"]
            places = (row for row in self.found["times"] if "place" in row)
            yield from self.table(
                ("the machine's own limit", "ns", "GB/s"),
                [
                    *(
                        (f"reading a CIR's 1016 taps of 16 bits from {row['place']}", f"{row['ns_per_cir']:.0f}", f"{row['gigabytes_per_second']:.0f}")
                        for row in places
                    ),
                    ("a transform of 1024 points", f"{transform:.0f}", ""),
                ],
            )  # fmt: skip
        if self.found["latency"]:
            yield "### Latency, µs"
            yield ""
            yield from self.table(
                ("input", "", "median", "99 %", "99.9 %", "longest"),
                (
                    (row["input"], row["kind"], *(f"{row[key]:.1f}" for key in ("us_p50", "us_p99", "us_p999", "us_max")))
                    for row in self.found["latency"]
                ),
            )
        if self.found["curves"]:
            yield "### Cost as work grows"
            yield ""
            yield "![Cost over size, measured and by theory](../pictures/cost-as-work-grows.svg)"
            yield ""
            yield from self.table(
                ("what grows", "work", "exponent by theory", "because", "exponent measured", "µs at each size"),
                (
                    (
                        row["axis"], row["what"], f"{row['theory']:g}", row["reason"],
                        f"{row['exponent']:.2f}",
                        ", ".join(f"{size}: {cost}" for size, cost in zip(row["sizes"].split(), row["microseconds"].split())),
                    )
                    for row in self.found["curves"]
                ),
            )  # fmt: skip
        if self.time:
            yield "### Every part"
            yield ""
            yield "`room`: a walk past a device in a room of six walls. `cm1`: the dense residential channel of IEEE 802.15.4a. The third column is the"
            yield "10th to the 90th percentile of samples of 20 µs or more."
            yield ""
            yield from self.table(
                ("part", "µs", "10–90 %", "a second", "MB/s"),
                (
                    (
                        f"`{row['name']}`", f"{row['ns'] / 1e3:.3g}", f"{row['ns_p10'] / 1e3:.3g}–{row['ns_p90'] / 1e3:.3g}",
                        f"{row['per_second']:,.0f} {row['unit']}s",
                        f"{row['megabytes_per_second']:.0f}" if row["megabytes_per_second"] else "",
                    )
                    for row in self.time.values()
                ),
            )  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("uwb")
    parser.add_argument("measure")
    parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join([*STEPS, "page"]))
    parser.add_argument("--folder", type=Path, default=Path(".build/performance"))
    parser.add_argument("--page", type=Path, default=Path("Documentation/results/Performance.md"))
    parser.add_argument("--data", default=os.environ.get("UWB_DATA"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_intermixed_args()
    options.folder.mkdir(parents=True, exist_ok=True)

    steps = Steps(
        options.uwb, options.measure, sys.executable, options.folder, options.data, options.quick, options.rounds
    )
    wanted = options.steps or [*STEPS, "page"]
    for step in wanted:
        if step == "page":
            continue
        if step not in STEPS:
            sys.exit(f"performance: no step {step}; there are: {', '.join([*STEPS, 'page'])}")
        rows = getattr(steps, step)()
        kept = {"machine": machine(), "commit": commit(), "date": datetime.date.today().isoformat(), "rows": rows}
        (options.folder / f"{step}.json").write_text(json.dumps(kept, indent=1))
        print(f"{step}: {len(rows)} rows", file=sys.stderr)
    if "page" in wanted:
        page = Page(options.folder)
        result_pages.write_section(options.page, "measured", page.text(), "Performance")
        result_pages.write_section(
            options.page.with_name("Open-points.md"), "performance", page.open_points(), "What is short of its bar"
        )
        print(options.page)


if __name__ == "__main__":
    main()
