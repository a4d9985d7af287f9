"""Models: trained from tables, asked for predictions."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sized, TypeVar, cast, overload
from urllib.parse import quote

from roster import _api
from roster._errors import TrainingFailed
from roster._tables import table_of

if TYPE_CHECKING:
    from roster._client import Roster

Table = TypeVar("Table", bound=Sized)
"""A DataFrame of pandas or polars, a Table of pyarrow, or a list of dictionaries."""


class Model:
    """A model of a project."""

    def __init__(self, roster: Roster, name: str) -> None:
        self._roster = roster
        self.name = name

    def train(self, table: object, *, target: str, **options: Any) -> Training:
        """Sends a table, and begins to train the next version of the model.

        :param table: a data frame, or a list of dictionaries
        :param target: the column to predict
        :param options: the other parameters of ``trainModel``, such as ``task="classification"``,
            ``exclude=["id"]``, ``order_by="day"`` or ``horizon=14``
        :returns: the training, which goes on whether or not it is waited for
        :raises Problem: if the table cannot be learnt from
        """
        response = self._roster.send(
            "PUT", self._path(), table_of(table).to_table(), params={"target": target, **options}
        )
        return Training(self, int(response.json()["version"]))

    def get(self) -> _api.Model:
        """Returns the model: its columns, its metrics, and the state of its newest version."""
        return self._roster.api.get_model(self.name, self._roster.project)

    def predict(self, rows: Table, *, confidence: Optional[float] = None, **options: Any) -> Table:
        """Predicts rows.

        :param rows: a data frame, or a list of dictionaries
        :param confidence: the share of rows whose true value is to be inside its interval, such as 0.9; without it,
            each row has its own
        :param options: the other parameters of ``predict``, such as ``explain=True`` or ``warnings=True``
        :returns: what ``rows`` is, in the same order, with the columns of the model, the prediction, its confidence,
            and its bounds or its set; a DataFrame of pandas keeps its index
        :raises Problem: if the rows do not fit the model
        """
        table = table_of(rows)
        params: Dict[str, Any] = {**table.params, "confidence": confidence, **options}
        slices = table.slices()
        path = self._path() if len(slices) == 1 else self._path_of_version()
        send = partial(self._roster.send, "POST", f"{path}/predict", params=params)
        answer = table.join([table.read(send(slice_, accept=table.accept)) for slice_ in slices])
        if len(answer) == 0 and table.accept_of_columns != table.accept:
            # JSON of no rows has no columns.
            answer = table.read(send(slices[0], accept=table.accept_of_columns))
        return cast(Table, answer)

    @overload
    def forecast(
        self, rows: None = None, *, steps: Optional[int] = None, confidence: Optional[float] = None, **options: Any
    ) -> List[Dict[str, Any]]:
        ...

    @overload
    def forecast(
        self, rows: Table, *, steps: Optional[int] = None, confidence: Optional[float] = None, **options: Any
    ) -> Table:
        ...

    def forecast(
        self,
        rows: Any = None,
        *,
        steps: Optional[int] = None,
        confidence: Optional[float] = None,
        **options: Any,
    ) -> Any:
        """Forecasts the next steps of series.

        :param rows: which series, newer history of them, or moments that are asked for; without it, all series
        :param steps: how many steps each series is forecast
        :returns: what ``rows`` is, or a list of dictionaries without it
        :raises Problem: if the model does not forecast, or the rows do not fit it
        """
        table = table_of([] if rows is None else rows)
        params: Dict[str, Any] = {**table.params, "confidence": confidence, "steps": steps, **options}
        path = f"{self._path()}/predict"
        response = self._roster.send("POST", path, table.to_rows(), accept=table.accept, params=params)
        return table.read(response)

    def actuals(self, rows: object, *, id: Optional[str] = None) -> _api.Actuals:
        """Adds the true values of rows that were predicted with ``remember=True``.

        :param rows: the target, and what says which row each is of: ``__service_row_id`` of the answer, the column
            ``id``, or the order and group columns of a forecast
        :param id: the column with your own id, which was given to ``predict`` too
        :returns: how many truths met a promise, and the first rows that met none
        :raises Problem: if the rows cannot be read
        """
        response = self._roster.send(
            "POST", f"{self._path()}/actuals", table_of(rows).to_table(), params={"id": id}
        )
        return cast(_api.Actuals, _api.decode(_api.Actuals, response.json()))

    def remember(self, rows: Table, *, id: Optional[str] = None, **options: Any) -> Table:
        """Predicts rows, and remembers the answers, to be compared with the true values that ``actuals`` adds later.

        :param rows: a data frame, or a list of dictionaries
        :param id: the column with your own id; without it, the answer has ``__service_row_id``
        :param options: the other parameters of ``predict``
        :returns: as ``predict``
        :raises Problem: if the rows do not fit the model
        """
        return self.predict(rows, remember=True, id=id, **options)

    def contributions(self, rows: Table, **options: Any) -> Table:
        """Predicts rows, and explains each prediction.

        :param rows: a data frame, or a list of dictionaries
        :param options: the other parameters of ``predict``
        :returns: as ``predict``, and for a target ``t`` the column ``t_base``, what would be predicted if nothing were
            known of the row, and ``t_contribution_X`` for each column ``X`` that the model uses: what it adds, in units
            of ``t``, or in log-odds of a class
        :raises Problem: if the rows do not fit the model, or it was trained before 0.3.0
        """
        return self.predict(rows, contributions=True, **options)

    def findings(self) -> List[_api.Finding]:
        """Returns what the training left out and what looks odd in the table, the most important first.

        :returns: an empty list before the first training has ended
        """
        return list(self.get().findings or [])

    def errors(self, *, version: Optional[int] = None) -> _api.ModelErrors:
        """Returns the held-out rows that the model misses most, and the slices of rows in which it errs more.

        :param version: in place of the serving one
        :raises Problem: if there is no such version
        """
        return self._roster.api.get_errors(self._roster.project, self.name, version=version)

    def record(
        self,
        *,
        version: Optional[int] = None,
        by: Optional[str] = None,
        column: Optional[str] = None,
        drift: Optional[bool] = None,
    ) -> _api.ModelRecord:
        """Returns how many of the remembered predictions have their true value, and how many intervals held it.

        :param version: in place of the serving one
        :param by: groups the predictions: ``"day"``, ``"week"``, ``"width"`` or ``"column"``
        :param column: whose values group them, with ``by="column"``
        :param drift: compares the latest rows with those of the training, too, which takes some seconds
        :raises ValueError: if ``by`` is none of these
        :raises Problem: if there is no such version, or the record has no such column
        """
        grouping = None if by is None else _api.RecordGrouping(by)
        return self._roster.api.get_record(
            self._roster.project, self.name, version=version, by=grouping, column=column, drift=drift
        )

    def onnx(self) -> bytes:
        """Returns the model as an ONNX file, which predicts the same without the service.

        :raises Problem: if the model is a forecast, which such a file cannot have
        """
        return self._roster.api.get_onnx_with_headers(self._roster.project, self.name).response.content

    def delete(self) -> None:
        """Deletes the model with all of its versions."""
        self._roster.api.delete_model(self.name, self._roster.project)

    def _path(self) -> str:
        return f"/models/{quote(self.name, safe='')}"

    def _path_of_version(self) -> str:
        """Names the serving version, so that all parts of a table are predicted by the same one."""
        model = self.get()
        if model.serving_version is None or model.name != self.name:
            return self._path()
        return f"/models/{quote(f'{self.name}.{model.serving_version}', safe='')}"


class Training:
    """A version of a model that is being trained."""

    def __init__(self, model: Model, version: int) -> None:
        self.model = model
        self.version = version

    def get(self) -> _api.Model:
        """Returns the state of the version: ``status``, ``progress`` from 0 to 1, ``seconds_left``."""
        roster = self.model._roster
        return roster.api.get_version(roster.project, self.model.name, str(self.version))

    def wait(
        self, progress: Optional[Callable[[float], object]] = None, *, every: float = 0.5
    ) -> _api.Model:
        """Waits until the version is ready, and returns the model.

        :param progress: called with the share of the work that is done, from 0 to 1
        :param every: the seconds between two requests
        :raises TrainingFailed: if the training failed
        :raises Problem: if the model was deleted, or the service refuses for another reason
        """
        while True:
            state = self.get()
            if progress is not None:
                progress(float(state.progress or 0))
            if state.status == _api.ModelStatus.READY:
                return state
            if state.status == _api.ModelStatus.FAILED:
                raise TrainingFailed(state.failure or "The training failed")
            time.sleep(max(every, 0.05))
