"""Angle estimators as they are commonly written in NumPy, and pyroomacoustics' MUSIC, on snapshots that uwb exported.

    uwb evaluate angle --array ula8 --sources 17.3 --snapshots 64 --snr 10 --trials 500 --export trials
    python angle_peers.py trials > peers.ndjson

Prints one line for each estimator and case, with the fields of `uwb evaluate angle --output ndjson`. For uniform rows along x
only. All are told the number of sources. `numpy-music` and `numpy-root-music` follow the textbook (and doatools, which is not on a
package index): forward covariance, eigh, a grid of 361 points, here with a parabola on top; np.roots. Times are those of one estimate
after another on one thread, covariance included.
"""

import argparse
import json
import os
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # The matrices are too small to share; set before NumPy loads.

import numpy as np

SPEED = 299_702_547.0  # m/s, in air
MISS = 10.0  # degrees
GRID = np.linspace(-np.pi / 2, np.pi / 2, 361)


class Row:
    """A uniform row: its phase step for a cosine of 1, and steering vectors on the grid."""

    def __init__(self, truth):
        x = np.array(truth["positions_m"])[:, 0]
        self.positions = np.array(truth["positions_m"])
        self.step = 2 * np.pi * truth["carrier_hz"] / SPEED * (x[1] - x[0])
        self.carrier = truth["carrier_hz"]
        self.count = len(x)
        self.grid = np.exp(1j * self.step * np.outer(np.arange(self.count), np.sin(GRID)))
        self.music = None


def noise_space(x, sources):
    covariance = x @ x.conj().T / x.shape[1]
    _, vectors = np.linalg.eigh(covariance)
    return vectors[:, :-sources]


def peaks(spectrum, sources):
    inside = np.flatnonzero((spectrum[1:-1] > spectrum[:-2]) & (spectrum[1:-1] >= spectrum[2:])) + 1
    best = inside[np.argsort(spectrum[inside])[::-1][:sources]]
    left, here, right = spectrum[best - 1], spectrum[best], spectrum[best + 1]
    shift = 0.5 * (left - right) / (left - 2 * here + right)
    return GRID[best] + shift * (GRID[1] - GRID[0])


def music(x, row, sources):
    noise = noise_space(x, sources)
    denominator = np.sum(np.abs(noise.conj().T @ row.grid) ** 2, axis=0)
    # The parabola goes through the denominator, which is nearly one.
    return peaks(-denominator, sources)


def bartlett(x, row, sources):
    covariance = x @ x.conj().T / x.shape[1]
    return peaks(np.real(np.sum(row.grid.conj() * (covariance @ row.grid), axis=0)), sources)


def root_music(x, row, sources):
    noise = noise_space(x, sources)
    projector = noise @ noise.conj().T
    coefficients = [np.trace(projector, offset) for offset in range(row.count - 1, -row.count, -1)]
    roots = np.roots(coefficients)
    inside = roots[np.abs(roots) < 1]
    nearest = inside[np.argsort(1 - np.abs(inside))[:sources]]
    return np.arcsin(np.clip(np.angle(nearest) / row.step, -1, 1))


def esprit(x, row, sources):
    covariance = x @ x.conj().T / x.shape[1]
    signal = np.linalg.eigh(covariance)[1][:, -sources:]
    rotation = np.linalg.lstsq(signal[:-1], signal[1:], rcond=None)[0]
    return np.arcsin(np.clip(np.angle(np.linalg.eigvals(rotation)) / row.step, -1, 1))


def smoothed(x, count=3):
    """Forward–backward spatial smoothing, as a covariance of order M − count + 1."""
    size = x.shape[0] - count + 1
    covariance = sum(x[i : i + size] @ x[i : i + size].conj().T for i in range(count)) / (count * x.shape[1])
    return (covariance + covariance[::-1, ::-1].conj()) / 2


