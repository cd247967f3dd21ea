"""The memory as MCP tools, resources and prompts; one file a group of tools."""
