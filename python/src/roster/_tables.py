"""Tables in the forms that people have, and the bytes that they are sent as.

With pyarrow, or from polars, they are Arrow: columns keep their types, and nothing is written as text. Each request
has one batch of rows: the service begins to answer a stream after its first batch, and httpx reads nothing before it
has sent everything. Without pyarrow, tables of pandas are CSV for trainings, and JSON for predictions,
which keeps texts such as "05914" apart from numbers.
"""

from __future__ import annotations

import io
import json
import math
import sys
from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any, Dict, List, Sequence, Tuple

import httpx

Body = Tuple[str, bytes]
"""A media type, and bytes of it."""

_ARROW = "application/vnd.apache.arrow.stream"
_JSON = "application/json"
_CSV = "text/csv"


def table_of(data: object) -> AnyTable:
    """Returns a table in the form that it has.

    :raises TypeError: if it is neither a data frame nor a list of dictionaries
    """
    if isinstance(data, list):
        return Rows(data)
    # A frame can only be one of a library that was imported already.
    for name, kind in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table")):
        module = sys.modules.get(name)
        if module is not None and isinstance(data, getattr(module, kind)):
            return _of_library(name, data)
    raise TypeError(
        "a table is a DataFrame of pandas or polars, a Table of pyarrow, or a list of dictionaries, "
        f"not {type(data).__name__}"
    )


def _of_library(name: str, data: Any) -> AnyTable:
    if name == "polars":
        return Polars(data)
    if name == "pyarrow":
        return Arrow(data)
    try:
        pyarrow = _library("pyarrow")
    except ImportError:
        return Pandas(data)
    return PandasByArrow(pyarrow.Table.from_pandas(data, preserve_index=False), data.index)


class AnyTable(ABC):
    """A table that can be sent, and the form in which answers are given back."""

    accept = _ARROW
    """The media type of answers."""
    accept_of_columns = _ARROW
    """The media type of answers that have columns even without rows; it may be the same."""
    params: Dict[str, str] = {}
    """The parameters of the query with which answers have the same columns in every format."""
    rows_at_once = 100_000
    """The rows of a request: in Arrow, some megabytes for a common table."""

    def to_table(self) -> Body:
        """Returns all rows, to train a model."""
        return self.to_rows()

    def to_rows(self) -> Body:
        """Returns all rows, to be predicted."""
        return self.part(0, self.count())

    def slices(self) -> List[Body]:
        """Returns the rows to be predicted in parts, each of a size that is sent at once; one part if none."""
        starts = range(0, max(self.count(), 1), self.rows_at_once)
        return [self.part(start, self.rows_at_once) for start in starts]

    @abstractmethod
    def count(self) -> int:
        """Returns the number of rows."""

    @abstractmethod
    def part(self, start: int, count: int) -> Body:
        """Returns some of the rows; fewer at the end.

        :raises ValueError: if a number is infinite, with its column and row
        """

    @abstractmethod
    def read(self, response: httpx.Response) -> Any:
        """Returns the rows of an answer, in the form that this table has."""

    @abstractmethod
    def join(self, parts: Sequence[Any]) -> Any:
        """Returns the answers of all parts as one."""


class Rows(AnyTable):
    """A list of dictionaries."""

    accept = _JSON
    accept_of_columns = _JSON
    params = {"rows": "lean"}
    rows_at_once = 10_000

    def __init__(self, rows: List[Dict[str, Any]]) -> None:
        self._rows = rows

    def count(self) -> int:
        return len(self._rows)

    def part(self, start: int, count: int) -> Body:
        rows = self._rows[start : start + count]
        try:
            return _JSON, json.dumps(rows, default=_json_value, allow_nan=False).encode()
        except ValueError:
            _refuse_infinite(rows, start)
            raise

    def read(self, response: httpx.Response) -> Any:
        return response.json()

    def join(self, parts: Sequence[Any]) -> Any:
        return [row for part in parts for row in part]


