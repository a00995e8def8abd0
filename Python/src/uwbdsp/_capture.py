"""Captures: exchange by exchange, and replayed into updates."""

from __future__ import annotations

import ctypes
import json
import os
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from . import _library, _optional, _plots
from ._engine import UPDATE, Engine
from ._library import byref, c_int64, c_size_t, c_void_p, library
from ._names import ESTIMATORS, DirectionStatus, Event, UpdateStatus, address
from ._table import Table


def _view(pointer: int, size: int, owner: Any) -> np.ndarray:
    """The library's memory as read-only bytes; the array keeps `owner` alive."""
    memory = (ctypes.c_char * size).from_address(pointer)
    memory.owner = owner
    array = np.frombuffer(memory, np.uint8)
    array.flags.writeable = False
    return array


def _none(value: float) -> float | None:
    return None if value != value else value


@dataclass(frozen=True)
class CIR:
    """A channel impulse response as the receiver accumulated it.

    samples: as the capture holds them, read-only, not copied: complex64 of the shape (antennas, taps), or int16 of the shape
        (antennas, taps, 2), real and imaginary part.
    scale: what a sample is multiplied by.
    tap_spacing_s: time from tap to tap, s.
    chip_first_path_taps: the chip's own first path, taps.
    """

    samples: np.ndarray
    scale: float
    tap_spacing_s: float
    chip_first_path_taps: float | None

    def scaled(self) -> np.ndarray:
        """The samples times `scale`: a new complex64 array of the shape (antennas, taps)."""
        samples = self.samples
        if samples.dtype == np.int16:
            samples = samples.astype(np.float32).view(np.complex64)[..., 0]
        return samples * np.float32(self.scale)


class Message:
    """A frame of an exchange: when it left, and what its receiver reports. What is unknown is None.

    transmitted_ticks, received_ticks: 15.65 ps each, on the sender's and on the receiver's clock, modulo 2⁴⁰.
    received_power_dbm, first_path_power_dbm: dBm. carrier_offset_ppm: parts per million. chip_first_path_taps: taps.
    """

    def __init__(self, exchange: _library.Handle, number: int, values: _library.MessageValues):
        self._exchange, self._number, self._count = exchange, number, values.cirs
        self.transmitted_ticks = values.transmitted_ticks if values.transmitted_ticks >= 0 else None
        self.received_ticks = values.received_ticks if values.received_ticks >= 0 else None
        self.preamble_count = values.preamble_count if values.preamble_count >= 0 else None
        self.chip_first_path_taps = _none(values.chip_first_path_taps)
        self.received_power_dbm = _none(values.received_power_dbm)
        self.first_path_power_dbm = _none(values.first_path_power_dbm)
        self.carrier_offset_ppm = _none(values.carrier_offset_ppm)

    @property
    def cirs(self) -> list[CIR]:
        """Of the preamble, then of each segment of the scrambled timestamp sequence; empty where none was kept."""
        return [self._cir(index) for index in range(self._count)]

    def _cir(self, index: int) -> CIR:
        cir = _library.Cirs()
        _library.check(library.uwb_exchange_cir(self._exchange, self._number, index, byref(cir)))
        part = 2 if cir.format == _library.INT16 else 4
        size = (cir.antennas - 1) * cir.antenna_stride + (cir.taps - 1) * cir.tap_stride + 2 * part
        memory = _view(cir.samples, size, self._exchange)
        shape, strides = (cir.antennas, cir.taps), (cir.antenna_stride, cir.tap_stride)
        if part == 2:
            samples = np.ndarray((*shape, 2), np.int16, memory, strides=(*strides, part))
        else:
            samples = np.ndarray(shape, np.complex64, memory, strides=strides)
        return CIR(samples, cir.scale, cir.tap_spacing_s, _none(cir.chip_first_path_taps))


class Exchange:
    """One ranging exchange of a capture. It stays whole when the capture is read on.

    index: in its capture, from 0. time_s: since the first exchange, s. peer, local: addresses; `local` may be None.
    is_local_initiator: whether the local device sent the poll. chip_distance_m, chip_raw_distance_m: the device's own, m.
    true_distance_m, true_azimuth_deg, true_elevation_deg: where the capture knows the truth, else None.
    poll, response, second_poll, final: `Message`, or None.
    """

    def __init__(self, handle: _library.Handle):
        self._handle = handle
        values = _library.ExchangeValues()
        _library.check(library.uwb_exchange_get(handle, byref(values)))
        self.index, self.time_s = values.index, values.time_s
        self.peer = address(values.peer)
        self.local = address(values.local) if values.has_local else None
        self.is_local_initiator = bool(values.is_local_initiator)
        self.chip_distance_m, self.chip_raw_distance_m = _none(values.chip_distance_m), _none(values.chip_raw_distance_m)
        self.true_distance_m = _none(values.true_distance_m)
        self.true_azimuth_deg, self.true_elevation_deg = _none(values.true_azimuth_deg), _none(values.true_elevation_deg)
        self.poll, self.response, self.second_poll, self.final = (self._message(number) for number in range(4))

    def _message(self, number: int) -> Message | None:
        values = _library.MessageValues()
        status = library.uwb_exchange_message(self._handle, number, byref(values))
        return Message(self._handle, number, values) if status == _library.OK else None

    def __repr__(self) -> str:
        return f"Exchange(index={self.index}, time_s={self.time_s}, peer={self.peer!r})"


