"""The kind gate: what a channel may make active by itself. Pure.

Nothing that an agent, a tool or a document says becomes a rule until a person approves it, and what agents share with
each other waits for approval too, however clean the text looks.
"""

from __future__ import annotations

from dataclasses import dataclass

from hindsight.records import LAYER_OF, Channel, Kind, Layer, Status, Visibility


@dataclass(frozen=True, slots=True)
class Verdict:
    """The status that a record may take, and why."""

    status: Status
    reasons: tuple[str, ...] = ()


def gate(kind: Kind, channel: Channel, visibility: Visibility) -> Verdict:
    """The status of a new record of this kind from this channel."""
    if channel is Channel.USER:
        return Verdict(Status.ACTIVE)
    if kind is Kind.RULE:
        return Verdict(Status.PENDING, (f"a rule from the channel '{channel}' waits for a person's approval",))
    if visibility is Visibility.SHARED and LAYER_OF[kind] is Layer.SEMANTIC:
        return Verdict(Status.PENDING, (f"a shared {kind} from the channel '{channel}' waits for a person's approval",))
    return Verdict(Status.ACTIVE)
