"""The connection to a Qdrant: short waits for searches, longer ones for writes, and a rest after a failure."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import httpx
from qdrant_client import QdrantClient
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from hindsight.adapters.qdrant.address import Address
from hindsight.errors import ConfigurationError, IndexUnavailable

T = TypeVar("T")
Connect = Callable[[int], QdrantClient]
"""Makes a client whose calls take so many seconds at most."""

SEARCH_SECONDS = 1
"""A search waits no longer; the client counts in whole seconds."""
HURRIED_SECONDS = 5
"""Somebody waits for it, and it is done again if it fails."""
WRITE_SECONDS = 30
PATIENT_SECONDS = 4 * 3600
REST_SECONDS = 5.0
"""After a search that failed, none is tried for so long."""
LEAST_VERSION = (1, 19)
_FAULTS = (ApiException, QdrantException, OSError, ValueError, RuntimeError, httpx.HTTPError)
"""``ValueError`` and ``RuntimeError`` are how the client's local mode, and a closed client, refuse."""
_LOG = logging.getLogger(__name__)


class CollectionMissing(IndexUnavailable):
    """There is no collection of this name."""


class QdrantLink:
    """Two clients of one server.

    Args:
        place: what messages call it.
        connect: makes a client.
    """

    def __init__(self, place: str, connect: Connect) -> None:
        self.place = place
        self._connect = connect
        self._guard = threading.Lock()
        self._clients: dict[int, QdrantClient] = {}
        self._fault: str | None = None
        self._asked_again = 0.0

    async def open(self) -> None:
        """Look whether it answers, and in which version.

        Raises:
            ConfigurationError: it refuses the key, or is too old.
        """
        try:
            await asyncio.to_thread(self._tried, SEARCH_SECONDS, self._check)
        except IndexUnavailable as error:
            if isinstance(error.__cause__, UnexpectedResponse) and error.__cause__.status_code in (401, 403):
                raise ConfigurationError(str(error)) from error
            self._failed(str(error))

    async def close(self) -> None:
        """Disconnect."""
        with self._guard:
            clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await asyncio.to_thread(client.close)

    async def fault(self) -> str | None:
        """Why searches go on without it; asks now."""
        try:
            await asyncio.to_thread(self._tried, SEARCH_SECONDS, lambda client: client.get_collections())
        except IndexUnavailable as error:
            self._failed(str(error))
            return str(error)
        self._answers()
        return None

    def search(self, work: Callable[[QdrantClient], T]) -> T:
        """What ``work`` gets, soon.

        Raises:
            IndexUnavailable: it does not answer, or did not a moment ago.
        """
        return self._unless_resting(SEARCH_SECONDS, work)

    def hurried(self, work: Callable[[QdrantClient], T]) -> T:
        """The same with a little more time, for what is not only read."""
        return self._unless_resting(HURRIED_SECONDS, work)

    def _unless_resting(self, seconds: int, work: Callable[[QdrantClient], T]) -> T:
        with self._guard:
            resting = self._fault is not None and time.monotonic() < self._asked_again
            fault = self._fault
            if fault is not None and not resting:
                self._asked_again = time.monotonic() + REST_SECONDS  # one caller tries; the others go on without it
        if resting:
            raise IndexUnavailable(f"{fault} It is asked again in a few seconds.")
        try:
            found = self._tried(seconds, work)
        except IndexUnavailable as error:
            self._failed(str(error))
            raise
        self._answers()
        return found

    def write(self, work: Callable[[QdrantClient], T]) -> T:
        """What ``work`` gets, with time for it; tried even while searches rest.

        Raises:
            IndexUnavailable: it does not answer, or refuses.
        """
        found = self._tried(WRITE_SECONDS, work)
        self._answers()
        return found

    def patient(self, work: Callable[[QdrantClient], T]) -> T:
        """What ``work`` gets, with hours for it."""
        return self._tried(PATIENT_SECONDS, work)

    def _tried(self, seconds: int, work: Callable[[QdrantClient], T]) -> T:
        try:
            return work(self._client(seconds))
        except _FAULTS as error:
            raise self._named(error) from error

    def _client(self, seconds: int) -> QdrantClient:
        with self._guard:
            if seconds not in self._clients:
                self._clients[seconds] = self._connect(seconds)
            return self._clients[seconds]

    def _check(self, client: QdrantClient) -> None:
        version = client.info().version
        with suppress(ValueError):
            if tuple(int(part) for part in version.split("-")[0].split(".")[:2]) < LEAST_VERSION:
                least = ".".join(map(str, LEAST_VERSION))
                raise ConfigurationError(f"Qdrant at {self.place} is version {version}; hindsight needs {least} or newer.")

    def _named(self, error: Exception) -> IndexUnavailable:
        said = _said(error)
        if isinstance(error, UnexpectedResponse) and error.status_code in (401, 403):
            return IndexUnavailable(f"Qdrant at {self.place} refuses the key ({said}). Correct HINDSIGHT_QDRANT_API_KEY.")
        if re.match(r"(Not found: )?Collection .* (not found|doesn't exist)", said):
            return CollectionMissing(
                f"Qdrant at {self.place} has lost the collection ({said}); `hindsight worker` or `hindsight serve` fills it."
            )
        if said.startswith("HTTP "):
            return IndexUnavailable(
                f"{self.place} answers with {said}, and not as a Qdrant does. Check the address, and proxies on the way."
            )
        if isinstance(error, UnexpectedResponse):
            return IndexUnavailable(f"Qdrant at {self.place} refuses a request: {said}.")
        return IndexUnavailable(f"Qdrant at {self.place} does not answer ({said}). Start it, check host, port and firewall.")

    def _answers(self) -> None:
        with self._guard:
            known, self._fault = self._fault, None
        if known is not None:
            _LOG.warning("Qdrant at %s answers again.", self.place)

    def _failed(self, said: str) -> None:
        with self._guard:
            known, self._fault = self._fault, said
            self._asked_again = time.monotonic() + REST_SECONDS
        if known is None:
            _LOG.warning("%s Searches in large namespaces go on by keywords.", said)


def connecting(address: Address, key: str) -> Connect:
    """What makes clients of the server at an address."""

    def connect(seconds: int) -> QdrantClient:
        return QdrantClient(
            url=address.url,
            port=None,
            timeout=seconds,
            headers={"api-key": key} if key else None,  # as a header, so that the client does not warn of a private network
            check_compatibility=False,  # asked by open(), without a thread of its own
            limits=httpx.Limits(max_connections=64, max_keepalive_connections=16),
        )

    return connect


def _said(error: Exception) -> str:
    """What the server, or the network, says in one line."""
    if isinstance(error, UnexpectedResponse):
        with suppress(ValueError, KeyError, TypeError):
            return str(json.loads(error.content)["status"]["error"]).strip().splitlines()[0]
        return f"HTTP {error.status_code}"
    inner: Any = error.source if isinstance(error, ResponseHandlingException) else error
    return next(iter(str(inner).strip().splitlines()), "") or type(inner).__name__
