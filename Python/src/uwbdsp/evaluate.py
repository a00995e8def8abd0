"""Estimators of your own on the trials of `uwb evaluate delay`, beside its estimators."""

from __future__ import annotations

import time
from typing import Any, Callable, Sequence

import numpy as np

from . import _library
from ._engine import Engine
from ._library import ArgumentError, byref, c_double, c_size_t, c_void_p, library
from ._names import ESTIMATORS

__all__ = ["Estimator", "SCORE", "delay"]

#: The figures of one case, as `uwb evaluate delay --output ndjson` has them. Absent numbers are NaN.
SCORE = np.dtype(
    [("case", "U80"), ("snr_db", float)] + _library.Score._fields_ + [("microseconds", float)])

_TRIAL = np.dtype(_library.Trial)
_BLOCK = 256

#: Takes complex64 CIRs of the shape (CIRs, taps). Returns their first paths, taps (NaN where it finds none): where the first path's
#: pulse has its peak. Or returns them and their standard deviations, taps (NaN where it states none).
Estimator = Callable[[np.ndarray], Any]


def delay(
    estimator: Estimator | str, *, paths: str | Sequence[str] = (), snr: float | Sequence[float] = (15, 20, 25, 30), **options: Any
) -> np.ndarray:
    """Scores an estimator of first paths on simulated channels with known truth.

    estimator: a function, or the name of one of the engine's own (`ESTIMATORS`).
    paths: lists of paths, each a case: "delay:power[@phase],…" in taps, dB, degrees, as in "0:0dB,2:-3dB".
    snr: signal-to-noise ratios, dB; each case is tried with each of them.
    options: `channel="awgn,cm1"`, `cluster`, `noise="matched"`, `trials=2000`, `seed=1`, as for `uwb evaluate delay`, whose estimators see
        the same CIRs.

    Returns a structured array of the type `SCORE`, one row for each case and ratio: errors in m, the Cramér–Rao bound and the ratio to it,
    counts of misses (off by more than 4 taps, or none found) and of early answers (by more than 0.75 taps).
    """
    lists = [paths] if isinstance(paths, str) else list(paths)
    ratios = ",".join(str(ratio) for ratio in np.atleast_1d(snr).tolist())
    arguments = [f"--paths={each}" for each in lists] + _library.arguments({"snr": ratios, **options})
    trials = _library.create(library.uwb_trials_create, library.uwb_trials_destroy, *_library.texts(arguments))
    find = _named(estimator) if isinstance(estimator, str) else estimator
    rows = []
    ratio = c_double()
    while (name := library.uwb_trials_case(trials, len(rows), byref(ratio))) is not None:
        score, seconds = _score(find, trials, len(rows))
        count = max(1, score.trials)
        figures = [getattr(score, field) for field, _ in score._fields_]
        rows.append((name.decode(), ratio.value, *figures, 1e6 * seconds / count))
    return np.array(rows, SCORE)


def _named(name: str) -> Estimator:
    if name not in ESTIMATORS:
        raise ArgumentError(
            f"No estimator has the name {name!r}. Give one of {', '.join(ESTIMATORS)}; or a function, without quotation marks.")
    engine = Engine(profile="ideal", delay=name)

    def find(cirs: np.ndarray) -> tuple:
        found = engine.first_paths(cirs, threads=1)
        return found["first_path_taps"], found["first_path_std_taps"]

    return find


def _score(find: Estimator, trials: _library.Handle, case: int) -> tuple:
    """The figures of a case, and the estimator's time, s."""
    count, taps = c_size_t(), c_size_t()
    library.uwb_trials_shape(trials, byref(count), byref(taps))
    truth = np.empty(count.value, _TRIAL)
    answers = np.empty((2, count.value))
    seconds = 0.0
    for first in range(0, count.value, _BLOCK):
        part = slice(first, min(first + _BLOCK, count.value))
        cirs = np.empty((part.stop - first, taps.value), np.complex64)
        message = c_void_p()
        status = library.uwb_trials_draw(
            trials, case, first, len(cirs), cirs.ctypes.data, truth[part].ctypes.data, byref(message))
        _library.check(status, message)
        start = time.perf_counter()
        answer = find(cirs)
        seconds += time.perf_counter() - start
        answers[:, part] = _checked(answer, len(cirs))
    score = _library.Score()
    _library.check(
        library.uwb_score_delays(
            truth.ctypes.data, answers[0].ctypes.data, answers[1].ctypes.data, count.value, byref(score)))
    return score, seconds


def _checked(answer: Any, count: int) -> np.ndarray:
    """First paths and deviations, as rows."""
    delays, deviations = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, np.nan)
    delays = np.asarray(delays, float)
    deviations = np.asarray(deviations, float)
    if delays.shape != (count,) or deviations.shape not in [(), (count,)]:
        raise ArgumentError(
            f"The estimator gave first paths of the shape {delays.shape} and deviations of the shape {deviations.shape} for {count} CIRs. Return one number for each CIR, "
            "or a tuple of two such arrays: first paths and their standard deviations.")
    return np.stack([delays, np.broadcast_to(deviations, count)])
