"""Estimators of packages on PyPI, on the trials of the scoreboard, by way of files: an example of rows of one's own.

    python package_peers.py UWB PAGE.md [--trials N]

`uwb evaluate delay --export` writes the trials, each estimator a table of its first paths, and `uwb evaluate delay --score` the figures, which
take their section's place on the page. The packages do the estimating; what is here turns a CIR into their input. All know the pulse and,
but for the correlation, the number of paths (of a path list; 4 elsewhere).
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import delay_peers
import numpy as np
import pyroomacoustics.experimental
import scipy.signal
import scoreboard
import sklearn.linear_model
import spectrum
from delay_peers import AFTER, BEFORE, BINS, OFFSETS, PULSE_SPECTRUM, TEMPLATES, window

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import result_pages

CASES = ["--paths", "0:0dB", "--paths", "0:0dB,2:0dB", "--channel", "cm1", "--snr", "25"]
TITLES = {"0:0dB": "One path", "0:0dB,2:0dB": "Two equal paths, 2 taps apart", "cm1": "IEEE 802.15.4a CM1"}
COMPARED = "adaptive,peak"
POINTS = 4096  # of a pseudospectrum
INTERPOLATION = 32
# Real and imaginary part side by side: coefficients are real.
DICTIONARY = np.kron(np.eye(2), TEMPLATES.T)
PULSE = delay_peers.pulse(np.arange(BEFORE + AFTER) - BEFORE)


def spectrum_music(cir, order):
    """MUSIC of `spectrum` on the CIR's spectrum over the pulse's: a path is a line in it."""
    taps, start = window(cir)
    response = np.fft.fft(taps)[BINS] / PULSE_SPECTRUM
    power = np.fft.ifftshift(spectrum.music(response.conj(), delay_peers.SUBARRAY, NSIG=order, NFFT=POINTS)[0])
    delays = np.arange(POINTS) * len(taps) / POINTS
    # The pseudospectrum goes round.
    peaks = scipy.signal.find_peaks(np.concatenate([power[-1:], power, power[:1]]))[0] - 1
    strongest = peaks[np.argsort(power[peaks])[-order:]]
    return start + delays[strongest].min()


def sklearn_omp(cir, order):
    """Orthogonal matching pursuit of scikit-learn, on pulses a sixteenth of a tap apart."""
    taps, start = window(cir)
    with warnings.catch_warnings():
        # Neighbours in the dictionary are nearly alike.
        warnings.simplefilter("ignore", RuntimeWarning)
        weights = sklearn.linear_model.orthogonal_mp(DICTIONARY, np.concatenate([taps.real, taps.imag]), n_nonzero_coefs=2 * order)
    power = weights.reshape(2, -1)[0] ** 2 + weights.reshape(2, -1)[1] ** 2
    return start + OFFSETS[np.flatnonzero(power > 0.01 * power.max())[0]]


def pyroomacoustics_tdoa(cir, order):
    """Correlation of pyroomacoustics with the pulse, of the part in phase with the strongest tap."""
    taps, start = window(cir)
    strongest = taps[np.argmax(abs(taps))]
    in_phase = (taps * strongest.conj() / abs(strongest)).real
    return start + BEFORE + pyroomacoustics.experimental.tdoa(in_phase, PULSE, interp=INTERPOLATION, phat=False)


ESTIMATORS = {"spectrum-music": spectrum_music, "sklearn-omp": sklearn_omp, "pyroomacoustics-tdoa": pyroomacoustics_tdoa}


def answer(folder, name, estimator):
    """Writes the first paths of all trials in `folder`; returns the table's path."""
    table = folder / f"{name}.csv"
    with table.open("w") as out:
        print("case,trial,first_path_taps,microseconds", file=out)
        for file in sorted(folder.glob("*.json")):
            truth = json.loads(file.read_text())
            order = len(truth.get("path_delays_taps") or []) or 4
            cirs = np.fromfile(file.with_suffix(".cf32"), "<c8").reshape(truth["trials"], truth["tap_count"])
            for trial, cir in enumerate(cirs):
                start = time.process_time()
                taps = estimator(cir, order)
                print(f"{file.stem},{trial},{taps},{1e6 * (time.process_time() - start):.1f}", file=out)
    return table


def section(rows, made, versions):
    lines = [
        "## Estimators of packages on PyPI",
        "",
        made,
        "",
        "Their first paths come through files (`--export`, `--score`), as yours can: see",
        "[an estimator of your own](../reference/Python.md#an-estimator-of-your-own). `Benchmarks/peers/package_peers.py` calls",
        f"{versions}. All are told the pulse. All but pyroomacoustics are told the number of paths, 4 on CM1. Their µs are processor time.",
        "",
    ]
    for case, title in TITLES.items():
        own = [row for row in rows if row["case"] == case]
        lines += [f"### {title}, 25 dB, beside packages", "", f"{own[0]['trials']} trials.", "", *scoreboard.table(own), ""]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("uwb")
    parser.add_argument("page", type=Path)
    parser.add_argument("--trials", type=int, default=300)
    options = parser.parse_args()
    command = [options.uwb, "evaluate", "delay", *CASES, "--trials", str(options.trials)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([*command, "--estimators", "peak", "--export", folder], check=True, stdout=subprocess.DEVNULL)
        scores = [f"--score={each}={answer(folder, each, estimator)}" for each, estimator in ESTIMATORS.items()]
        run = subprocess.run(
            [*command, "--estimators", COMPARED, "--output", "ndjson", *scores], check=True, stdout=subprocess.PIPE, text=True)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    names = ("spectrum", "scikit-learn", "pyroomacoustics")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    lines = section(rows, result_pages.made("scripts/scoreboard --packages"), versions)
    result_pages.write_section(options.page, "packages", lines, "Scoreboard")


if __name__ == "__main__":
    main()
