"""The second arena with two and four antennas: distances and azimuths of double-sided exchanges, by `uwb replay` with its default options.

Paths have directions. Scatterers and the floor have those of their places, all else comes from anywhere. What an impairment adds has the same
delays on all antennas and a phase of its own on each.
"""

import csv
import io
import json
import math
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import second_arena as arena
from second_arena import SPEED, TAP, TAPS, decibels, normals, paths, phasors

import result_pages

CARRIER = 7987.2e6  # Hz
WAVELENGTH = SPEED / CARRIER
PLACES = {
    2: np.array([[-1, 0, 0], [1, 0, 0]]) * WAVELENGTH / 4,
    4: np.array([[-1, -1, 0], [1, -1, 0], [-1, 1, 0], [1, 1, 0]]) * WAVELENGTH / 4,
}
TICK = 1 / 499.2e6 / 128  # s
FLIGHT, REPLY = 2131, 64_000_000  # ticks
DISTANCE = FLIGHT * TICK * 299_702_547.0  # m, at the speed of light in air
FARTHEST = 45  # degrees, where azimuths are clipped


def direction(azimuth, elevation):
    """Unit vectors, in front (−z) for azimuths within 90°."""
    across = np.cos(elevation)
    return np.stack([np.sin(azimuth) * across, np.sin(elevation), -np.cos(azimuth) * across], -1)


def anywhere(draws, count):
    return direction(draws.uniform(-np.pi, np.pi, count), np.arcsin(draws.uniform(-1, 1, count)))


def scatterers(draws, ahead, blocked):
    """Points round the link, the reflection from the floor, and a direct path `blocked` dB down, with the directions that they come from."""
    distance, height = draws.uniform(2, 15), draws.uniform(0.8, 1.5)
    peer = distance * ahead
    count = draws.poisson(draws.uniform(15, 90))
    reach = draws.uniform(1, 1.5) * distance + 4
    around = draws.uniform(-1, 1, (count, 3)) * [reach, 1.5, reach] + peer * [0.5, 0, 0.5]
    there, back = np.linalg.norm(around - peer, axis=1), np.linalg.norm(around, axis=1)
    gains = draws.lognormal(0, 0.6, count) * draws.uniform(0.2, 0.8) * distance / np.maximum(there * back, 0.3)
    image = peer * [1, -1, 1] - [0, 2 * height, 0]
    lengths = np.r_[distance, np.linalg.norm(image), there + back]
    directions = np.vstack([ahead, image / np.linalg.norm(image), around / back[:, None]])
    amplitudes = np.r_[decibels(-blocked), draws.uniform(0.3, 0.8), gains] * phasors(draws, count + 2)
    return (lengths - distance) / SPEED / TAP, amplitudes, directions


def channel(draws, name, ahead):
    if name.startswith("scatterers"):
        return scatterers(draws, ahead, draws.uniform(5, 18) if "blocked" in name else 0)
    delays, amplitudes = arena.CHANNELS[name](draws)
    return delays, amplitudes, np.vstack([ahead, anywhere(draws, len(delays) - 1)])


def received(places, delays, amplitudes, directions, pulse, first):
    """A row of taps for each antenna."""
    nearer = directions @ places.T  # m
    turned = amplitudes[:, None] * np.exp(2j * np.pi * nearer / WAVELENGTH)
    return np.array([
        paths(TAPS, first + delays - nearer[:, own] / SPEED / TAP, turned[:, own], pulse) for own in range(len(places))
    ])  # fmt: skip


def reception(draws, places, known, pulse, impairment, name, snr):
    """What the antennas' accumulators hold, in whole numbers, and the first path in taps."""
    first = draws.uniform(120, 700)
    delays, amplitudes, directions = known
    taps = received(places, delays, amplitudes * phasors(draws), directions, pulse, first)
    peak = abs(taps).max()
    if impairment == "an antenna without signal":
        taps[draws.integers(len(places))] = 0
    noise = normals(draws, len(places) * TAPS).reshape(len(places), TAPS)
    if impairment == "coloured noise":
        noise = np.fft.ifft(np.fft.fft(noise) * np.exp(-0.5 * (np.fft.fftfreq(TAPS) / draws.uniform(0.18, 0.3)) ** 2))
        noise /= np.sqrt(np.mean(abs(noise) ** 2))
    taps += peak * decibels(-snr) * noise
    if impairment in arena.IMPAIRMENTS:
        seed = draws.integers(1 << 30)
        for own in taps:
            kind = arena.CHANNELS["dense" if name.startswith("scatterers") else name]
            added = arena.IMPAIRMENTS[impairment](
                np.random.default_rng(seed), cir=own, peak=peak, first=first, pulse=pulse, channel=kind)  # fmt: skip
            own += phasors(draws) * added
    taps *= (40 if impairment == "40 counts" else draws.uniform(300, 12000)) / max(abs(taps.real).max(), abs(taps.imag).max())
    if impairment == "clipped":
        limit = 0.6 * abs(taps).max()
        taps = np.clip(taps.real, -limit, limit) + 1j * np.clip(taps.imag, -limit, limit)
    return np.round(taps), first


def message(sent, arrived, taps, first):
    parts = {part: getattr(taps, part).astype(int).tolist() for part in ("real", "imag")}
    cir = {"samples": "int16", "scale": 1, "tap_spacing_s": TAP, **parts}
    return {"transmitted_ticks": sent, "received_ticks": arrived, "first_path_taps": first, "cir": cir}


