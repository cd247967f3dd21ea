"""One call of ``retrieve`` after the defaults were put in, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from hindsight.errors import InvalidInput
from hindsight.recall.options import PROFILES, ROUTES, Profile, RecallOptions
from hindsight.recall.routes import Limits
from hindsight.recall.state import SessionState
from hindsight.records import Filter, Status

_WEIGHTED_K = 5
_WEIGHTED_LIMITS = Limits(vector=20, keyword=20, hops=1)


@dataclass(frozen=True, slots=True)
class Request:
    """What one call asks for.

    ``k`` of None is 2 to 5 by the complexity of the query. ``threshold`` of None means no relevance cut. ``free``: the judge
    may choose by source and novelty too; an explicit ``k`` or ``min_relevance=0`` asks for the plain ranking.
    """

    query: str
    filter: Filter
    now: datetime
    k: int | None
    threshold: float | None
    free: bool
    profile: Profile
    routes: tuple[str, ...]
    state: SessionState | None
    cold: bool


def make_request(
    query: str,
    filter: Filter,
    options: RecallOptions,
    fitted_threshold: float,
    *,
    now: datetime,
    k: int | None,
    min_relevance: float | None,
    profile: Profile | None,
    routes: Sequence[str] | None,
    state: SessionState | None,
    cold: bool,
) -> Request:
    """Put the options' defaults in.

    Raises:
        InvalidInput: the query is no text, a route or profile is unknown; the message names what is allowed.
    """
    if not isinstance(query, str):
        raise InvalidInput(f"query: text is needed, not {type(query).__name__}.")
    enabled = tuple(routes) if routes is not None else options.routes or ROUTES
    if unknown := sorted(set(enabled) - set(ROUTES)):
        raise InvalidInput(f"routes: {', '.join(unknown)} is unknown; routes are {', '.join(ROUTES)}.")
    chosen = profile or options.profile
    if chosen not in PROFILES:
        raise InvalidInput(f"profile: {chosen!r} is unknown; profiles are {', '.join(PROFILES)}.")
    wanted = min_relevance if min_relevance is not None else options.min_relevance
    free = k is None and min_relevance != 0
    if wanted is None and free:
        wanted = fitted_threshold
    if min_relevance is None and k is not None:
        wanted = None
    if cold:
        filter = filter.model_copy(update={"statuses": tuple(dict.fromkeys((*filter.statuses, Status.ARCHIVED)))})
    return Request(
        query=query,
        filter=filter if filter.now is not None else filter.model_copy(update={"now": now}),
        now=filter.now or now,
        k=k or options.k or (_WEIGHTED_K if chosen == "weighted" else None),
        threshold=wanted or None,
        free=free,
        profile=chosen,
        routes=enabled,
        state=state,
        cold=cold,
    )


def limits_of(request: Request, wanted: int) -> Limits:
    """How many candidates each route gives; more where many memories are asked for."""
    start = _WEIGHTED_LIMITS if request.profile == "weighted" else Limits()
    more = wanted + wanted // 2
    return replace(start, vector=max(start.vector, more), keyword=max(start.keyword, more))
