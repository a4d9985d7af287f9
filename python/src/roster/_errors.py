"""What the service refuses, as exceptions."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional

import httpx


class Problem(Exception):
    """The service refused a request, and says why (RFC 9457).

    ``errors`` has what is wrong: each a ``message`` that says how to fix it,
    and its place, the ``pointer`` into the request or the ``column`` or
    ``line`` of a table.
    """

    def __init__(self, response: httpx.Response, body: Dict[str, Any]) -> None:
        self.status: int = response.status_code
        """The HTTP status."""
        self.type: str = str(body.get("type", "about:blank"))
        """The address of the kind of problem."""
        self.title: str = str(body.get("title", response.reason_phrase))
        self.detail: Optional[str] = body.get("detail")
        self.errors: List[Dict[str, Any]] = body.get("errors") or []
        self.request_id: Optional[str] = response.headers.get("X-Request-Id")
        """What the operator of the service finds the request by."""
        self.retry_after: Optional[float] = _seconds(response.headers.get("Retry-After"))
        """After how many seconds the same request may succeed; None if the service does not say."""
        self.body: Dict[str, Any] = body
        """The problem as it was sent."""
        places = "".join(f"\n  {_describe(error)}" for error in self.errors)
        super().__init__(f"{self.status} {self.title}: {self.detail or ''}{places}")


class TrainingFailed(Exception):
    """A training failed; the message says why, and how to fix it."""


class BrokenAnswer(Exception):
    """An answer broke off before its end, or is not one of Roster."""


def raise_for_problem(response: httpx.Response) -> None:
    """Raises Problem for a response that is not a success; its body must have been read.

    A gateway in front of the service may answer with something else than JSON, which is then the detail.
    """
    if response.is_success:
        return
    try:
        body = response.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        body = {"detail": response.text[:1000]}
    raise Problem(response, body if isinstance(body, dict) else {"detail": str(body)[:1000]})


def _describe(error: Dict[str, Any]) -> str:
    """A fault of a table has no pointer, and its message names the place."""
    pointer, message = error.get("pointer"), error.get("message")
    return str(message) if pointer is None else f"{pointer}: {message}"


def _seconds(text: Optional[str]) -> Optional[float]:
    return float(text) if text is not None and text.isdigit() else None
