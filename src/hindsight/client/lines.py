"""Lines of a stream, at line feeds alone: text may hold other characters that ``str.splitlines`` takes for line ends (U+2028, U+0085)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx


class _Lines:
    """Puts the parts of a stream together."""

    def __init__(self) -> None:
        self._rest = b""

    def fed(self, part: bytes) -> list[str]:
        """The lines that are whole with this part."""
        *whole, self._rest = (self._rest + part).split(b"\n")
        return [line.removesuffix(b"\r").decode() for line in whole]

    def left(self) -> list[str]:
        """What came after the last line feed."""
        return [self._rest.decode()] if self._rest else []


def lines_of(response: httpx.Response) -> Iterator[str]:
    """The lines of a response as they come."""
    lines = _Lines()
    for part in response.iter_bytes():
        yield from lines.fed(part)
    yield from lines.left()


async def alines_of(response: httpx.Response) -> AsyncIterator[str]:
    """The lines of a response as they come, for an asynchronous client."""
    lines = _Lines()
    async for part in response.aiter_bytes():
        for line in lines.fed(part):
            yield line
    for line in lines.left():
        yield line
