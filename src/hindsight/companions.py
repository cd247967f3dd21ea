"""What may stand beside the store: engines that share quick things between processes and hold the only copy of nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from hindsight.values import Token


class Companion(Protocol):
    """An engine beside the store, opened and closed with it."""

    name: str
    """What messages and readiness call it."""

    async def open(self) -> None:
        """Connect; a server that does not answer is tried again for some seconds, then named (``StoreUnavailable``)."""
        ...

    async def close(self) -> None:
        """Disconnect; safe to call twice, and before :meth:`open`."""
        ...

    async def fault(self) -> str | None:
        """Why calls go on without it; None where it answers."""
        ...


class WakeUps(Protocol):
    """Tells the workers of other processes at once that a job waits; one that misses it looks by itself a little later."""

    async def ring(self) -> None:
        """A job waits."""
        ...

    def listen(self, woken: Callable[[], object]) -> None:
        """Call ``woken`` in the running event loop whenever anybody rings, until :meth:`silence`."""
        ...

    async def silence(self) -> None:
        """Stop listening; safe to call twice."""
        ...


class SharedRates(Protocol):
    """Rates of tokens, counted over all processes."""

    async def wait(self, token: Token) -> float | None:
        """Seconds until the token's next request may come, 0 where this one may (and counts); None where nobody knows at present."""
        ...


class Blobs(Protocol):
    """Bytes for a while, that may be gone at any moment."""

    async def get(self, key: bytes) -> bytes | None: ...

    async def put(self, key: bytes, value: bytes, *, seconds: float) -> None: ...
