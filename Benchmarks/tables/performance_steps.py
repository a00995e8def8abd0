"""What `scripts/performance` measures: a method for each step, which returns its rows."""

import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

PEERS = Path(__file__).resolve().parents[1] / "peers"
sys.path.insert(0, str(PEERS))
import compiled_peers
from chain_peers import CLIP, Capture, centred

ROOMS = {
    "random-rooms": ["--family", "room"],
    "blocked-rooms": ["--family", "room-blocked"],
    "room": [],
    "free-space": ["--free-space"],
}
CLIP_ANGLE = 45.0  # degrees


def lines(command):
    output = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def taken(command, out=subprocess.DEVNULL):
    """Seconds and the most memory (MB) of a program."""
    begin = time.perf_counter()
    with subprocess.Popen([str(word) for word in command], stdout=out, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"performance: {' '.join(map(str, command))} ended with {process.returncode}")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


class Steps:
    def __init__(self, options, folder):
        self.uwb, self.peers, self.folder = options.uwb, options.peers, folder
        self.measure, self.bare = options.programs / "measure", options.programs / "bare-start"
        self.data = Path(options.data) if options.data else None
        self.quick, self.rounds = options.quick, options.rounds

    def capture(self, name, cirs, *options):
        path = self.folder / f"{name}-{cirs}"
        if not path.with_name(path.name + ".sigmf-meta").exists():
            lines([self.measure, "make", path, cirs, *options])
        return path

    def script(self, name, *words):
        """A script of Python peers. OpenBLAS takes the kernels that suit the machine."""
        chosen = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
        command = [sys.executable, PEERS / name, *words]
        run = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True, env=chosen)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def rooms(self):
        """Every room by itself: its shortest time in units, and its errors."""
        rows = []
        for place, options in ROOMS.items():
            for antennas in (1, 2, 4):
                path = self.capture(f"{place}-{antennas}", 80 if self.quick else 800, "--antennas", antennas, *options)
                rows.append({"place": place, "antennas": antennas} | self.rooms_row(path))
        return rows

    def rooms_row(self, path):
        out, shortest, units = self.folder / "exchanges", [], []
        for _ in range(self.rounds):
            (line,) = lines([self.measure, "distances", f"{path}.sigmf-meta", out])
            distances, azimuths, nanoseconds = np.loadtxt(out).T
            shortest.append(nanoseconds)
            units.append(line["unit_ns"])
        unit = min(units)
        cost = np.sort(np.min(shortest, axis=0) / unit)
        capture = Capture(path)
        errors = centred(distances, capture.truth)
        turned = np.abs(azimuths - capture.azimuths)
        found = turned[~np.isnan(turned)]
        tenth = max(1, len(cost) // 10)
        row = {
            "exchanges": len(cost), "cirs": line["cirs"], "unit_ns": unit, "mean": cost.mean(),
            "median": float(np.median(cost)), "slowest_tenth": cost[-tenth:].mean(), "longest": cost[-1],
            "missed": float(np.isnan(errors).mean()), "rms_m": float(np.sqrt(np.nanmean(errors**2))),
            "p90_m": float(np.nanquantile(np.abs(errors), 0.9)),
        }  # fmt: skip
        if len(found):
            # The error of nine tenths of all exchanges, those without an answer among the worst.
            nine_tenths = np.sort(np.nan_to_num(turned, nan=np.inf))[9 * len(turned) // 10]
            row |= {"unanswered": float(np.isnan(turned).mean())}
            row |= {"azimuth_rms_deg": float(np.sqrt(np.mean(np.minimum(found, CLIP_ANGLE) ** 2)))}
            row |= {"azimuth_p90_deg": nine_tenths if np.isfinite(nine_tenths) else None}
        return row

    def compiled(self):
        """Peers in C++ beside ours, on the same bytes; a peer that answers otherwise than ours ends the run."""
        if not self.peers:
            return []
        return compiled_peers.measured(self.uwb, self.measure, self.peers, self.folder, self.rounds, self.quick)

    def chain(self):
        """From a capture to a distance beside peers in Python and C++."""
        count = 200 if self.quick else 1000
        paths = [
            self.capture("random-rooms", count, *ROOMS["random-rooms"]), self.capture("room", count),
            self.capture("free-space", count, "--free-space"), self.capture("room-dw1000", count, "--profile", "dw1000"),
        ]  # fmt: skip
        peers = ["--peers", self.peers] if self.peers else []
        return self.script("chain_peers.py", self.measure, *paths, "--rounds", self.rounds, *peers)

    def music(self):
        """MUSIC over eight antennas as people write it in Python, on the snapshots of `compiled`."""
        return self.script("music_peers.py", self.uwb, self.measure, self.folder / "snapshots")

    def latency(self):
        return lines([self.measure, "latency", 20_000 if self.quick else 1_000_000])

    def start(self):
        """From the start of the program to its first update, and of a bare program to its first line, in turn."""
        path = self.folder / "walk"
        if not path.with_name("walk.sigmf-meta").exists():
            subprocess.run([self.uwb, "simulate", "walk", "--out", path], check=True, capture_output=True)
        commands = {"first update": [self.uwb, "replay", f"{path}.sigmf-meta"], "bare program": [self.bare, "word"]}
        found = {name: [] for name in commands}
        for _ in range(5 if self.quick else 40):
            for name, command in commands.items():
                begin = time.perf_counter()
                with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                    process.stdout.readline()
                    found[name].append(1e3 * (time.perf_counter() - begin))
                    process.stdout.read()
        return [{"what": name, "ms_p50": statistics.median(times), "ms_max": max(times)} for name, times in found.items()]

    def logs_found(self):
        return sorted(self.data.glob("decaranging-apartment/*.log")) if self.data else []

    def long(self):
        """Random rooms, each another one."""
        return self.capture("long", 4000 if self.quick else 40_000, *ROOMS["random-rooms"])

    def threads(self):
        """One thread and two, in turn, over a capture in memory and over real logs."""
        rows = []
        for name, files in (("SigMF", [f"{self.long()}.sigmf-meta"]), ("logs", self.logs_found())):
            if not files:
                continue
            seconds = {1: [], 2: []}
            for _ in range(2 if self.quick else 7):
                for count, times in seconds.items():
                    times.append(taken([self.uwb, "replay", *files, "--threads", count, "--output", "summary"])[0])
            ratios = [one / two for one, two in zip(seconds[1], seconds[2])]
            rows.append(
                {
                    "input": name, "seconds_one": statistics.median(seconds[1]), "seconds_two": statistics.median(seconds[2]),
                    "speed_up": statistics.median(ratios), "lowest": min(ratios), "highest": max(ratios),
                }
            )  # fmt: skip
        return rows

    def logs(self):
        """Real logs: up to the engine's door on one core."""
        logs = self.logs_found()
        if not logs:
            return []
        passes = [lines([self.measure, "read", *logs]) for _ in range(3)]
        size = sum(log.stat().st_size for log in logs) / 1e6
        reading = min(sum(row["seconds"] for row in rows) for rows in passes)
        return [{"logs": len(logs), "megabytes": size, "reader_megabytes_per_second": size / reading}]

    def scale(self):
        """Rates of the reader, the engine and the merge, and memory, over random rooms."""
        path = f"{self.long()}.sigmf-meta"
        tenth = f"{self.capture('tenth', 400 if self.quick else 4000, *ROOMS['random-rooms'])}.sigmf-meta"
        read = max((lines([self.measure, "read", path])[0] for _ in range(self.rounds)), key=lambda row: row["cirs_per_second"])
        (engine,) = lines([self.measure, "distances", path, self.folder / "exchanges"])
        cirs = read["cirs"]
        replay = {count: [taken([self.uwb, "replay", path, "--threads", count]) for _ in range(self.rounds)] for count in (1, 2)}
        shards = [self.folder / f"{number}.ndjson" for number in (1, 2)]
        for number, shard in enumerate(shards, 1):
            with shard.open("wb") as out:
                taken([self.uwb, "replay", path, "--shard", f"{number}/2", "--threads", 1], out)
        merge = [taken([self.uwb, "merge", *shards, "--output", "summary"]) for _ in range(self.rounds)]
        row = {
            "cirs": cirs, "bytes_per_cir": (Path(path).stat().st_size + Path(path).with_suffix(".sigmf-data").stat().st_size) / cirs,
            "reader_cirs_per_second": read["cirs_per_second"], "engine_cirs_per_second": 1e9 / engine["ns_per_cir"],
            "merge_cirs_per_second": cirs / min(seconds for seconds, _ in merge),
            "merge_bytes_per_cir": sum(shard.stat().st_size for shard in shards) / cirs,
            "merge_megabytes": max(memory for _, memory in merge),
        }  # fmt: skip
        for count, runs in replay.items():
            row |= {f"replay_{count}_cirs_per_second": cirs / min(seconds for seconds, _ in runs)}
            row |= {f"replay_{count}_megabytes": max(memory for _, memory in runs)}
        row["tenth_megabytes"] = max(taken([self.uwb, "replay", tenth, "--threads", 1])[1] for _ in range(self.rounds))
        return [row]

    def cluster(self):
        """Dask workers on this machine beside one process, by scripts/cluster-scale."""
        command = ["scripts/cluster-scale", "128" if self.quick else "1024"]
        run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        rows = re.findall(r"^\| (.+?) \| ([\d.]+) \| ([\d.]+) \| (yes|no) \|$", run.stdout, re.M)
        return [
            {"who": who, "seconds": float(seconds), "times_one_worker": float(times), "same": same == "yes"}
            for who, seconds, times, same in rows
        ]

    def times(self):
        """Every workload, each from the round in which it was quickest: on a machine that is shared, one that was not disturbed."""
        command = [self.measure, "time", "--seconds", 0.02 if self.quick else 0.2, ""]
        best = {row["name"]: row for row in lines(command)}
        for _ in range(1, self.rounds):
            for row in lines(command):
                best[row["name"]] = min(best[row["name"]], row, key=lambda row: row["ns"])
        return [*best.values(), *lines([self.measure, "memory"])]

    def curves(self):
        picture = "Documentation/pictures/cost-as-work-grows.svg"
        return lines([self.measure, "curves", "--svg", self.folder / "curves.svg" if self.quick else picture])
