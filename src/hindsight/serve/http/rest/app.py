"""The REST interface as an application of its own, mounted at ``/v1``."""

from __future__ import annotations

from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from hindsight import __version__
from hindsight.errors import AccessDenied, HindsightError
from hindsight.serve.desk import Desk
from hindsight.serve.http.problem import on_error, on_fault, on_refusal, on_unfit
from hindsight.serve.http.refusal import REST_PATH
from hindsight.serve.http.rest.backups import backups
from hindsight.serve.http.rest.knowing import knowing
from hindsight.serve.http.rest.learning import learning
from hindsight.serve.http.rest.memories import memories
from hindsight.serve.http.rest.operating import operating
from hindsight.serve.http.rest.recalling import recalling
from hindsight.serve.http.rest.routes import PROBLEM_SCHEMA
from hindsight.serve.http.rest.watching import HAPPENING_SCHEMA, watching
from hindsight.serve.http.rest.working import working

_TOLD = (
    "Long-term memory for LLM agents. Calls need `Authorization: Bearer …` where the server has tokens. Writes of tokens with the scope "
    "`review` or `admin` are a person's, all others an agent's. Errors are `application/problem+json` (RFC 9457)."
)


def build_rest(desk: Desk) -> FastAPI:
    """The application, answered from ``desk``."""
    app = FastAPI(
        title="hindsight",
        description=_TOLD,
        version=__version__,
        openapi_url="/openapi.json",
        docs_url=None,
        redoc_url=None,
        root_path_in_servers=False,
        servers=[{"url": REST_PATH}],
        generate_unique_id_function=_name_of,
        dependencies=[Depends(_from_no_page)],
        exception_handlers={
            HindsightError: on_error,
            RequestValidationError: on_unfit,
            HTTPException: on_refusal,
            Exception: on_fault,
        },
    )
    for part in (memories, recalling, knowing, working, learning, operating, backups, watching):
        app.include_router(part(desk))
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = plain()
            components = schema.setdefault("components", {})
            problem = dict(PROBLEM_SCHEMA)
            components.setdefault("schemas", {}).update(problem.pop("$defs", {}))
            components["schemas"]["Problem"] = problem
            components["schemas"]["HappeningAnswer"] = HAPPENING_SCHEMA  # no answer's model: the data of events
            components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
            schema["security"] = [{"bearer": []}, {}]
        return app.openapi_schema or {}

    app.openapi = described  # type: ignore[method-assign]
    return app


async def _from_no_page(request: Request) -> None:
    """Without a token everybody on this machine is the owner; a web page that is open in a browser here is not."""
    of_page = request.headers.get("sec-fetch-site") in {"cross-site", "same-site"}
    if of_page and request.method not in {"GET", "HEAD"} and "authorization" not in request.headers:
        raise AccessDenied("pages of other addresses may not write here; send a token, or use the console.")


def _name_of(route: APIRoute) -> str:
    return route.name
