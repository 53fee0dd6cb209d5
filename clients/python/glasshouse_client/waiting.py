"""Waiting for what takes long: refreshes and audits."""

import time
from collections.abc import Callable
from typing import TypeVar

from .api.cache_refresh import get_batch
from .api.seo_audit import get_run
from .client import Glasshouse
from .models import BatchProgress, RunView

Progress = TypeVar("Progress", BatchProgress, RunView)


def wait_for_batch(
    client: Glasshouse,
    batch_group_id: str,
    *,
    every: float = 1,
    timeout: float | None = None,
    on_progress: Callable[[BatchProgress], None] = lambda _: None,
) -> BatchProgress:
    """Waits until a refresh is over. Times are in seconds. Raises `TimeoutError`."""
    return _wait(lambda: get_batch(client, batch_group_id), every, timeout, on_progress)


def wait_for_audit(
    client: Glasshouse,
    run_id: str,
    *,
    every: float = 1,
    timeout: float | None = None,
    on_progress: Callable[[RunView], None] = lambda _: None,
) -> RunView:
    """Waits until an audit is over, whatever its end: see `status` and `close_reason`. Times are in seconds. Raises `TimeoutError`."""
    return _wait(lambda: get_run(client, run_id, limit=1).run, every, timeout, on_progress)


def _wait(
    read: Callable[[], Progress], every: float, timeout: float | None, on_progress: Callable[[Progress], None]
) -> Progress:
    until = None if timeout is None else time.monotonic() + timeout
    while True:
        progress = read()
        on_progress(progress)
        if progress.completed_at:
            return progress
        if until is not None and time.monotonic() + every > until:
            raise TimeoutError(f"not over after {timeout} s")
        time.sleep(every)
