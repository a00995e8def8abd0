"""The peers in C++ (`compiled/`) beside ours, on identical bytes: angles of 8 antennas × 64 snapshots, delays of path lists.

All are told the number of sources or paths. First each answers every trial once, and a peer whose answers lie far from ours ends the run.
Then ours and theirs are timed in turn, over the same first trials.
"""

import json
import subprocess
import sys

import numpy as np

SPEED = 299_702_547.0  # m/s, in air
METRES = SPEED / (2 * 499.2e6)  # of a tap
PASSES = 200
# Name, kind, what `uwb evaluate` is told, trials.
CASES = [
    ("one source", "angle", ["--sources", "17.3", "--snr", "10"]),
    ("two sources", "angle", ["--sources", "5.2,25.3", "--snr", "20"]),
    ("one path", "delay", ["--paths", "0:0dB", "--snr", "25"]),
    ("two paths, 4 taps apart", "delay", ["--paths", "0:0dB,4:0dB", "--snr", "25"]),
]
METHODS = {"angle": ["music", "root-music", "esprit"], "delay": ["matrix-pencil", "search-subtract-readjust"]}
# Half of all answers may be so far from ours (degrees, metres), and RMS errors may be so many times ours, but for what a grid adds at the most.
NEAR = {"angle": 0.05, "delay": 0.02}
WORSE = 1.5
GRID = 0.25  # degrees


def method_of(name):
    return name.split(",")[0]


class Case:
    def __init__(self, uwb, folder, name, kind, words, trials):
        self.name, self.kind = name, kind
        self.base = folder / f"{kind}-{name.split(',')[0].replace(' ', '-')}"
        array = ["--array", "ula8", "--snapshots", "64", "--estimators", "music"] if kind == "angle" else ["--estimators", "peak"]
        command = [uwb, "evaluate", kind, *array, *words, "--trials", trials, "--seed", 1, "--output", "ndjson", "--export", self.base]
        subprocess.run(list(map(str, command)), check=True, capture_output=True)
        truth = json.loads((self.base / "0.json").read_text())
        if kind == "angle":
            x = np.array(truth["positions_m"])[:, 0]
            step = 2 * np.pi * truth["carrier_hz"] / SPEED * (x[1] - x[0])
            self.words = ["angle", self.base / "0.cf64", trials, f"{step:.17g}", truth["sources"]]
            self.truth = np.sort(np.array(truth["azimuths_deg"]), axis=1)
        else:
            order = len(truth["path_delays_taps"])
            self.words = ["delay", self.base / "0.cf32", trials, truth["tap_count"], order]
            self.truth = np.array(truth["first_path_taps"])[:, None] * METRES

    def ours(self, measure, method):
        """Answers and µs."""
        out = self.base / "answers"
        verb = "directions" if self.kind == "angle" else "first-paths"
        command = [measure, verb, self.base / "0", out, "--method", method]
        line = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout
        return self.scaled(np.loadtxt(out, ndmin=2)), json.loads(line)["us"]

    def theirs(self, peers, passes):
        """Answers and µs, by name and precision."""
        command = [peers, *self.words, passes]
        output = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True).stdout
        rows = map(json.loads, output.splitlines())
        return {(row["estimator"], row["precision"]): (self.scaled(row["answers"]), row["us"]) for row in rows}

    def scaled(self, answers):
        """Degrees, or metres; a row for each trial, ascending."""
        found = np.array(answers, dtype=float).reshape(self.truth.shape)
        return np.sort(found, axis=1) * (1 if self.kind == "angle" else METRES)

    def row(self, who, precision, answers, us):
        errors = answers - self.truth
        row = {"case": self.name, "kind": self.kind, "estimator": who, "precision": precision, "us": us}
        return row | {"rms": float(np.sqrt(np.nanmean(errors**2))), "missed": int(np.isnan(errors).any(axis=1).sum())}

    def check(self, name, answers, ours, rms, our_rms):
        apart = float(np.nanmedian(np.abs(answers - ours)))
        grid = GRID if "grid" in name else 0
        if apart > NEAR[self.kind] + grid or not rms <= WORSE * our_rms + grid:
            sys.exit(
                f"performance: {self.name}: the peer {name} answers otherwise than ours: half of all by over {apart:.3g}, "
                f"rms {rms:.3g} against {our_rms:.3g}"
            )


def measured(uwb, measure, peers, folder, rounds, quick):
    rows = []
    for name, kind, words in CASES:
        case = Case(uwb, folder, name, kind, words, 200 if quick else 2000)
        ours = {method: case.ours(measure, method) for method in METHODS[kind]}
        found = [case.row("ours", "double", *ours[method]) | {"method": method} for method in ours]
        for (who, precision), (answers, us) in case.theirs(peers, 0).items():
            row = case.row(who, precision, answers, us) | {"method": method_of(who)}
            own = next(row for row in found if row["method"] == method_of(who))
            case.check(f"{who}, {precision}", answers, ours[method_of(who)][0], row["rms"], own["rms"])
            found.append(row)
        # Ours and theirs in turn, so that the machine's drift meets both; a round's own times make its ratio.
        for row in found:
            row["us"] = []
        for _ in range(rounds):
            times = case.theirs(peers, 20 if quick else PASSES)
            for row in found:
                own = row["estimator"] == "ours"
                row["us"].append(case.ours(measure, row["method"])[1] if own else times[row["estimator"], row["precision"]][1])
        for row in found:
            row["us"] = min(row["us"])
        rows += found
    return rows
