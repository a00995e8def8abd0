"""Captures: the command line's updates, and exchanges with their samples."""

import csv
import gc
import io
import os
import pathlib
import pickle

import numpy as np
import pytest
from conftest import formatted

import uwbdsp

# What is not a number, or has other places than 6.
WORDS = {"event", "capture", "peer", "direction_status", "fallback", "status"}
PLACES = {"exchange": 0, "clock_rejections": 0, "snr_db": 2}
FOUR = ("_deg", "_ppm", "probability", "taps_poll", "taps_response", "taps_final")


def places(name):
    return PLACES.get(name, 4 if name.endswith(FOUR) else 6)


def words(updates, row):
    """What the codes of a row mean."""
    direction, fallback = row["direction_status"], row["fallback"]
    return {
        "event": uwbdsp.Event(row["event"]).name, "capture": updates.captures[row["capture"]], "peer": uwbdsp.address(row["peer"]),
        "direction_status": uwbdsp.DirectionStatus(direction).name if direction >= 0 else "",
        "fallback": uwbdsp.ESTIMATORS[fallback] if fallback >= 0 else "", "status": uwbdsp.UpdateStatus(row["status"]).name,
    }


def check_parity(uwb, paths, **options):
    arguments = [f"--{name}={value}" for name, value in options.items()]
    lines = list(csv.DictReader(io.StringIO(uwb("replay", *paths, "--output", "csv", *arguments))))
    updates = uwbdsp.replay(paths, **options)
    assert len(lines) == len(updates) > 0
    columns = [name for name in lines[0] if name not in WORDS]
    assert set(columns) < set(updates.dtype.names)
    for line, row in zip(lines, updates):
        for name, word in words(updates, row).items():
            assert line[name] == word, name
        for name in columns:
            value = row[name]
            if name == "exchange" and value < 0 or name == "clock_rejections" and value == 0:
                value = np.nan
            assert line[name] == formatted(value, places(name)), (name, line["exchange"])
    return updates


@pytest.mark.parametrize("delay", ["adaptive", "edge-fit", "chip"])
def test_updates_of_the_command_line(uwb, walk, delay):
    updates = check_parity(uwb, [walk], delay=delay)
    assert updates.summary["updates"] == np.count_nonzero(updates["event"] == uwbdsp.Event.update) == 122
    assert updates.captures == ["walk.sigmf-meta"]


def test_rejected_and_removed(uwb, tmp_path, cirs):
    np.save(tmp_path / "cirs.npy", cirs[:5, None])
    with pytest.warns(uwbdsp.UwbWarning, match="uwb paths"):
        updates = check_parity(uwb, [tmp_path / "cirs.npy"])
    assert np.all(updates["status"] == uwbdsp.UpdateStatus.missingTimestamps)


@pytest.mark.filterwarnings("ignore::uwbdsp.UwbWarning")
@pytest.mark.skipif("UWB_DATA" not in os.environ, reason="UWB_DATA is not set")
@pytest.mark.parametrize("folder", ["decaranging-apartment", "outdoor-walks", "sr150-pdoa", "ss-twr-outdoor", "uci"])
def test_real_captures(uwb, folder):
    checked = 0
    for path in sorted((pathlib.Path(os.environ["UWB_DATA"]) / folder).rglob("*")):
        if not path.is_file() or path.stat().st_size > 8_000_000:
            continue
        try:
            check_parity(uwb, [path], angle="none", delay="edge-fit")
            checked += 1
        except uwbdsp.InputError:
            continue
        except Exception as error:
            # What is no capture is none to the program either.
            if getattr(error, "returncode", None) != 1:
                raise
        if checked == 4:
            break
    assert checked > 0


def test_several_captures_and_threads(walk):
    one = uwbdsp.replay(walk, threads=1)
    two = uwbdsp.replay([walk, walk], threads=2)
    assert len(two) == 2 * len(one) and two.captures == ["walk.sigmf-meta", "walk.sigmf-meta (2)"]
    assert two[: len(one)].tobytes() == one.tobytes()
    assert isinstance(two[3:5], uwbdsp.Updates) and two[3:5].captures == two.captures
    assert type(two["distance_m"]) is np.ndarray


