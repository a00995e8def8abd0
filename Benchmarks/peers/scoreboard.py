"""Runs the delay cases of the scoreboard and writes their sections. Called by scripts/scoreboard.

    python scoreboard.py UWB OUT.md [--trials N] [--one-path-trials N] [--peer-trials N] [--early-trials N] [--seed N]
                         [--picture FILE.svg] [--command TEXT]

Every estimator of uwb gets all trials of a case; the NumPy peers get the first of the same trials, byte for byte, and their
bound is that of their trials. OUT.md gets all rows, Accuracy.md beside it the short account. The rest of both pages stays.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import result_pages

ONE_PATH_SNR = (12, 15, 20, 30, 40)
HIDDEN = "0:-10dB,6:0dB,9:0dB,13:0dB"
# Title, arguments, SNR in dB, whether one path.
CASES = [
    *[(f"One path, {snr} dB", ["--channel", "awgn"], snr, True) for snr in ONE_PATH_SNR],
    ("Two equal paths, 4 taps apart, 25 dB", ["--paths", "0:0dB,4:0dB"], 25, False),
    ("Two equal paths, 2 taps apart, 25 dB", ["--paths", "0:0dB,2:0dB"], 25, False),
    ("Two equal paths, 2 taps apart, 20 dB", ["--paths", "0:0dB,2:0dB"], 20, False),
    ("Second path 3 dB stronger, 1.5 taps later, 30 dB", ["--paths", "0:0dB,1.5:3dB"], 30, False),
    ("Second path 3 dB weaker, 1.5 taps later, 30 dB", ["--paths", "0:0dB,1.5:-3dB"], 30, False),
    ("Two equal paths, 1 tap apart, 30 dB", ["--paths", "0:0dB,1:0dB"], 30, False),
    ("First path −10 dB under paths at +6, +9, +13 taps, 30 dB", ["--paths", HIDDEN], 30, False),
    (
        "First path −10 dB under a dense cluster from +6 taps, 30 dB",
        ["--paths", "0:-10dB", "--cluster", "6:8:0dB"],
        30,
        False,
    ),
    ("Three paths: 0, +2.5 taps at +3 dB, +5.2 taps at +1 dB, 28 dB", ["--paths", "0:0dB,2.5:3dB,5.2:1dB"], 28, False),
    *[(f"IEEE 802.15.4a CM{model}, 25 dB", ["--channel", f"cm{model}"], 25, False) for model in range(1, 9)],
]
EARLY = ("adaptive", "pulse-fit")  # estimators whose false early detections are counted on one path
DEFAULT = "adaptive"


def evaluate(uwb, arguments, snr, trials, seed):
    command = [uwb, "evaluate", "delay", *arguments, "--snr", str(snr), "--trials", str(trials), "--seed", str(seed)]
    lines = subprocess.run([*command, "--output", "ndjson"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in lines.splitlines()]


def peers(uwb, arguments, snr, trials, seed):
    """The peers' rows, and the default's on the same trials."""
    with tempfile.TemporaryDirectory() as folder:
        own = evaluate(uwb, [*arguments, "--estimators", DEFAULT, "--export", folder], snr, trials, seed)[0]
        script = Path(__file__).with_name("delay_peers.py")
        lines = subprocess.run([sys.executable, script, folder], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in lines.splitlines()], own


def cell(value, places, scale=1):
    return "–" if value is None else f"{value * scale:.{places}f}".replace("-", "−")


def table(rows):
    lines = [
        "| estimator | rmse mm | × bound | bias mm | 90 % mm | 90 %, own median off, mm | missed | early |"
        " var(e/σ) | within σ | µs |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in sorted(rows, key=lambda row: float("inf") if row["rmse_m"] is None else row["rmse_m"]):
        name = row["estimator"]
        name = f"*{name}*" if name.startswith("numpy-") else f"**{name}**" if name == DEFAULT else name
        cells = [
            cell(row["rmse_m"], 1, 1000),
            cell(row["ratio"], 3),
            cell(row["bias_m"], 1, 1000),
            cell(row["p90_m"], 1, 1000),
            cell(row["p90_unbiased_m"], 1, 1000),
            share(row, "missed"),
            share(row, "early"),
            cell(row["normalised_variance"], 2),
            cell(row["coverage"], 2),
            cell(row["microseconds"], 1),
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def share(row, name):
    """Counts as shares of the trials, for peers have fewer."""
    return "0" if row[name] == 0 else f"{row[name] / row['trials'] * 100:.3g} %"


def section(title, rows):
    ours = next(row for row in rows if not row["estimator"].startswith("numpy-"))
    counts = {row["trials"] for row in rows if row["estimator"].startswith("numpy-")}
    bound = "no bound in closed form" if ours["bound_m"] is None else f"bound {ours['bound_m'] * 1000:.2f} mm"
    few = f", of which the peers had the first {counts.pop()}" if counts else ""
    return [f"### {title}", "", f"{ours['trials']} trials{few}; {bound}.", "", *table(rows), ""]


def close_table(results):
    """One path at low SNR: errors within ±0.75 tap, and the rate of the rest."""
    lines = ["| case | × bound within ±0.75 tap | further off |", "|---|--:|--:|"]
    for title, rows, _ in results:
        row = next(row for row in rows if row["estimator"] == DEFAULT)
        ratio = row["close_rmse_m"] / row["bound_m"]
        lines.append(f"| {title} | {ratio:.3f} | {row['trials'] - row['close']} of {row['trials']} |")
    return lines


def overview(results):
    """The default against the best of the others, case by case."""
    lines = [
        "| case | default: mm (× bound) | missed, early | best other of ours | best peer | default on the peer's trials |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for title, rows, same in results:
        bounded = rows[0]["bound_m"] is not None
        key = "rmse_m" if bounded else "p90_unbiased_m"

        def text(row, key=key):
            ratio = f" ({row['ratio']:.2f} ×)" if row["ratio"] else ""
            return f"{row[key] * 1000:.1f}{ratio}"

        def best(rows, key=key, text=text):
            row = min((row for row in rows if row[key] is not None), key=lambda row: row[key])
            lost = f", missed {share(row, 'missed')}" if row["missed"] else ""
            return f"{row['estimator']} {text(row)}{lost}"

        own = next(row for row in rows if row["estimator"] == DEFAULT)
        others = [row for row in rows if row is not own and not row["estimator"].startswith("numpy-")]
        theirs = [row for row in rows if row["estimator"].startswith("numpy-")]
        lost = f"{share(own, 'missed')}, {share(own, 'early')}"
        mark = "" if bounded else " †"
        lines.append(f"| {title}{mark} | {text(own)} | {lost} | {best(others)} | {best(theirs)} | {text(same)} |")
    return lines


def scores(made, load, versions, sections):
    """The section of OUT.md: `sections` are the cases'."""
    return [
        "## Delay estimators",
        "",
        f"{made} Load average {load}.",
        "",
        "- **Estimators**: all of the engine (`uwb estimators`; the default is bold). Peers are common methods in NumPy (*italic*,",
        f"  `Benchmarks/peers/delay_peers.py`, {versions}). Peers get the first of the same trials, byte for byte.",
        "- **Signals**: CIRs of 1016 taps, the first path anywhere, phases random. The pulse is a raised cosine (β = 0.5, T = 2.003 ns).",
        "  SNR is the strongest noiseless tap's power over the noise variance of a tap.",
        "- **What estimators know**: the engine's estimators know the pulse, not the number of paths. The peers' ESPRIT and",
        "  search-subtract-readjust are told that number: 4 on 802.15.4a channels, and before a dense cluster the paths before it.",
        "  The peer ESPRIT's bins and subarray are the best of 18 settings, chosen on 300 of the trials of two equal paths.",
        "- **Bound**: the Cramér–Rao bound on the first path's delay, pooled over the trials. Before a dense cluster it is the bound without",
        "  the cluster. 802.15.4a channels have none. There the truth is the onset of the first cluster, however weak its ray.",
        "- **µs**: the mean time of an estimate, with as many trials at work as there are cores. A loaded machine inflates it.",
        "  `numpy-fft-threshold` reports the crossing itself, on the pulse's slope. Judge it with its own median off.",
        "",
        *sections,
    ]


