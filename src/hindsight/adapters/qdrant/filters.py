"""Filters in Qdrant's words: the same records pass as in the store's own mask (``hindsight.adapters.relational.filtering``)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from qdrant_client import models

from hindsight.adapters.qdrant.points import chain_of
from hindsight.records import LAYER_OF, Filter, Status, Visibility, utc
from hindsight.text.fold import fold

_APPROVED = (Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED)


def translated(filter: Filter, now: datetime) -> models.Filter:
    """What ``filter`` lets pass at ``now``, where it names no time itself."""
    must: list[models.Condition] = [is_one("namespace", filter.namespace), _visible(filter)]
    for name, wanted in (
        ("kind", filter.kinds),
        ("kind", tuple(kind for kind, layer in LAYER_OF.items() if layer in filter.layers)),
        ("outcome", filter.outcomes),
        ("source", filter.sources),
        ("channel", filter.channels),
        ("task_type", filter.task_types),
        ("tags", filter.tags),
        ("entities", [fold(each) for each in filter.entities]),
    ):
        if wanted:
            must.append(any_of(name, wanted))
    must += _tools(filter)
    if filter.session_id is not None:
        must.append(is_one("session", filter.session_id))
    if filter.speaker is not None:
        must.append(is_one("speaker", fold(filter.speaker)))
    if filter.key_prefix:
        must.append(models.FieldCondition(key="key", match=models.MatchPrefix(prefix=filter.key_prefix)))
    if filter.avoid is not None:
        must.append(is_one("avoid", filter.avoid))
    must += _happened(filter)
    return models.Filter(must=must, must_not=_over(filter, now))


def is_one(name: str, value: str | bool | int) -> models.FieldCondition:
    """The field is this, or holds it among others."""
    return models.FieldCondition(key=name, match=models.MatchValue(value=value))


def any_of(name: str, values: Iterable[Any]) -> models.FieldCondition:
    """The field is, or holds, one of these."""
    return models.FieldCondition(key=name, match=models.MatchAny(any=list(dict.fromkeys(values))))


def within(name: str, **bounds: float) -> models.FieldCondition:
    """The field is a number within bounds (``gt``, ``gte``, ``lt``, ``lte``); one that is not there is not."""
    return models.FieldCondition(key=name, range=models.Range(**bounds))


def _visible(filter: Filter) -> models.Filter:
    """Own records of the asked statuses, and shared ones of others that were approved."""
    asked = dict.fromkeys([*filter.statuses, *([Status.SUPERSEDED] if filter.at is not None else [])])
    own = models.Filter(must=[is_one("agent", filter.agent), any_of("status", [each.value for each in asked])])
    approved = [each.value for each in asked if each in _APPROVED]
    shared = models.Filter(must=[is_one("visibility", Visibility.SHARED.value), any_of("status", approved)])
    if filter.scope == "own":
        return own
    return shared if filter.scope == "shared" else models.Filter(should=[own, shared])


def _tools(filter: Filter) -> list[models.FieldCondition]:
    if not filter.tools:
        return []
    if filter.tools_match == "chain":
        return [is_one("chain", chain_of(filter.tools))]
    if filter.tools_match == "any":
        return [any_of("tools", filter.tools)]
    return [is_one("tools", tool) for tool in dict.fromkeys(filter.tools)]


def _happened(filter: Filter) -> list[models.Condition]:
    conditions: list[models.Condition] = []
    if filter.since is not None:
        since = utc(filter.since).timestamp()
        conditions.append(models.Filter(should=[within("starts", gte=since), within("ends", gt=since)]))
    if filter.until is not None:
        conditions.append(within("starts", lt=utc(filter.until).timestamp()))
    return conditions


def _over(filter: Filter, now: datetime) -> list[models.Condition]:
    """What is over or not yet true; a time that is not known excludes nothing."""
    present = utc(filter.now or now).timestamp()
    at = present if filter.at is None else utc(filter.at).timestamp()
    return [within("expires", lte=present), within("valid_from", gt=at), within("valid_to", lte=at)]
