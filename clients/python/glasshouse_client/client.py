"""The connection to a service: a key, and retries as the service asks for them.

The functions of `api` take it as their first argument. Must never repeat a request that the service may have carried out.
"""

import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Self

import httpx

from .errors import ApiError, NoAnswer


class Glasshouse:
    """A client of the service at an address, such as `http://127.0.0.1:3000`. Threads may share it."""

    def __init__(
        self,
        address: str,
        *,
        key: str | None = None,
        headers: dict[str, str] | None = None,
        timeout: float = 60,
        retries: int = 3,
        longest_wait: float = 60,
    ) -> None:
        """Makes a client. Times are in seconds.

        `timeout` is that of httpx; `retries` is the number of repetitions of a request that was answered 429 or 503 with
        `Retry-After`, and `longest_wait` the longest that is waited for: a longer one is an error at once.
        """
        credentials = {} if key is None else {"x-service-api-key": key}
        self.http = httpx.Client(base_url=address, headers={**(headers or {}), **credentials}, timeout=timeout)
        """The client of httpx, for what has no function here: files that are too large for memory, for instance."""
        self.retries = retries
        self.longest_wait = longest_wait

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self.http.close()

    def request(self, method: str, url: str, **options: Any) -> httpx.Response:
        """Sends a request and returns the answer with its body. Raises `ApiError`."""
        response = self._open(method, url, **options)
        try:
            response.read()
        except httpx.TransportError as error:
            raise NoAnswer from error
        return response

    def render(self, url: str, headers: dict[str, str] | None = None) -> httpx.Response:
        """Renders a page as a crawler gets it; `headers` are those of the visitor, such as `user-agent`. The status is the page's."""
        return self.request("get", "/api/prerender/render", params={"url": url}, headers=headers)

    def read(self, method: str, url: str, **options: Any) -> Any:
        """Sends a request and returns the JSON of the answer; None: there is no body."""
        response = self.request(method, url, **options)
        if response.status_code == 204:
            return None
        if not is_json(response):
            raise TypeError(f"the answer is {response.headers.get('content-type')}: use client.request")
        return response.json()

    def events(self, method: str, url: str, **options: Any) -> Iterator[dict[str, Any]]:
        """Follows a stream of events until it ends. Events whose data is no object, such as a count of missed ones, are left out."""
        response = self._open(method, url, **options)
        try:
            for line in response.iter_lines():
                if re.match(r"data: ?\{", line):
                    yield json.loads(line.removeprefix("data:"))
        except httpx.TransportError as error:
            raise NoAnswer from error
        finally:
            response.close()

    def _open(self, method: str, url: str, **options: Any) -> httpx.Response:
        for attempt in range(self.retries + 1):
            try:
                response = self.http.send(self.http.build_request(method, url, **options), stream=True)
                # A rendered page has a status of its own, which is none of the service's.
                if response.status_code < 400 or "x-service-render-cache" in response.headers:
                    return response
                response.read()
            except httpx.TransportError as error:
                raise NoAnswer from error
            wait = seconds_to_wait(response)
            is_passing = response.status_code in (429, 503) and wait is not None and wait <= self.longest_wait
            if wait is None or not is_passing or attempt == self.retries:
                raise error_of(response)
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")


def is_json(response: httpx.Response) -> bool:
    """Decides whether an answer is JSON."""
    return str(response.headers.get("content-type", "")).startswith("application/json")


def seconds_to_wait(response: httpx.Response) -> float | None:
    """Returns the seconds of `Retry-After`, which may be a number or a date; None: there is none."""
    value = str(response.headers.get("retry-after", ""))
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def error_of(response: httpx.Response) -> ApiError:
    """Makes the error of an answer that says no."""
    from .refusals import BY_CODE

    body = response.json() if is_json(response) else None
    fields = dict(body) if isinstance(body, dict) else {}
    code = str(fields.pop("error", ""))
    kind = BY_CODE.get(code, ApiError)
    return kind(response.status_code, code, fields, seconds_to_wait(response), response.headers.get("x-request-id"))
