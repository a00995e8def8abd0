"""A radio's pulse that its own CIRs show: what the command line does with a capture, a call does with an array."""

import csv
import io
import pickle
import warnings

import numpy as np
import pytest
from conftest import TAPS, formatted

import uwbdsp

# Taps: the deviation of a pulse that no profile has.
WIDTH = 1.1


@pytest.fixture(scope="module")
def rooms():
    """160 CIRs of Gaussian pulses, each through another channel, complex64; and their first paths, taps."""
    draws = np.random.default_rng(2)
    taps, firsts, cirs = np.arange(TAPS), draws.uniform(300, 700, 160), []
    for first in firsts:
        delays = first + np.concatenate([[0], draws.exponential(15, 40)])
        amplitudes = np.exp(2j * np.pi * draws.uniform(size=41)) * np.concatenate([[1], draws.rayleigh(0.12, 40)])
        pulses = np.exp(-((taps - delays[:, None]) ** 2) / (2 * WIDTH**2))
        noise = draws.normal(size=(TAPS, 2)) @ [1, 1j]
        cirs.append(2000 * amplitudes @ pulses + 20 * noise)
    return np.array(cirs, np.complex64), firsts


def rms(paths, firsts):
    """Taps, without what all have in common: that is antenna delay."""
    errors = paths["first_path_taps"] - firsts
    return np.sqrt(np.mean((errors - np.median(errors)) ** 2))


def test_a_pulse_is_learned(rooms):
    cirs, firsts = rooms
    with pytest.warns(uwbdsp.UwbWarning, match="The pulse of profile ideal misses .* is used") as told:
        paths = uwbdsp.first_paths(cirs, profile="ideal")
    assert [each.filename for each in told] == [__file__]
    kept = uwbdsp.first_paths(cirs, profile="ideal", pulse="profile")
    assert rms(paths, firsts) < rms(kept, firsts) / 4


def test_numbers_of_the_command_line(uwb, rooms, tmp_path):
    cirs = np.round(rooms[0])
    np.save(tmp_path / "cirs.npy", cirs)
    lines = uwb("paths", tmp_path / "cirs.npy", "--rows", "cirs", "--profile", "dw3000", "--output", "csv")
    with pytest.warns(uwbdsp.UwbWarning):
        paths = uwbdsp.first_paths(cirs, profile="dw3000")
    rows = list(csv.DictReader(io.StringIO(lines)))
    assert [row["first_path_taps"] for row in rows] == [formatted(taps, 4) for taps in paths["first_path_taps"]]


def test_what_keeps_the_pulse(rooms):
    cirs, _ = rooms
    for options in ({"pulse": "profile"}, {"pulse": "dw1000"}, {"delay": "chip"}):
        engine = uwbdsp.Engine(**options)
        assert engine.learn(cirs) is engine
    engine = uwbdsp.Engine()
    for few in (cirs[:47], cirs[0], cirs[:0], np.zeros_like(cirs), np.full_like(cirs, np.nan), np.repeat(cirs[:1], 160, axis=0)):
        assert engine.learn(few) is engine
    with pytest.raises(uwbdsp.ArgumentError):
        engine.learn(np.zeros((3, 4, 5, 6), np.complex64))


def test_an_engine_that_learned(rooms):
    cirs, firsts = rooms
    engine = uwbdsp.Engine(profile="ideal")
    with pytest.warns(uwbdsp.UwbWarning):
        learned = engine.learn(cirs[:80])
    assert learned is not engine and (learned.profile, learned.estimator) == (engine.profile, engine.estimator)
    # One that has learned keeps its pulse, and the first one its own.
    assert learned.learn(cirs) is learned
    assert rms(learned.first_paths(cirs[80:]), firsts[80:]) < rms(engine.first_paths(cirs[80:]), firsts[80:]) / 4
    with pytest.raises(TypeError, match="learned"):
        pickle.dumps(learned)


def test_antennas_learn_from_the_first(rooms):
    cirs, _ = rooms
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uwbdsp.UwbWarning)
        one = uwbdsp.Engine(profile="ideal").learn(cirs)
        two = uwbdsp.Engine(profile="ideal").learn(np.stack([cirs, np.zeros_like(cirs)], axis=1))
    assert one.first_paths(cirs).tobytes() == two.first_paths(cirs).tobytes()
