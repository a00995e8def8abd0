"""Runs the angle cases of the scoreboard and writes their section into the page. Called by scripts/scoreboard.

    python angle_scoreboard.py UWB PAGE.md [--trials N] [--one-source-trials N] [--peer-trials N] [--seed N]

PAGE.md gets all rows, Accuracy.md beside it the short account; the rest of both pages stays. Every estimator of uwb that suits a case
gets all of its trials; the peers get the first of the same trials, byte for byte, and their bound is that of their trials.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import result_pages

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


def is_own(row):
    return "covered" in row


def overview(results):
    """Each case: the bound, the best of the engine's estimators, and the best peer."""
    rows = []
    for title, found in results:
        ours = [row for row in found if is_own(row)]
        theirs = [row for row in found if not is_own(row)]

        def best(rows):
            row = min((row for row in rows if row["rmse_deg"] is not None), key=lambda row: row["rmse_deg"], default=None)
            return "–" if row is None else f"{row['estimator']} {cell(row['rmse_deg'], 3)} ({cell(row['ratio'], 2)} ×)"

        likely = best([row for row in ours if row["estimator"] == "maximum-likelihood"]).removeprefix("maximum-likelihood ")
        # A peer whose grid holds the truth exactly errs by nothing, which says nothing.
        rows.append([title, cell(ours[0]["bound_deg"], 3), likely, best(ours), best([row for row in theirs if row["rmse_deg"]])])
    return list(result_pages.table(["case", "bound °", "maximum-likelihood", "best of ours", "best peer"], rows, "lrrrr"))


def scores(made, load, versions, sections):
    """The section of PAGE.md: `sections` are the cases'."""
    return [
        "## Angle estimators",
        "",
        f"{made} Load average {load:.1f} before the run.",
        "",
        "- **Estimators**: every estimator of `uwb evaluate angle` that suits a case. Peers (*italic*, `Benchmarks/peers/angle_peers.py`):",
        f"  {versions}. Peers get the first of the same snapshots, byte for byte.",
        "- **What estimators know**: all are told the number of sources. With one snapshot the engine's are told the noise, as the engine",
        "  knows it from the other taps.",
        "- **Bound**: the stochastic Cramér–Rao bound, pooled over trials. It is the deterministic one for a single snapshot and for",
        "  coherent sources.",
        "- **Missed**: no answer, or one more than 10° off. **Ambiguous**: the answer names alternatives. **Truth named**: the truth is among",
        "  the answer and its alternatives.",
        "- **µs**: the median time of one estimate, covariance included.",
        "- Methods that end in -smoothed state the deviation of one subarray, more than is left.",
        "- 5° and 25° lie on pyroomacoustics' grid of half a degree, so its error of zero there says nothing. 17.3° does not lie on it.",
        "- Beyond ±38.7° a row of 0.8 λ cannot tell which of two directions it is. The answer says so, and the truth is the alternative.",
        "",
        *sections,
    ]


def summary(made, lines):
    """The section of Accuracy.md."""
    return [
        "## Directions",
        "",
        made,
        "",
        "RMS error of the azimuth in degrees, in brackets over the Cramér–Rao bound. Peers have fewer trials, so they are compared with the",
        "bound of theirs. The last case lies where two directions look alike: the answer names both, and the truth is the second.",
        "",
        *lines,
        "",
    ]


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
    results = []
    for case in CASES:
        print(case[0], file=sys.stderr)
        trials = options.one_source_trials if "," not in case[2] else options.trials
        rows = evaluate(options.uwb, case, trials, options.seed)
        if case[5]:
            rows += peers(options.uwb, case, min(options.peer_trials, trials), options.seed)
        results.append((case[0], rows))
    made = f"{result_pages.made('scripts/scoreboard --angle')} Seed {options.seed}."
    versions = f"NumPy {installed('numpy')} as in textbooks and doatools, pyroomacoustics {installed('pyroomacoustics')}"
    cases = [line for title, rows in results for line in section(title, rows)]
    result_pages.write_section(options.page, "angle", scores(made, load, versions, cases), "Scoreboard")
    result_pages.write_section(options.page.with_name("Accuracy.md"), "angle", summary(made, overview(results)), "Accuracy")


if __name__ == "__main__":
    main()
