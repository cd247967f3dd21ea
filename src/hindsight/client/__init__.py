"""The REST client: the calls of :class:`hindsight.Hindsight` over HTTP, synchronous and asynchronous."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hindsight.client.asynchronous import AsyncRestClient
    from hindsight.client.synchronous import RestClient

__all__ = ["AsyncRestClient", "RestClient"]
_HOMES = {"AsyncRestClient": "hindsight.client.asynchronous", "RestClient": "hindsight.client.synchronous"}


def __getattr__(name: str) -> Any:
    """The clients are imported at first use: the server reads the forms of this package, and makes no calls."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
