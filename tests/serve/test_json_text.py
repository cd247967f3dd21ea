"""Messages that a strict parser refuses."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCRequest

from hindsight.serve.json_text import repaired
from hindsight.serve.mcp.messages import MalformedMessage, read_message

REQUEST = rb'{"jsonrpc":"2.0","id":1,"method":"m","params":{"text":"%s"}}'


@given(st.text(alphabet=st.characters(), max_size=30))
def test_any_text_that_python_escapes_comes_through(text: str) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"text": text}}).encode()
    message = read_message(line)
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"text": text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")}


@pytest.mark.parametrize(
    ("escaped", "meant"),
    [
        (rb"a\ud800b", "a\ufffdb"),
        (rb"\udc00", "\ufffd"),
        (rb"\ud83d\ude00", "😀"),
        (rb"\\ud800", "\\ud800"),
        ("容器😀".encode(), "容器😀"),
    ],
)
def test_lone_surrogates_become_the_replacement_character(escaped: bytes, meant: str) -> None:
    message = read_message(REQUEST % escaped)
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"text": meant}


@pytest.mark.parametrize("body", [b"", b"{", rb'{"a": "\ud800"', b'"\\ud800', b"[" * 100_000 + rb'"\ud800"'])
def test_what_is_no_json_is_left_alone(body: bytes) -> None:
    assert repaired(body) == body


@pytest.mark.parametrize(
    ("line", "code", "id"),
    [
        (b"not json", -32700, None),
        (b"\xff\xfe\x00", -32700, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
        (b'{"id": 7, "method": "ping"}', -32600, 7),
        (b'{"jsonrpc": "2.0", "id": "x", "method": 5}', -32600, "x"),
        (b'{"jsonrpc": "2.0", "id": true, "method": 5}', -32600, None),
        (b"[" * 100_000, -32700, None),
    ],
)
def test_whoever_sends_no_message_is_told_so(line: bytes, code: int, id: object) -> None:
    with pytest.raises(MalformedMessage) as error:
        read_message(line)
    assert (error.value.reply.error.code, error.value.reply.id) == (code, id)
