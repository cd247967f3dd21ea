"""What every route of the REST interface shares: how errors are documented, and how handlers are declared."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from hindsight.client.operating_answers import Problem
from hindsight.serve.http.problem import MEDIA_TYPE

_SAID = {
    400: "The body does not parse.",
    401: "A token is needed.",
    403: "The token lacks the scope, or the namespace is not open to it.",
    404: "There is no such thing for this caller.",
    409: "It changed since it was read; `current` is the version that stands.",
    412: "`If-Match` names a version that no longer stands; `current` is the one that does.",
    413: "The body, or a text in it, is too large.",
    422: "A value does not fit; `detail` and `errors` name it.",
    428: "`If-Match` is missing.",
    429: "Too many requests, or too much is queued; `Retry-After` says when to come again.",
    503: "The store or a model does not answer now.",
}
_ALWAYS = (400, 401, 403, 413, 422, 429, 503)


def refusals(*more: int) -> dict[int | str, dict[str, Any]]:
    """The refusals that a route may answer with beside those of every route."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": _SAID[status], "content": content} for status in sorted({*_ALWAYS, *more})}


def routes(tag: str) -> APIRouter:
    """Where the routes of one subject are declared."""
    return APIRouter(tags=[tag])


PROBLEM_SCHEMA = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
