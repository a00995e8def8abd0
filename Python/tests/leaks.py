"""Calls the library a million times; memory must not grow. Run by `scripts/test-python --leaks`."""

import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np

import uwbdsp


def resident():
    """Memory of this process, MB."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6


def fails(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except uwbdsp.UwbError:
        return
    sys.exit("leaks: a call that makes no sense went well")


def main():
    folder = tempfile.TemporaryDirectory()
    walk = f"{folder.name}/walk"
    subprocess.run([os.environ["UWB_PROGRAM"], "simulate", "walk", "--out", walk], check=True, capture_output=True)
    engine = uwbdsp.Engine(delay="leading-edge")
    cir = (30 * np.random.default_rng(1).normal(size=(64, 2))).astype(np.int16)
    cir[30] = 4000
    draws = np.random.default_rng(2)
    delays = 150 + draws.exponential(15, (60, 30))
    amplitudes = draws.rayleigh(100, (60, 30)) * np.exp(2j * np.pi * draws.uniform(size=(60, 30)))
    rooms = np.einsum("ij,ijk->ik", amplitudes, np.exp(-((np.arange(400) - delays[..., None]) ** 2))) + draws.normal(size=(60, 400))
    rooms = rooms.astype(np.complex64)
    warnings.simplefilter("ignore", uwbdsp.UwbWarning)
    teachable = uwbdsp.Engine(profile="ideal")
    assert teachable.learn(rooms) is not teachable
    tracker = uwbdsp.Tracker()
    paths = engine.first_paths(cir[None])
    kinds = {
        "first paths": (900_000, lambda: engine.first_paths(cir)),
        "on two threads": (5_000, lambda: engine.first_paths(np.broadcast_to(cir, (80, 64, 2)), threads=2)),
        "tracker": (50_000, lambda: tracker.update(0, 5, 0.1)),
        "Arrow": (10_000, lambda: (paths.__arrow_c_array__(), paths.__arrow_c_stream__())),
        "engines": (2_000, lambda: uwbdsp.Engine(profile="dw3000").first_paths(cir)),
        "learning": (300, lambda: teachable.learn(rooms)),
        "wrong options": (10_000, lambda: fails(uwbdsp.Engine, profile="dw9000")),
        "wrong arrays": (30_000, lambda: fails(engine.first_paths, np.zeros((1, 65, 16), np.complex64))),
        "captures": (100, lambda: [exchange.poll.cirs[0].samples for exchange in uwbdsp.read(f"{walk}.sigmf-meta")]),
        "replays": (20, lambda: uwbdsp.replay(f"{walk}.sigmf-meta", delay="leading-edge", threads=2)),
        "missing captures": (3_000, lambda: fails(uwbdsp.read, "nowhere.log")),
    }
    assert sum(count for count, _ in kinds.values()) >= 1_000_000
    status = 0
    for name, (count, call) in kinds.items():
        # What is allocated once is there after a tenth.
        for _ in range(count // 10):
            call()
        before = resident()
        for _ in range(count - count // 10):
            call()
        grown = resident() - before
        # A single leaked object in each call would be 16 bytes of it; a replay's or capture's would be far more.
        limit = max(3, 16e-6 * count)
        print(f"{name:18} {count:8} calls  {before:7.1f} MB, grown by {grown:5.2f} MB")
        status |= grown > limit
    sys.exit(status)


if __name__ == "__main__":
    main()
