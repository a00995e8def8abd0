"""A second arena: first paths on radios and channels of a simulator that shares no line with the engine's own.

Scatterers in a plane, dense decays, corridors, bodies in the way and soft onsets; pulses that the profile has and others; offsets, tones, bursts
and other devices. The estimator is what `uwb paths` takes by default. It is held against the first crossing of 0.3 of the peak, on taps that
are interpolated sixteen times.
"""

import argparse
import csv
import io
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from delay_peers import TAP, UPSAMPLING, interpolated, vertex

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import result_pages

TAPS = 1016
SPEED = 299_792_458.0  # m/s
GROSS = 4  # taps
RESULTS = Path("Documentation/results")


def phasors(draws, count=1):
    return np.exp(2j * np.pi * draws.random(count))


def normals(draws, count):
    return draws.normal(size=(count, 2)) @ [1, 1j] / math.sqrt(2)


def decibels(level):
    return 10 ** (level / 20)


# Pulses: functions of the time in taps.


def raised_cosine(rolloff):
    """Two taps a symbol."""

    def pulse(taps):
        x = np.asarray(taps) / 2
        left = 1 - (2 * rolloff * x) ** 2
        return np.sinc(x) * np.where(abs(left) > 1e-8, np.cos(np.pi * rolloff * x) / np.where(abs(left) > 1e-8, left, 1), np.pi / 4)

    return pulse


def gaussian(width):
    return lambda taps: np.exp(-((np.asarray(taps) / width) ** 2) / 2)


def butterworth(megahertz, order=4):
    """A receive filter's own response."""
    over = 32
    frequencies = 1j * np.fft.fftfreq(4096, TAP / over) / (megahertz * 1e6)
    poles = np.exp(1j * np.pi * (2 * np.arange(order) + order + 1) / (2 * order))
    response = np.fft.ifft(np.prod(1 / (frequencies[:, None] - poles), axis=1)).real
    return lambda taps: np.interp(taps, np.arange(4096) / over, response, left=0, right=0)


def filtered(draws, pulse, misfit):
    """`pulse` after echoes in the board, so strong that the best fit of `pulse` leaves `misfit` of it."""
    count = draws.integers(1, 4)
    delays = draws.uniform(0.5, 5, count)
    echoes = draws.normal(size=count) * np.exp(-delays / 2)
    grid = np.arange(-24, 40, 1 / 8)
    shifted = [pulse(grid - delay) for delay in np.arange(-1, 3, 1 / 8)]

    def variant(strength):
        return lambda taps: pulse(taps) + strength * sum(echo * pulse(taps - delay) for echo, delay in zip(echoes, delays))

    def left(strength):
        own = variant(strength)(grid)
        return math.sqrt(max(0, 1 - max((own @ other) ** 2 / (other @ other) / (own @ own) for other in shifted)))

    low, high = 0, 0.05
    while left(high) < misfit and high < 20:
        high *= 1.5
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if left(middle) < misfit else (low, middle)
    return variant(high)


def tabulated(pulse):
    """With its peak at 0 and of height 1."""
    grid = np.arange(-24, 40, 1 / 32)
    values = pulse(grid)
    peak = np.argmax(abs(values))
    place = grid[peak] + vertex(*abs(values[peak - 1 : peak + 2])) / 32
    return lambda taps: np.interp(taps + place, grid, values / values[peak], left=0, right=0)


PULSES = {
    "exact": lambda draws: [raised_cosine(0.5)],
    "filtered": lambda draws: [filtered(draws, raised_cosine(0.5), draws.uniform(0.04, 0.12)) for _ in range(3)],
    "raised cosine, 0.25": lambda draws: [raised_cosine(0.25)],
    "raised cosine, 0.9": lambda draws: [raised_cosine(0.9)],
    "Gaussian": lambda draws: [gaussian(0.9), gaussian(1.1)],
    "Butterworth": lambda draws: [butterworth(240), butterworth(270)],
}


# Channels: delays in taps and amplitudes; the direct path first, at 0.