class Pandas(Rows):
    """A DataFrame of pandas, where pyarrow is not installed."""

    accept_of_columns = _CSV

    def __init__(self, frame: Any) -> None:
        self._frame = frame
        values = frame.astype(object).where(frame.notna(), None)
        super().__init__(values.to_dict("records"))

    def to_table(self) -> Body:
        _refuse_infinite(self._rows)
        return _CSV, self._frame.to_csv(index=False).encode()

    def read(self, response: httpx.Response) -> Any:
        pandas = _library("pandas")
        if response.headers.get("Content-Type", "").startswith(_CSV):
            return pandas.read_csv(io.BytesIO(response.content))
        return pandas.DataFrame(response.json())

    def join(self, parts: Sequence[Any]) -> Any:
        return _with_index(_library("pandas").concat(parts, ignore_index=True), self._frame.index)


class Arrow(AnyTable):
    """A Table of pyarrow."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def count(self) -> int:
        return int(self._table.num_rows)

    def part(self, start: int, count: int) -> Body:
        # A table without columns is as long as its slices say.
        rows = self._table.slice(start, min(count, self.count() - start)).combine_chunks()
        types, compute = _library("pyarrow.types"), _library("pyarrow.compute")
        for name, column in zip(rows.column_names, rows.columns):
            if types.is_floating(column.type):
                index = compute.index(compute.is_inf(column.cast("float64")), True).as_py()
                if index >= 0:
                    raise _infinite(name, start + index, column[index].as_py())
        sink = io.BytesIO()
        with _library("pyarrow.ipc").new_stream(sink, rows.schema) as writer:
            writer.write_table(rows)
        return _ARROW, sink.getvalue()

    def read(self, response: httpx.Response) -> Any:
        return _library("pyarrow.ipc").open_stream(response.content).read_all()

    def join(self, parts: Sequence[Any]) -> Any:
        # A category has the values of its own part.
        return _library("pyarrow").concat_tables(parts).unify_dictionaries()


class PandasByArrow(Arrow):
    """A DataFrame of pandas, which pyarrow sends and reads."""

    def __init__(self, table: Any, index: Any) -> None:
        super().__init__(table)
        self._index = index

    def read(self, response: httpx.Response) -> Any:
        return super().read(response).to_pandas()

    def join(self, parts: Sequence[Any]) -> Any:
        return _with_index(_library("pandas").concat(parts, ignore_index=True), self._index)


class Polars(AnyTable):
    """A DataFrame of polars, which writes and reads Arrow by itself."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def count(self) -> int:
        return int(self._frame.height)

    def part(self, start: int, count: int) -> Body:
        rows = self._frame.slice(start, count).rechunk()
        for column in rows.get_columns():
            if column.dtype.is_float():
                for index in column.is_infinite().arg_true().head(1):
                    raise _infinite(column.name, start + index, column[index])
        sink = io.BytesIO()
        rows.write_ipc_stream(sink)
        return _ARROW, sink.getvalue()

    def read(self, response: httpx.Response) -> Any:
        return _library("polars").read_ipc_stream(response.content)

    def join(self, parts: Sequence[Any]) -> Any:
        return _library("polars").concat(parts, how="vertical_relaxed")


def _library(name: str) -> Any:
    """Imports a library that may not be there, and whose types are not always to be had."""
    return import_module(name)


def _refuse_infinite(rows: Sequence[Dict[str, Any]], start: int = 0) -> None:
    """Refuses rows in which a number is infinite, or NaN and no missing value of a data frame.

    :param start: the index of the first row
    :raises ValueError: with the first such cell
    """
    for index, row in enumerate(rows, start):
        for name, cell in row.items():
            value = cell.item() if hasattr(cell, "item") else cell
            if isinstance(value, float) and not math.isfinite(value):
                raise _infinite(name, index, value)


def _infinite(name: object, index: int, value: object) -> ValueError:
    """Returns the error of a cell. Rows are counted from 1, as the service counts them."""
    return ValueError(
        f'column "{name}", row {index + 1} is {value}; send a finite number, or None where the value is missing'
    )


def _json_value(value: Any) -> Any:
    """Writes what JSON has no form for: moments, and the numbers of numpy."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"a cell is text, a number, a boolean, a moment or None, not {type(value).__name__}")


def _with_index(frame: Any, index: Any) -> Any:
    """Gives an answer the index of its rows; a forecast has its own rows."""
    if len(frame) == len(index):
        frame.index = index
    return frame
