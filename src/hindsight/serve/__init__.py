"""How the memory is reached from outside the process: MCP over stdio and HTTP, health and metrics."""
