"""What a process remembers of texts so as not to work it out again, and how it is made to forget: an erased text must not live on in memory."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakMethod

if TYPE_CHECKING:
    from collections.abc import Callable

Function = TypeVar("Function", bound="Callable[..., object]")
_FORGET: list[Callable[[], None]] = []
_OF_OBJECTS: list[WeakMethod[Callable[[], None]]] = []


def remembered(most: int) -> Callable[[Function], Function]:
    """Decorates a pure function of texts or words: its last ``most`` results are kept until :func:`forget_texts`."""

    def decorate(function: Function) -> Function:
        cached = lru_cache(maxsize=most)(function)
        _FORGET.append(cached.cache_clear)
        return cached  # type: ignore[return-value]  # calls like the function itself

    return decorate


def remembers(forget: Callable[[], None]) -> None:
    """Have this method of an object, for as long as there is the object, called by :func:`forget_texts` too."""
    _OF_OBJECTS[:] = [each for each in _OF_OBJECTS if each() is not None]
    _OF_OBJECTS.append(WeakMethod(forget))


def forget_texts() -> None:
    """Drop everything that :func:`remembered` functions keep. Which entry came of which text is not known any more."""
    for forget in [*_FORGET, *filter(None, (each() for each in _OF_OBJECTS))]:
        forget()
