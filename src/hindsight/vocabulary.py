"""The closed vocabularies of the records, and the weights that go with them. Import them from ``hindsight.records``."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal


class Kind(StrEnum):
    """What a memory is."""

    EPISODE = "episode"
    FACT = "fact"
    PREFERENCE = "preference"
    CONSTRAINT = "constraint"
    RULE = "rule"
    PROCEDURE = "procedure"
    KNOWLEDGE = "knowledge"


class Layer(StrEnum):
    """The memory layer a kind belongs to; working memory is not a record."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    EXTERNAL = "external"


LAYER_OF: dict[Kind, Layer] = {
    Kind.EPISODE: Layer.EPISODIC,
    Kind.FACT: Layer.SEMANTIC,
    Kind.PREFERENCE: Layer.SEMANTIC,
    Kind.CONSTRAINT: Layer.SEMANTIC,
    Kind.RULE: Layer.SEMANTIC,
    Kind.PROCEDURE: Layer.PROCEDURAL,
    Kind.KNOWLEDGE: Layer.EXTERNAL,
}


class Outcome(StrEnum):
    """How what the memory tells of ended. ``fixed``: failed, then repaired; ``corrected``: a person corrected it."""

    SUCCESS = "success"
    FAILURE = "failure"
    FIXED = "fixed"
    CORRECTED = "corrected"
    UNKNOWN = "unknown"


class Source(StrEnum):
    """Whether the statement was seen or concluded."""

    OBSERVED = "observed"
    INFERRED = "inferred"


class Channel(StrEnum):
    """The way by which a text came in: set from the authenticated caller, never from the text."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    DOCUMENT = "document"
    REFLECTION = "reflection"
    IMPORT = "import"


class Status(StrEnum):
    """Where a record stands. Only ``active`` ones are recalled by default."""

    ACTIVE = "active"
    PENDING = "pending"
    QUARANTINED = "quarantined"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


class Visibility(StrEnum):
    """``private``: its own agent only; ``shared``: every agent of the namespace."""

    PRIVATE = "private"
    SHARED = "shared"


class Precision(StrEnum):
    """How exactly an event time is known."""

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    SEASON = "season"
    YEAR = "year"
    DECADE = "decade"


class Role(StrEnum):
    """The part that a speaker has in a conversation."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    OTHER = "other"


CHANNEL_TRUST: dict[Channel, float] = {
    Channel.USER: 1.0,
    Channel.TOOL: 0.7,
    Channel.AGENT: 0.6,
    Channel.REFLECTION: 0.6,
    Channel.IMPORT: 0.5,
    Channel.DOCUMENT: 0.4,
}
OUTCOME_WEIGHT: dict[Outcome, float] = {
    Outcome.SUCCESS: 1.0,
    Outcome.FIXED: 1.5,
    Outcome.CORRECTED: 2.0,
    Outcome.FAILURE: 1.0,
    Outcome.UNKNOWN: 0.9,
}
SOURCE_WEIGHT: dict[Source, float] = {Source.OBSERVED: 1.0, Source.INFERRED: 0.5}


EventAction = Literal["created", "updated", "archived", "restored", "erased", "superseded", "merged", "reviewed", "used", "undone"]


class StoreStatus(StrEnum):
    """What became of a ``store`` call."""

    STORED = "stored"
    DUPLICATE = "duplicate"
    MERGED = "merged"
    PENDING = "pending"
    QUARANTINED = "quarantined"
    REJECTED = "rejected"
    QUEUED = "queued"
