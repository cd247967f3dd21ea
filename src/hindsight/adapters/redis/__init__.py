"""Redis beside a store: what several processes share for speed. Whatever it forgets is still in the store."""
