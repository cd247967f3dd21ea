"""A stand-in for a language model: speaks the OpenAI chat protocol, offline, and decides by one rule from what it was given.

It knows nothing by itself. Where the messages hold a `<memory_context>` block, it answers with what the block says; where they do not,
it says that it does not know, or, if it was offered a tool named in the request ("use the tool remember …"), calls that tool.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_BLOCK = re.compile(r"<memory_context>\n(.*?)</memory_context>", re.DOTALL)
_USE = re.compile(r"use the tool (\w+): (.+)", re.DOTALL)


def text_of(content: Any) -> str:
    """A message's text, whichever way it is written."""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or ())


def decide(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """The model's next message."""
    if messages[-1]["role"] == "tool":
        return {"role": "assistant", "content": f"The tool said: {text_of(messages[-1]['content'])}"}
    request = text_of(messages[-1].get("content"))
    names = {tool["function"]["name"]: tool["function"] for tool in tools}
    if (asked := _USE.search(request)) and asked[1] in names:
        first = next(iter(names[asked[1]]["parameters"]["required"]))
        call = {"name": asked[1], "arguments": json.dumps({first: asked[2].strip()})}
        return {"role": "assistant", "content": None, "tool_calls": [{"id": "call-1", "type": "function", "function": call}]}
    for message in messages:
        if found := _BLOCK.search(text_of(message.get("content"))):
            lines = [line for line in found[1].splitlines() if line.startswith(("-", "["))]
            return {"role": "assistant", "content": "From memory: " + " / ".join(lines)}
    return {"role": "assistant", "content": "I do not know."}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer one chat completion."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = decide(asked["messages"], asked.get("tools") or [])
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if message.get("tool_calls") else "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        body = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": asked["model"], "choices": [choice], "usage": usage}
        content = json.dumps(body).encode("utf-8")
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


@contextmanager
def scripted_model() -> Iterator[str]:
    """The address of a running stand-in, to be given as an OpenAI base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
