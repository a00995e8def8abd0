"""Runs the angle cases of the scoreboard and writes their section into the page. Called by scripts/scoreboard.

    python angle_scoreboard.py UWB PAGE.md [--trials N] [--one-source-trials N] [--peer-trials N] [--seed N]

The section stands between two comment lines; the rest of the page stays. Every estimator of uwb that suits a case gets all of its
trials; the peers get the first of the same trials, byte for byte, and their bound is that of their trials.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

BEGIN, END = "<!-- angle: begin -->", "<!-- angle: end -->"
# Title, array, sources, snapshots, SNR in dB, whether the peers can do it.
CASES = [
    ("Row of 8, λ/2, 64 snapshots, 10 dB, one source at 17.3°", "ula8", "17.3", 64, 10, True),
    ("Row of 8, λ/2, 64 snapshots, 20 dB, sources at 5° and 25°", "ula8", "5,25", 64, 20, True),
    ("Row of 8, λ/2, 64 snapshots, 20 dB, coherent sources at 5° and 25°", "ula8", "5,25:coherent", 64, 20, True),
    ("Two antennas, λ/2, one snapshot, within ±45°, 15 dB", "pair", "within:45", 1, 15, False),
    ("Two antennas, λ/2, one snapshot, within ±60°, 20 dB", "pair", "within:60", 1, 20, False),
    ("Two antennas, λ/2, one snapshot, within ±90°, 20 dB", "pair", "within:90", 1, 20, False),
    ("L of 3, λ/2, one snapshot, within 60° of boresight, 20 dB", "l3", "within:60", 1, 20, False),
    ("Square of 4, λ/2, one snapshot, within 60° of boresight, 20 dB", "square4", "within:60", 1, 20, False),
    ("Sparse row (0, 0.8, 1.8, 3.1 λ), one snapshot, within ±60°, 20 dB", "sparse4", "within:60", 1, 20, False),
    ("Uniform row of 4, 0.8 λ, one snapshot, within ±35°, 20 dB", "uniform4", "within:35", 1, 20, False),
    ("Uniform row of 4, 0.8 λ, one snapshot, 45°, 20 dB", "uniform4", "45", 1, 20, False),
]


def evaluate(uwb, case, trials, seed, *more):
    _, array, sources, snapshots, snr, _ = case
    command = [uwb, "evaluate", "angle", "--array", array, "--sources", sources, "--snapshots", str(snapshots)]
    command += ["--snr", str(snr), "--trials", str(trials), "--seed", str(seed), "--output", "ndjson", *more]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in lines.splitlines()]


def peers(uwb, case, trials, seed):
    with tempfile.TemporaryDirectory() as folder:
        evaluate(uwb, case, trials, seed, "--estimators", "bartlett", "--export", folder)
        script = Path(__file__).with_name("angle_peers.py")
        lines = subprocess.run([sys.executable, script, folder], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in lines.splitlines()]


def cell(value, places):
    return "–" if value is None else f"{value:.{places}f}".replace("-", "−")


def share(count, total):
    return "0" if count == 0 else f"{count / total * 100:.3g} %"


def section(title, rows):
    has_elevation = any(row.get("elevation_rmse_deg") is not None for row in rows)
    ours = rows[0]
    few = {row["trials"] for row in rows} - {ours["trials"]}
    text = f"{ours['trials']} trials{f', of which the peers had the first {few.pop()}' if few else ''}; bound {ours['bound_deg']:.4f}°"
    text += f" in azimuth, {ours['elevation_bound_deg']:.4f}° in elevation." if has_elevation else "."
    head = ["estimator", "rmse °", "× bound"]
    if has_elevation:
        head += ["elevation rmse °", "× bound"]
    head += ["bias °", "90 % °", "var(e/σ)", "missed", "ambiguous", "truth named", "µs"]
    lines = [f"### {title}", "", text, "", "| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1)]
    for row in sorted(rows, key=lambda row: float("inf") if row["rmse_deg"] is None else row["rmse_deg"]):
        name = row["estimator"]
        cells = [f"*{name}*" if "covered" not in row else name, cell(row["rmse_deg"], 4), cell(row["ratio"], 3)]
        if has_elevation:
            cells += [cell(row["elevation_rmse_deg"], 4), cell(row["elevation_ratio"], 3)]
        cells += [
            cell(row["bias_deg"], 4),
            cell(row["p90_deg"], 4),
            cell(row["normalised_variance"], 2),
            share(row["missed"], row["trials"] * row["sources"]),
            share(row["ambiguous"], row["trials"]) if "ambiguous" in row else "–",
            share(row["covered"], row["trials"]) if "covered" in row else "–",
            cell(row["microseconds"], 1),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def installed(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("uwb")
    parser.add_argument("page", type=Path)
    parser.add_argument("--trials", type=int, default=4000)
    parser.add_argument("--one-source-trials", type=int, default=20000)
    parser.add_argument("--peer-trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    load = os.getloadavg()[0]
    body = []
    for case in CASES:
        print(case[0], file=sys.stderr)
        trials = options.one_source_trials if "," not in case[2] else options.trials
        rows = evaluate(options.uwb, case, trials, options.seed)
        if case[5]:
            rows += peers(options.uwb, case, min(options.peer_trials, trials), options.seed)
        body += section(case[0], rows)
    text = [
        BEGIN,
        "## Angle estimators",
        "",
        "Every estimator of `uwb evaluate angle` that suits a case, and peers on the first of the same snapshots, to the byte",
        f"(*italic*, `Benchmarks/peers/angle_peers.py`: NumPy {installed('numpy')} as in textbooks and doatools, pyroomacoustics",
        f"{installed('pyroomacoustics')}). Seed {options.seed}; load average {load:.1f} before the run. µs: the median of one estimate, covariance",
        "included. Errors are over all answers, gross ones too; missed: no answer or more than 10° off; truth named: among the answer",
        "and its alternatives. Bound: stochastic Cramér–Rao, deterministic for one snapshot and for coherent sources, pooled over",
        "trials. All are told the number of sources; with one snapshot ours are told the noise, as an engine knows it from the other",
        "taps. Methods that end in -smoothed state the deviation of one subarray, more than is left. 5° and 25° lie on",
        "pyroomacoustics' grid of half a degree, which is all that its zero there says; 17.3° does not. Beyond ±38.7° a row of 0.8 λ can't",
        "tell which of two directions it is: it says so, and the truth is the alternative.",
        "",
        *body,
        END,
        "",
    ]
    page = options.page.read_text() if options.page.exists() else ""
    before, found, rest = page.partition(BEGIN)
    after = rest.partition(END)[2].lstrip("\n") if found else ""
    options.page.write_text(before.rstrip("\n") + ("\n\n" if before.strip() else "") + "\n".join(text) + after)


if __name__ == "__main__":
    main()
