"""Trust and taint: how far a record can be trusted, and how that carries over to what is made of it. Pure.

Trust derives from the channel alone. What is derived takes the least trust of its parents and of its own channel, through
every merge, summary and compaction; only a person's approval raises it. A parent that was quarantined taints what came of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from hindsight.records import CHANNEL_TRUST, Channel, Memory, Status

_TAINTED = frozenset({Status.QUARANTINED, Status.PENDING})


def derived_trust(channel: Channel, parents: Iterable[Memory]) -> float:
    """The trust of a record from ``channel`` that was made of ``parents``."""
    return min([CHANNEL_TRUST[channel], *(parent.trust for parent in parents)])


def tainting(parents: Iterable[Memory]) -> tuple[Memory, ...]:
    """Those parents from which nothing may become active."""
    return tuple(parent for parent in parents if parent.status in _TAINTED)


def corroborates(old: Memory, new: Memory) -> bool:
    """Whether ``new`` makes the same statement ``old`` surer: it does from another root only.

    A root is a person's session, a tool's or document's own source, or an agent. What an agent, or reflection, repeats
    counts nothing, in however many sessions.
    """
    if new.channel in (Channel.AGENT, Channel.REFLECTION) and (new.agent == old.agent or old.channel is new.channel):
        return False
    if new.trust < old.trust:
        return False
    return root_of(new) != root_of(old)


def root_of(memory: Memory) -> tuple[object, ...]:
    """Where a statement comes from in the end."""
    if memory.channel in (Channel.AGENT, Channel.REFLECTION):
        return memory.channel, memory.agent
    documents = tuple(sorted({ref.document for ref in memory.refs if ref.document}))
    return memory.channel, documents or (memory.session_id, memory.turn_ids if memory.session_id else ())
