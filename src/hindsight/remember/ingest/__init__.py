"""Documents become knowledge: files are found, read, cut into chunks with their headings, and kept in step with what they say now."""
