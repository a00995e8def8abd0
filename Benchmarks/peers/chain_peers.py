"""The whole chain beside what people write in Python, on identical bytes: a capture's 16-bit taps in memory to a distance.

    chain_peers.py MEASURE CAPTURE… [--peers PEERS]     captures as `measure make` writes them, and the peers in C++

Ours is `measure distances`: the engine over the exchanges of the mapped capture, with the profile's estimator and with others. The peers read
the same file. For each CIR they interpolate by zero-padding the spectrum × 16 and take the first crossing of a threshold (0.3 of the peak, at
least 6 times the noise); two-way ranging on the result is not in their time. A crossing lies a constant before the peak, so the median error is
taken off everybody's distances, ours too; larger errors than 4 taps count as such. One thread each, one CIR after the other but where `batch`
is said. Prints one JSON object a line.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"  # Set before NumPy loads.

import numpy as np
import scipy.fft

FACTOR = 16
POINTS = 1024  # a power of two: the accumulator's 1016 = 8 · 127 would cost several times as much
WINDOW = 64
NOISE = 96  # taps from the start: no first path lies there
TICK = 1 / (128 * 499.2e6)  # s
SPEED = 299_702_547.0  # m/s
AGREE = 0.1  # m: the median distance between our answers and a peer's may be so much
CLIP = 4 * SPEED / (2 * 499.2e6)  # m: larger errors count as this


class Capture:
    """Taps as they lie in the file, and what ranging needs."""

    def __init__(self, path):
        meta = json.loads(Path(f"{path}.sigmf-meta").read_text())
        samples = np.fromfile(f"{path}.sigmf-data", dtype="<i2").reshape(-1, 2)
        self.profile = meta["global"]["uwb:profile"]
        self.exchanges = {}
        self.rows, self.places = [], []
        for segment in meta["captures"]:
            exchange = self.exchanges.setdefault(segment["uwb:exchange"], {})
            message = segment["uwb:message"]
            exchange[message] = segment
            for other in segment.get("uwb:other_messages", []):
                exchange[other["uwb:message"]] = other
            if "uwb:truth" in segment:
                exchange["truth"] = segment["uwb:truth"]
            start, count = segment["core:sample_start"], segment["uwb:tap_count"]
            self.rows.append(samples[start : start + count])
            self.places.append((segment["uwb:exchange"], message))
        self.truth = np.array([exchange["truth"]["uwb:distance_m"] for exchange in self.exchanges.values()])
        self.azimuths = np.degrees([exchange["truth"].get("uwb:azimuth_rad", np.nan) for exchange in self.exchanges.values()])

    def distances(self, first_paths):
        """Double-sided two-way ranging with the receptions moved to these first paths, m."""
        # As Python's numbers: ticks and a single-precision first path would make a sum in single precision.
        moved = dict(zip(self.places, map(float, first_paths)))
        wrap = 1 << 40

        def between(later, earlier):
            return (later - earlier) % wrap

        result = []
        for number, exchange in self.exchanges.items():
            poll, response, final = exchange["poll"], exchange["response"], exchange["final"]
            correction = {
                name: 64 * (moved[number, name] - exchange[name]["uwb:first_path_taps"]) for name in ("poll", "final")
            }
            round_a = between(response["uwb:received_ticks"], poll["uwb:transmitted_ticks"])
            reply_a = between(final["uwb:transmitted_ticks"], response["uwb:received_ticks"])
            reply_b = between(response["uwb:transmitted_ticks"], poll["uwb:received_ticks"]) - correction["poll"]
            round_b = between(final["uwb:received_ticks"], response["uwb:transmitted_ticks"]) + correction["final"]
            flight = (round_a * round_b - reply_a * reply_b) / (round_a + round_b + reply_a + reply_b)
            result.append(flight * TICK * SPEED)
        return np.array(result)


def padded(spectrum, count):
    """The spectrum of `count` points, zero in the middle."""
    half = spectrum.shape[-1] // 2
    fine = np.zeros(spectrum.shape[:-1] + (count * FACTOR,), dtype=spectrum.dtype)
    fine[..., :half] = spectrum[..., :half]
    fine[..., -half:] = spectrum[..., half:]
    return fine


def complex_taps(row):
    return row.astype(np.float32).view(np.complex64)[..., 0]


def crossing(magnitude, noise):
    peak = magnitude.max()
    threshold = max(0.3 * peak, 6 * noise)
    place = int(np.argmax(magnitude > threshold))
    if place == 0:
        return 0.0
    before, after = magnitude[place - 1], magnitude[place]
    return (place - 1 + (threshold - before) / (after - before)) / FACTOR


def noise_of(taps):
    return np.sqrt(np.mean(np.abs(taps[:NOISE]) ** 2))


def numpy_full(row):
    taps = complex_taps(row)
    fine = np.fft.ifft(padded(np.fft.fft(taps, POINTS), POINTS)) * FACTOR
    return crossing(np.abs(fine), noise_of(taps))


def scipy_full(row):
    taps = complex_taps(row)
    fine = scipy.fft.ifft(padded(scipy.fft.fft(taps, POINTS), POINTS), overwrite_x=True) * FACTOR
    return crossing(np.abs(fine), noise_of(taps))


class FFTW:
    """pyFFTW with plans and aligned buffers made beforehand."""

    def __init__(self):
        import pyfftw

        aligned = pyfftw.empty_aligned
        self.taps, self.spectrum = aligned(POINTS, "complex64"), aligned(POINTS, "complex64")
        self.padded, self.fine = aligned(POINTS * FACTOR, "complex64"), aligned(POINTS * FACTOR, "complex64")
        flags = ("FFTW_MEASURE",)
        self.forward = pyfftw.FFTW(self.taps, self.spectrum, flags=flags, threads=1)
        self.inverse = pyfftw.FFTW(self.padded, self.fine, direction="FFTW_BACKWARD", flags=flags, threads=1)
        self.taps[:] = 0

    def __call__(self, row):
        taps = complex_taps(row)
        self.taps[: len(taps)] = taps
        self.forward.execute()
        half = POINTS // 2
        self.padded[half:-half] = 0
        self.padded[:half] = self.spectrum[:half]
        self.padded[-half:] = self.spectrum[half:]
        self.inverse.execute()
        return crossing(np.abs(self.fine) / POINTS, noise_of(taps))


def scipy_window_batch(rows):
    """All CIRs at once, windows only: the quickest form here."""
    taps = complex_taps(rows)
    magnitude = np.abs(taps)
    starts = np.clip(magnitude.argmax(axis=1) - WINDOW // 2, 0, taps.shape[1] - WINDOW)
    windows = np.take_along_axis(taps, starts[:, None] + np.arange(WINDOW), axis=1)
    fine = np.abs(scipy.fft.ifft(padded(scipy.fft.fft(windows), WINDOW), overwrite_x=True) * FACTOR)
    noise = np.sqrt(np.mean(magnitude[:, :NOISE] ** 2, axis=1))
    threshold = np.maximum(0.3 * fine.max(axis=1), 6 * noise)
    place = np.maximum(1, (fine > threshold[:, None]).argmax(axis=1))
    before = np.take_along_axis(fine, place[:, None] - 1, axis=1)[:, 0]
    after = np.take_along_axis(fine, place[:, None], axis=1)[:, 0]
    return starts + (place - 1 + (threshold - before) / (after - before)) / FACTOR


def one_by_one(estimate):
    def run(capture):
        return [estimate(row) for row in capture.rows]

    return run


def batched(capture):
    rows = np.stack(capture.rows)
    return np.concatenate([scipy_window_batch(rows[start : start + 256]) for start in range(0, len(rows), 256)])


def centred(distances, truth):
    """Errors less their median, clipped; NaN where there is no answer."""
    errors = distances - truth
    return np.clip(errors - np.nanmedian(errors), -CLIP, CLIP)


def compiled(peers, path, capture, passes):
    """First paths and µs a CIR of the peers in C++, by name."""
    if not peers:
        return {}
    data, taps = f"{path}.sigmf-data", len(capture.rows[0])
    command = [peers, "crossing", data, str(len(capture.rows)), str(taps), str(passes)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = map(json.loads, output.splitlines())
    return {f"C++, FFTW {row['estimator'].removeprefix('crossing ')}": (np.array(row["answers"], dtype=float), row["us"]) for row in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("measure")
    parser.add_argument("captures", nargs="+")
    parser.add_argument("--peers", help="those in C++")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    peers = {
        "NumPy ×16, whole CIR": one_by_one(numpy_full),
        "SciPy ×16, whole CIR": one_by_one(scipy_full),
        "SciPy ×16, 64 taps, batch": batched,
    }
    try:
        peers["pyFFTW ×16, whole CIR"] = one_by_one(FFTW())
    except ImportError:
        pass
    for path in options.captures:
        for row in compared(path, peers, options):
            print(json.dumps(row), flush=True)


def compared(path, peers, options):
    """A row for each: ours and theirs in turn, so that the machine's drift meets all."""
    capture = Capture(path)
    mine = {"ours": [], "ours, rice-fit": ["--delay", "rice-fit"]}
    if capture.profile == "dw1000":
        mine["ours, edge-fit"] = ["--delay", "edge-fit"]
    best, answers = {}, {}

    def keep(name, microseconds, distances):
        best[name] = min(best.get(name, microseconds), microseconds)
        answers.setdefault(name, centred(distances(), capture.truth))

    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/distances"
        for turn in range(options.rounds + 1):
            for name, words in mine.items():
                command = [options.measure, "distances", f"{path}.sigmf-meta", out, *words]
                line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                keep(name, json.loads(line)["ns_per_cir"] / 1e3, lambda: np.loadtxt(out)[:, 0])
            # In the first turn answers alone: whoever answers otherwise than ours is not timed.
            for name, (first_paths, microseconds) in compiled(options.peers, path, capture, 10 if turn else 0).items():
                keep(name, microseconds or float("inf"), lambda: capture.distances(first_paths))
            for name, run in peers.items():
                start = time.perf_counter()
                first_paths = run(capture)
                keep(name, 1e6 * (time.perf_counter() - start) / len(capture.rows), lambda: capture.distances(first_paths))
            for name, errors in answers.items():
                apart = float(np.nanmedian(np.abs(errors - answers["ours"])))
                if apart > AGREE:
                    raise SystemExit(f"performance: {name} answers otherwise than ours on {path}: half of all by over {apart:.2f} m")
    for name, microseconds in best.items():
        errors = answers[name]
        row = {"capture": Path(path).name.rsplit("-", 1)[0], "estimator": name, "cirs": len(capture.rows), "us_per_cir": microseconds}
        row |= {"cirs_per_second": 1e6 / microseconds, "times_ours": microseconds / best["ours"]}
        row |= {"rms_m": float(np.sqrt(np.nanmean(errors**2))), "p90_m": float(np.nanquantile(np.abs(errors), 0.9))}
        row |= {"missed": int(np.isnan(errors).sum()), "apart_m": float(np.nanmedian(np.abs(errors - answers["ours"])))}
        yield row


if __name__ == "__main__":
    main()