def scatterers(draws, blocked=0.0):
    """Points round the link, the reflection from the floor, and a direct path `blocked` dB down."""
    distance = draws.uniform(2, 15)
    count = draws.poisson(draws.uniform(15, 90))
    reach = draws.uniform(1, 1.5) * distance + 4
    places = np.stack([draws.uniform(-reach, reach + distance, count), *draws.uniform(-reach, reach, (1, count)), draws.uniform(-1.5, 1.5, count)], 1)
    there, back = np.linalg.norm(places, axis=1), np.linalg.norm(places - [distance, 0, 0], axis=1)
    gains = draws.lognormal(0, 0.6, count) * draws.uniform(0.2, 0.8) * distance / np.maximum(there * back, 0.3)
    floor = math.sqrt(distance**2 + 4 * draws.uniform(0.8, 1.5) ** 2) - distance
    delays = np.r_[0, floor, there + back - distance] / SPEED / TAP
    return delays, np.r_[decibels(-blocked), draws.uniform(0.3, 0.8), gains] * phasors(draws, count + 2)


def decay(draws, kdb, taps):
    """A direct path and a dense exponential decay, `kdb` dB below it in power."""
    own = draws.uniform(*taps)
    delays = np.arange(int(24 * own)) / 4
    rays = normals(draws, len(delays)) * np.exp(-delays / 2 / own)
    rays *= decibels(-draws.uniform(*kdb)) / np.linalg.norm(rays)
    return np.r_[0, delays + draws.exponential(1.5)], np.r_[phasors(draws), rays]


def corridor(draws):
    """Walls: a few strong paths close together."""
    count = draws.integers(2, 6)
    later = draws.uniform(0.4, 1.1, count) * phasors(draws, count)
    return np.r_[0, np.cumsum(draws.uniform(0.7, 4, count))], np.r_[phasors(draws), later]


def body(draws):
    """A weak direct path, waves that creep round the body, and the room a few taps later."""
    own, start, count = draws.uniform(8, 30), draws.uniform(5, 25), draws.integers(1, 4)
    late = start + np.sort(draws.uniform(0, 6 * own, int(12 * own)))
    rays = normals(draws, len(late)) * np.exp(-(late - start) / 2 / own)
    creeping = draws.uniform(0.3, 1.2, count) * phasors(draws, count)
    direct = decibels(-draws.uniform(-2, 16))
    delays = np.r_[0, draws.uniform(0.8, 5, count), late]
    return delays, np.r_[direct * phasors(draws), direct * creeping, rays / np.linalg.norm(rays)]


def soft(draws):
    """Scattering that rises."""
    rise, own = draws.uniform(3, 15), draws.uniform(8, 40)
    delays = np.sort(draws.uniform(0, 6 * own, int(12 * own)))
    delays[0] = 0
    rays = normals(draws, len(delays)) * np.sqrt((1 - 0.9 * np.exp(-delays / rise)) * np.exp(-delays / own))
    rays[0] = max(abs(rays[0]), 0.2) * phasors(draws)[0]
    return delays, rays


CHANNELS = {
    "one path": lambda draws: (np.zeros(1), phasors(draws)),
    "scatterers": scatterers,
    "scatterers, blocked": lambda draws: scatterers(draws, draws.uniform(5, 18)),
    "dense": lambda draws: decay(draws, (-6, 10), (5, 60)),
    "industrial": lambda draws: decay(draws, (-12, 3), (50, 120)),
    "corridor": corridor,
    "body": body,
    "soft": soft,
}


# Impairments: what they add to the samples `cir` with the first path at `first`; `peak` is the signal's.


def tone(draws, cir, peak, **_):
    return peak * decibels(-draws.uniform(12, 26)) * phasors(draws) * np.exp(2j * np.pi * np.arange(len(cir)) * draws.uniform(-0.2, 0.2))


def offset(draws, peak, **_):
    return peak * decibels(-draws.uniform(15, 30)) * phasors(draws)


def burst(draws, cir, peak, first, **_):
    length, added = draws.integers(5, 60), np.zeros(len(cir), complex)
    begin = draws.integers(0, int(first) - 20 - length) if draws.random() < 0.7 else draws.integers(int(first) + 60, len(cir) - length)
    noise = np.fft.ifft(np.fft.fft(normals(draws, length), 256) * (abs(np.fft.fftfreq(256)) < 0.25))[:length]
    added[begin : begin + length] = peak * decibels(-draws.uniform(14, 26)) * noise / abs(noise).max()
    return added


