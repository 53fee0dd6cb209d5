"""Errors of the client. Those of a code of the service are in `refusals`, a class each."""

import json
from typing import Any


class ApiError(Exception):
    """An answer that says no, or no answer at all: then it is `NoAnswer`."""

    code = ""
    """Code of the answer; empty when it had none."""

    def __init__(
        self,
        status: int,
        code: str = "",
        body: dict[str, Any] | None = None,
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(f"{status} {code} {json.dumps(body) if body else ''}".strip())
        self.status = status
        self.code = code
        self.body = body or {}
        """The other fields of the answer."""
        self.retry_after = retry_after
        """Seconds of `Retry-After`."""
        self.request_id = request_id
        """Name of the request in the log of the service."""


class NoAnswer(ApiError):
    """The service did not answer, or not within the time limit; the cause is the error of httpx."""

    def __init__(self) -> None:
        super().__init__(0)
        self.args = ("the service did not answer",)
