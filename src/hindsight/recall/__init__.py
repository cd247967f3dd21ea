"""The read path, one file a stage: understand → routes → fuse → rerank → score → judge → render."""
