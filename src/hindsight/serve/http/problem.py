"""Refusals of the REST interface, as RFC 9457 has them: ``application/problem+json`` with a sentence that says what to do."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from hindsight.errors import (
    AccessDenied,
    ConfigurationError,
    ContentTooLarge,
    HindsightError,
    ImportFailed,
    InvalidInput,
    ModelError,
    NotFound,
    Overloaded,
    StoreError,
    VersionConflict,
)

MEDIA_TYPE = "application/problem+json"
_KINDS: tuple[tuple[type[HindsightError], int, str], ...] = (
    (ContentTooLarge, 413, "Too large"),
    (InvalidInput, 422, "The request does not fit"),
    (NotFound, 404, "No such thing"),
    (VersionConflict, 409, "It changed meanwhile"),
    (AccessDenied, 403, "Not allowed"),
    (Overloaded, 429, "Too much is waiting"),
    (StoreError, 503, "The store does not answer"),
    (ModelError, 503, "A model does not answer"),
    (ConfigurationError, 503, "The server is set up wrongly"),
)
"""The first that fits decides."""
_OF_STATUS = {
    400: "The request does not parse",
    401: "Who asks?",
    404: "No such thing",
    405: "Not this way",
    413: "Too large",
    429: "Too often",
}
RETRY_SECONDS = "1"
_log = logging.getLogger(__name__)


def status_of(error: HindsightError) -> tuple[int, str]:
    """Status and title for an error."""
    return next(((status, title) for kind, status, title in _KINDS if isinstance(error, kind)), (500, "A fault of the server"))


def problem(
    status: int, title: str, detail: str, *, name: str | None = None, headers: Mapping[str, str] | None = None, **more: Any
) -> JSONResponse:
    """The answer; ``name`` ends its ``type``."""
    kind = f"urn:hindsight:problem:{name}" if name else "about:blank"
    body = {"type": kind, "title": title, "status": status, "detail": detail} | {
        key: each for key, each in more.items() if each is not None
    }
    return JSONResponse(body, status_code=status, headers=headers, media_type=MEDIA_TYPE)


def refused(status: int, detail: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """A refusal that came before any handler: no token, too many requests, too large a body."""
    return problem(status, _OF_STATUS.get(status, "Refused"), detail, headers=headers)


async def on_error(request: Request, error: Exception) -> JSONResponse:
    """Answer an error that hindsight raised on purpose."""
    assert isinstance(error, HindsightError)
    status, title = status_of(error)
    if isinstance(error, VersionConflict) and "if-match" in request.headers:
        status = 412
    return problem(
        status,
        title,
        str(error),
        name=type(error).__name__,
        headers={"Retry-After": RETRY_SECONDS} if error.retryable else None,
        retryable=error.retryable,
        current=error.current if isinstance(error, VersionConflict) else None,
        line=error.line if isinstance(error, ImportFailed) else None,
    )


async def on_unfit(_request: Request, error: Exception) -> JSONResponse:
    """Answer a request that does not fit its form; what came is not repeated."""
    assert isinstance(error, RequestValidationError)
    faults = [{"field": ".".join(str(part) for part in each["loc"]), "message": str(each["msg"])} for each in error.errors()]
    if any(each["type"] == "json_invalid" for each in error.errors()):
        return problem(400, _OF_STATUS[400], "The body is no JSON; send a JSON object in UTF-8.", name="NotJson", errors=faults)
    told = "; ".join(f"{each['field']}: {each['message']}" for each in faults[:5])
    return problem(422, "The request does not fit", f"{told}.", name="InvalidInput", errors=faults)


async def on_refusal(_request: Request, error: Exception) -> JSONResponse:
    """Answer what the framework itself refuses: unknown paths, wrong methods."""
    assert isinstance(error, HTTPException)
    detail = {
        404: "There is no such path; GET /v1/openapi.json lists them.",
        405: "The path does not take this method; GET /v1/openapi.json tells which it takes.",
        400: "The body does not parse; send JSON in UTF-8.",
    }.get(error.status_code, str(error.detail))
    return problem(error.status_code, _OF_STATUS.get(error.status_code, "Refused"), detail, headers=error.headers)


async def on_fault(_request: Request, error: Exception) -> JSONResponse:
    """Answer a fault of ours; the log tells more under the reference."""
    reference = uuid.uuid4().hex[:8]
    _log.error("request failed unexpectedly, reference %s", reference, exc_info=error)
    detail = f"The server failed unexpectedly. This is a fault of hindsight; its log tells more under the reference {reference}."
    return problem(500, "A fault of the server", detail, name="Fault")
