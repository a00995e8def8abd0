"""The C library (`Sources/CUWBC/include/uwb.h`) by ctypes, which lets other Python threads run during a call."""

from __future__ import annotations

import ctypes
import os
import pathlib
import threading
import weakref
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_ssize_t, c_uint64, c_void_p
from typing import Any, Callable, Mapping

_ABI = 1

OK, END, BAD_ARGUMENT, BAD_INPUT, INTERRUPTED = range(5)
INT16, FLOAT32 = range(2)


class UwbError(ValueError):
    """A call that makes no sense, or input that can't be read: the command line's message."""


class ArgumentError(UwbError):
    """An option or an array that makes no sense."""


class InputError(UwbError):
    """A file that can't be read, or doesn't fit the others."""


class UwbWarning(UserWarning):
    """What may be wrong with input that is used all the same."""


class Cirs(Structure):
    _fields_ = [
        ("samples", c_void_p), ("count", c_size_t), ("antennas", c_size_t), ("taps", c_size_t), ("cir_stride", c_ssize_t),
        ("antenna_stride", c_ssize_t), ("tap_stride", c_ssize_t), ("format", c_int32), ("scale", c_float),
        ("tap_spacing_s", c_double), ("chip_first_path_taps", c_double),
    ]


def _doubles(names: str) -> list:
    return [(name, c_double) for name in names.split()]


class Path(Structure):
    _fields_ = _doubles(
        "first_path_taps first_path_std_taps first_path_std_m common_first_path_taps amplitude phase_deg phase_std_deg "
        "snr_db noise_std line_of_sight_probability"
    ) + [("status", c_int32), ("antenna", c_int32)]


class Update(Structure):
    _fields_ = _doubles(
        "time_s distance_m distance_std_m direction_x direction_y direction_z azimuth_deg elevation_deg azimuth_std_deg elevation_std_deg alternative_azimuth_deg alternative_elevation_deg "
        "raw_distance_m raw_distance_std_m calibrated_distance_m calibrated_distance_std_m range_bias_m range_bias_std_m "
        "line_of_sight_probability first_path_taps_poll first_path_taps_response first_path_taps_final snr_db clock_offset_ppm "
        "chip_distance_m chip_raw_distance_m chip_azimuth_deg chip_elevation_deg true_distance_m true_azimuth_deg "
        "true_elevation_deg"
    ) + [
        ("peer", c_uint64), ("exchange", c_int64), ("capture", c_int32), ("event", c_int32), ("status", c_int32),
        ("direction_status", c_int32), ("fallback", c_int32), ("clock_rejections", c_int32),
    ]


class ExchangeValues(Structure):
    _fields_ = _doubles(
        "time_s chip_distance_m chip_raw_distance_m true_distance_m true_azimuth_deg true_elevation_deg"
    ) + [
        ("index", c_int64), ("peer", c_uint64), ("local", c_uint64), ("has_local", c_int32), ("is_local_initiator", c_int32),
    ]


class MessageValues(Structure):
    _fields_ = _doubles("chip_first_path_taps received_power_dbm first_path_power_dbm carrier_offset_ppm") + [
        ("transmitted_ticks", c_int64), ("received_ticks", c_int64), ("preamble_count", c_int32), ("cirs", c_int32),
    ]


class Delivered(Structure):
    _fields_ = _doubles("distance_m distance_std_m line_of_sight_probability") + [
        ("is_outlier", c_int32), ("reserved", c_int32),
    ]


class Trial(Structure):
    _fields_ = _doubles("first_path_taps bound_taps_squared")


class Score(Structure):
    _fields_ = _doubles(
        "rmse_m bias_m median_m p90_m p90_unbiased_m close_rmse_m bound_m ratio normalised_variance coverage"
    ) + [(name, c_int64) for name in ("trials", "close", "missed", "early")]


_texts = POINTER(c_char_p)
_handle = POINTER(c_void_p)
# Texts that the caller frees arrive as addresses.
_message = POINTER(c_void_p)
_stop = POINTER(c_int32)

