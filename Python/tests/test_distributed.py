"""Replays and first paths on a Dask cluster: the bytes of one process, whatever happens to workers."""

import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time

import dask.array
import dask.distributed
import fsspec
import numpy as np
import pytest

import uwbdsp
import uwbdsp.distributed

EXAMPLES = pathlib.Path(__file__).parents[2] / "Examples"


@pytest.fixture(scope="module")
def client():
    with dask.distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        with dask.distributed.Client(cluster) as client:
            yield client


@pytest.fixture(scope="module")
def walks(walk, tmp_path_factory):
    """Eight captures."""
    folder = tmp_path_factory.mktemp("walks")
    for number in range(8):
        (folder / f"{number % 4}").mkdir(exist_ok=True)
        for ending in ("meta", "data"):
            shutil.copy(walk.with_suffix(f".sigmf-{ending}"), folder / f"{number % 4}/walk{number // 4}.sigmf-{ending}")
    return folder


def same(one, other):
    return (
        one.tobytes() == other.tobytes() and one.captures == other.captures and one.summary == other.summary
        and type(one) is type(other) is uwbdsp.Updates)


def test_replay(client, walks, capsys):
    files = sorted(walks.glob("*/*.sigmf-meta"))
    files.append(files[0])
    whole = uwbdsp.replay(files, delay="edge-fit")
    assert same(uwbdsp.distributed.replay(files, client=client, delay="edge-fit"), whole)
    parts = uwbdsp.distributed.replay([f"{walks}/*/*.sigmf-meta", files[0]], delay="edge-fit", progress=True)
    assert same(parts, whole) and "captures" in capsys.readouterr().err


def test_killed_workers(client, walks):
    """Two workers die while they work."""
    files = 6 * sorted(walks.glob("*/*.sigmf-meta"))
    whole = uwbdsp.replay(files)
    killed = []

    def kill():
        while len(killed) < 2:
            busy = [address for address, tasks in client.processing().items() if tasks]
            processes = client.run(os.getpid, workers=busy[:1]) if busy else {}
            for process in processes.values():
                if process not in killed:
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)
            time.sleep(0.2)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    assert same(uwbdsp.distributed.replay(files, client=client), whole)
    killer.join(timeout=1)
    assert len(killed) == 2


def test_remote_files(walks):
    """Recordings of two files each, in a file system of fsspec."""
    memory = fsspec.filesystem("memory")
    for file in walks.glob("*/*"):
        memory.pipe(f"/walks/{file.relative_to(walks)}", file.read_bytes())
    whole = uwbdsp.replay(sorted(walks.glob("*/walk1.sigmf-meta")), delay="leading-edge")
    with dask.distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=":0") as client:
        parts = uwbdsp.distributed.replay("memory://walks/*/walk1.sigmf-meta", client=client, delay="leading-edge")
        assert same(parts, whole)
        memory.pipe("/walks/noise.log", bytes(range(256)) * 40)
        for name in ("noise.log", "nowhere.log"):
            with pytest.raises(uwbdsp.InputError, match=f"memory://walks/{name}"):
                uwbdsp.distributed.replay(f"memory://walks/{name}", client=client)


def test_what_makes_no_sense(client, walks, tmp_path):
    files = sorted(walks.glob("*/*.sigmf-meta"))
    for paths, options in [
        ([], {}), (walks, {}), (files, {"pose": "pose.csv"}), (files[:1], {"report": "a.html"}), (files, {"delay": "leadingedge"}),
        (files, {"shard": "1/2"}),
    ]:
        with pytest.raises(uwbdsp.ArgumentError):
            uwbdsp.distributed.replay(paths, client=client, **options)
    for path in (tmp_path / "nowhere.log", tmp_path / "*.log"):
        with pytest.raises(uwbdsp.InputError, match="log"):
            uwbdsp.distributed.replay([*files, path], client=client)


def test_warnings(client, tmp_path, cirs):
    np.save(tmp_path / "cirs.npy", cirs[:5, None])
    with pytest.warns(uwbdsp.UwbWarning, match="uwb paths"):
        uwbdsp.distributed.replay(tmp_path / "cirs.npy", client=client)


def test_first_paths(client, cirs):
    paths = uwbdsp.first_paths(cirs, delay="edge-fit")
    pairs = dask.array.from_array(cirs, chunks=(13, 500, 1))
    found = uwbdsp.distributed.first_paths(pairs, delay="edge-fit")
    assert found.dtype == uwbdsp.PATH and found.shape == (40,) and found.compute().tobytes() == paths.tobytes()
    antennas = cirs.astype(np.float32).view(np.complex64)[..., 0].reshape(10, 4, -1)
    blocks = dask.array.from_array(antennas, chunks=(3, 2, -1))
    assert uwbdsp.distributed.first_paths(blocks, delay="edge-fit").compute().tobytes() == uwbdsp.first_paths(antennas, delay="edge-fit").tobytes()
    for array in (pairs[0], pairs[..., 0], dask.array.zeros((3, 2, 4, 16), dtype=np.complex64)):
        with pytest.raises(uwbdsp.ArgumentError):
            uwbdsp.distributed.first_paths(array).compute()


def test_first_paths_of_a_learned_pulse(client):
    draws = np.random.default_rng(4)
    delays = np.concatenate([np.zeros((120, 1)), draws.exponential(15, (120, 40))], axis=1) + draws.uniform(300, 700, (120, 1))
    amplitudes = draws.rayleigh(0.12, (120, 41)) * np.exp(2j * np.pi * draws.uniform(size=(120, 41)))
    amplitudes[:, 0] = 1
    pulses = np.exp(-((np.arange(1016) - delays[..., None]) ** 2) / 2.4)
    cirs = (2000 * np.einsum("ij,ijk->ik", amplitudes, pulses) + 20 * draws.normal(size=(120, 1016))).astype(np.complex64)
    with pytest.warns(uwbdsp.UwbWarning):
        paths = uwbdsp.first_paths(cirs)
    blocks = dask.array.from_array(cirs, chunks=(17, -1))
    assert uwbdsp.distributed.first_paths(blocks).compute().tobytes() == paths.tobytes()


def test_slurm_example(uwb, walks, tmp_path):
    """Three jobs of an array, and the one that joins them."""
    captures = sorted(map(str, walks.glob("*/walk0.sigmf-meta")))
    folder = pathlib.Path(os.environ["UWB_PROGRAM"]).parent
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_CPUS_PER_TASK": "1"}
    for job in (2, 3, 1):
        subprocess.run(
            [EXAMPLES / "Slurm/measure.sbatch", *captures], cwd=tmp_path, env={**environment, "SLURM_ARRAY_TASK_ID": str(job)}, check=True)
    subprocess.run([EXAMPLES / "Slurm/merge.sbatch"], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "updates.csv").read_text() == uwb("replay", *captures, "--output", "csv")
