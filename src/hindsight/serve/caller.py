"""Who makes the request that is being answered; carried beside the call, since protocol handlers see no HTTP request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from hindsight.records import Channel, Principal, Scope


@dataclass(frozen=True, slots=True)
class Caller:
    """What a token says of who brings it."""

    agent: str
    scopes: frozenset[Scope]
    namespaces: tuple[str, ...] = ("*",)

    def principal(self, channel: Channel) -> Principal:
        """The caller as one who writes by ``channel``."""
        return Principal(agent=self.agent, channel=channel, namespaces=self.namespaces, scopes=self.scopes)

    def namespace(self, default: str) -> str:
        """The pool of calls that name none: the usual one where the caller may use it, else its own first."""
        return default if "*" in self.namespaces or default in self.namespaces else self.namespaces[0]


_current: ContextVar[Caller | None] = ContextVar("caller", default=None)


def current() -> Caller | None:
    """The caller of the request under way; None outside of one, as over stdio."""
    return _current.get()


@contextmanager
def calling(caller: Caller) -> Iterator[None]:
    """Within, ``caller`` is the current one."""
    before = _current.set(caller)
    try:
        yield
    finally:
        _current.reset(before)
