"""The REST interface keeps what its OpenAPI description says, for requests that a machine makes up."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance
from serving import HttpThread

from hindsight.serve.desk import Desk
from hindsight.serve.http.rest.app import build_rest
from hindsight.settings import load_settings
from hindsight.telemetry import Counts

CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)

LONGEST_ADDRESS = 50_000
"""No HTTP server reads a longer one; the description bounds its parts alone."""


def description() -> dict:
    async def nowhere():
        raise AssertionError("nothing is opened to describe the interface")

    return build_rest(Desk(load_settings({}), nowhere, Counts())).openapi()


schema = schemathesis.openapi.from_dict(description())


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[HttpThread]:
    with HttpThread(str(tmp_path_factory.mktemp("contract") / "memory")) as server:
        httpx.post(f"{server.url}/v1/memories", json={"content": "a memory to meet"}).raise_for_status()
        yield server


@pytest.mark.filterwarnings("ignore")
@schema.exclude(path_regex="^/(tokens|events)").parametrize()  # the first token closes the door to all that follow; events last
@settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_described(case, server) -> None:
    if len(urlencode(case.query or {}, doseq=True)) > LONGEST_ADDRESS:
        return
    case.validate_response(case.call(base_url=f"{server.url}/v1"), checks=CHECKS)
