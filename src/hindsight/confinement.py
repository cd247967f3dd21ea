"""Which namespaces the call under way may touch, for databases that have a wall of their own between them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_namespaces: ContextVar[tuple[str, ...] | None] = ContextVar("namespaces", default=None)


def confinement() -> tuple[str, ...] | None:
    """The namespaces of the call under way; None: it is confined to none, as the store's own work."""
    return _namespaces.get()


@contextmanager
def confined_to(namespaces: tuple[str, ...] | None) -> Iterator[None]:
    """Within, the database shows texts of these namespaces alone; None lifts that."""
    before = _namespaces.set(namespaces)
    try:
        yield
    finally:
        _namespaces.reset(before)
