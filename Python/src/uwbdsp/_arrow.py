"""Tables as PyCapsules of the Arrow C data interface, without an Arrow package.

https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html

All memory is the library's, and its C functions end it: a callback in Python would lose an exception that is on its way.
"""

from __future__ import annotations

import ctypes
from ctypes import Structure, c_int64, c_void_p
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from ._library import library


class _Schema(Structure):
    _fields_ = [
        ("format", c_void_p), ("name", c_void_p), ("metadata", c_void_p), ("flags", c_int64), ("n_children", c_int64),
        ("children", c_void_p), ("dictionary", c_void_p), ("release", c_void_p), ("private_data", c_void_p),
    ]


class _Array(Structure):
    _fields_ = [
        ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
        ("buffers", c_void_p), ("children", c_void_p), ("dictionary", c_void_p), ("release", c_void_p), ("private_data", c_void_p),
    ]


_NULLABLE = 2
_TEXT = b"U"
_FORMATS = {"float64": b"g", "int32": b"i", "int64": b"l"}


@dataclass
class Column:
    """A column of a table.

    format: its type, as Arrow spells it. length: its rows. nulls: which of them are absent, or None.
    buffers: of numbers, these; of texts, where each begins, and all of them in a row.
    words: what numbers stand for, or None.
    """

    name: str
    format: bytes
    length: int
    nulls: np.ndarray | None
    buffers: list
    words: Column | None = None


def numbers(name: str, values: np.ndarray, words: Sequence[str] | None = None) -> Column:
    """A column of numbers, of which NaN and negative integers are absent, or of the words that they count."""
    nulls = np.isnan(values) if values.dtype.kind == "f" else values < 0
    dictionary = texts("", words, np.arange(len(words))) if words is not None else None
    return Column(name, _FORMATS[values.dtype.name], len(values), nulls, [np.ascontiguousarray(values)], dictionary)


def texts(name: str, known: Sequence[str], indices: np.ndarray) -> Column:
    """A column of the texts `known[indices]`."""
    encoded = [text.encode() for text in known]
    starts = np.zeros(len(indices) + 1, np.int64)
    np.cumsum(np.array([len(text) for text in encoded], np.int64)[indices], out=starts[1:])
    return Column(name, _TEXT, len(indices), None, [starts, b"".join(map(encoded.__getitem__, indices.tolist()))])


def schema(columns: Sequence[Column]) -> Any:
    """A capsule of the type of a table with these columns."""
    return _capsule("arrow_schema", _schema(columns))


def array(columns: Sequence[Column], length: int) -> tuple:
    """Capsules of the type of a table with these columns, and of its rows."""
    return schema(columns), _capsule("arrow_array", _array(columns, length))


def stream(columns: Sequence[Column], length: int) -> Any:
    """A capsule of a table as a stream of one batch."""
    parts = _schema(columns), _array(columns, length)
    address = library.uwb_arrow_stream(*parts)
    if not address:
        raise MemoryError
    for part in parts:
        library.uwb_free(part)
    return _capsule("arrow_array_stream", address)


def _schema(columns: Sequence[Column]) -> int:
    return _schema_node(b"+s", "", 0, [_column_schema(column) for column in columns], None)


def _column_schema(column: Column) -> int:
    return _schema_node(column.format, column.name, _NULLABLE, [], column.words and _column_schema(column.words))


def _schema_node(format: bytes, name: str, flags: int, children: list, dictionary: int | None) -> int:
    return _place(bytes(_Schema(
        format=_place(format + b"\0"), name=_place(name.encode() + b"\0"), flags=flags, n_children=len(children),
        children=_pointers(children), dictionary=dictionary, release=_RELEASE_SCHEMA)))


def _array(columns: Sequence[Column], length: int) -> int:
    return _array_node(length, 0, [None], [_column_array(column) for column in columns], None)


def _column_array(column: Column) -> int:
    nulls = 0 if column.nulls is None else int(np.count_nonzero(column.nulls))
    valid = _place(np.packbits(~column.nulls, bitorder="little")) if nulls else None
    buffers = [valid, *map(_place, column.buffers)]
    return _array_node(column.length, nulls, buffers, [], column.words and _column_array(column.words))


def _array_node(length: int, nulls: int, buffers: list, children: list, dictionary: int | None) -> int:
    return _place(bytes(_Array(
        length=length, null_count=nulls, n_buffers=len(buffers), buffers=_pointers(buffers), n_children=len(children),
        children=_pointers(children), dictionary=dictionary, release=_RELEASE_ARRAY)))


def _pointers(addresses: list) -> int:
    return _place(bytes((c_void_p * len(addresses))(*addresses)))


def _place(data: bytes | np.ndarray) -> int:
    """A copy of `data` in memory of the library; its address."""
    source, size = (data.ctypes.data, data.nbytes) if isinstance(data, np.ndarray) else (data, len(data))
    address = library.uwb_allocate(max(1, size))
    if not address:
        raise MemoryError
    ctypes.memmove(address, source, size)
    return address


def _address(function: Any) -> int | None:
    return ctypes.cast(function, c_void_p).value


def _capsule(kind: str, address: int) -> Any:
    name, destructor = _CAPSULES[kind]
    return _new_capsule(address, name, destructor)


_RELEASE_SCHEMA, _RELEASE_ARRAY = _address(library.uwb_arrow_release_schema), _address(library.uwb_arrow_release_array)
# A capsule refers to its name: both live to the end.
_CAPSULES = {
    "arrow_schema": (_place(b"arrow_schema\0"), _address(library.uwb_arrow_end_schema_capsule)),
    "arrow_array": (_place(b"arrow_array\0"), _address(library.uwb_arrow_end_array_capsule)),
    "arrow_array_stream": (_place(b"arrow_array_stream\0"), _address(library.uwb_arrow_end_stream_capsule)),
}
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_void_p, c_void_p)(("PyCapsule_New", ctypes.pythonapi))
