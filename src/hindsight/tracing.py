"""Spans for an OpenTelemetry collector: off unless its address is set. They hold names and numbers, never texts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from hindsight import __version__, telemetry
from hindsight.errors import MissingExtra

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

    from hindsight.settings import Settings

SERVICE = "hindsight"
_Scope = MutableMapping[str, Any]
_App = Callable[[_Scope, Any, Any], Awaitable[None]]


def trace_to_collector(settings: Settings) -> None:
    """Send spans to the collector that the settings name; nothing where they name none.

    Raises:
        MissingExtra: what sends them is not installed.
    """
    if not settings.tracing_url:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise MissingExtra("HINDSIGHT_TRACING_URL needs a further package: pip install 'hindsight-memory[tracing]'.") from None
    provider = TracerProvider(resource=Resource.create({"service.name": SERVICE, "service.version": __version__}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=settings.tracing_url)))
    trace_by(provider)


def trace_by(provider: TracerProvider) -> None:
    """Make spans by a provider, which the MCP library uses too."""
    from opentelemetry import trace

    if trace.get_tracer_provider() is not provider:
        trace.set_tracer_provider(provider)
    telemetry.trace_with(provider.get_tracer(SERVICE, __version__))


class Traced:
    """ASGI middleware: a span for each request, under the one that its ``traceparent`` header names (W3C Trace Context)."""

    def __init__(self, app: _App) -> None:
        self.app = app

    async def __call__(self, scope: _Scope, receive: Any, send: Any) -> None:
        """Pass on one request."""
        if scope["type"] != "http" or not telemetry.tracing():
            await self.app(scope, receive, send)
            return
        from opentelemetry import context, propagate

        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        token = context.attach(propagate.extract(headers))
        try:
            with telemetry.span(f"{scope['method']} {_route(scope['path'])}") as current:

                async def answer(message: MutableMapping[str, Any]) -> None:
                    if message["type"] == "http.response.start":
                        current.set_attribute("http.response.status_code", message["status"])
                    await send(message)

                await self.app(scope, receive, answer)
        finally:
            context.detach(token)


def _route(path: str) -> str:
    """``/v1/memories/{id}/why`` for any memory: spans of one kind have one name, and ids that callers chose stay out."""
    parts = path.split("/")
    return "/".join([*parts[:3], *("{id}" for _ in parts[3:4]), *parts[4:5]])
