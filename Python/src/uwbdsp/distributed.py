"""Captures and CIRs spread over the workers of a Dask cluster. The extra `distributed` of the package brings what this needs.

    from dask.distributed import Client
    import uwbdsp.distributed

    client = Client("scheduler:8786")
    updates = uwbdsp.distributed.replay(["s3://walks/*.log"], client=client, calibration="/shared/cal.json")
"""

from __future__ import annotations

import contextlib
import functools
import glob
import os
import tempfile
import warnings
from collections import Counter
from typing import Any, Iterator, Sequence

import dask
import dask.distributed
import fsspec
import numpy as np

from . import _optional
from ._capture import Updates, replayed
from ._engine import PATH, UPDATE, Engine
from ._library import ArgumentError, InputError, UwbWarning
from ._names import capture_names

# More CIRs than a pulse is learned from.
_LEARNED = 1000


def replay(
    paths: str | os.PathLike | Sequence[str | os.PathLike], *, client: dask.distributed.Client | None = None, progress: bool = False,
    **options: Any,
) -> Updates:
    """Replays captures, one task a file. The result is that of `uwbdsp.replay`, byte for byte.

    paths: files that all workers see, URLs of any file system of fsspec ("s3://…"), and patterns of both ("*.log"). A worker fetches the
        file that a URL names into a temporary folder, and those beside it that differ in the ending alone.
    client: of the cluster; by default the one that was made last.
    progress: shows a bar by tqdm.
    options: as for `uwbdsp.replay`. Workers read the files that they name. `threads` counts those of one task: 1 by default.

    A worker that dies costs its tasks' time alone: others repeat them. Raises `UwbError` for the first capture that can't be read, and
    `ValueError` where there is no client.
    """
    files = _files([paths] if isinstance(paths, (str, os.PathLike)) else list(paths))
    if options.get("report") is not None or options.get("pose") is not None and len(files) > 1:
        raise ArgumentError("Tasks have one capture each: give `report`, and `pose` for several captures, to uwbdsp.replay.")
    client = client or dask.distributed.default_client()
    futures = client.map(_replay, files, options={"threads": 1, **options}, pure=False)
    try:
        if progress:
            for future in _optional.bar(dask.distributed.as_completed(futures), total=len(files), unit="captures"):
                if future.status == "error":
                    break
        parts = client.gather(futures)
    except BaseException:
        client.cancel(futures)
        raise
    return _merged(files, parts)


def first_paths(cirs: Any, **options: Any) -> Any:
    """The first paths of a Dask array of CIRs, block by block: what `uwbdsp.first_paths` finds. All blocks learn a pulse from the first CIRs.

    cirs: of a shape and a type that `uwbdsp.first_paths` takes, but for a single CIR. It is divided along its first axis alone.
    options: as for `uwbdsp.first_paths`. `threads` counts those of one block: 1 by default.

    Returns a Dask array of the type `PATH` and the shape of `cirs` without its taps. Nothing runs before `compute()`.
    """
    # The last axis of pairs is that of real and imaginary part.
    axes = cirs.ndim - (1 if cirs.dtype.kind == "c" or cirs.dtype.names else 2)
    if axes not in (1, 2):
        raise ArgumentError(f"CIRs have the axes CIRs × antennas × taps, or CIRs × taps: not the shape {cirs.shape} of {cirs.dtype}.")
    whole = cirs.rechunk({axis: -1 for axis in range(1, cirs.ndim)})
    head = dask.delayed(_Head)(whole[:_LEARNED], whole.name)
    return whole.map_blocks(
        _first_paths, {"threads": 1, **options}, head=head, dtype=PATH, drop_axis=list(range(axes, cirs.ndim)),
        meta=np.empty((0,) * axes, PATH))


def _files(paths: list) -> list:
    """All files, patterns resolved."""
    files = []
    for path in map(os.fspath, paths):
        if glob.has_magic(path) and not os.path.exists(path):
            system, pattern = fsspec.core.url_to_fs(path)
            found = sorted(system.glob(pattern))
            if not found:
                raise InputError(f"{path}: no file fits the pattern.")
            files += [system.unstrip_protocol(each) for each in found] if "://" in path else found
        elif os.path.isdir(path):
            raise ArgumentError(f"{path} is a folder: name its captures, as in “{os.path.join(path, '*.log')}”.")
        else:
            files.append(path)
    if not files:
        raise ArgumentError("Name at least one capture.")
    return files


@contextlib.contextmanager
def _local(path: str) -> Iterator[str]:
    """A path at which the file can be read here."""
    if "://" not in path:
        yield path
        return
    system, remote = fsspec.core.url_to_fs(path)
    if not system.exists(remote):
        raise InputError(f"{path}: there is no such file.")
    with tempfile.TemporaryDirectory(prefix="uwbdsp-") as folder:
        # A recording's samples, or a description of the capture.
        beside = system.glob(glob.escape(os.path.splitext(remote)[0]) + ".*")
        for each in {remote, *beside}:
            system.get_file(each, os.path.join(folder, os.path.basename(each)))
        yield os.path.join(folder, os.path.basename(remote))


def _replay(path: str, options: dict) -> tuple:
    """Runs on a worker: updates, their summary, and warnings."""
    with _local(path) as local:
        try:
            updates, messages = replayed([local], options)
        except InputError as error:
            raise InputError(str(error).replace(local, path)) from None
    return np.array(updates, UPDATE), updates.summary, [message.replace(local, path) for message in messages]


def _merged(files: list, parts: list) -> Updates:
    """One replay of all captures."""
    for _, _, messages in parts:
        for message in messages:
            warnings.warn(message, UwbWarning, stacklevel=3)
    for number, (rows, _, _) in enumerate(parts):
        rows["capture"] = number
    updates = np.concatenate([rows for rows, _, _ in parts]).view(Updates)
    updates.captures = capture_names(files)
    updates.summary = functools.reduce(_sum, (summary for _, summary, _ in parts))
    # Of the table's numbers: those of the parts' summaries are rounded.
    updates.summary["seconds"] = round(sum(_seconds(rows) for rows, _, _ in parts), 3)
    return updates


def _seconds(rows: np.ndarray) -> float:
    """From the first exchange to the last."""
    times = rows["time_s"][rows["exchange"] >= 0]
    return float(times[-1] - times[0]) if len(times) else 0.0


def _sum(one: dict, other: dict) -> dict:
    """Counts of two summaries together."""
    def added(name: str) -> Any:
        if isinstance(one[name], dict):
            return dict(sorted((Counter(one[name]) + Counter(other[name])).items()))
        return one[name] if isinstance(one[name], str) else one[name] + other[name]
    return {name: added(name) for name in one}


class _Head:
    """The first CIRs of an array, of which a worker knows by the array's name whether it has learned from them."""

    def __init__(self, cirs: np.ndarray, name: str):
        self.cirs, self.name = cirs, name

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Head) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


def _first_paths(block: np.ndarray, options: dict, head: _Head) -> np.ndarray:
    """Runs on a worker."""
    threads = options["threads"]
    engine = _engine(tuple(sorted((name, value) for name, value in options.items() if name != "threads")), head)
    return np.asarray(engine.first_paths(block, threads=threads))


@functools.lru_cache(maxsize=4)
def _engine(options: tuple, head: _Head) -> Engine:
    """Made once in a process: that takes as long as many CIRs."""
    return Engine(**dict(options)).learn(head.cirs)
