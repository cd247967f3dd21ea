"""Parts of the HTTP server beside MCP: checks before a request is read, health, metrics, the start page."""
