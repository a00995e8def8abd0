"""First paths of arrays: the command line's numbers, whatever the array's layout, and exceptions for what is no array of CIRs."""

import csv
import io
import os
import pickle
import signal
import threading
import warnings

import numpy as np
import pytest
from conftest import TAPS, formatted

import uwbdsp
from uwbdsp import _engine

PLACES = {
    "first_path_taps": 4, "first_path_std_taps": 4, "first_path_std_m": 6, "common_first_path_taps": 4, "phase_deg": 2,
    "phase_std_deg": 2, "snr_db": 2, "line_of_sight_probability": 4,
}


def same(one, other):
    assert one.shape == other.shape
    return one.tobytes() == other.tobytes()


@pytest.mark.parametrize("delay", ["adaptive", "edge-fit", "leading-edge"])
def test_numbers_of_the_command_line(uwb, cirs, tmp_path, delay):
    cirs = cirs.copy()
    cirs[3] = 0
    np.save(tmp_path / "cirs.npy", cirs[:, None])
    lines = uwb("paths", tmp_path / "cirs.npy", "--output", "csv", "--delay", delay)
    paths = uwbdsp.first_paths(cirs, delay=delay)
    rows = list(csv.DictReader(io.StringIO(lines)))
    assert len(rows) == len(paths) == 40
    for row, path in zip(rows, paths):
        assert row["status"] == uwbdsp.PathStatus(path["status"]).name
        for name, places in PLACES.items():
            assert row[name] == formatted(path[name], places), name
    assert paths["status"][3] == uwbdsp.PathStatus.emptyImpulseResponse
    assert np.all(paths["status"][:3] == uwbdsp.PathStatus.ok)


def layouts(cirs):
    """The same CIRs in other ways."""
    complexes = cirs.astype(np.float32).view(np.complex64)[..., 0]
    spaced = np.zeros((80, TAPS, 2), np.int16)
    spaced[::2] = cirs
    taps_spaced = np.zeros((40, 3 * TAPS, 2), np.int16)
    taps_spaced[:, ::3] = cirs
    yield "strided", spaced[::2]
    yield "strided taps", taps_spaced[:, ::3]
    yield "taps backwards", np.ascontiguousarray(cirs[:, ::-1])[:, ::-1]
    yield "CIRs backwards", np.ascontiguousarray(cirs[::-1])[::-1]
    yield "read-only", np.frombuffer(cirs.tobytes(), np.int16).reshape(cirs.shape)
    yield "structured", cirs.view([("re", "<i2"), ("im", "<i2")])[..., 0]
    yield "complex64", complexes
    yield "Fortran order", np.asfortranarray(complexes)
    yield "complex128", complexes.astype(np.complex128)
    yield "pairs of float32", cirs.astype(np.float32)
    yield "big-endian", cirs.astype(">i2")
    yield "planes", np.moveaxis(np.ascontiguousarray(np.moveaxis(cirs, -1, 0)), 0, -1)
    yield "not aligned", np.frombuffer(b"\0" + cirs.tobytes(), np.int16, offset=1).reshape(cirs.shape)


def test_layouts_give_the_same_bytes(cirs):
    paths = uwbdsp.first_paths(cirs)
    for name, array in layouts(cirs):
        assert same(uwbdsp.first_paths(array), paths), name


def test_nothing_is_copied(cirs):
    for name, array in layouts(cirs):
        if name not in {"complex128", "big-endian", "planes", "not aligned"}:
            assert np.shares_memory(_engine._samples(array)[0], array), name


def test_antennas(cirs):
    antennas = cirs.reshape(10, 4, TAPS, 2)
    paths = uwbdsp.first_paths(antennas)
    assert paths.shape == (10, 4)
    assert np.array_equal(paths["antenna"], np.broadcast_to(np.arange(4), (10, 4)))
    interleaved = np.ascontiguousarray(antennas.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)
    backwards = np.ascontiguousarray(antennas[:, ::-1])[:, ::-1]
    assert same(uwbdsp.first_paths(interleaved), paths)
    assert same(uwbdsp.first_paths(backwards), paths)


def test_one_cir_and_none(cirs):
    assert same(uwbdsp.first_paths(cirs[7]), uwbdsp.first_paths(cirs)[7])
    assert uwbdsp.first_paths(cirs[:0]).shape == (0,)
    assert uwbdsp.first_paths(np.empty((0, 4, TAPS), np.complex64)).shape == (0, 4)


def test_one_cir_many_times(cirs):
    many = np.broadcast_to(cirs[0], (100, TAPS, 2))
    assert same(uwbdsp.first_paths(many, threads=2), np.repeat(uwbdsp.first_paths(cirs[:1]), 100))
    level = np.broadcast_to(np.complex64(1), (2, TAPS))
    assert same(uwbdsp.first_paths(level), uwbdsp.first_paths(np.ones((2, TAPS), np.complex64)))


def test_threads_do_not_matter(cirs):
    many = np.tile(cirs, (10, 1, 1))
    with uwbdsp.Engine(profile="dw3000") as engine:
        paths = engine.first_paths(many, threads=1)
        assert same(engine.first_paths(many, threads=2), paths)
        assert same(engine.first_paths(many, threads=7), paths)


