"""First paths, and measurements of single exchanges."""

from __future__ import annotations

import operator
import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _library, _optional, _plots
from ._library import ArgumentError, byref, c_void_p, library
from ._names import PathStatus
from ._table import Table

if TYPE_CHECKING:
    from ._capture import Exchange

#: A row of first paths: one antenna of one CIR. Absent numbers are NaN; `status` is a `PathStatus`.
PATH = np.dtype(_library.Path)
#: A row of a replay: one event. Absent numbers are NaN, absent codes −1.
UPDATE = np.dtype(_library.Update)

# So few CIRs are done before a thread of their own is worth its start.
_FEW = 64
# An axis of fewer taps is likely one of antennas or CIRs.
_SHORT = 16
# CIRs from one step of a progress bar to the next.
_SHOWN = 1024


def default_threads() -> int:
    """One for each core that this process may use."""
    return min(len(os.sched_getaffinity(0)), 256)


def _samples(cirs: Any) -> tuple:
    """The array whose memory holds the samples, its format, and the axes and strides (bytes) of CIRs, antennas and taps."""
    array = np.asarray(cirs)
    kind = array.dtype
    if kind.names is not None:
        if [kind[name].str for name in kind.names] != ["<i2", "<i2"] or [kind.fields[name][1] for name in kind.names] != [0, 2]:
            raise ArgumentError(f"Samples of the type {kind} are no pairs of 16-bit integers.")
        if any(place % 2 for place in (array.ctypes.data, *array.strides)):
            array = array.copy()
        return array, _library.INT16, array.shape, array.strides
    if kind.kind == "c":
        if kind != np.complex64 or not array.flags.aligned:
            with np.errstate(over="ignore"):
                array = array.astype(np.complex64)
        return array, _library.FLOAT32, array.shape, array.strides
    if kind.kind == "i" and kind.itemsize == 2 or kind.kind == "f" and kind.itemsize == 4:
        if array.ndim < 2 or array.shape[-1] != 2:
            raise ArgumentError(
                f"An array of the type {kind} and the shape {array.shape} holds no complex samples: its last axis has to be of length 2, "
                "real and imaginary part.")
        native = np.int16 if kind.kind == "i" else np.float32
        if kind != native or not array.flags.aligned or array.strides[-1] != kind.itemsize:
            array = np.array(array, dtype=native, order="C")
        return array, _library.INT16 if kind.kind == "i" else _library.FLOAT32, array.shape[:-1], array.strides[:-1]
    message = f"CIRs are complex numbers or pairs of 16-bit integers, not {kind}."
    if kind.kind in "iuf":
        message += (
            " Join two arrays as real + 1j * imaginary; convert pairs on a last axis of length 2 by .astype(\"float32\"). "
            "Magnitudes alone do not suffice: first paths need the phases of the taps.")
    raise ArgumentError(message)


def _block(cirs: Any) -> tuple:
    """The array whose memory holds the samples, the shape of the CIRs, and both for the library."""
    array, kind, shape, strides = _samples(cirs)
    if not 1 <= len(shape) <= 3:
        raise ArgumentError(f"CIRs have the axes CIRs × antennas × taps, CIRs × taps, or taps, not {len(shape)} axes.")
    count = shape[0] if len(shape) > 1 else 1
    antennas = shape[1] if len(shape) > 2 else 1
    return array, shape, _library.Cirs(
        array.ctypes.data, count, antennas, shape[-1], strides[0] if len(shape) > 1 else 0, strides[1] if len(shape) > 2 else 0,
        strides[-1], kind, 0, 0, float("nan"))


class Paths(Table):
    """First paths: a structured array of the type `PATH`."""

    def _words(self, field: str) -> list | None:
        return list(PathStatus.__members__) if field == "status" else None

    def plot(self, axes: Any = None) -> Any:
        """Draws first paths (taps) with their standard deviations over the number of the CIR, one colour an antenna.

        axes: of Matplotlib; a new figure's by default. Returns them. Raises `ImportError` without Matplotlib.
        """
        return _plots.paths(self, axes)