def exchange(draws, number, places, pulse, impairment, name):
    """An exchange as a line of ndjson holds it, and what is true of it: azimuth in degrees, first paths of poll and final."""
    elevation = 0 if len(places) == 2 else draws.uniform(-0.05, 0.4)
    azimuth = draws.uniform(-np.pi / 3, np.pi / 3)
    known = channel(draws, name, direction(azimuth, elevation))
    snr = draws.uniform(18, 38)
    poll, final = (reception(draws, places, known, pulse, impairment, name, snr) for _ in range(2))
    start = 1 << 30
    end = start + 2 * (FLIGHT + REPLY)
    line = {
        # Peers of their own, so that no exchange knows of another.
        "exchange": number, "time_s": 10 * number, "peer": f"{number:04x}", "local": "f000", "initiator": "peer",
        "poll": message(start, start + FLIGHT, *poll), "final": message(end, end + FLIGHT, *final),
        "response": {"transmitted_ticks": start + FLIGHT + REPLY, "received_ticks": start + 2 * FLIGHT + REPLY},
    }  # fmt: skip
    return line, (math.degrees(azimuth), poll[1], final[1])


def answers(uwb, places, lines, folder):
    """Of each exchange the row of its update."""
    header = {"format": "uwb-capture", "version": 1, "profile": "ideal", "carrier_hz": CARRIER, "antenna_positions_m": places.tolist()}
    capture = folder / "exchanges.ndjson"
    capture.write_text("".join(json.dumps(line) + "\n" for line in [header, *lines]))
    out = subprocess.run([uwb, "replay", capture, "--output", "csv", "--quiet"], check=True, capture_output=True, text=True).stdout
    return {int(row["exchange"]): row for row in csv.DictReader(io.StringIO(out)) if row["event"] == "update"}


def score(uwb, folder, seed, count, antennas, name, impairment):
    draws = np.random.default_rng(seed)
    distances, gross, turns = [], [], []
    for number, pulse in enumerate(arena.tabulated(each) for each in arena.PULSES["filtered"](draws)):
        drawn = [exchange(draws, index, PLACES[antennas], pulse, impairment, name) for index in range(count // 3)]
        rows = answers(uwb, PLACES[antennas], [line for line, _ in drawn], folder)
        own = []
        for index, (_, (azimuth, *firsts)) in enumerate(drawn):
            row = rows.get(index)
            # What the chip's own first path stands in for is no answer: it is the truth here.
            if row is None or row["fallback"]:
                own.append((math.nan, math.nan))
                gross += [True, True]
                turns.append((math.nan, math.nan))
                continue
            own.append((float(row["raw_distance_m"]) - DISTANCE, float(row["raw_distance_std_m"])))
            found = [float(row[f"first_path_taps_{which}"] or "nan") for which in ("poll", "final")]
            gross += [not abs(tap - first) < arena.GROSS for tap, first in zip(found, firsts)]
            turns.append((float(row["azimuth_deg"] or "nan") - azimuth, float(row["azimuth_std_deg"] or "nan")))
        # What errors of a pulse have in common is antenna delay, and taken off.
        middle = np.nanmedian([error for error, _ in own])
        distances += [(error - middle, deviation) for error, deviation in own]
    return [*figures(distances, arena.GROSS * TAP * SPEED, 100), 100 * np.mean(gross), *figures(turns, FARTHEST, 1)]


def figures(found, farthest, unit):
    """RMS error, clipped, mean of min(z², 9), shares beyond five deviations and without an answer, %."""
    error, deviation = np.array(found).T
    clipped = np.where(np.isnan(error), farthest, np.clip(error, -farthest, farthest))
    ratio = abs(error / deviation)[~np.isnan(error)]
    missing = 100 * np.mean(np.isnan(error))
    return unit * math.sqrt(np.mean(clipped**2)), np.mean(np.minimum(ratio**2, 9)), 100 * np.mean(ratio > 5), missing


def families():
    """Name, channel, impairment."""
    for name in arena.CHANNELS:
        yield name, name, None
    for impairment in ("coloured noise", *arena.IMPAIRMENTS, "40 counts", "clipped", "an antenna without signal"):
        for name in ("scatterers", "body"):
            yield f"{name}, {impairment}", name, impairment


HEAD = ["family", "antennas", "distance, cm", "z²", "beyond 5σ", "none", "gross receptions", "azimuth, °", "z²", "beyond 5σ", "none"]


def main():
    options = arena.arguments("scripts/second-arena --antennas", 300)
    rows = []
    print("\n".join(result_pages.table(HEAD, [])), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for antennas in PLACES:
            for number, (name, *family) in enumerate(families()):
                found = score(options.uwb, Path(folder), [options.seed, antennas, number], options.trials, antennas, *family)
                formats = ["{:.1f}", "{:.2f}", "{:.1f} %", "{:.1f} %", "{:.1f} %", "{:.1f}", "{:.2f}", "{:.1f} %", "{:.1f} %"]
                rows.append([name, antennas, *(text.format(value) for text, value in zip(formats, found))])
                print("| " + " | ".join(map(str, rows[-1])) + " |", flush=True)
    if options.page:
        lines = [
            "## Figures of arrays", "", result_pages.made(options.command) + f" {options.trials} exchanges of each family, seed {options.seed}.", "",
            *result_pages.table(HEAD, rows, "lr" + "r" * (len(HEAD) - 2)),
        ]  # fmt: skip
        result_pages.write_section(arena.RESULTS / "Second-arena.md", "second-arena-arrays", lines, "Second arena")


if __name__ == "__main__":
    main()
