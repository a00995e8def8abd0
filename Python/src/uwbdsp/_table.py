"""What tables of results have in common."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _arrow


class ArrowTable:
    """A table's columns, for packages that read the Arrow C data interface: a copy."""

    def __init__(self, columns: list, length: int):
        self._table = columns, length

    def __arrow_c_schema__(self) -> Any:
        """The columns' names and types."""
        return _arrow.schema(self._table[0])

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple:
        """The columns as one batch. Another schema than the table's own is not offered."""
        return _arrow.array(*self._table)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The columns as a stream of one batch."""
        return _arrow.stream(*self._table)


class Table(np.ndarray):
    """A structured array of results. A single field of it is a plain array.

    pyarrow and pandas (`pandas.DataFrame.from_arrow`) read it by the Arrow C data interface; Polars and DuckDB read `table.arrow()`. Each field
    is a column, rows are in C order. What is absent is null, codes are words (dictionary-encoded), addresses and captures are texts.
    """

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        return part.view(np.ndarray) if isinstance(part, Table) and part.dtype.names is None else part

    def _words(self, field: str) -> Sequence[str] | None:
        """The names that the codes of a field count."""
        return None

    def _texts(self, field: str, values: np.ndarray) -> tuple | None:
        """Texts, and for each of a field's values the index of its text."""
        return None

    def arrow(self) -> ArrowTable:
        """The table for packages that see nothing but an array's numbers in it otherwise: Polars and DuckDB."""
        rows = self.reshape(-1)
        columns = []
        for field in self.dtype.names:
            values = rows[field]
            texts = self._texts(field, values)
            columns.append(
                _arrow.texts(field, *texts) if texts is not None else _arrow.numbers(field, values, self._words(field)))
        return ArrowTable(columns, self.size)

    def __arrow_c_schema__(self) -> Any:
        """The columns' names and types."""
        return self.arrow().__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple:
        """The columns as one batch. Another schema than the table's own is not offered."""
        return self.arrow().__arrow_c_array__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The columns as a stream of one batch."""
        return self.arrow().__arrow_c_stream__()
