"""JSON-RPC messages as they come over the wire, before the SDK sees them."""

from __future__ import annotations

import json
from typing import Any

from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

from hindsight.serve.json_text import repaired


class MalformedMessage(Exception):
    """What arrived is no message; ``reply`` says so to whoever sent it."""

    def __init__(self, reply: JSONRPCError) -> None:
        super().__init__(reply.error.message)
        self.reply = reply


def read_message(line: bytes) -> JSONRPCMessage:
    """The message in one line.

    Raises:
        MalformedMessage: it is no JSON, or no single JSON-RPC message.
    """
    text = repaired(line).decode("utf-8", "replace")
    try:
        return jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        raise MalformedMessage(_complaint(text)) from None


def _complaint(text: str) -> JSONRPCError:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "Parse error: this line is not JSON; send one JSON-RPC message a line, in UTF-8.")
    id = value.get("id") if isinstance(value, dict) else None
    known = id if isinstance(id, (int, str)) and not isinstance(id, bool) else None
    return _error(known, INVALID_REQUEST, "Invalid request: a single JSON-RPC 2.0 request, response or notification object is needed.")


def _error(id: int | str | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=message))