def root_music_smoothed(x, row, sources):
    covariance = smoothed(x)
    noise = np.linalg.eigh(covariance)[1][:, :-sources]
    projector = noise @ noise.conj().T
    size = len(covariance)
    roots = np.roots([np.trace(projector, offset) for offset in range(size - 1, -size, -1)])
    inside = roots[np.abs(roots) < 1]
    nearest = inside[np.argsort(1 - np.abs(inside))[:sources]]
    return np.arcsin(np.clip(np.angle(nearest) / row.step, -1, 1))


def room_music(x, row, sources):
    """pyroomacoustics.doa.MUSIC on one frequency bin; its azimuth counts from +x, its grid has 361 points over half a turn."""
    import pyroomacoustics

    if row.music is None:
        row.music = pyroomacoustics.doa.MUSIC(
            row.positions[:, [0, 1]].T,
            fs=4 * row.carrier,
            nfft=4,
            c=SPEED,
            num_src=sources,
            azimuth=np.linspace(0, np.pi, 361),
        )
    bins = np.zeros((len(x), 3, x.shape[1]), dtype=complex)
    bins[:, 1] = x
    row.music.locate_sources(bins, num_src=sources, freq_bins=np.array([1]))
    return np.pi / 2 - row.music.azimuth_recon


ESTIMATORS = {
    "numpy-bartlett": bartlett,
    "numpy-music": music,
    "numpy-root-music": root_music,
    "numpy-root-music-smoothed": root_music_smoothed,
    "numpy-esprit": esprit,
    "pyroomacoustics-music": room_music,
}


def matched(found, true):
    """Errors of the nearest pairs, degrees; NaN where a source has no answer."""
    errors = np.full(len(true), np.nan)
    left = list(np.degrees(found))
    for index in np.argsort([min((abs(f - t) for f in left), default=np.inf) for t in true]):
        if left:
            best = min(left, key=lambda f: abs(f - true[index]))
            errors[index] = best - true[index]
            left.remove(best)
    return errors


def score(name, estimator, trials, truth):
    row = Row(truth)
    sources = truth["sources"]
    estimator(trials[0], row, sources)  # Tables are made once.
    times, answers = [], []
    for x in trials:
        start = time.perf_counter()
        answers.append(estimator(x, row, sources))
        times.append(time.perf_counter() - start)
    errors = np.array([matched(a, t) for a, t in zip(answers, truth["azimuths_deg"])]).ravel()
    found = errors[np.isfinite(errors)]
    rmse = float(np.sqrt(np.mean(found**2))) if len(found) else None
    bound = truth.get("bound_deg")
    result = {
        "estimator": name,
        "case": truth["case"],
        "snr_db": truth["snr_db"],
        "snapshots": truth["snapshots"],
        "trials": len(trials),
        "sources": sources,
        "rmse_deg": rmse,
        "bias_deg": float(found.mean()) if len(found) else None,
        "p90_deg": float(np.quantile(np.abs(found), 0.9)) if len(found) else None,
        "bound_deg": bound,
        "ratio": rmse / bound if bound and rmse is not None else None,
        "normalised_variance": None,
        "missed": int((~(np.abs(errors) <= MISS)).sum()),
        "microseconds": float(np.median(times)) * 1e6,
    }
    return {key: round(value, 6) if isinstance(value, float) else value for key, value in result.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="what `uwb evaluate angle --export` wrote")
    arguments = parser.parse_args()
    for file in sorted(arguments.folder.glob("*.json"), key=lambda file: int(file.stem)):
        truth = json.loads(file.read_text())
        shape = truth["trials"], truth["antennas"], truth["snapshots"]
        trials = np.fromfile(file.with_suffix(".cf64"), dtype="<c16").reshape(shape)
        for name, estimator in ESTIMATORS.items():
            try:
                print(json.dumps(score(name, estimator, trials, truth)), flush=True)
            except ImportError:
                continue


if __name__ == "__main__":
    main()
