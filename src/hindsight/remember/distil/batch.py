"""Turns of a conversation → stored memories: by rules, and by a chat model where one is configured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property
from typing import TYPE_CHECKING

from hindsight.records import Channel, Draft, Principal, Role, StoreResult, Turn
from hindsight.remember.attribute import Attribution
from hindsight.remember.distil.model import ModelDistiller
from hindsight.remember.writer import Writer

if TYPE_CHECKING:
    from hindsight.remember.distil.rules import RuleDistiller

_RELAYED = {Role.USER: Channel.USER, Role.TOOL: Channel.TOOL}


@dataclass(frozen=True, slots=True)
class Harvest:
    """Drafts worth keeping, and what was left out with the reason."""

    drafts: tuple[Draft, ...]
    left_out: tuple[str, ...] = ()


class Distiller:
    """Distils turns: with the model where there is one, else by rules. Echoes of what was recalled are never kept again.

    ``zone`` is where days begin. The rules' patterns take time to compile: a process that distils nothing does without.
    """

    def __init__(self, zone: tzinfo, model: ModelDistiller | None = None) -> None:
        self._zone = zone
        self._model = model

    @cached_property
    def rules(self) -> RuleDistiller:
        """The rules, which work at once and without a model."""
        from hindsight.remember.distil.rules import RuleDistiller

        return RuleDistiller(self._zone)

    @property
    def name(self) -> str:
        """Which way it works."""
        return self.rules.name if self._model is None else self._model.name

    async def distil(self, turns: Sequence[Turn], *, recalled: Sequence[str] = ()) -> Harvest:
        """What of ``turns`` is worth keeping, beyond what was ``recalled`` into the conversation.

        Raises:
            ModelError: the model gave no valid answer; nothing may be kept on such ground.
        """
        from hindsight.remember.distil.echo import is_echo

        left_out: tuple[str, ...] = ()
        if self._model is None:
            drafts = tuple(self.rules.distil(turns))
        else:
            found = await self._model.distil(turns)
            drafts, left_out = found.drafts, found.left_out
        kept = tuple(draft for draft in drafts if not is_echo(draft.content, recalled))
        echoes = tuple(f"it repeats what was recalled: {draft.content[:120]}" for draft in drafts if draft not in kept)
        return Harvest(kept, left_out + echoes)


async def store_drafts(drafts: Sequence[Draft], writer: Writer, attribution: Attribution) -> list[StoreResult]:
    """Store distilled drafts; results in their order.

    Trust comes from the caller's channel. Only a caller with the scope ``relay`` may pass words on as a person's or a tool's own.
    """
    results: dict[int, StoreResult] = {}
    groups: dict[Channel, list[int]] = {}
    for number, draft in enumerate(drafts):
        groups.setdefault(_channel_of(draft, attribution.principal), []).append(number)
    for channel, numbers in groups.items():
        principal = attribution.principal.model_copy(update={"channel": channel})
        own = Attribution(principal, attribution.namespace, attribution.zone)
        stored = await writer.store([drafts[each] for each in numbers], own, verbatim=False)
        results.update(zip(numbers, stored, strict=True))
    return [results[number] for number in range(len(drafts))]


def _channel_of(draft: Draft, principal: Principal) -> Channel:
    if "relay" in principal.scopes and draft.role in _RELAYED:
        return _RELAYED[draft.role]
    return principal.channel
