"""Last stage: a checked draft becomes a record with its tokens, vector, entities and event, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from hindsight.guard.verdict import Verdict
from hindsight.ports import NewEvent, Write
from hindsight.records import CHANNEL_TRUST, Channel, DebugInfo, Draft, EventAction, Memory, Principal, default_idempotency_key, new_id
from hindsight.remember.embed import Embedded
from hindsight.text.entities import extract_entities
from hindsight.text.fold import fold
from hindsight.text.indexing import indexed_tokens
from hindsight.text.language import Language, detect_language


def build_memory(draft: Draft, verdict: Verdict, channel: Channel, now: datetime, *, debug: bool, trust: float | None = None) -> Memory:
    """The record of a draft whose namespace and agent are set; trust comes from the channel, and from parents where ``trust`` is given."""
    if draft.namespace is None or draft.agent is None:
        raise ValueError("the draft was not attributed")
    fields = draft.model_dump(exclude={"debug", "idempotency_key"})
    key = draft.idempotency_key or default_idempotency_key(draft.content, draft.session_id, draft.turn_ids)
    given = draft.debug or DebugInfo(session_id=draft.session_id, turn_ids=draft.turn_ids)
    info = given.model_copy(update={"guard": verdict.note()})
    return Memory(
        **fields,
        id=new_id(int(now.timestamp() * 1000)),
        channel=channel,
        trust=CHANNEL_TRUST[channel] if trust is None else trust,
        status=verdict.status,
        created_at=now,
        updated_at=now,
        idempotency_key=key,
        debug=info if debug else None,
    )


def build_write(memory: Memory, embedded: Embedded | None, event: NewEvent, *, expected_version: int | None = None) -> Write:
    """The transaction's content: what is indexed is ``Memory.text()``, so that situation, speaker and statement are all found."""
    text = memory.text()
    language = detect_language(text)
    return Write(
        memory=memory,
        event=event,
        tokens=indexed_tokens(text, memory.content),
        language=language,
        vector=embedded.vector if embedded else None,
        passages=embedded.passages if embedded else None,
        entities=entity_pairs(memory, language),
        expected_version=expected_version,
    )


def entity_pairs(memory: Memory, language: Language) -> Sequence[tuple[str, str]]:
    """(folded name, kind) of the entities that the caller named, the speaker, and those found in the text; no name twice."""
    found = {each.norm: str(each.kind) for each in extract_entities(memory.text(), language)}
    given = {fold(name): "named" for name in memory.entities}
    spoken = {fold(memory.speaker): "person"} if memory.speaker else {}
    return sorted((norm, kind) for norm, kind in (given | found | spoken).items() if norm)


def event_of(
    action: EventAction, principal: Principal, now: datetime, *, session_id: str | None = None, reason: str | None = None
) -> NewEvent:
    """An event by this caller."""
    return NewEvent(action=action, actor=principal.agent, channel=principal.channel, at=now, session_id=session_id, reason=reason)
