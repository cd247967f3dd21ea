"""The kind gate: what a channel may make active by itself. Pure.

Nothing that an agent, a tool or a document says becomes a rule until a person approves it, and what agents share with
each other waits for approval too, however clean the text looks.
"""

from __future__ import annotations

from hindsight.guard.verdict import Verdict
from hindsight.records import CHANNEL_TRUST, LAYER_OF, Channel, Kind, Layer, Memory, Status, Visibility

__all__ = ["Verdict", "gate", "status_after_archive"]


def gate(kind: Kind, channel: Channel, visibility: Visibility) -> Verdict:
    """The status of a new record of this kind from this channel."""
    if channel is Channel.USER:
        return Verdict(Status.ACTIVE)
    if kind is Kind.RULE:
        return Verdict(Status.PENDING, (f"a rule from the channel '{channel}' waits for a person's approval",))
    if kind is Kind.PROCEDURE and channel is Channel.REFLECTION:
        return Verdict(Status.PENDING, ("a procedure that was only mined waits for a person's approval",))
    if visibility is Visibility.SHARED and LAYER_OF[kind] is Layer.SEMANTIC:
        return Verdict(Status.PENDING, (f"a shared {kind} from the channel '{channel}' waits for a person's approval",))
    return Verdict(Status.ACTIVE)


def status_after_archive(memory: Memory) -> Status:
    """Where an archived record may return to: what a person wrote or approved is active, anything else passes the gate again.

    A trust below its channel's tells that another edited it since.
    """
    channel = memory.channel if memory.trust >= CHANNEL_TRUST[memory.channel] else Channel.AGENT
    return Status.ACTIVE if memory.trust >= 1.0 else gate(memory.kind, channel, memory.visibility).status
