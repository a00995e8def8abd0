"""Runs `uwb evaluate arena` and writes its table as the first section of the scoreboard. Called by scripts/scoreboard.

    python arena_scoreboard.py UWB PAGE.md [--trials N] [--seed N]

The section replaces the one that the page has, or comes before the page's first other section.
"""

import argparse
import json
import subprocess
from pathlib import Path

BEGIN = "<!-- arena: begin -->"
END = "<!-- arena: end -->"
# Families whose pulse is another than the profile's, and the bar on the error with the calibrated pulse over the exact one's.
WRONG_PULSES = ("root-raised-cosine", "gaussian", "room-misfit", "room-dw1000")
CALIBRATED_BAR = 1.3
OTHERS = ("rice-fit", "edge-fit", "leading-edge")


def evaluate(uwb, trials, seed, *options):
    names = ",".join(("default", *OTHERS))
    command = [uwb, "evaluate", "arena", "--estimators", names, "--trials", str(trials), "--seed", str(seed), *options]
    lines = subprocess.run([*command, "--output", "ndjson"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in lines.splitlines()]


def cell(value, places):
    return "–" if value is None else f"{value:.{places}f}"


def families(rows, use):
    lines = [
        "| family | crossing, cm | default, cm | × crossing | gross | mean of min(z², 9) | beyond 5σ | fails | "
        + " | ".join(f"{name} ×" for name in OTHERS)
        + " |",
        "|---|--:|--:|--:|--:|--:|--:|---|" + "--:|" * len(OTHERS),
    ]
    for row in rows:
        if row["use"] != use or not row["estimator"].startswith("default"):
            continue
        same = {other["estimator"]: other for other in rows if other["family"] == row["family"]}
        cells = [
            row["family"],
            cell(row["crossing_cm"], 2),
            cell(row["rms_cm"], 2),
            cell(row["crossing_ratio"], 2),
            cell(row["gross_percent"], 1) + " %",
            cell(row["mean_score"], 2),
            "–" if row["beyond_5_percent"] is None else cell(row["beyond_5_percent"], 1) + " %",
            row["fails"],
            *[cell(same[name]["crossing_ratio"], 2) for name in OTHERS],
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def bars(rows):
    lines = ["| measure | default | bar | holds | " + " | ".join(OTHERS) + " |", "|---|--:|--:|---|" + "--:|" * len(OTHERS)]
    for row in (row for row in rows if row["estimator"] == "default"):
        others = {other["estimator"]: other["value"] for other in rows if other["measure"] == row["measure"]}
        places = 0 if row["bar"] >= 2 else 3
        cells = [row["measure"], cell(row["value"], places), cell(row["bar"], places), row["holds"]]
        lines.append("| " + " | ".join(cells + [cell(others[name], places) for name in OTHERS]) + " |")
    return lines


def pulses(uwb, trials, seed):
    """Errors with the profile's pulse, the calibrated one and the radio's own."""
    known = ("profile", "calibrated", "exact")
    rows = {}
    for pulse in known:
        for row in evaluate(uwb, trials, seed, "--families", ",".join(WRONG_PULSES), "--pulse", pulse):
            if row["table"] == "families":
                rows.setdefault((row["family"], row["estimator"]), {})[pulse] = row["rms_cm"]
    lines = ["| family | estimator | profile's pulse, cm | calibrated, cm | exact, cm | calibrated / exact | holds |"]
    lines.append("|---|---|--:|--:|--:|--:|---|")
    for (family, estimator), errors in rows.items():
        if not estimator.startswith("default") and estimator != "rice-fit":
            continue
        ratio = errors["calibrated"] / errors["exact"]
        cells = [family, estimator, *[cell(errors[pulse], 2) for pulse in known], cell(ratio, 2)]
        lines.append("| " + " | ".join(cells + ["yes" if ratio <= CALIBRATED_BAR else "no"]) + " |")
    return lines


def section(rows, known, trials, seed):
    scores = [row for row in rows if row["table"] == "families"]
    return [
        BEGIN,
        "## Arena: radios and channels drawn at random",
        "",
        f"`uwb evaluate arena`, {trials} trials of each family, seed {seed}. Each trial draws its channel, impairments and noise; pulses",
        "differ from the profile's where the family says so. “Crossing” is the first crossing of 0.3 of the peak on sixteen-fold",
        "interpolated taps. Errors are clipped at 4 taps; beyond that they are gross. A constant error on one radio counts as antenna",
        "delay. It is taken off the estimators and the crossing alike. z is the error over its stated deviation. “Default” is what the",
        "family's profile names. The last columns hold other estimators on the same CIRs.",
        "",
        "Families that only score:",
        "",
        *families(scores, "scored"),
        "",
        "Families that settings may be chosen on:",
        "",
        *families(scores, "tuned"),
        "",
        *bars([row for row in rows if row["table"] == "bars"]),
        "",
        f"The same with another pulse told to the estimators: the one that `uwb calibrate pulse` finds, or the radio's own. Bar: {CALIBRATED_BAR}.",
        "",
        *known,
        "",
        END,
        "",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("uwb")
    parser.add_argument("page", type=Path)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    rows = evaluate(options.uwb, options.trials, options.seed)
    known = pulses(options.uwb, options.trials, options.seed)
    text = "\n".join(section(rows, known, options.trials, options.seed))
    page = options.page.read_text() if options.page.exists() else ""
    before, found, rest = page.partition(BEGIN)
    if found:
        after = rest.partition(END)[2]
    else:
        before, found, after = page.partition("\n## ")
        after = found + after
    options.page.write_text(before.rstrip("\n") + ("\n\n" if before.strip() else "") + text + "\n" + after.lstrip("\n"))


if __name__ == "__main__":
    main()