_functions: dict = {
    "uwb_abi": (c_int32, []),
    "uwb_free": (None, [c_void_p]),
    "uwb_name": (c_char_p, [c_int32, c_int32]),
    "uwb_engine_create": (c_int32, [_texts, c_size_t, _handle, _message]),
    "uwb_engine_destroy": (None, [c_void_p]),
    "uwb_engine_profile": (c_char_p, [c_void_p]),
    "uwb_engine_estimator": (c_char_p, [c_void_p]),
    "uwb_engine_learn": (c_int32, [c_void_p, POINTER(Cirs), _handle, _message, _message]),
    "uwb_first_paths": (c_int32, [c_void_p, POINTER(Cirs), c_size_t, _stop, c_void_p, c_size_t, _message]),
    "uwb_replay_create": (c_int32, [_texts, c_size_t, _texts, c_size_t, _stop, POINTER(c_int64), _handle, _message]),
    "uwb_replay_destroy": (None, [c_void_p]),
    "uwb_replay_updates": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "uwb_replay_capture": (c_char_p, [c_void_p, c_size_t]),
    "uwb_replay_summary": (c_char_p, [c_void_p]),
    "uwb_replay_warnings": (c_char_p, [c_void_p]),
    "uwb_reader_open": (c_int32, [c_char_p, _texts, c_size_t, _handle, _message]),
    "uwb_reader_destroy": (None, [c_void_p]),
    "uwb_reader_format": (c_char_p, [c_void_p]),
    "uwb_reader_profile": (c_char_p, [c_void_p]),
    "uwb_reader_notes": (c_void_p, [c_void_p]),
    "uwb_reader_engine": (c_int32, [c_void_p, _handle, _message]),
    "uwb_reader_next": (c_int32, [c_void_p, _handle, _message]),
    "uwb_exchange_destroy": (None, [c_void_p]),
    "uwb_exchange_get": (c_int32, [c_void_p, POINTER(ExchangeValues)]),
    "uwb_exchange_message": (c_int32, [c_void_p, c_int32, POINTER(MessageValues)]),
    "uwb_exchange_cir": (c_int32, [c_void_p, c_int32, c_int32, POINTER(Cirs)]),
    "uwb_engine_measure": (c_int32, [c_void_p, c_void_p, POINTER(Update)]),
    "uwb_trials_create": (c_int32, [_texts, c_size_t, _handle, _message]),
    "uwb_trials_destroy": (None, [c_void_p]),
    "uwb_trials_case": (c_char_p, [c_void_p, c_size_t, POINTER(c_double)]),
    "uwb_trials_shape": (None, [c_void_p, POINTER(c_size_t), POINTER(c_size_t)]),
    "uwb_trials_draw": (c_int32, [c_void_p, c_size_t, c_size_t, c_size_t, c_void_p, c_void_p, _message]),
    "uwb_score_delays": (c_int32, [c_void_p, c_void_p, c_void_p, c_size_t, POINTER(Score)]),
    "uwb_allocate": (c_void_p, [c_size_t]),
    "uwb_arrow_release_schema": (None, [c_void_p]),
    "uwb_arrow_release_array": (None, [c_void_p]),
    "uwb_arrow_stream": (c_void_p, [c_void_p, c_void_p]),
    "uwb_arrow_end_schema_capsule": (None, [c_void_p]),
    "uwb_arrow_end_array_capsule": (None, [c_void_p]),
    "uwb_arrow_end_stream_capsule": (None, [c_void_p]),
    "uwb_tracker_create": (c_int32, [_handle]),
    "uwb_tracker_destroy": (None, [c_void_p]),
    "uwb_tracker_update": (c_int32, [c_void_p] + 4 * [c_double] + [POINTER(Delivered), _message]),
}


def _load() -> ctypes.CDLL:
    path = os.environ.get("UWBDSP_LIBRARY") or str(pathlib.Path(__file__).with_name("libuwb.so"))
    library = ctypes.CDLL(path)
    library.uwb_abi.restype, library.uwb_abi.argtypes = c_int32, []
    if library.uwb_abi() != _ABI:
        raise ImportError(f"{path} has the interface {library.uwb_abi()}, this package needs {_ABI}: install it again.")
    for name, (result, arguments) in _functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


library = _load()


class Handle:
    """Something that the library handed out. It ends with the last reference to it, and so never during a call."""

    __slots__ = ("_as_parameter_", "__weakref__")

    def __init__(self, pointer: c_void_p, destroy: Callable[[c_void_p], None]):
        self._as_parameter_ = pointer
        weakref.finalize(self, destroy, pointer)


def text(value: Any) -> bytes:
    """A C text of a path or an option."""
    encoded = os.fsencode(value)
    if b"\0" in encoded:
        raise ArgumentError("A text can't hold the character 0.")
    return encoded


def texts(values: list) -> tuple:
    """An array of C texts, and its length."""
    encoded = [text(value) for value in values]
    return (c_char_p * len(encoded))(*encoded), len(encoded)


def arguments(options: Mapping[str, Any]) -> list:
    """Options as the command line spells them: `tap_spacing=1.0` is `--tap-spacing=1.0`, `strict=True` is `--strict`."""
    spelt = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        spelt.append(flag if value is True else f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return spelt


def take(address: Any) -> str | None:
    """A text that the library handed out, freed."""
    if not address:
        return None
    try:
        return ctypes.string_at(address).decode("utf-8", "replace")
    finally:
        library.uwb_free(address)


def check(status: int, message: c_void_p | None = None) -> None:
    """Raises what a status stands for."""
    told = take(message.value) if message is not None else None
    if status == BAD_ARGUMENT:
        raise ArgumentError(told or "The library refused an argument.")
    if status == BAD_INPUT:
        raise InputError(told or "The library refused its input.")
    if status == INTERRUPTED:
        raise KeyboardInterrupt


def create(function: Callable, destroy: Callable, *values: Any) -> Handle:
    """Calls a function that hands out a handle, in the last argument but one, and a message, in the last."""
    pointer, message = c_void_p(), c_void_p()
    check(function(*values, byref(pointer), byref(message)), message)
    return Handle(pointer, destroy)


def stoppable(call: Callable[[Any], Any], watch: Callable[[], Any] | None = None) -> Any:
    """Runs `call`, which takes the flag that stops it, so that Ctrl-C stops it. Meanwhile it calls `watch` ten times a second.

    Signals reach the main thread alone, and only between Python's own steps: the call runs on another thread meanwhile.
    """
    stop = c_int32(0)
    if threading.current_thread() is not threading.main_thread():
        return call(byref(stop))
    done = threading.Event()
    outcome: list = []

    def run() -> None:
        try:
            outcome.append((call(byref(stop)), None))
        except BaseException as error:
            outcome.append((None, error))
        finally:
            done.set()

    threading.Thread(target=run, name="uwbdsp").start()
    try:
        while not done.wait(0.1 if watch else None):
            if watch:
                watch()
    except BaseException:
        stop.value = 1
        # The library reads and writes the caller's memory until it is done, however often it is interrupted.
        while not done.is_set():
            try:
                done.wait()
            except KeyboardInterrupt:
                pass
        raise
    result, error = outcome[0]
    if error is not None:
        raise error
    return result
