"""What the tests share: the program `uwb`, a simulated capture, and CIRs."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

TAPS = 1016


@pytest.fixture(scope="session")
def uwb():
    """Runs the command line; returns its standard output."""

    def run(*arguments):
        command = [os.environ["UWB_PROGRAM"], *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return run


@pytest.fixture(scope="session")
def walk(uwb, tmp_path_factory):
    """A simulated capture with three antennas."""
    name = tmp_path_factory.mktemp("walk") / "walk"
    uwb("simulate", "walk", "--out", name)
    return pathlib.Path(f"{name}.sigmf-meta")


@pytest.fixture(scope="session")
def cirs():
    """40 CIRs of a pulse and a later one in noise: int16, of the shape (40, taps, 2)."""
    draws = np.random.default_rng(1)
    delays = draws.uniform(650, 800, (40, 1)) + np.array([0, 3.4])
    taps = np.arange(TAPS)
    pulses = np.exp(-0.7 * (taps - delays[..., None]) ** 2) * np.exp(2j * np.pi * draws.uniform(size=(40, 2, 1)))
    samples = 3000 * pulses[:, 0] + 1500 * pulses[:, 1]
    pairs = np.stack([samples.real, samples.imag], axis=-1) + draws.normal(scale=20, size=(40, TAPS, 2))
    return np.round(pairs).astype(np.int16)


def formatted(value, places):
    """A number as the command line writes it: rounded half away from zero; empty where there is none."""
    if not np.isfinite(value):
        return ""
    scale = 1.0
    for _ in range(places):
        scale *= 10
    scaled = abs(float(value)) * scale
    whole = int(scaled)
    whole += scaled - whole >= 0.5
    digits = str(whole).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if value < 0 and whole > 0 else text
