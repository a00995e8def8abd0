"""Tables through the Arrow C data interface: what other packages read, and who frees it."""

import ctypes
import os
import subprocess
import sys

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from leaks import resident

import uwbdsp


@pytest.fixture(scope="module")
def updates(walk):
    return uwbdsp.replay(walk, delay="edge-fit")


@pytest.fixture(scope="module")
def paths(cirs):
    return uwbdsp.first_paths(np.concatenate([cirs, np.zeros_like(cirs[:4])]).reshape(11, 4, -1, 2))


def plain(table, field):
    """A field as Python values: None where it is absent."""
    status = uwbdsp.UpdateStatus if isinstance(table, uwbdsp.Updates) else uwbdsp.PathStatus
    spell = {
        "event": lambda code: uwbdsp.Event(code).name, "status": lambda code: status(code).name, "peer": uwbdsp.address,
        "direction_status": lambda code: uwbdsp.DirectionStatus(code).name, "fallback": lambda code: uwbdsp.ESTIMATORS[code],
        "capture": lambda index: table.captures[index],
    }.get(field, lambda value: value)
    values = table[field].reshape(-1)
    absent = np.isnan(values) if values.dtype.kind == "f" else values < 0
    return [None if gone else spell(value) for value, gone in zip(values.tolist(), absent)]


READERS = {
    "pyarrow table": lambda table: pyarrow.table(table).to_pydict(),
    "pyarrow batch": lambda table: pyarrow.record_batch(table).to_pydict(),
    "polars": lambda table: polars.DataFrame(table.arrow()).to_dict(as_series=False),
    "duckdb": lambda table: duckdb.from_arrow(table.arrow()).to_arrow_table().to_pydict(),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["updates", "paths"])
def test_every_value(request, name, reader):
    table = request.getfixturevalue(name)
    for part in (table, table[3:1:-1], table[:0], table[["status", "snr_db"]]):
        assert READERS[reader](part) == {field: plain(part, field) for field in part.dtype.names}


def test_valid(updates, paths):
    for table in (updates, paths, updates[:0], paths[0, 0:1]):
        pyarrow.record_batch(table).validate(full=True)
    assert pyarrow.schema(updates).equals(pyarrow.table(updates).schema)


def test_pandas(updates):
    frame = pandas.DataFrame.from_arrow(updates)
    assert frame["status"].value_counts()["ok"] == 122 and frame["event"].dtype == "category"
    assert np.array_equal(frame["distance_m"], updates["distance_m"], equal_nan=True)


def test_duckdb_query(updates):
    rows = updates.arrow()
    assert duckdb.sql("select peer, count(*) from rows where status = 'ok' group by peer").fetchall() == [("0001", 122)]


def test_an_exception_on_its_way_stays(updates):
    """What is freed on the way of an exception must not replace it: a callback in Python would."""
    with pytest.raises(ZeroDivisionError):
        [updates.__arrow_c_schema__(), updates.__arrow_c_array__(), updates.__arrow_c_stream__(), pyarrow.table(updates), 1 // 0]


def test_a_stream_tells_its_schema_again(updates):
    class Stream(ctypes.Structure):
        _fields_ = [(name, ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)) for name in ("schema", "next")]

    capsule = updates.__arrow_c_stream__()
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
    address = pointer(capsule, b"arrow_array_stream")
    schemas = []
    for _ in range(2):
        memory = ctypes.create_string_buffer(72)
        assert Stream.from_address(address).schema(address, ctypes.addressof(memory)) == 0
        schemas.append(pyarrow.Schema._import_from_c(ctypes.addressof(memory)))
    table = pyarrow.RecordBatchReader._import_from_c(address).read_all()
    assert schemas[0].equals(schemas[1]) and table.schema.equals(schemas[0]) and len(table) == len(updates)


@pytest.mark.parametrize("kind", ["schema", "array", "stream", *READERS])
def test_memory_stays_flat(updates, kind):
    many = np.tile(updates, 20)
    call = READERS.get(kind) or (lambda table: getattr(table, f"__arrow_c_{kind}__")())
    table = many[:1] if kind == "schema" else many if kind in ("array", "stream") else many[:500]
    count = 400 if kind in ("schema", "array", "stream") else 60
    for _ in range(count // 4):
        call(table)
    before = resident()
    for _ in range(count):
        call(table)
    # A tenth of the bytes that were handed out.
    assert resident() - before < max(4, 0.1e-6 * count * table.nbytes)


def test_tables_outlive_their_array_and_python(walk):
    """A table that is freed when Python ends, from any thread, and capsules that nobody took."""
    program = f"""
import builtins, threading, duckdb, polars, pyarrow, uwbdsp
updates = uwbdsp.replay({os.fspath(walk)!r}, delay="leading-edge")
builtins.kept = pyarrow.table(updates), polars.DataFrame(updates.arrow()), updates.__arrow_c_array__(), updates.__arrow_c_stream__()
del updates
frame = builtins.kept[1]
threading.Thread(target=lambda: frame.sum()).start()
print(len(builtins.kept[0]), builtins.kept[0]["status"][0])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "123 ok\n", "")