class Engine:
    """Finds first paths and measures exchanges, with a radio's profile and the options of the command line.

    Options are spelt with underscores: `profile="dw3000"`, `delay="edge-fit"`, `calibration="cal.json"`, `array="array.json"`,
    `tap_spacing=1.0`; `uwb replay --help` lists them. Any number of threads may use an engine at once. It can be pickled, and is made
    anew from its options then. `with Engine(…) as engine` gives its memory back at the end of the block.

    Raises `UwbError` for options that make no sense, or files that can't be read.
    """

    def __init__(self, **options: Any):
        self._options = options
        values, count = _library.texts(_library.arguments(options))
        self._use(_library.create(library.uwb_engine_create, library.uwb_engine_destroy, values, count))

    @classmethod
    def _made(cls, handle: _library.Handle) -> Engine:
        engine = cls.__new__(cls)
        engine._options = None
        engine._use(handle)
        return engine

    def _use(self, handle: _library.Handle) -> None:
        self._handle: _library.Handle | None = handle
        self._profile = library.uwb_engine_profile(handle).decode()
        self._estimator = library.uwb_engine_estimator(handle).decode()

    @property
    def profile(self) -> str:
        """The radio, as `--profile` names it."""
        return self._profile

    @property
    def estimator(self) -> str:
        """The delay estimator, as `--delay` names it."""
        return self._estimator

    def learn(self, cirs: Any) -> Engine:
        """An engine with the pulse that these CIRs show, if this one's is plainly wrong; else this engine.

        cirs: as for `first_paths`, of one radio at many places. The first 400 that tell something count; fewer than 48 tell nothing.

        `pulse`, `calibration` and `delay="chip"` keep this engine's pulse (`pulse="profile"` does nothing else). An `UwbWarning` says which
        pulse is wrong, and by how much. Engines that have learned can't be pickled.
        """
        return self._learned(cirs, 3)

    def _learned(self, cirs: Any, stacklevel: int) -> Engine:
        # What holds the samples has to live through the call.
        array, _, block = _block(cirs)
        pointer, told, message = c_void_p(), c_void_p(), c_void_p()
        status = library.uwb_engine_learn(self._open(), byref(block), byref(pointer), byref(told), byref(message))
        del array
        _library.check(status, message)
        if text := _library.take(told.value):
            warnings.warn(text[0].upper() + text[1:], _library.UwbWarning, stacklevel=stacklevel)
        return self if status == _library.END else Engine._made(_library.Handle(pointer, library.uwb_engine_destroy))

    def first_paths(self, cirs: Any, *, threads: int | None = None, progress: bool = False) -> Paths:
        """The first path on every antenna of every CIR.

        cirs: shape (taps), (CIRs, taps) or (CIRs, antennas, taps). The type is complex64, or 16-bit integers with a last axis of real and
            imaginary part. Any strides are read where they lie. Other complex types and byte orders are converted in a copy.
        threads: 1 to 256; by default one for each core. The result does not depend on it.
        progress: shows a bar by tqdm. Raises `ImportError` without it.

        Returns a structured array (`Paths`) of the type `PATH` and the shape of `cirs` without its taps: `first_path_taps` and its standard
        deviation (taps, m), amplitude, phase (degrees), SNR (dB), noise, probability of line of sight (0 to 1). What can't be told is NaN;
        `status` says why. CIRs that are zero or not finite are `PathStatus.emptyImpulseResponse`.
        """
        handle = self._open()
        array, shape, block = _block(cirs)
        if progress and len(shape) > 1 and shape[0] > _SHOWN:
            firsts = _optional.bar(range(0, shape[0], _SHOWN), unit="CIRs", unit_scale=_SHOWN)
            parts = [self.first_paths(array[first : first + _SHOWN], threads=threads) for first in firsts]
            return np.concatenate(parts).view(Paths)
        paths = np.empty(shape[:-1], PATH).view(Paths)
        if threads is None:
            threads = default_threads()
        threads = operator.index(threads)
        if threads < 0:
            raise ArgumentError(f"{threads} threads: give a number from 1 … 256.")
        message = c_void_p()

        def call(stop: Any) -> int:
            return library.uwb_first_paths(
                handle, byref(block), threads, stop, paths.ctypes.data, paths.size, byref(message))

        status = call(None) if block.count <= _FEW else _library.stoppable(call)
        _library.check(status, message)
        if shape[-1] < _SHORT <= max(shape) and 2 * np.count_nonzero(paths["status"]) > paths.size:
            warnings.warn(
                f"Most of these CIRs have no first path, and each has only {shape[-1]} taps. Taps are the last axis of the shape {shape}: "
                "np.moveaxis(cirs, axis, -1) puts another there.", _library.UwbWarning, stacklevel=2)
        return paths

    def measure(self, exchange: Exchange) -> np.void:
        """Distance and direction of one exchange alone: a row of the type `UPDATE`. No clock is followed, nothing is smoothed."""
        from ._capture import Exchange  # That module needs this one.

        # The library can't tell what a handle is of.
        if not isinstance(exchange, Exchange):
            raise ArgumentError(
                f"An exchange of a capture is measured (`uwbdsp.read`), not {type(exchange).__name__}: "
                "for arrays of CIRs, call `first_paths`.")
        update = _library.Update()
        _library.check(library.uwb_engine_measure(self._open(), exchange._handle, byref(update)))
        return np.frombuffer(update, UPDATE)[0]

    def _open(self) -> _library.Handle:
        if self._handle is None:
            raise ArgumentError("The engine is closed.")
        return self._handle

    def close(self) -> None:
        """Gives the memory back, once no thread uses it."""
        self._handle = None

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __reduce__(self) -> tuple:
        if self._options is None:
            raise TypeError("An engine that learned from CIRs or is a capture's can't be pickled: make one from options.")
        return _remade, (self._options,)

    def __repr__(self) -> str:
        return f"Engine(profile={self._profile!r}, delay={self._estimator!r})"


