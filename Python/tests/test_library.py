"""The border: structures and codes are those of the header and of the library."""

import ctypes
import pathlib
import re
import shutil
import subprocess

import pytest

import uwbdsp
from uwbdsp import _library

HEADER = pathlib.Path(__file__).parents[2] / "Sources/CUWBC/include/uwb.h"
STRUCTURES = {
    "uwb_cirs": _library.Cirs, "uwb_path": _library.Path, "uwb_update": _library.Update, "uwb_delivered": _library.Delivered,
    "uwb_exchange_values": _library.ExchangeValues, "uwb_message_values": _library.MessageValues,
    "uwb_trial": _library.Trial, "uwb_score": _library.Score,
}


def test_structures(tmp_path):
    compiler = shutil.which("cc") or shutil.which("clang")
    fields = [(c, name) for c, structure in STRUCTURES.items() for name, _ in structure._fields_]
    lines = [f'printf("%zu\\n", sizeof({c}));' for c in STRUCTURES]
    for c, name in fields:
        part = re.fullmatch(r"direction_([xyz])", name)
        place = f"direction[{'xyz'.index(part[1])}]" if part else name
        lines.append(f'printf("%zu\\n", offsetof({c}, {place}));')
    source = tmp_path / "sizes.c"
    source.write_text("#include <stdio.h>\n#include \"uwb.h\"\nint main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n")
    subprocess.run([compiler, f"-I{HEADER.parent}", source, "-o", tmp_path / "sizes"], check=True)
    told = [int(line) for line in subprocess.run([tmp_path / "sizes"], check=True, capture_output=True, text=True).stdout.split()]
    sizes = [ctypes.sizeof(structure) for structure in STRUCTURES.values()]
    assert told == sizes + [getattr(STRUCTURES[c], name).offset for c, name in fields]


def test_all_functions_are_known():
    text = re.sub(r"//.*|static inline.*", "", HEADER.read_text())
    assert set(re.findall(r"\b(uwb_\w+)\(", text)) == set(_library._functions)
    assert f"#define UWB_ABI {_library._ABI}\n" in HEADER.read_text()


@pytest.mark.parametrize(
    ("kind", "names"),
    list(enumerate(
        [list(codes.__members__) for codes in (uwbdsp.PathStatus, uwbdsp.Event, uwbdsp.UpdateStatus, uwbdsp.DirectionStatus)]
        + [list(uwbdsp.ESTIMATORS)]
    )),
)
def test_codes(kind, names):
    told = []
    while (name := _library.library.uwb_name(kind, len(told))) is not None:
        told.append(name.decode())
    assert told == names
    assert _library.library.uwb_name(kind, -1) is None and _library.library.uwb_name(99, 0) is None


def test_null_is_an_error():
    library, null = _library.library, None
    assert library.uwb_engine_create(null, 0, null, null) == _library.BAD_ARGUMENT
    assert library.uwb_engine_create(null, 3, ctypes.byref(ctypes.c_void_p()), null) == _library.BAD_ARGUMENT
    assert library.uwb_first_paths(null, null, 1, null, null, 0, null) == _library.BAD_ARGUMENT
    assert library.uwb_replay_create(null, 0, null, 0, null, null, null, null) == _library.BAD_ARGUMENT
    assert library.uwb_reader_open(null, null, 0, ctypes.byref(ctypes.c_void_p()), null) == _library.BAD_ARGUMENT
    assert library.uwb_reader_next(null, null, null) == _library.BAD_ARGUMENT
    assert library.uwb_reader_engine(null, null, null) == _library.BAD_ARGUMENT
    assert library.uwb_exchange_get(null, null) == _library.BAD_ARGUMENT
    assert library.uwb_exchange_message(null, 0, null) == _library.BAD_ARGUMENT
    assert library.uwb_exchange_cir(null, 0, 0, null) == _library.BAD_ARGUMENT
    assert library.uwb_engine_measure(null, null, null) == _library.BAD_ARGUMENT
    assert library.uwb_trials_create(null, 0, null, null) == _library.BAD_ARGUMENT
    assert library.uwb_trials_draw(null, 0, 0, 0, null, null, null) == _library.BAD_ARGUMENT
    assert library.uwb_score_delays(null, null, null, 0, null) == _library.BAD_ARGUMENT
    assert library.uwb_trials_case(null, 0, null) is None
    library.uwb_trials_shape(null, null, null)
    assert library.uwb_tracker_create(null) == _library.BAD_ARGUMENT
    assert library.uwb_tracker_update(null, 0, 0, 0, 0, null, null) == _library.BAD_ARGUMENT
    assert library.uwb_replay_updates(null, null) is None and library.uwb_replay_capture(null, 0) is None
    assert library.uwb_replay_summary(null) is None and library.uwb_replay_warnings(null) is None
    assert library.uwb_reader_notes(null) is None and library.uwb_reader_format(null) is None
    for name in _library._functions:
        if name.endswith(("_destroy", "_free")):
            getattr(library, name)(null)


def test_strides_and_formats_of_c():
    engine = uwbdsp.Engine()._handle
    samples = (ctypes.c_int16 * 64)()
    good = dict(
        samples=ctypes.addressof(samples), count=1, antennas=1, taps=16, cir_stride=64, antenna_stride=64, tap_stride=4,
        format=_library.INT16, chip_first_path_taps=float("nan"))
    path, message = _library.Path(), ctypes.c_void_p()

    def status(capacity=1, **changes):
        block = _library.Cirs(**{**good, **changes})
        code = _library.library.uwb_first_paths(
            engine, ctypes.byref(block), 1, None, ctypes.addressof(path), capacity, ctypes.byref(message))
        assert (code == _library.BAD_ARGUMENT) == bool(_library.take(message.value))
        return code

    assert status() == _library.OK
    huge = 1 << 62
    for changes in [
        {"capacity": 0}, {"format": 7}, {"samples": None}, {"samples": good["samples"] + 1}, {"tap_stride": 3}, {"taps": 0},
        {"taps": 1 << 63}, {"taps": 5000}, {"antennas": 0}, {"antennas": 65}, {"count": huge}, {"count": (1 << 64) - 1},
        {"tap_stride": huge}, {"tap_stride": -(1 << 63)}, {"antennas": 2, "antenna_stride": huge, "capacity": 2},
        {"count": 3, "cir_stride": huge, "capacity": 3}, {"scale": float("nan")}, {"scale": float("inf")},
        {"tap_spacing_s": float("nan")}, {"tap_spacing_s": -1.0}, {"chip_first_path_taps": 1e300},
    ]:
        assert status(**changes) == _library.BAD_ARGUMENT, changes
    assert status(count=0, samples=None) == _library.OK