def clutter(draws, cir, peak, first, pulse, **_):
    count = draws.integers(3, 30)
    levels = peak * decibels(-draws.uniform(22, 34, count)) * phasors(draws, count)
    return paths(len(cir), draws.uniform(0, first - 12, count), levels, pulse)


def other_device(draws, cir, peak, first, pulse, channel, **_):
    delays, amplitudes = channel(draws)
    own = paths(len(cir), first + draws.uniform(30, 200) + delays, amplitudes, pulse)
    return peak * decibels(draws.uniform(-10, 8)) * own / abs(own).max()


def lone_device(draws, **known):
    return other_device(draws, **known | {"channel": CHANNELS["one path"]})


IMPAIRMENTS = {
    "tone": tone, "offset": offset, "burst": burst, "clutter": clutter, "other device": other_device, "its pulse alone": lone_device,
}  # fmt: skip


def paths(count, delays, amplitudes, pulse):
    cir, taps = np.zeros(count, complex), np.arange(-24, 40)
    for delay, amplitude in zip(delays, amplitudes):
        own = int(delay) + taps
        inside = (own >= 0) & (own < count)
        cir[own[inside]] += amplitude * pulse(own[inside] - delay)
    return cir


def trial(draws, channel, pulse, impairment, place):
    """A CIR of 16-bit numbers, and its first path in taps."""
    first = draws.uniform(*place)
    delays, amplitudes = channel(draws)
    cir = paths(TAPS, first + delays, amplitudes, pulse)
    peak = abs(cir).max()
    noise = normals(draws, TAPS)
    if impairment == "coloured noise":
        noise = np.fft.ifft(np.fft.fft(noise) * np.exp(-0.5 * (np.fft.fftfreq(TAPS) / draws.uniform(0.18, 0.3)) ** 2))
        noise /= np.sqrt(np.mean(abs(noise) ** 2))
    cir += peak * decibels(-draws.uniform(18, 38)) * noise
    if impairment in IMPAIRMENTS:
        cir += IMPAIRMENTS[impairment](draws, cir=cir, peak=peak, first=first, pulse=pulse, channel=channel)
    cir *= (40 if impairment == "40 counts" else draws.uniform(300, 12000)) / abs(cir).max()
    if impairment == "clipped":
        limit = 0.6 * abs(cir).max()
        cir = np.clip(cir.real, -limit, limit) + 1j * np.clip(cir.imag, -limit, limit)
    return np.round(cir).astype(np.complex64), first


def crossing(cir):
    """The first point that reaches 0.3 of the largest, taps."""
    magnitudes = interpolated(cir)
    return np.argmax(magnitudes >= 0.3 * magnitudes.max()) / UPSAMPLING


def families():
    """Name, channel, pulse, impairment, place of the first path, window in taps."""
    middle = (60, 800)
    for pulse in ("exact", "filtered"):
        for channel in CHANNELS:
            yield f"{channel}{', filtered' if pulse == 'filtered' else ''}", channel, pulse, None, middle, None
    for impairment in ("coloured noise", *IMPAIRMENTS, "40 counts", "clipped"):
        for channel in ("scatterers", "dense", "body"):
            yield f"{channel}, {impairment}", channel, "filtered", impairment, (120, 700), None
    for pulse in list(PULSES)[2:]:
        for channel in ("scatterers", "dense"):
            yield f"{channel}, {pulse}", channel, pulse, None, middle, None
    for channel in ("dense", "industrial", "body"):
        yield f"{channel}, other device, first path at 3 … 60", channel, "exact", "other device", (3, 60), None
        yield f"{channel}, other device, window of 256", channel, "exact", "other device", (400, 600), 256
    for channel in ("dense", "body"):
        yield f"{channel}, first path at 3 … 20", channel, "exact", None, (3, 20), None
        yield f"{channel}, at 960 … 1005", channel, "exact", None, (960, 1005), None
        for window in (16, 32, 64, 128, 256):
            yield f"{channel}, window of {window}", channel, "exact", None, (400, 600), window