class Capture:
    """A capture, read exchange by exchange, once, in constant memory. One thread at a time. `read` opens it."""

    def __init__(self, path: Any, options: dict):
        values, count = _library.texts(_library.arguments(options))
        self._handle = _library.create(
            library.uwb_reader_open, library.uwb_reader_destroy, _library.text(path), values, count)
        self.format = library.uwb_reader_format(self._handle).decode()
        self.profile = library.uwb_reader_profile(self._handle).decode()

    def engine(self) -> Engine:
        """An engine for the capture's radio, with the options that the capture was opened with."""
        return Engine._made(_library.create(library.uwb_reader_engine, library.uwb_engine_destroy, self._handle))

    @property
    def notes(self) -> list[str]:
        """What was passed over so far, and what does not fit a calibration."""
        text = _library.take(library.uwb_reader_notes(self._handle))
        return text.split("\n") if text else []

    def __iter__(self) -> Iterator[Exchange]:
        return self

    def __next__(self) -> Exchange:
        pointer, message = c_void_p(), c_void_p()
        status = library.uwb_reader_next(self._handle, byref(pointer), byref(message))
        if status == _library.END:
            raise StopIteration
        _library.check(status, message)
        return Exchange(_library.Handle(pointer, library.uwb_exchange_destroy))


def read(path: str | os.PathLike, **options: Any) -> Capture:
    """Opens any capture that the command line reads.

    Options are those of `uwb replay`, with underscores: `format`, `profile`, `rows="cirs"`, `columns`, `unit`, … Raises `UwbError` for
    options that make no sense; opening and reading raise it for what can't be read.
    """
    return Capture(path, options)


class Updates(Table):
    """Events of a replay, in order: a structured array of the type `UPDATE`.

    captures: names of the captures, which the field `capture` counts. summary: counts over all captures, as the command line's summary.
    """

    captures: list[str]
    summary: dict

    def __array_finalize__(self, other: Any) -> None:
        self.captures = getattr(other, "captures", [])
        self.summary = getattr(other, "summary", {})

    def __reduce__(self) -> tuple:
        function, arguments, state = super().__reduce__()
        return function, arguments, (state, self.captures, self.summary)

    def __setstate__(self, state: tuple) -> None:
        array, self.captures, self.summary = state
        super().__setstate__(array)

    def _words(self, field: str) -> Sequence[str] | None:
        return _WORDS.get(field)

    def _texts(self, field: str, values: np.ndarray) -> tuple | None:
        if field == "capture":
            return self.captures, values
        if field == "peer":
            peers, indices = np.unique(values, return_inverse=True)
            return [address(peer) for peer in peers], indices
        return None

    def plot(self, axes: Any = None) -> Any:
        """Draws raw, delivered and true distances (m) over time (s), and marks where there is none.

        axes: of Matplotlib; a new figure's by default. Returns them. Raises `ImportError` without Matplotlib.
        """
        return _plots.updates(self, axes)


_WORDS = {
    "event": list(Event.__members__), "status": list(UpdateStatus.__members__), "fallback": ESTIMATORS,
    "direction_status": list(DirectionStatus.__members__),
}


def replay(paths: str | os.PathLike | Sequence[str | os.PathLike], *, progress: bool = False, **options: Any) -> Updates:
    """Replays captures, folders and patterns, as `uwb replay` does.

    Options are those of `uwb replay`, with underscores: `calibration="cal.json"`, `delay="edge-fit"`, `threads=2`, … The result does not
    depend on the number of threads. Ctrl-C stops it. `progress` counts events on a bar by tqdm; `ImportError` without it.

    Returns one row for each event. Lengths are in m, times in s, angles in degrees. `event`, `status`, `direction_status` and `fallback`
    are codes: `Event`, `UpdateStatus`, `DirectionStatus`, `ESTIMATORS`. `peer` is a number that `address` spells. What may be wrong with
    input that is used all the same is an `UwbWarning`. Raises `UwbError` for the first capture that can't be read.
    """
    listed = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else list(paths)
    if progress:
        done = c_int64()
        with _optional.bar(unit="events") as bar:
            updates, messages = replayed(listed, options, done, lambda: bar.update(done.value - bar.n))
            bar.update(done.value - bar.n)
    else:
        updates, messages = replayed(listed, options)
    for message in messages:
        warnings.warn(message, _library.UwbWarning, stacklevel=2)
    return updates


def replayed(paths: list, options: dict, done: c_int64 | None = None, watch: Callable[[], Any] | None = None) -> tuple:
    """Updates, and what the command line would tell people beside them. `done` counts events; `watch` is called meanwhile."""
    files, file_count = _library.texts(paths)
    values, count = _library.texts(_library.arguments(options))
    handle = _library.stoppable(
        lambda stop: _library.create(
            library.uwb_replay_create, library.uwb_replay_destroy, files, file_count, values, count, stop,
            None if done is None else byref(done)), watch)
    size = c_size_t()
    pointer = library.uwb_replay_updates(handle, byref(size))
    rows = _view(pointer, size.value * UPDATE.itemsize, handle).view(UPDATE) if size.value else np.empty(0, UPDATE)
    updates = rows.view(Updates)
    updates.captures = _names(handle)
    updates.summary = json.loads(library.uwb_replay_summary(handle))
    return updates, (library.uwb_replay_warnings(handle) or b"").decode().splitlines()


def _names(handle: _library.Handle) -> list[str]:
    names: list[str] = []
    while (name := library.uwb_replay_capture(handle, len(names))) is not None:
        names.append(name.decode())
    return names
