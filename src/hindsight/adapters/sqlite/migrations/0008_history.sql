-- Where the history of a namespace was cut. Links up to "number" that nothing needs any more are gone; "mac" and "last" are the seal and the
-- key of the last of them, which the next link continues. "kept" links of before are left, each with key and seal of the one before it
-- ("previous"); "total" stands for the set of them. "key" names the key that sealed the cut.
CREATE TABLE seal_cuts (
    chain  INTEGER PRIMARY KEY,
    number INTEGER NOT NULL,
    last   BLOB NOT NULL,
    mac    BLOB NOT NULL,
    kept   INTEGER NOT NULL,
    total  BLOB NOT NULL,
    before TEXT NOT NULL,
    key    BLOB NOT NULL,
    seal   BLOB NOT NULL
) STRICT;
ALTER TABLE seals ADD COLUMN previous BLOB;
CREATE INDEX seals_scrubbing ON seals (event) WHERE kind = 'scrub';
