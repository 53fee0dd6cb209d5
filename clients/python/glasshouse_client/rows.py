"""Lists as iterators. Used by the functions of `api` whose name ends in `_rows`."""

from collections.abc import Callable, Iterator
from typing import TypeVar

Part = TypeVar("Part")
Row = TypeVar("Row")


def rows(read: Callable[[int], Part], rows_of: Callable[[Part], list[Row]], offset: int) -> Iterator[Row]:
    """Yields the rows of a list, part by part, from an offset on."""
    while True:
        part = read(offset)
        found = rows_of(part)
        yield from found
        offset += len(found)
        total = getattr(part, "total", getattr(part, "page_total", None))
        if not found or (isinstance(total, int) and offset >= total):
            return
