"""Delay estimators as they are commonly written in NumPy, on trials that uwb exported.

    uwb evaluate delay --paths "0:0dB,2:0dB" --snr 25 --trials 500 --export trials
    python delay_peers.py trials > peers.ndjson

Prints one line for each estimator and case, with the fields of `uwb evaluate delay --output ndjson`. These estimators know
the pulse, and the subspace and search-subtract ones are told the number of paths (of a path list; --order elsewhere).
Times are those of one CIR after another on one thread.
"""

import argparse
import functools
import json
import os
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # The matrices are too small to share; set before NumPy loads.

import numpy as np
import scipy.fft
import scipy.linalg

TAP = 1 / (2 * 499.2e6)  # s
METRES = TAP * 299_702_547.0  # of a tap, in air
UPSAMPLING = 16
BEFORE, AFTER = 12, 36  # taps of the window round the edge
MISS, EARLY = 4.0, 0.75  # taps
GRID = 16  # candidates of search-subtract-readjust in a tap


def pulse(taps):
    """The raised cosine of IEEE 802.15.4 HRP UWB: rolloff 0.5, T = 2 taps, peak 1 at 0."""
    x = np.asarray(taps, dtype=float) / 2
    denominator = 1 - x**2
    singular = np.abs(denominator) < 1e-9
    value = np.sinc(x) * np.cos(np.pi * x / 2) / np.where(singular, 1, denominator)
    return np.where(singular, np.pi / 4 * np.sinc(1.0), value)


def deviation(cir):
    """Of the noise of a tap, by the median of its power."""
    return np.sqrt(np.median(np.abs(cir) ** 2) / np.log(2))