def test_an_engine_for_many_threads(cirs):
    engine = uwbdsp.Engine()
    paths = engine.first_paths(cirs)
    found = []
    workers = [threading.Thread(target=lambda: found.append(engine.first_paths(cirs, threads=1))) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 4 and all(same(each, paths) for each in found)


def test_what_is_not_finite(cirs):
    samples = cirs.astype(np.float32).view(np.complex64)[..., 0]
    for index, value in enumerate([np.nan, np.inf, 1e30, complex(0, np.nan)]):
        samples[index, 300 + index] = value
    paths = uwbdsp.first_paths(samples)
    assert np.all(paths["status"][:4] == uwbdsp.PathStatus.emptyImpulseResponse)
    assert np.all(np.isnan(paths["first_path_taps"][:4]))
    assert same(paths[4:], uwbdsp.first_paths(samples[4:]))


@pytest.mark.parametrize(
    "array",
    [
        3, None, "text", [], np.zeros(()), np.zeros((), np.complex64), np.zeros(0, np.complex64), np.zeros((3, TAPS)),
        np.zeros((3, TAPS), np.int16), np.zeros((3, TAPS, 3), np.int16), np.zeros((3, TAPS, 2), np.uint16),
        np.zeros((3, TAPS, 2), np.int32), np.zeros((3, TAPS), bool), np.zeros((3, TAPS), object),
        np.zeros((3, TAPS), "datetime64[s]"), np.zeros((3, 4, 2, TAPS), np.complex64), np.zeros((3, 0), np.complex64),
        np.zeros((3, 0, TAPS), np.complex64), np.zeros((2, 4097), np.complex64), np.zeros((1, 65, 16), np.complex64),
        np.zeros((3, TAPS), [("re", "<i2"), ("im", "<f4")]), np.zeros((3, TAPS), [("re", ">i2"), ("im", ">i2")]),
        np.zeros((3, TAPS), [("a", "<i2"), ("b", "<i2"), ("c", "<i2")]),
    ],
    ids=str,
)
def test_what_holds_no_cirs(array):
    with pytest.raises(uwbdsp.ArgumentError):
        uwbdsp.first_paths(array)


def test_more_rows_than_memory():
    with pytest.raises((MemoryError, ValueError)):
        uwbdsp.first_paths(np.broadcast_to(np.complex64(1), (1 << 50, 16)))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"profile": "dw9000"}, uwbdsp.InputError, "Did you mean “dw1000”"),
        ({"delay": "edgefit"}, uwbdsp.ArgumentError, "Did you mean “edge-fit”"),
        ({"unknown": 1}, uwbdsp.ArgumentError, "Unknown option '--unknown"),
        ({"help": True}, uwbdsp.ArgumentError, None),
        ({"calibration": "nowhere.json"}, uwbdsp.InputError, "nowhere.json"),
        ({"tap_spacing": -1}, uwbdsp.ArgumentError, "tap-spacing"),
        ({"scale": 0}, uwbdsp.ArgumentError, "scale"),
        ({"profile": "a\0b"}, uwbdsp.ArgumentError, "0"),
        ({"threads": 0}, uwbdsp.ArgumentError, "threads"),
        ({"threads": -1}, uwbdsp.ArgumentError, "threads"),
        ({"threads": 257}, uwbdsp.ArgumentError, "threads"),
        ({"threads": 1.5}, TypeError, None),
    ],
)
def test_options_that_make_no_sense(cirs, options, error, message):
    with pytest.raises(error, match=message):
        uwbdsp.first_paths(cirs, **options)


def test_options_of_arrays(cirs):
    paths = uwbdsp.first_paths(cirs)
    scaled = uwbdsp.first_paths(cirs, scale=0.5)
    assert np.allclose(scaled["amplitude"], paths["amplitude"] / 2)
    chips = uwbdsp.first_paths(cirs, delay="chip", first_path=700.25)
    assert np.all(chips["first_path_taps"] == 700.25)
    # Of the pulse's length in taps.
    assert not same(uwbdsp.first_paths(cirs, tap_spacing=0.5), paths)


def test_an_engine_is_closed_and_pickled(cirs):
    with uwbdsp.Engine(profile="dw3000", delay="edge-fit") as engine:
        copy = pickle.loads(pickle.dumps(engine))
        assert (copy.profile, copy.estimator) == ("dw3000", "edge-fit")
        assert same(copy.first_paths(cirs), engine.first_paths(cirs))
    with pytest.raises(uwbdsp.ArgumentError, match="closed"):
        engine.first_paths(cirs)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c(cirs, threads):
    # Minutes of work.
    endless = np.broadcast_to(cirs[0], (2_000_000, TAPS, 2))
    # What runs in the background of a shell ignores it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            uwbdsp.first_paths(endless, threads=threads)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_is_no_exchange_or_no_complex_array_is_told_the_remedy():
    engine = uwbdsp.Engine()
    # An engine and a tracker have handles, too, which the library would take for an exchange's.
    for other in [np.zeros((2, 64), np.complex64), engine, uwbdsp.Tracker(), None]:
        with pytest.raises(uwbdsp.ArgumentError, match="first_paths"):
            engine.measure(other)
    with pytest.raises(uwbdsp.ArgumentError, match="real \\+ 1j.*float32.*Magnitudes"):
        uwbdsp.first_paths(np.ones((2, 64)))
    with pytest.raises(uwbdsp.ArgumentError, match="not <U8.$"):
        uwbdsp.first_paths("cirs.npy")


def test_taps_on_another_axis_are_a_warning(cirs):
    complexes = cirs.astype(np.float32).view(np.complex64)[..., 0]
    with pytest.warns(uwbdsp.UwbWarning, match="moveaxis"):
        uwbdsp.first_paths(complexes[:4].T)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        uwbdsp.first_paths(complexes[:4])
        uwbdsp.first_paths(np.zeros((40, TAPS), np.complex64))
