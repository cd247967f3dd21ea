"""The synchronous REST client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import update_wrapper
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from hindsight.client import calls
from hindsight.client.answers import MemoryAnswer
from hindsight.client.calls import Call
from hindsight.client.connection import TIMEOUT_SECONDS, arguments, fault, options, result, unreachable
from hindsight.client.lines import lines_of
from hindsight.client.operating_answers import HappeningAnswer, ImportAnswer

P = ParamSpec("P")
T = TypeVar("T")


def _sent(describe: Callable[P, Call[T]]) -> Callable[Concatenate[RestClient, P], T]:
    """The method that sends what ``describe`` describes."""

    def method(self: RestClient, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.send(describe(*args, **kwargs))

    update_wrapper(method, describe)
    return method


class RestClient:
    """The calls of :class:`hindsight.Hindsight` on a server, for synchronous code.

    ::

        with RestClient("http://127.0.0.1:8080", token="hs_…") as memory:
            memory.store("Backups run at 03:00")
            print(memory.retrieve("when do backups run?").render())

    Without ``url`` and ``token`` they are ``HINDSIGHT_URL`` and ``HINDSIGHT_TOKEN``. Errors are those of :mod:`hindsight.errors`.
    """

    def __init__(
        self, url: str | None = None, *, token: str | None = None, timeout: float = TIMEOUT_SECONDS, transport: Any = None
    ) -> None:
        import httpx

        self._web = httpx.Client(**options(url, token, timeout), transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Free the connections."""
        self._web.close()

    def send(self, call: Call[T]) -> T:
        """Send a described call.

        Raises:
            HindsightError: the server refused, or does not answer.
        """
        import httpx

        try:
            response = self._web.request(**arguments(call))
        except httpx.HTTPError as error:
            raise unreachable(error, self._web.base_url) from error
        return result(call, response)

    def export(self, *, namespace: str | None = None) -> Iterator[MemoryAnswer]:
        """Every record that the caller may see but quarantined ones, oldest first, from one consistent snapshot."""
        import httpx

        query = {} if namespace is None else {"namespace": namespace}
        try:
            with self._web.stream("GET", "/export", params=query) as response:
                if not response.is_success:
                    response.read()
                    raise fault(response)
                for line in lines_of(response):
                    yield MemoryAnswer.model_validate_json(line)
        except httpx.HTTPError as error:
            raise unreachable(error, self._web.base_url) from error

    def events(self, *, namespace: str | None = None, seconds: int = 60) -> Iterator[HappeningAnswer]:
        """New memories and the caller's retrievals as they happen, for so many seconds."""
        import httpx

        query = {"seconds": seconds} | ({} if namespace is None else {"namespace": namespace})
        try:
            with self._web.stream("GET", "/events", params=query) as response:
                if not response.is_success:
                    response.read()
                    raise fault(response)
                for line in lines_of(response):
                    if line.startswith("data: "):
                        yield HappeningAnswer.model_validate_json(line.removeprefix("data: "))
        except httpx.HTTPError as error:
            raise unreachable(error, self._web.base_url) from error

    def import_file(self, path: str | Path, *, format: str = "auto", namespace: str | None = None) -> ImportAnswer:
        """Import a file of JSON Lines; importing twice adds nothing."""
        return self.import_lines(Path(path).read_bytes(), format=format, namespace=namespace)

    store = _sent(calls.store)
    store_many = _sent(calls.store_many)
    list = _sent(calls.list)
    get = _sent(calls.get)
    update = _sent(calls.update)
    forget = _sent(calls.forget)
    restore = _sent(calls.restore)
    history = _sent(calls.history)
    lineage = _sent(calls.lineage)
    undo = _sent(calls.undo)
    retrieve = _sent(calls.retrieve)
    context = _sent(calls.context)
    ingest_text = _sent(calls.ingest_text)
    why = _sent(calls.why)
    retrieval = _sent(calls.retrieval)
    retrievals = _sent(calls.retrievals)
    feedback = _sent(calls.feedback)
    open_sessions = _sent(calls.open_sessions)
    open_session = _sent(calls.open_session)
    session = _sent(calls.session)
    turn = _sent(calls.turn)
    close_session = _sent(calls.close_session)
    turns = _sent(calls.turns)
    observe = _sent(calls.observe)
    task_started = _sent(calls.task_started)
    task_finished = _sent(calls.task_finished)
    reviews = _sent(calls.reviews)
    approve = _sent(calls.approve)
    reject = _sent(calls.reject)
    reopen = _sent(calls.reopen)
    postpone = _sent(calls.postpone)
    scan_conflicts = _sent(calls.scan_conflicts)
    reflect = _sent(calls.reflect)
    patterns = _sent(calls.patterns)
    stats = _sent(calls.stats)
    verify = _sent(calls.verify)
    jobs = _sent(calls.jobs)
    retry_job = _sent(calls.retry_job)
    create_token = _sent(calls.create_token)
    tokens = _sent(calls.tokens)
    revoke_token = _sent(calls.revoke_token)
    backup = _sent(calls.backup)
    backups = _sent(calls.backups)
    import_lines = _sent(calls.import_lines)
