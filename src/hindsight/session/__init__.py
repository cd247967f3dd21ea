"""Working memory: the board of a task and a window of turns, for as long as a session lasts. Nothing of it is recalled before it ends."""
