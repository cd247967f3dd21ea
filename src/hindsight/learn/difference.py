"""What a sequence of tool calls that succeeded did otherwise than one that failed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hindsight.remember.task import ToolCall


@dataclass(frozen=True, slots=True)
class Difference:
    """How ``succeeded`` differs from ``failed``.

    Args:
        missing: tools of the success that the failure never called before ``before``, in order.
        before: the tool that the missing ones precede; None where they come after everything that both called.
        needless: tools of the failure that the success did without.
        late: tools that the failure called too, but only after ``before``.
    """

    missing: tuple[str, ...] = ()
    before: str | None = None
    needless: tuple[str, ...] = ()
    late: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.needless or self.late)


def difference(failed: Sequence[str], succeeded: Sequence[str], at: str | None = None) -> Difference:
    """Compare two call sequences; ``at`` is the tool that failed, where that is known.

    >>> difference(["refund"], ["get_order", "refund"])
    Difference(missing=('get_order',), before='refund', needless=(), late=())
    """
    pivot = at if at in succeeded and at in failed else _pivot(failed, succeeded)
    if pivot is None:
        used = set(failed)
        missing = tuple(dict.fromkeys(tool for tool in succeeded if tool not in used))
        return Difference(missing, None, tuple(dict.fromkeys(tool for tool in failed if tool not in succeeded)))
    done = set(failed[: failed.index(pivot)])
    prior = tuple(dict.fromkeys(tool for tool in succeeded[: succeeded.index(pivot)] if tool != pivot and tool not in done))
    late = tuple(tool for tool in prior if tool in failed)
    missing = tuple(tool for tool in prior if tool not in failed)
    after = tuple(dict.fromkeys(tool for tool in succeeded if tool not in failed and tool not in prior))
    if not prior and after:
        missing, pivot = after, None
    needless = tuple(dict.fromkeys(tool for tool in failed if tool not in succeeded))
    return Difference(missing, pivot if prior else None, needless, late)


@dataclass(frozen=True, slots=True)
class Repair:
    """How a failed call was mended within its task.

    Args:
        call: the one that failed.
        between: tools called before the very same call succeeded.
        arguments: names of the arguments that were others when it succeeded; then what was called between proves nothing.
    """

    call: ToolCall
    between: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


def repair_within(calls: Sequence[ToolCall]) -> Repair | None:
    """The first failed call whose tool succeeded later, and what had changed by then; None where nothing was mended that way."""
    for place, call in enumerate(calls):
        later = next((n for n in range(place + 1, len(calls)) if calls[n].tool == call.tool and not calls[n].error), None)
        if not call.error or later is None:
            continue
        if calls[later].arguments != call.arguments:
            return Repair(call, arguments=_changed(call.arguments, calls[later].arguments))
        return Repair(
            call, tuple(dict.fromkeys(each.tool for each in calls[place + 1 : later] if each.tool != call.tool and not each.error))
        )
    return None


def _changed(before: dict[str, Any] | str, after: dict[str, Any] | str) -> tuple[str, ...]:
    if isinstance(before, str) or isinstance(after, str):
        return ()
    return tuple(name for name in {**before, **after} if before.get(name) != after.get(name))


def _pivot(failed: Sequence[str], succeeded: Sequence[str]) -> str | None:
    """The first tool of the failure, as the two go, that the success reached by another way."""
    for place, tool in enumerate(failed):
        if tool in succeeded and set(succeeded[: succeeded.index(tool)]) - set(failed[:place]):
            return tool
    return None
