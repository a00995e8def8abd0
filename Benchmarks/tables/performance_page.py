"""The tables of `Documentation/results/Performance.md`, from what the steps kept."""

from collections import defaultdict

import result_pages
from performance_bars import bars

PLACES = {
    "random-rooms": "random rooms", "blocked-rooms": "random rooms, direct path 6–20 dB down", "room": "built-in room",
    "free-space": "free space",
}  # fmt: skip


def table(head, rows, align=None):
    yield from result_pages.table(head, rows, align)
    yield ""


def number(value):
    return "–" if value is None else f"{value:.2f}"


class Page:
    def __init__(self, kept):
        """`kept`: of each step its rows, and where and when they were measured."""
        self.found, self.machines = defaultdict(list), {}
        for step, found in kept.items():
            self.found[step] = found["rows"]
            if found["rows"]:
                self.machines.setdefault(found["machine"], set()).add(f"{found['date']} at {found['commit']}")
        self.time = {row["name"]: row for row in self.found["times"] if "name" in row}
        self.bars = bars(self.found)

    def made(self):
        where = "; ".join(f"{name}, on {' and '.join(sorted(runs))}" for name, runs in sorted(self.machines.items()))
        return f"Made by `scripts/performance`. Machine: {where}."

    def open_points(self):
        """What does not hold, for Open-points.md."""
        short = [bar for bar in self.bars if not bar.holds]
        yield "## Performance"
        yield ""
        yield self.made()
        yield ""
        yield f"{len(self.bars) - len(short)} of {len(self.bars)} bars hold. [Performance](Performance.md) has all measurements. These are short of their bar:"
        yield ""
        yield from table(("work", "figure", "asked", "measured"), ((bar.row, bar.figure, bar.asked, bar.measured) for bar in short))
        steep = [row for row in self.found["curves"] if row["exponent"] > row["theory"] + 0.1]
        if steep:
            yield "These grow faster than theory has it:"
            yield ""
            yield from table(
                ("what grows", "work", "exponent by theory", "exponent measured"),
                ((row["axis"], row["what"], f"{row['theory']:g}", f"{row['exponent']:.2f}") for row in steep),
            )

    def text(self):
        yield self.made()
        yield ""
        yield "### Bars"
        yield ""
        yield from table(
            ("work", "figure", "asked", "measured", "holds"),
            ((bar.row, bar.figure, bar.asked, bar.measured, "yes" if bar.holds else "**no**") for bar in self.bars),
        )
        for part in (self.rooms, self.compiled, self.chain, self.scale, self.latency, self.limits, self.batches, self.curves, self.parts):
            yield from part()

    def rooms(self):
        rows = self.found["rooms"]
        if not rows:
            return
        yield "### Rooms, one by one"
        yield ""
        yield (
            f"A unit took {min(row['unit_ns'] for row in rows) / 1e3:.2f} µs. Each room counts with its shortest time. RMS errors are those of answers; in "
            "brackets stands what 90 % of all exchanges stay below, those without an answer above it."
        )
        yield ""
        head = ("place", "antennas", "exchanges", "units an exchange: mean", "median", "slowest tenth, mean", "units a CIR: mean")
        errors = ("distance RMS (90 %), cm", "azimuth RMS (90 %), °", "no distance", "no direction")
        yield from table(
            (*head, *errors),
            (
                (
                    PLACES[row["place"]], row["antennas"], row["exchanges"], f"{row['mean']:.1f}", f"{row['median']:.1f}",
                    f"{row['slowest_tenth']:.1f}", f"{row['mean'] * row['exchanges'] / row['cirs']:.1f}",
                    f"{100 * row['rms_m']:.2f} ({100 * row['p90_m']:.2f})",
                    f"{row['azimuth_rms_deg']:.2f} ({number(row['azimuth_p90_deg'])})" if "azimuth_rms_deg" in row else "",
                    f"{100 * row['missed']:.1f} %", f"{100 * row['unanswered']:.1f} %" if "unanswered" in row else "",
                )
                for row in rows
            ),
            "lrrrrrrrrrr",
        )  # fmt: skip

    def compiled(self):
        rows = self.found["compiled"]
        if not rows:
            return
        yield "### Side by side with C++ on Eigen, on identical bytes"
        yield ""
        yield "Times over ours are those of single precision. Ours are in double precision."
        yield ""
        for kind, unit, scale in (("angle", "°", 1), ("delay", "mm", 1000)):
            pairs = defaultdict(dict)
            for row in rows:
                if row["kind"] == kind:
                    pairs[row["case"], row["method"], row["estimator"]][row["precision"]] = row

            def cells(key):
                case, method, who = key
                own, double = pairs[case, method, "ours"]["double"], pairs[key]["double"]
                single = pairs[key].get("single")
                return (
                    case, method, "**ours**" if who == "ours" else who, f"{single['us']:.2f}" if single else "", f"{double['us']:.2f}",
                    f"{(single or double)['us'] / own['us']:.2f}", f"{scale * single['rms']:.3f}" if single else "",
                    f"{scale * double['rms']:.3f}", max(found["missed"] for found in pairs[key].values()),
                )  # fmt: skip

            order = list(dict.fromkeys(key[:2] for key in pairs))
            yield from table(
                ("case", "method", "who", "µs, single", "µs, double", "time over ours", f"RMS error, {unit}, single", "double", "no answer"),
                map(cells, sorted(pairs, key=lambda key: order.index(key[:2]))),
                "lllrrrrrr",
            )

    def chain(self):
        if self.found["chain"]:
            yield "### From a capture to a distance, on identical bytes"
            yield ""
            yield "NumPy, SciPy and pyFFTW are what people use today. C++ on FFTW is what they could have."
            yield ""
            yield from table(
                ("capture", "who", "µs a CIR", "CIRs/s", "time over ours", "RMS error, cm", "no answer", "median difference to ours, cm"),
                (
                    (
                        row["capture"], row["estimator"], f"{row['us_per_cir']:.1f}", f"{row['cirs_per_second']:,.0f}",
                        f"{row['times_ours']:.1f}", f"{100 * row['rms_m']:.2f}", row["missed"], f"{100 * row['apart_m']:.1f}",
                    )
                    for row in self.found["chain"]
                ),
                "llrrrrrr",
            )  # fmt: skip
        if self.found["music"]:
            yield from table(
                ("MUSIC in Python, 8 antennas, 64 snapshots, one source", "µs", "RMS error, °"),
                ((row["estimator"], f"{row['us']:.1f}", f"{row['rms_deg']:.3f}") for row in self.found["music"]),
                "lrr",
            )

    def scale(self):
        count = 1e9
        for row in self.found["scale"]:
            workers = {found["who"]: found for found in self.found["cluster"]}
            two = workers.get("2 workers", {}).get("times_one_worker")
            share = min(1, two / 2) if two else 1
            one, both = row["replay_1_cirs_per_second"], row["replay_2_cirs_per_second"]
            merge, size = count / row["merge_cirs_per_second"] / 3600, count * row["bytes_per_cir"] / 1e12

            def cost(name, rate, megabytes, merge):
                hours = count / rate / 3600
                return name, f"{hours:.2f} h", f"{merge:.2f} h" if merge else "–", f"{megabytes:,.0f} MB", f"{size / (3.6 * hours):.2f} GB/s"

            yield "### A thousand million CIRs"
            yield ""
            yield f"One antenna, random rooms, default estimator, from {row['cirs']:,} CIRs in a SigMF capture. {size:.1f} TB are read."
            yield ""
            yield from table(
                ("stage, one core", "CIRs/s", "10⁹ CIRs"),
                (
                    (name, f"{rate:,.0f}", f"{count / rate / 3600:.2f} h")
                    for name, rate in (
                        ("reading", row["reader_cirs_per_second"]), ("engine", row["engine_cirs_per_second"]),
                        ("`uwb replay`, all of it", one), ("`uwb merge` of shards", row["merge_cirs_per_second"]),
                    )
                ),
                "lrr",
            )  # fmt: skip
            yield from table(
                ("cores", "replay", "and then merge", "memory, all processes", "bytes read"),
                (
                    cost("1", one, row["replay_1_megabytes"], 0), cost("2, threads of one process", both, row["replay_2_megabytes"], 0),
                    cost("64, a shard each (on paper)", 64 * share * one, 64 * row["replay_1_megabytes"] + row["merge_megabytes"], merge),
                ),
                "lrrrr",
            )  # fmt: skip
            yield (
                f"The last row takes the measured rate of one core, {share:.2f} of it on each of several, and one process that merges "
                f"{count * row['merge_bytes_per_cir'] / 1e12:.1f} TB of results. Memory does not grow with the capture: a tenth of it took "
                f"{row['tenth_megabytes']:.0f} MB, all of it {row['replay_1_megabytes']:.0f} MB."
            )
            yield ""
        if self.found["cluster"]:
            yield from table(
                ("Dask on this machine, `scripts/cluster-scale`", "s", "times one worker", "the same bytes"),
                ((row["who"], f"{row['seconds']:.1f}", f"{row['times_one_worker']:.2f}", "yes" if row["same"] else "**no**") for row in self.found["cluster"]),
                "lrrl",
            )

    def latency(self):
        if self.found["latency"]:
            yield "### Latency, µs"
            yield ""
            yield from table(
                ("input", "", "count", "median", "99 %", "99.9 %", "longest"),
                (
                    (row["input"], row["kind"], f"{row['count']:,}", *(f"{row[key]:.1f}" for key in ("us_p50", "us_p99", "us_p999", "us_max")))
                    for row in self.found["latency"]
                ),
                "llrrrrr",
            )

    def limits(self):
        if self.time:
            transform = self.time["transform/fftw-measure/1024"]["ns"]
            places = (row for row in self.found["times"] if "place" in row)
            yield from table(
                ("the machine's own limit", "ns", "GB/s"),
                [
                    *(
                        (f"reading a CIR's 1016 taps of 16 bits from {row['place']}", f"{row['ns_per_cir']:.0f}", f"{row['gigabytes_per_second']:.0f}")
                        for row in places
                    ),
                    ("a transform of 1024 points", f"{transform:.0f}", ""),
                ],
            )  # fmt: skip

    def curves(self):
        if self.found["curves"]:
            yield "### Cost as work grows"
            yield ""
            yield "![Cost over size, measured and by theory](../pictures/cost-as-work-grows.svg)"
            yield ""
            yield from table(
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

    def batches(self):
        rows = [self.time.get(f"chain/1-antenna/random-rooms{name}") for name in ("", "-in-a-row")]
        if all(rows):
            turn, repeated = (row["ns"] / 1e3 for row in rows)
            yield "### Blocks of CIRs"
            yield ""
            yield (
                f"An exchange in random rooms takes {turn:.1f} µs where rooms take turns, and {repeated:.1f} µs where each comes 16 times in a row. Tables, "
                "caches and the way through the code are then those of the time before. A block of CIRs could share no more than that: "
                f"{100 * (1 - repeated / turn):.0f} %. So `estimate` takes CIRs one by one."
            )
            yield ""

    def parts(self):
        if self.time:
            yield "### Every part"
            yield ""
            yield "`room`: a walk past a device in a room of six walls. `cm1`: the dense residential channel of IEEE 802.15.4a. The third column is the"
            yield "10th to the 90th percentile of samples of 20 µs or more."
            yield ""
            yield from table(
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
