"""The console: server-rendered pages on which people see what a memory holds, what a query finds and why, and mend it."""
