"""What an agent imports: REST and MCP clients, a layer that never makes it wait or fail, and the loop around a task."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hindsight.client.agent import AgentMemory
    from hindsight.client.asynchronous import AsyncRestClient
    from hindsight.client.breaker import CircuitBreaker
    from hindsight.client.connecting import connect
    from hindsight.client.over_mcp import McpClient
    from hindsight.client.resilient import ResilientMemory
    from hindsight.client.spool import Spool
    from hindsight.client.synchronous import RestClient
    from hindsight.client.taskloop import Task, TaskLoop

_HOMES = {
    "AgentMemory": "agent",
    "AsyncRestClient": "asynchronous",
    "CircuitBreaker": "breaker",
    "McpClient": "over_mcp",
    "ResilientMemory": "resilient",
    "RestClient": "synchronous",
    "Spool": "spool",
    "Task": "taskloop",
    "TaskLoop": "taskloop",
    "connect": "connecting",
}
__all__ = [
    "AgentMemory",
    "AsyncRestClient",
    "CircuitBreaker",
    "McpClient",
    "ResilientMemory",
    "RestClient",
    "Spool",
    "Task",
    "TaskLoop",
    "connect",
]


def __getattr__(name: str) -> Any:
    """Each is imported at first use: the server reads the forms of this package, and makes no calls."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"hindsight.client.{_HOMES[name]}"), name)
