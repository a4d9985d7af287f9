"""The connection to a service."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple, Type
from urllib.parse import quote

import httpx

from roster import _api
from roster._agent import Agent
from roster._errors import Problem, raise_for_problem
from roster._model import Model

_RETRIES = 3


class Roster:
    """A project of a Roster service.

    :param url: of the service, such as ``http://127.0.0.1:4000``
    :param key: of the service; None for a service without keys
    :param project: the name of the project
    :param timeout: how long to wait for the next bytes of an answer, in seconds
    :param retries: how often a request is sent again that the service refused for now, or that never reached it
    """

    def __init__(
        self,
        url: str,
        key: Optional[str] = None,
        *,
        project: str = "default",
        timeout: float = 300.0,
        retries: int = _RETRIES,
    ) -> None:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self.project = project
        self.retries = retries
        self._http = httpx.Client(base_url=url, headers=headers, timeout=httpx.Timeout(timeout, connect=10.0))
        self.api = _api.Client(
            url.rstrip("/"),
            headers=headers,
            retry={"retries": retries},
            # After the last attempt, whatever it was answered with.
            middleware=[{"on_settled": lambda _, call: raise_if_refused(call["response"])}],
            http_client=self._http,
        )
        """Every operation of the contract that answers with JSON."""

    def model(self, name: str) -> Model:
        """Returns the model of a name, which need not exist yet. ``prices.2`` is its second version."""
        return Model(self, name)

    def agent(self, name: str) -> Agent:
        """Returns the agent of a name."""
        return Agent(self, name)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Roster:
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def send(
        self,
        method: str,
        path: str,
        body: Tuple[str, bytes],
        *,
        accept: str = "application/json",
        params: Optional[Mapping[str, Any]] = None,
    ) -> httpx.Response:
        """Sends a table or rows, and returns the answer, which is a success.

        :param path: below the project, with its names quoted
        :param body: a media type, and bytes of it
        :param params: of the query; those that are None are left out
        :raises Problem: if the service refuses it
        """
        media_type, content = body
        for attempt in range(self.retries + 1):
            response = self._http.request(
                method,
                self._path(path),
                content=content,
                headers={"Content-Type": media_type, "Accept": accept},
                params=query(params),
            )
            try:
                raise_for_problem(response)
                return response
            except Problem as problem:
                if attempt == self.retries or not is_for_now(problem):
                    raise
                time.sleep(problem.retry_after or 2**attempt)
        raise AssertionError("unreachable")

    def events(self, path: str, body: Mapping[str, Any]) -> Iterator[str]:
        """Sends JSON, and yields the data of the events of the answer as they arrive.

        Leaving the loop ends the request, and with it the work of the service.

        :raises Problem: if the service refuses it
        """
        headers = {"Accept": "text/event-stream"}
        with self._http.stream("POST", self._path(path), json=body, headers=headers) as response:
            if not response.is_success:
                response.read()
            raise_for_problem(response)
            for line in response.iter_lines():
                text = line.rstrip("\r\n")
                if text.startswith("data:"):
                    yield text[5:].lstrip(" ")

    def _path(self, path: str) -> str:
        return f"/api/projects/{quote(self.project, safe='')}{path}"


def is_for_now(problem: Problem) -> bool:
    """Returns whether the service refused a request before it did anything, and would take it later."""
    return problem.status in (429, 503) and problem.retry_after is not None


def raise_if_refused(response: Optional[httpx.Response]) -> None:
    """Raises Problem for an answer that is not a success; there is none if the service was not reached."""
    if response is not None:
        raise_for_problem(response)


def query(params: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """Returns the parameters that are there, written as the contract has them."""
    written: Dict[str, Any] = {}
    for name, value in (params or {}).items():
        if value is not None:
            written[name] = str(value).lower() if isinstance(value, bool) else value
    return written
