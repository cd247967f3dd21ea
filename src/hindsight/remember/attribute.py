"""First stage: who writes, where to, in what form. The caller's data becomes a checked ``Draft``; nothing is written yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel, ValidationError

from hindsight.errors import AccessDenied, ContentTooLarge, InvalidInput
from hindsight.guard.envelope import strip_recalled
from hindsight.moments import read_moment
from hindsight.records import MAX_CONTENT_BYTES, DebugInfo, Draft, Kind, Outcome, Principal, Scope
from hindsight.text.fold import sanitise
from hindsight.text.synonyms import normalise_outcome, normalise_task_type

ModelT = TypeVar("ModelT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Attribution:
    """Who calls and what stands where the call names nothing."""

    principal: Principal
    namespace: str
    zone: tzinfo

    def namespace_for(self, namespace: str | None) -> str:
        """The namespace that a call works in.

        Raises:
            AccessDenied: the caller may not use it.
        """
        chosen = namespace or self.namespace
        if not self.principal.may_use(chosen):
            raise AccessDenied(f"this caller may not use the namespace {chosen!r}; it is given {', '.join(self.principal.namespaces)}.")
        return chosen

    def require(self, scope: Scope, deed: str) -> None:
        """Refuse a caller without the scope; ``deed`` tells what it is needed for ("undoes").

        Raises:
            AccessDenied: the caller lacks it.
        """
        if scope not in self.principal.scopes:
            raise AccessDenied(f"only a caller with the scope {scope!r} {deed}; ask the store's owner for a token that has it.")


def read_draft(given: Draft | Mapping[str, Any], attribution: Attribution, *, where: str = "", said_at: datetime | None = None) -> Draft:
    """A clean draft: text sanitised, recalled blocks stripped, times placed, namespace and agent set.

    ``where`` is put before messages ("item 3: "). With ``said_at`` an episode that gives no time takes the one that its text
    plainly tells ("yesterday we …"), counted from then.

    Raises:
        InvalidInput: a field is unknown, of the wrong type or empty; the message names it.
        ContentTooLarge: the content is over ``MAX_CONTENT_BYTES``.
        AccessDenied: namespace or agent are not the caller's.
    """
    values = given.model_dump(exclude_unset=True) if isinstance(given, Draft) else dict(given)
    values = {name: _clean(value) for name, value in values.items()}
    content = values.get("content")
    if not isinstance(content, str):
        raise InvalidInput(f"{where}content: text is needed, not {type(content).__name__}.")
    size = len(content.encode("utf-8"))
    if size > MAX_CONTENT_BYTES:
        raise ContentTooLarge(
            f"{where}content: {size:,} bytes are over the limit of {MAX_CONTENT_BYTES:,}; store a summary, or import it as a document in parts."
        )
    values["content"] = strip_recalled(content)
    if not values["content"].strip():
        raise InvalidInput(f"{where}content: nothing is left to store; give at least one character that is not white space.")
    if isinstance(values.get("outcome"), str):
        values["outcome"] = normalise_outcome(values["outcome"])
    if isinstance(values.get("task_type"), str):
        values["task_type"] = normalise_task_type(values["task_type"])
    _place_times(values, attribution.zone)
    draft = validated(Draft, values, where)
    namespace = attribution.namespace_for(draft.namespace)
    principal = attribution.principal
    if draft.agent not in (None, principal.agent) and not {"admin", "relay"} & principal.scopes:
        raise AccessDenied(f"{where}agent: this caller writes as {principal.agent!r} and may not write as {draft.agent!r}.")
    told = _time_told(draft, said_at.astimezone(attribution.zone)) if said_at is not None else {}
    return draft.model_copy(update={"namespace": namespace, "agent": draft.agent or principal.agent, **told})


def read_id(value: UUID | str, what: str = "memory") -> UUID:
    """The id that a caller gave.

    Raises:
        InvalidInput: it is not a UUID.
    """
    if isinstance(value, UUID):
        return value
    try:
        return UUID(str(value).strip())
    except ValueError:
        raise InvalidInput(f"id: {value!r} is not a {what}'s id; ids look like 0197a1b2-….") from None


def validated(model: type[ModelT], values: Mapping[str, Any], where: str = "") -> ModelT:
    """``model(**values)``, its faults told as one ``InvalidInput``."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(str(p) for p in f['loc']) or 'input'}: {f['msg']}" for f in error.errors(include_url=False, include_input=False)
        )
        if any(f["type"] == "extra_forbidden" for f in error.errors(include_url=False)):
            faults += f" (known fields: {', '.join(model.model_fields)})"
        raise InvalidInput(f"{where}{faults}.") from None


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return sanitise(value)
    if isinstance(value, dict):
        return {key: _clean(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_clean(each) for each in value)
    return value


def _place_times(values: dict[str, Any], zone: tzinfo) -> None:
    for name in ("occurred_at", "valid_from", "valid_to", "expires_at"):
        value = values.get(name)
        if value is None:
            continue
        moment, precision = read_moment(value, zone, field=name)
        values[name] = moment
        if name == "occurred_at" and values.get("occurred_precision") is None:
            values["occurred_precision"] = precision


def _time_told(draft: Draft, said_at: datetime) -> dict[str, Any]:
    """When what an episode tells of happened, with where that was read; nothing where the caller said, or the text does not.

    What tells of a task happened when the task did: a day in it is that of something in the task.
    """
    of_task = draft.task_type or draft.tools or draft.error_code or draft.lesson or draft.outcome is not Outcome.UNKNOWN
    made = draft.debug is not None and draft.debug.distiller is not None
    if draft.kind is not Kind.EPISODE or draft.occurred_at is not None or draft.occurred_precision is not None or of_task or made:
        return {}
    from hindsight.remember.event_time import read_event_time

    told = read_event_time(draft.content, said_at)
    if told is None:
        return {}
    info = draft.debug or DebugInfo(session_id=draft.session_id, turn_ids=draft.turn_ids)
    return {
        "occurred_at": told.at.astimezone(UTC),
        "occurred_precision": told.precision,
        "debug": info.model_copy(update={"event_time": told.words}),
    }