def _remade(options: dict) -> Engine:
    return Engine(**options)


def first_paths(
    cirs: Any, *, profile: str | None = None, threads: int | None = None, progress: bool = False, **options: Any
) -> Paths:
    """The first path on every antenna of every CIR, by the pulse that the CIRs show if the profile's is plainly wrong:
    `Engine(profile=profile, **options).learn(cirs).first_paths(cirs)`.

    Who calls it often with few CIRs makes the engine once.
    """
    engine = Engine(profile=profile, **options)._learned(cirs, 3)
    return engine.first_paths(cirs, threads=threads, progress=progress)


class Tracker:
    """Smooths the distances to one peer, and says which of them are outliers. One thread at a time."""

    def __init__(self) -> None:
        pointer = c_void_p()
        _library.check(library.uwb_tracker_create(byref(pointer)))
        self._handle = _library.Handle(pointer, library.uwb_tracker_destroy)

    def update(
        self, time_s: float, distance_m: float, distance_std_m: float, line_of_sight_probability: float | None = None
    ) -> np.void:
        """Takes the next distance (m), its standard deviation (m) and what a classifier says of line of sight (0 to 1).

        Times (s) must not decrease. Returns a row with `distance_m`, `distance_std_m`, `line_of_sight_probability`, `is_outlier`.
        """
        delivered, message = _library.Delivered(), c_void_p()
        probability = float("nan") if line_of_sight_probability is None else line_of_sight_probability
        status = library.uwb_tracker_update(
            self._handle, time_s, distance_m, distance_std_m, probability, byref(delivered), byref(message))
        _library.check(status, message)
        return np.frombuffer(delivered, _DELIVERED)[0]


_DELIVERED = np.dtype(_library.Delivered)
