"""The one seam through which the flows tell what happens (counters, log lines). Nothing of it leaves the machine."""

from __future__ import annotations

import functools
import logging
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from hindsight.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")


class Counts:
    """Told of what happens, and counts nothing: for processes that nobody scrapes. It never hears a text."""

    def retrieved(self, hits: int, stages: Mapping[str, float], routes: Mapping[str, int], flags: Iterable[str]) -> None:
        """One retrieval gave ``hits`` memories; ``stages`` are its parts in seconds, ``total`` among them, ``routes`` its candidates."""

    def judged(self, verdict: str, memories: int) -> None:
        """A caller said of what a retrieval had shown that it was ``helpful``, ``harmful`` or ``unused``."""

    def stored(self, statuses: Iterable[str], seconds: float | None = None) -> None:
        """These became of stored texts, in so many seconds; None where they only were queued."""

    def guarded(self, verdicts: Iterable[str]) -> None:
        """What the guard said: ``allow``, ``redact``, ``pending``, ``quarantine``, ``reject``."""

    def looked_up(self, cache: str, hits: int, misses: int) -> None:
        """A cache (``answers``, ``vectors``) was asked."""

    def asked_model(self, model: str, input_tokens: int, output_tokens: int) -> None:
        """A language model answered."""

    def model_failed(self, model: str) -> None:
        """A language model did not answer, or not as it should."""

    def upkept(self, job: str, outcome: str, seconds: float, records: Mapping[str, int]) -> None:
        """A job of upkeep ended (``done``, ``failed``, ``skipped``); ``records`` are numbers by what was done with them."""


_current = Counts()


def counts() -> Counts:
    """Where this process counts."""
    return _current


def count_with(chosen: Counts) -> None:
    """Count there from now on: what serves does so before anything is asked of it."""
    global _current  # noqa: PLW0603 - one process, one account, like the log
    _current = chosen


class Tracer(Protocol):
    """What makes spans: an OpenTelemetry tracer."""

    def start_as_current_span(self, name: str, *, attributes: Mapping[str, Any] | None = None) -> AbstractContextManager[Any]: ...


_tracer: Tracer | None = None


def trace_with(tracer: Tracer | None) -> None:
    """Make spans with it from now on; None: none."""
    global _tracer  # noqa: PLW0603 - as for counting
    _tracer = tracer


def tracing() -> bool:
    """Whether spans are made."""
    return _tracer is not None


@contextmanager
def span(name: str, **attributes: str | float | bool) -> Iterator[Any]:
    """A span around what is done inside, where spans are made. Attributes are names and numbers, never texts of memories or queries."""
    if _tracer is None:
        yield None
        return
    with _tracer.start_as_current_span(name, attributes=attributes) as current:
        yield current


def traced(name: str) -> Callable[[Callable[P, Awaitable[T]]], Callable[P, Coroutine[Any, Any, T]]]:
    """Make each call of a coroutine function a span."""

    def around(work: Callable[P, Awaitable[T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        @functools.wraps(work)
        async def called(*arguments: P.args, **named: P.kwargs) -> T:
            with span(name):
                return await work(*arguments, **named)

        return called

    return around


def log_to_stderr(settings: Settings) -> None:
    """Send every log line and warning of the process to stderr: stdout belongs to the protocol, or to a command's output.

    Sets up the standard library's logging only; :func:`log_structured` adds structlog, whose import is not cheap.
    """
    logging.basicConfig(
        stream=sys.stderr, level=settings.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s", force=True
    )
    logging.captureWarnings(True)


def log_structured(settings: Settings) -> None:
    """Like :func:`log_to_stderr`, with structlog's lines and the standard library's in one form: for people on a terminal, else JSON."""
    import structlog

    as_json = settings.log_format == "json" or (settings.log_format == "auto" and not sys.stderr.isatty())
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: Any = structlog.processors.JSONRenderer(ensure_ascii=False) if as_json else structlog.dev.ConsoleRenderer()
    closing = [structlog.processors.format_exc_info, renderer] if as_json else [renderer]
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder()],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *closing],
        )
    )
    logging.basicConfig(handlers=[handler], level=settings.log_level.upper(), force=True)
    logging.captureWarnings(True)