def test_updates_are_pickled(walk):
    updates = uwbdsp.replay(walk, delay="leading-edge")
    copy = pickle.loads(pickle.dumps(updates[5:]))
    assert copy.tobytes() == updates[5:].tobytes() and type(copy) is uwbdsp.Updates
    assert (copy.captures, copy.summary) == (updates.captures, updates.summary)


def test_updates_outlive_all_else(walk):
    distances = uwbdsp.replay(walk)["distance_m"]
    kept = distances.copy()
    gc.collect()
    uwbdsp.replay(walk)
    assert np.array_equal(distances, kept, equal_nan=True)
    assert not distances.flags.writeable


def test_exchanges(walk):
    capture = uwbdsp.read(walk)
    assert (capture.format, capture.profile, capture.notes) == ("sigmf", "ideal", [])
    engine = capture.engine()
    exchanges = list(capture)
    updates = uwbdsp.replay(walk)
    assert [exchange.index for exchange in exchanges] == list(range(122))
    for exchange, update in zip(exchanges, updates):
        assert exchange.time_s == update["time_s"] and exchange.true_distance_m == update["true_distance_m"]
        assert exchange.peer == uwbdsp.address(update["peer"])
        row = engine.measure(exchange)
        for name in ("raw_distance_m", "raw_distance_std_m", "snr_db", "first_path_taps_poll"):
            assert row[name] == update[name]


def test_samples_outlive_the_reader(walk):
    def cirs():
        return [exchange.poll.cirs[0] for exchange in uwbdsp.read(walk)]

    kept = cirs()
    gc.collect()
    again = [cir.samples.copy() for cir in cirs()]
    assert len(kept) == 122
    for cir, samples in zip(kept, again):
        assert cir.samples.shape == (3, 1016, 2) and not cir.samples.flags.writeable
        assert np.array_equal(cir.samples, samples)
        assert np.array_equal(cir.scaled()[1].real, samples[1, :, 0] * np.float32(cir.scale))


def test_samples_give_the_captures_first_paths(walk):
    capture = uwbdsp.read(walk)
    engine = capture.engine()
    for exchange in list(capture)[:20]:
        cir = exchange.poll.cirs[0]
        row = engine.measure(exchange)
        paths = engine.first_paths(cir.scaled()[None])
        assert paths["common_first_path_taps"][0, 0] == pytest.approx(row["first_path_taps_poll"], abs=1e-3)


@pytest.mark.parametrize("open_", [uwbdsp.read, uwbdsp.replay])
def test_what_can_not_be_read(open_, tmp_path, uwb, walk):
    (tmp_path / "noise.bin").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "empty").write_bytes(b"")
    for path in ["nowhere.log", tmp_path / "noise.bin", tmp_path / "empty"]:
        with pytest.raises(uwbdsp.InputError, match=pathlib.Path(path).name):
            open_(path)
    with pytest.raises(uwbdsp.ArgumentError, match="Standard input"):
        open_("-")
    with pytest.raises(uwbdsp.ArgumentError):
        open_("a\0b")
    with pytest.raises(uwbdsp.InputError):
        open_(b"\xff\xfe.log")
    with pytest.raises(uwbdsp.ArgumentError, match="--unknown"):
        open_(walk, unknown="x")
    with pytest.raises(uwbdsp.InputError, match="nowhere.json"):
        for _ in [open_(walk, calibration="nowhere.json")]:
            pass


def test_replay_takes_no_output(walk):
    for options in [{"output": "csv"}, {"shard": "1/2"}, {"pace": "recorded"}]:
        with pytest.raises(uwbdsp.ArgumentError, match="program"):
            uwbdsp.replay(walk, **options)
    with pytest.raises(uwbdsp.ArgumentError):
        uwbdsp.replay([])


def test_tracker():
    tracker = uwbdsp.Tracker()
    draws = np.random.default_rng(2)
    for index in range(200):
        row = tracker.update(0.1 * index, 5 + 0.05 * draws.normal(), 0.05)
    assert abs(row["distance_m"] - 5) < 0.05 and 0 < row["distance_std_m"] < 0.05 and row["is_outlier"] == 0
    assert tracker.update(20, 25, 0.05, 0.5)["is_outlier"] == 1
    for values in [(np.nan, 1, 1), (21, np.inf, 1), (21, 1, -1), (21, 1, np.nan)]:
        with pytest.raises(uwbdsp.ArgumentError):
            tracker.update(*values)