def found(uwb, cirs, folder):
    """First paths and their deviations in taps, by the program."""
    np.save(folder / "cirs.npy", cirs)
    command = [uwb, "paths", folder / "cirs.npy", "--rows", "cirs", "--profile", "ideal", "--output", "csv"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(io.StringIO(lines)))
    return np.array([[float(row[name] or "nan") for name in ("first_path_taps", "first_path_std_taps")] for row in rows])


def score(uwb, folder, seed, count, channel, pulse, impairment, place, window):
    """Figures of a family. What errors of a pulse have in common is antenna delay, and taken off."""
    draws = np.random.default_rng(seed)
    pulses = [tabulated(each) for each in PULSES[pulse](draws)]
    errors, deviations, crossings = [], [], []
    for number, own in enumerate(pulses):
        cirs, firsts = [], []
        for _ in range(number, count, len(pulses)):
            cir, first = trial(draws, CHANNELS[channel], own, impairment, place)
            if window:
                start = int(first) - draws.integers(4, max(6, window // 3))
                cir, first = cir[start : start + window], first - start
            cirs.append(cir)
            firsts.append(first)
        answers = found(uwb, np.array(cirs), folder)
        error = answers[:, 0] - firsts
        other = np.array([crossing(cir) for cir in cirs]) - firsts
        errors.append(error - np.nanmedian(error))
        crossings.append(other - np.median(other))
        deviations.append(answers[:, 1])
    error, other, deviation = np.concatenate(errors), np.concatenate(crossings), np.concatenate(deviations)
    clipped = np.where(np.isnan(error), GROSS, np.clip(error, -GROSS, GROSS))
    ratio = abs(error / deviation)[~np.isnan(error)]
    cm = 100 * SPEED * TAP
    rms, reference = (cm * math.sqrt(np.mean(each**2)) for each in (clipped, np.clip(other, -GROSS, GROSS)))
    return {
        "rms": rms, "crossing": reference, "ratio": rms / reference, "gross": 100 * np.mean(abs(clipped) >= GROSS),
        "crossing_gross": 100 * np.mean(abs(other) >= GROSS), "score": np.mean(np.minimum(ratio**2, 9)), "beyond": 100 * np.mean(ratio > 5),
    }  # fmt: skip


HEAD = ["family", "crossing, cm", "gross", "default, cm", "gross", "× crossing", "mean of min(z², 9)", "beyond 5σ"]


def arguments(command, trials):
    """Of the command line, with these defaults."""
    options = argparse.ArgumentParser()
    options.add_argument("--uwb", required=True)
    options.add_argument("--command", default=command)
    options.add_argument("--page", action="store_true")
    options.add_argument("--trials", type=int, default=trials)
    options.add_argument("--seed", type=int, default=1)
    return options.parse_args()


def main():
    options = arguments("scripts/second-arena", 600)
    rows, ratios = [], []
    print("\n".join(result_pages.table(HEAD, [])), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, *family) in enumerate(families()):
            figures = score(options.uwb, Path(folder), [options.seed, number], options.trials, *family)
            ratios.append(figures["ratio"])
            rows.append([
                name, f"{figures['crossing']:.1f}", f"{figures['crossing_gross']:.1f} %", f"{figures['rms']:.1f}", f"{figures['gross']:.1f} %",
                f"{figures['ratio']:.2f}", f"{figures['score']:.2f}", f"{figures['beyond']:.1f} %",
            ])  # fmt: skip
            print("| " + " | ".join(rows[-1]) + " |", flush=True)
    mean = math.exp(np.mean(np.log(ratios)))
    print(f"geometric mean {mean:.3f}")
    if options.page:
        lines = [
            "## Figures", "", result_pages.made(options.command) + f" {options.trials} CIRs of each family, seed {options.seed}.", "",
            f"The geometric mean of all families' errors over the crossing's is {mean:.2f}.", "",
            *result_pages.table(HEAD, rows, "l" + "r" * (len(HEAD) - 1)),
        ]  # fmt: skip
        result_pages.write_section(RESULTS / "Second-arena.md", "second-arena", lines, "Second arena")


if __name__ == "__main__":
    main()