def interpolated(cir, weights=None):
    """Magnitude of the CIR at UPSAMPLING points a tap, by zeros in the middle of its spectrum; filtered by `weights`."""
    count = len(cir)
    spectrum = scipy.fft.fft(cir)
    if weights is not None:
        spectrum *= weights
    padded = np.zeros(count * UPSAMPLING, dtype=np.complex64)
    padded[: count // 2] = spectrum[: count // 2]
    padded[-count // 2 :] = spectrum[count // 2 :]
    return np.abs(scipy.fft.ifft(padded)) * UPSAMPLING


def vertex(left, here, right):
    """Where the parabola through three points peaks, in steps from the middle one."""
    curvature = left - 2 * here + right
    return 0.5 * (left - right) / curvature if curvature < 0 else 0.0


@functools.cache
def pulse_spectrum(count):
    taps = np.arange(count)
    return np.real(scipy.fft.fft(pulse(np.where(taps < count / 2, taps, taps - count)))).astype(np.float32)


def fft_peak(cir, order):
    """The strongest point of the interpolated output of the pulse's matched filter."""
    power = interpolated(cir, pulse_spectrum(len(cir))) ** 2
    best = min(max(int(np.argmax(power)), 1), len(power) - 2)
    return (best + vertex(*power[best - 1 : best + 2])) / UPSAMPLING


def fft_threshold(cir, order):
    """Where the interpolated CIR first passes six times the noise: the pulse's slope, so early by design."""
    magnitude = interpolated(cir)
    level = 6 * deviation(cir)
    crossing = int(np.argmax(magnitude >= level))
    if magnitude[crossing] < level:
        return None
    if crossing == 0:
        return 0.0
    below, above = magnitude[crossing - 1 : crossing + 1]
    return (crossing - 1 + (level - below) / (above - below)) / UPSAMPLING


def window(cir):
    """The taps round the first that stands out of the noise, and the index of the window's first tap."""
    magnitude = np.abs(cir)
    edge = int(np.argmax(magnitude >= max(6 * deviation(cir), 0.1 * magnitude.max())))
    start = min(max(edge - BEFORE, 0), len(cir) - BEFORE - AFTER)
    return cir[start : start + BEFORE + AFTER], start


# Of the window's spectrum, what the pulse passes with at most 6 dB of loss. This and the subarray are the best of 18
# settings tried on two equal paths: the peer gets the benefit.
BINS = np.arange(-12, 13)
PULSE_SPECTRUM = pulse_spectrum(BEFORE + AFTER)[BINS]
SUBARRAY = 15


def esprit(cir, order):
    """ESPRIT (Roy & Kailath 1989) on the window's spectrum over the pulse's, forward–backward smoothed, total least squares."""
    taps, start = window(cir)
    response = scipy.fft.fft(taps)[BINS] / PULSE_SPECTRUM
    data = np.lib.stride_tricks.sliding_window_view(response, SUBARRAY).T
    data = np.hstack([data, data[::-1, ::-1].conj()])
    _, vectors = np.linalg.eigh(data @ data.conj().T)
    signal = vectors[:, -order:]
    stacked = np.hstack([signal[:-1], signal[1:]])
    right = np.linalg.eigh(stacked.conj().T @ stacked)[1][:, :order]
    rotation = -np.linalg.solve(right[order:].T, right[:order].T).T
    phases = np.angle(np.linalg.eigvals(rotation))
    delays = np.mod(-phases, 2 * np.pi) * len(taps) / (2 * np.pi)
    return start + delays.min()


OFFSETS = np.arange(0, BEFORE + AFTER, 1 / GRID)
TEMPLATES = pulse(np.arange(BEFORE + AFTER)[None, :] - OFFSETS[:, None])
ENERGIES = np.sum(TEMPLATES**2, axis=1)


def search_subtract_readjust(cir, order):
    """Falsi, Dardari, Mucchi & Win 2006: the strongest path, all amplitudes anew, subtract, again."""
    taps, start = window(cir)
    residual, delays = taps, []
    for _ in range(order):
        gain = np.abs(TEMPLATES @ residual) ** 2 / ENERGIES
        best = min(max(int(np.argmax(gain)), 1), len(gain) - 2)
        delays.append(OFFSETS[best] + vertex(*gain[best - 1 : best + 2]) / GRID)
        shapes = pulse(np.arange(len(taps))[:, None] - np.array(delays))
        residual = taps - shapes @ np.linalg.lstsq(shapes, taps, rcond=None)[0]
    return start + min(delays)


ESTIMATORS = {
    "numpy-fft-peak": fft_peak,
    "numpy-fft-threshold": fft_threshold,
    "numpy-esprit": esprit,
    "numpy-search-subtract-readjust": search_subtract_readjust,
}


def score(name, estimator, cirs, truth, order):
    first = np.array(truth["first_path_taps"])
    estimator(cirs[0], order)  # Plans and tables are made once.
    start = time.perf_counter()
    answers = [estimator(cir, order) for cir in cirs]
    seconds = time.perf_counter() - start
    errors = np.array([np.nan if a is None else a for a in answers]) - first
    found = errors[np.isfinite(errors)] * METRES
    close = np.abs(errors) <= EARLY
    rmse = np.sqrt(np.mean(found**2)) if len(found) else None
    bound = truth.get("bound_m")
    row = {
        "estimator": name,
        "case": truth["case"],
        "snr_db": truth["snr_db"],
        "trials": len(cirs),
        "rmse_m": rmse,
        "bias_m": found.mean() if len(found) else None,
        "median_m": np.median(found) if len(found) else None,
        "p90_m": np.quantile(np.abs(found), 0.9) if len(found) else None,
        "p90_unbiased_m": np.quantile(np.abs(found - np.median(found)), 0.9) if len(found) else None,
        "close_rmse_m": np.sqrt(np.mean((errors[close] * METRES) ** 2)) if close.any() else None,
        "close": int(close.sum()),
        "bound_m": bound,
        "ratio": rmse / bound if bound and rmse is not None else None,
        "missed": int((~(np.abs(errors) <= MISS)).sum()),
        "early": int((errors < -EARLY).sum()),
        "normalised_variance": None,
        "coverage": None,
        "microseconds": seconds / len(cirs) * 1e6,
    }
    return {key: round(float(value), 6) if isinstance(value, np.floating | float) else value for key, value in row.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="what `uwb evaluate delay --export` wrote")
    parser.add_argument("--order", type=int, default=4, help="number of paths where the case is no path list")
    arguments = parser.parse_args()
    for file in sorted(arguments.folder.glob("*.json"), key=lambda file: int(file.stem)):
        truth = json.loads(file.read_text())
        cirs = np.fromfile(file.with_suffix(".cf32"), dtype="<c8").reshape(truth["trials"], truth["tap_count"])
        order = len(truth.get("path_delays_taps") or []) or arguments.order
        for name, estimator in ESTIMATORS.items():
            print(json.dumps(score(name, estimator, cirs, truth, order)), flush=True)


if __name__ == "__main__":
    main()