def summary(made, lines, close, early, link):
    """The section of Accuracy.md."""
    text = [
        "## First path, known channels",
        "",
        made,
        "",
        "RMS error in mm, in brackets over the Cramér–Rao bound. † marks channels without a bound: there it is the error that 90 % of the",
        "trials stay below, each estimator's median taken off. Missed: no answer, or one more than 4 taps (1.2 m) off. Early: more than",
        f"0.75 tap early. The default is `{DEFAULT}`. Peers have fewer trials, so the last column holds the default on exactly those.",
        "",
        *lines,
        "",
        f"`{DEFAULT}` on one path, errors within 0.75 tap, and how many are further off:",
        "",
        *close,
        "",
        "False early detections on one path:",
        "",
        "| estimator | SNR dB | trials | early | missed |",
        "|---|--:|--:|--:|--:|",
        *early,
        "",
    ]
    return text + ([f"![RMS error over SNR of six estimators and the Cramér–Rao bound, two equal paths 2 taps apart]({link})", ""] if link else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("uwb")
    parser.add_argument("out", type=Path)
    parser.add_argument("--trials", type=int, default=4000)
    parser.add_argument("--one-path-trials", type=int, default=20000)
    parser.add_argument("--peer-trials", type=int, default=300)
    parser.add_argument("--early-trials", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--command", default="scripts/scoreboard")
    options = parser.parse_args()

    load_before = os.getloadavg()[0]
    results = []
    for title, arguments, snr, one_path in CASES:
        print(title, file=sys.stderr)
        trials = options.one_path_trials if one_path else options.trials
        rows = evaluate(options.uwb, arguments, snr, trials, options.seed)
        theirs, same = peers(options.uwb, arguments, snr, min(options.peer_trials, trials), options.seed)
        results.append((title, rows + theirs, same))
    early = []
    for snr in (20, 30, 40):
        print(f"False early detections, {snr} dB", file=sys.stderr)
        arguments = ["--channel", "awgn", "--estimators", ",".join(EARLY)]
        for row in evaluate(options.uwb, arguments, snr, options.early_trials, options.seed + 1):
            print(json.dumps(row), file=sys.stderr)
            early.append(f"| {row['estimator']} | {snr} | {row['trials']} | {row['early']} | {row['missed']} |")
    if options.picture:
        some = "adaptive,edge-fit,search-subtract-readjust,root-music,esprit,leading-edge"
        picture = ["--paths", "0:0dB,2:0dB", "--estimators", some, "--svg", str(options.picture)]
        evaluate(options.uwb, picture, "10,12.5,15,17.5,20,22.5,25,27.5,30,32.5,35", options.trials, options.seed)
    load = f"{load_before:.1f} before the run and {os.getloadavg()[0]:.1f} after it"

    link = options.picture and os.path.relpath(options.picture, options.out.parent)
    made = f"{result_pages.made(options.command)} Seed {options.seed}."
    versions = f"NumPy {version('numpy')}, SciPy {version('scipy')}"
    cases = [line for title, rows, _ in results for line in section(title, rows)]
    result_pages.write_section(options.out, "delay", scores(made, load, versions, cases), "Scoreboard")
    lines = summary(made, overview(results), close_table(results[: len(ONE_PATH_SNR)]), early, link)
    result_pages.write_section(options.out.with_name("Accuracy.md"), "delay", lines, "Accuracy")


if __name__ == "__main__":
    main()
