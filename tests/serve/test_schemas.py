"""What a model is told about the tools."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator
from serving import connected

from hindsight.serve.mcp.server import LISTED
from hindsight.serve.mcp.tool import schema_of

LONGEST_LISTING = 9_000
"""Characters that all tools together may cost a model on every turn."""
SET_BY_THE_SERVER = {"trust", "channel", "status", "agent", "namespace", "seal", "version"}


async def test_all_tools_together_stay_short(desk) -> None:
    async with connected(desk) as client:
        tools = (await client.list_tools()).tools
    listing = json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools], ensure_ascii=False)
    assert len(listing) < LONGEST_LISTING


@pytest.mark.parametrize("tool", [tool.listing() for tool in LISTED], ids=lambda tool: tool.name)
def test_every_tool_is_described_for_a_model_in_two_languages(tool) -> None:
    assert tool.title
    assert re.search("[a-z]{3}", tool.description)
    assert re.search("[\u4e00-\u9fff]{3}", tool.description)
    hints = tool.annotations
    assert None not in (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
    assert not (hints.read_only_hint and hints.destructive_hint)
    for schema in (tool.input_schema, tool.output_schema):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert not {"$defs", "$ref", "title"} & set(json.dumps(schema).split('"'))


@pytest.mark.parametrize("tool", LISTED, ids=lambda tool: tool.name)
def test_nothing_that_the_server_decides_is_a_parameter(tool) -> None:
    assert not SET_BY_THE_SERVER & set(tool.arguments.model_fields)


def test_a_schema_keeps_a_parameter_called_title() -> None:
    from hindsight.serve.mcp.tool import Arguments

    class WithTitle(Arguments):
        title: str | None = None
        default: int = 0

    assert schema_of(WithTitle) == {
        "type": "object",
        "properties": {"title": {"type": "string"}, "default": {"type": "integer", "default": 0}},
    }
