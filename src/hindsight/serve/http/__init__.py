"""Parts of the HTTP server beside MCP: checks before a request is read, the REST interface, health, metrics."""
